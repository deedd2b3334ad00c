"""The settings that the browser keeps from one start to the next: one readable JSON file. Wrong values are ignored."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any


def default_path() -> Path:
    """The usual place for settings on this system."""
    if sys.platform == "win32":
        base = Path(os.environ.get("APPDATA", Path.home()))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_CONFIG_HOME", Path.home() / ".config"))
    return base / "box2dpy" / "samples.json"


@dataclass
class Settings:
    """All settings that are kept. Values of the wrong type in the file are ignored, so an old file cannot break the
    browser."""

    sample: str = ""
    overrides: dict[str, Any] = field(default_factory=dict)  # hertz, substeps and options of worlds as set by the user
    flags: list[str] = field(default_factory=lambda: ["joints"])
    color_by: str = ""  # empty: as in the sample
    show_sleep: bool = True
    show_fast: bool = False
    show_interface: bool = True
    show_panel: bool = False  # the panel of figures at the bottom
    smooth: bool = True  # interpolate poses between steps
    speed: float = 1.0
    interface_scale: float = 1.0
    theme: str = "dark"  # or "light"
    folder: str = "box2dpy-samples"  # for screenshots, films and recordings
    force_scale: float = 1.0
    width: int = 1280
    height: int = 800

    @classmethod
    def load(cls, path: Path) -> Settings:
        settings = cls()
        try:
            given = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return settings
        for part in fields(cls):
            value = given.get(part.name) if isinstance(given, dict) else None
            if type(value) is type(getattr(settings, part.name)):
                setattr(settings, part.name, value)
        settings.flags = [flag for flag in settings.flags if isinstance(flag, str)]
        settings.theme = settings.theme if settings.theme in ("dark", "light") else "dark"
        settings.folder = settings.folder or "box2dpy-samples"
        settings.speed = min(max(settings.speed, 0.1), 4.0)
        settings.interface_scale = min(max(settings.interface_scale, 0.75), 3.0)
        settings.width, settings.height = min(max(settings.width, 640), 8000), min(max(settings.height, 400), 8000)
        return settings

    def save(self, path: Path) -> None:
        """Writes the file. A folder that cannot be written to is not an error."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        except OSError:
            pass
