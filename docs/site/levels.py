"""Completes docs/guide/levels.md: writes the tables of keys, from the signatures and texts of what reads them.

Run `python docs/site/levels.py` after a change of the page or of an option. A test says when the tables are old.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import box2dpy as b2

sys.path.insert(0, str(Path(__file__).parent))
import reference

PAGE = reference.ROOT / "docs" / "guide" / "levels.md"
FORMS = (b2.Circle, b2.Capsule, b2.Segment, b2.ChainSegment, b2.Polygon, b2.Box)
PLACES = ("anchor", "local_anchor_a", "local_anchor_b", "frame_a", "frame_b")
MARK = re.compile(r"<!-- keys (\w+) -->\n(?:\n(?:\|.*\n)+)?")
NO_KEYS = {
    "update_mass",
    "geometry",
    "body_a",
    "body_b",
    "joint_a",
    "joint_b",
    "workers",
    "simd",
    "profiling",
    "strategies",
}
WORDS = {"True": "true", "False": "false", "None": "null", "Filter()": "{}", "''": '""', "(0.0, 0.0)": "[0.0, 0.0]"}


def rows(thing: object) -> list[str]:
    """The options of a method or class as rows of a table, without those that are no keys."""
    table = reference.text(thing.__doc__ or "", reference.signature_of(thing)).split("\n")
    listed = [line for line in table if line.startswith("| `") and line.split("`")[1] not in NO_KEYS]
    for theirs, ours in WORDS.items():
        listed = [line.replace(f"`{theirs}`", f"`{ours}`") for line in listed]
    return [
        line if not line.startswith("| `data`") else "| `data` | `null` | Any value that is JSON. |" for line in listed
    ]


def names_of(lines: list[str]) -> list[str]:
    """The options of rows; some rows have several."""
    return [name for line in lines for name in re.findall(r"`(\w+)`", line.split("|")[1])]


def _makes_joint(name: str) -> bool:
    return name.startswith("create_") and name.endswith("_joint")


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def keys(kind: str) -> str:
    """The table of one kind of entry."""
    if kind == "geometry":
        lines = []
        for form in FORMS:
            name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", form.__name__).lower()
            arguments = reference.inspect.signature(form).parameters.values()
            shown = [
                f"`{each.name}`" if each.default is each.empty else f"`{each.name}` ({_json(each.default)})"
                for each in arguments
            ]
            lines.append(f"| `{name}` | {', '.join(shown)} |")
        return "\n".join(["| `type` | keys, with their defaults |", "|---|---|", *lines])
    if kind == "joints":
        makers = {name: names_of(rows(getattr(b2.World, name))) for name in dir(b2.World) if _makes_joint(name)}
        shared = set(makers["create_weld_joint"]) & set(makers["create_revolute_joint"])
        lines = [f"| all but `filter` and `connection` | {_listed(sorted(shared - set(PLACES)))} |"]
        for name, names in makers.items():
            own = [each for each in names if each not in shared]
            lines.append(f"| `{name[7:-6]}` | {_listed(own) or 'none'} |")
        return "\n".join(["| `type` | keys |", "|---|---|", *lines])
    source = {"world": b2.World, "body": b2.World.create_body, "shape": b2.Body.create_shape,
              "chain": b2.Body.create_chain}[kind]  # fmt: skip
    return "\n".join(["| key | default | meaning |", "|---|---|---|", *rows(source)])


def _json(value: object) -> str:
    return "none" if value is None else str(list(value)) if isinstance(value, tuple) else str(value)


def completed(text: str) -> str:
    """The page with present tables."""
    return MARK.sub(lambda mark: f"<!-- keys {mark[1]} -->\n\n{keys(mark[1])}\n", text)


if __name__ == "__main__":
    PAGE.write_text(completed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
