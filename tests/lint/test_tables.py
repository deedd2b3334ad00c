"""The list of tables: every member of the structs of a world is in csrc/state/tables.def, once, with a known kind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[2] / "csrc"
LIST = re.sub(r"//[^\n]*", "", (CORE / "state" / "tables.def").read_text(encoding="utf-8"))
STRUCTS = {
    "": ("objects/world.h", "struct b2d_world {"),
    "graph.": ("graph/graph.h", "typedef struct b2d_graph {"),
    "proxies.": ("broadphase/broadphase.h", "typedef struct b2d_proxies {"),
    "direct.": ("solver/direct.h", "typedef struct b2d_direct {"),
}


def members(file: str, opening: str) -> list[str]:
    """The names of the members of a struct, without comments and array sizes."""
    text = re.sub(r"//[^\n]*", "", (CORE / file).read_text(encoding="utf-8"))
    body = text[text.index(opening) + len(opening) :]
    body = re.sub(r"\[[^\]]*\]", "", body[: body.index("\n}")])
    names = []
    for declaration in body.split(";"):
        first, *others = declaration.split(",")
        names += [re.findall(r"\w+", part)[-1] for part in (first, *others) if part.strip()]
    return names


@pytest.mark.parametrize("prefix", STRUCTS)
def test_every_member_of_a_world_is_in_the_list(prefix: str) -> None:
    names = members(*STRUCTS[prefix])
    assert len(names) > 10
    inner = {"graph", "proxies", "direct"} if not prefix else set()  # they have lists of their own
    missing = [
        name
        for name in names
        if name not in inner and not re.search(rf"[(,] ?{re.escape(prefix + name)}(?![\w])", LIST)
    ]
    assert missing == []


def test_every_entry_is_unique_and_has_a_known_kind() -> None:
    rows = re.findall(r"^B2D_\w+\(([^,()]+),.*?\b(STATE|REBUILT|SCRATCH|OWN)\b.*\)$", LIST, flags=re.MULTILINE)
    assert len(rows) == len([line for line in LIST.splitlines() if line.strip() and not line.startswith("#undef")])
    assert {kind for _, kind in rows} == {"STATE", "REBUILT", "SCRATCH", "OWN"}
    names = [name for name, _ in rows]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_every_bucket_of_contacts_is_in_the_list() -> None:
    buckets = len(re.findall(r"^    B2D_BUCKET_(?!COUNT)\w+", (CORE / "narrowphase/contact_block.h").read_text(), re.M))
    assert len(re.findall(r"graph\.awake_contacts\[\d+\]", LIST)) == buckets
