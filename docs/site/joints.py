"""Completes docs/guide/joints.md: draws a picture from each snippet, and writes the table of options after it.

Run `python docs/site/joints.py` after a change of the page or of an option. A test says when the tables are old.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image

import box2dpy as b2

sys.path.insert(0, str(Path(__file__).parent))
import reference

PAGE = reference.ROOT / "docs" / "guide" / "joints.md"
PICTURES = reference.ROOT / "docs" / "pictures" / "joints"
CAMERA = (-3.2, -2, 3.2, 2.4)
STEPS = 36
SHARED = {
    *("collide_connected", "joint_hertz", "joint_damping_ratio", "joint_solver", "force_threshold"),
    *("torque_threshold", "data", "body_a", "anchor", "local_anchor_a", "local_anchor_b", "frame_a", "frame_b"),
}
MARK = re.compile(r"<!-- options (\w+) -->\n(?:\n(?:\|.*\n)+)?")


def options(maker: str) -> str:
    """The options that only this type of joint has, as a table."""
    method = getattr(b2.World, maker)
    table = reference.text(method.__doc__, reference.signature_of(method)).split("\n")
    rows = [line for line in table if line.startswith("| `") and line.split("`")[1] not in SHARED]
    return "\n".join(["| option | default | meaning |", "|---|---|---|", *rows])


def completed(text: str) -> str:
    """The page with present tables."""
    return MARK.sub(lambda mark: f"<!-- options {mark[1]} -->\n\n{options(mark[1])}\n", text)


def snippets(text: str) -> Iterator[tuple[str, str]]:
    """For each picture its name and the snippet that it shows."""
    yield from re.findall(r"pictures/joints/(\w+)\.png\)\n\n```python\n(.*?)```", text, flags=re.DOTALL)


def main() -> None:
    text = completed(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(text, encoding="utf-8")
    PICTURES.mkdir(parents=True, exist_ok=True)
    names: dict[str, Any] = {}
    for name, snippet in snippets(text):
        exec(snippet, names)
        world = names["world"]
        for _ in range(STEPS):
            world.step()
        path = PICTURES / f"{name}.png"
        world.save_picture(path, camera=CAMERA, size=(384, 264), draw=world.debug_draw(None, "joints"))
        with Image.open(path) as image:
            small = image.quantize(64)
        small.save(path, optimize=True)


if __name__ == "__main__":
    main()
