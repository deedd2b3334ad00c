"""A joint type is one file: outside csrc/joints no code of the core but that of pages names a type."""

from __future__ import annotations

import re
from pathlib import Path

CORE = Path(__file__).resolve().parents[2] / "csrc"
TYPES = re.findall(
    r"^B2D_JOINT_TYPE\((\w+), (\w+)\)", (CORE / "include/lists/joint_types.def").read_text("utf-8"), flags=re.MULTILINE
)


def test_each_type_of_the_list_has_a_file_that_bears_its_name() -> None:
    assert len(TYPES) >= 14
    assert [name for _, name in TYPES if not (CORE / "joints" / f"{name}.c").is_file()] == []


def test_no_code_of_the_core_names_a_joint_type() -> None:
    named = re.compile(r"\bB2D_(?:" + "|".join(upper for upper, _ in TYPES) + r")\b")
    sources = [path for suffix in ("c", "h", "inl") for path in CORE.rglob(f"*.{suffix}") if path.parent.name != "page"]
    assert len(sources) > 100
    wrong = [path.relative_to(CORE).as_posix() for path in sources if named.search(path.read_text("utf-8"))]
    assert wrong == []
