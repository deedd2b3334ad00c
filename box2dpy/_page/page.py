"""Pages of one HTML file: the viewer, with a player of recorded frames or a live world.

`page.html` is the frame, `view.js` draws and listens, and `recorded.js` or `live.js` keeps the time. The data is JSON
in the page, and so is the core of a live world, compressed. A page loads nothing else.
"""

from __future__ import annotations

import base64
import html
import json
import re
import zlib
from functools import cache
from importlib import resources
from typing import Any

from .._bridge.errors import Box2DError
from .._draw.style import THEMES

LIVE, RECORDED = "live.js", "recorded.js"
_LEVEL = 6  # of the compression: 9 takes ten times as long for 2 % less
_NAMES = ("background", "ink", "static", "kinematic", "asleep", "kinds", "fill", "edge")


@cache
def text_of(name: str) -> str:
    """A file of this folder."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def page_of(script: str, data: dict[str, Any], title: str, scripts: list[str] | None = None) -> str:
    """The page as text. `scripts` names files that stand beside it, in place of scripts in the page."""
    themes = {name: {key: getattr(theme, key) for key in _NAMES} for name, theme in THEMES.items()}
    data = {"themes": themes, **data}
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    if scripts is None:
        code = "\n".join(f"<script>\n{text_of(name)}</script>" for name in ("view.js", script))
    else:
        code = "\n".join(f'<script src="{html.escape(name)}"></script>' for name in scripts)
    # In one pass: the title may have these words
    texts = {"__TITLE__": html.escape(title), "__DATA__": text, "__SCRIPTS__": code}
    return re.sub("|".join(texts), lambda found: texts[found[0]], text_of("page.html"))


class HtmlPage:
    """A page that `World.save_html` has written; a notebook shows it."""

    __slots__ = ("_path", "_text")

    def __init__(self, path: str, text: str) -> None:
        self._path, self._text = str(path), text

    @property
    def path(self) -> str:
        """The file."""
        return self._path

    def _repr_html_(self) -> str:
        return frame_of_page(self._text)

    def __repr__(self) -> str:
        return f"<HtmlPage {self._path!r}>"


def frame_of_page(page: str) -> str:
    """The page inside another page."""
    return (
        f'<iframe srcdoc="{html.escape(page)}" style="width: 100%; height: 480px; border: 0" '
        'sandbox="allow-scripts allow-downloads"></iframe>'
    )


def packed(data: bytes) -> str:
    """Compressed bytes as text."""
    return base64.b64encode(zlib.compress(data, _LEVEL)).decode("ascii")


def core_bytes() -> bytes:
    """The core, compiled for WebAssembly.

    Raises:
        Box2DError: this installation has none.
    """
    try:
        return resources.files(__package__).joinpath("box2dpy.wasm").read_bytes()
    except FileNotFoundError:
        raise Box2DError(
            "this checkout has no core for web pages: `make wasm` builds box2dpy/_page/box2dpy.wasm"
        ) from None


@cache
def packed_core() -> dict[str, Any]:
    """The core, compressed. LZMA takes a quarter less than what browsers decompress by themselves."""
    module = core_bytes()
    try:
        import lzma
    except ImportError:  # a Python that was built without liblzma
        return {"form": "deflate", "size": len(module), "bytes": packed(module)}
    filters = [{"id": lzma.FILTER_LZMA1, "preset": 6, "lc": 3, "lp": 0, "pb": 0}]
    code = lzma.compress(module, lzma.FORMAT_RAW, filters=filters)
    return {"form": "lzma", "size": len(module), "bytes": base64.b64encode(code).decode("ascii")}
