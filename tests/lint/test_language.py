"""Language and layout of the repository: line lengths, phrases that a reader cannot follow, citations.

A program cannot judge prose. These tests hold the few rules that a program can check; docs/contributing.md has the
others.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("csrc", "box2dpy", "benchmarks", "samples", "examples", "tools", "tests", "docs")
CODE = sorted(
    path
    for path in [*ROOT.glob("*.py"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))]
    if path.suffix in (".c", ".h", ".inl", ".def", ".py", ".pyi")
)
COMMANDS = [
    *(path for folder in (".ci", ".github", "conda") for path in (ROOT / folder).rglob("*") if path.is_file()),
    *(path for kind in ("*.yml", "*.yaml", "*.toml", ".*.yaml") for path in ROOT.glob(kind)),
    *(path for folder in FOLDERS for kind in ("*.yml", "*.yaml", "*.sh") for path in (ROOT / folder).rglob(kind)),
    ROOT / "Makefile",
]
PROSE = [
    *CODE,
    *ROOT.glob("*.md"),
    *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md")),
    *COMMANDS,
]
LONGEST = 120

# Examples of sentences that had to be replaced, because a reader could not know what they mean. In lower case.
RIDDLES = (
    "no bit knows",
    "as in earnest",
    "what a call has just told lives",
    "new shapes wake nobody",
    "sleepers must feel",
    "sensors ask",
    "serial and in the open",
    "told by their coupling",
    " come what may",
)

# The brief of the first version is not part of the repository, so nothing may refer to it.
BRIEF = "DESIGN" + ".md"

# Other people's programs are named by version, compiler and options; how to build them is for their own documents.
RECIPES = ("cmake -", "git clone", "./configure", "meson setup", "ninja -")

SOURCES = (
    ("Catto", "Simulation Islands", 2023),
    ("Terdiman", "Sweep-and-prune", 2007),
    ("Aalto", "Stable contact identifiers", 2025),
    ("Nordby", "Blazing Fast Trees", 2015),
    ("Barr", "Data-oriented rigid body physics", 2017),
)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def sentences(path: Path) -> str:
    """The text of a file in lower case, as one line without the marks that begin comments."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return re.sub(r"\s+", " ", " ".join(line.strip().lstrip("/#*").strip() for line in lines)).lower()


def test_lines_of_code_have_at_most_120_columns() -> None:
    wrong = [
        f"{name_of(path)}:{number}"
        for path in [*CODE, *(ROOT / "csrc").rglob("*.md")]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > LONGEST
    ]
    assert wrong == []


def test_nothing_refers_to_the_brief_of_the_first_version() -> None:
    wrong = [name_of(path) for path in PROSE if BRIEF in path.read_text(encoding="utf-8")]
    assert wrong == []


def test_phrases_that_were_replaced_do_not_return() -> None:
    wrong = [
        f"{name_of(path)}: {phrase}"
        for path in PROSE
        if path != Path(__file__)
        for phrase in RIDDLES
        if phrase in sentences(path)
    ]
    assert wrong == []


def test_the_files_that_are_read_include_those_with_commands() -> None:
    names = {name_of(path) for path in PROSE}
    assert {".ci/run", ".github/workflows/ci.yml", "conda/recipe.yaml", "mkdocs.yml", "Makefile"} <= names
    assert {"examples/ray_rollouts.py", "tools/lists.py", ".pre-commit-config.yaml", "pyproject.toml"} <= names


def test_nothing_tells_how_to_build_the_programs_of_others() -> None:
    wrong = [
        f"{name_of(path)}: {recipe}"
        for path in PROSE
        if path != Path(__file__)
        for recipe in RECIPES
        if recipe in sentences(path)
    ]
    assert wrong == []


def test_no_file_has_marks_of_an_unfinished_merge() -> None:
    wrong = [
        name_of(path)
        for path in PROSE
        if re.search(r"^(<{7} |={7}$|>{7} )", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    ]
    assert wrong == []


@pytest.mark.parametrize(("author", "title", "year"), SOURCES, ids=[author for author, _, _ in SOURCES])
def test_a_source_document_is_cited_by_author_title_and_year(author: str, title: str, year: int) -> None:
    cited = []
    for path in PROSE:
        if path == Path(__file__):
            continue
        text = sentences(path)
        for found in re.finditer(re.escape(f'"{title.lower()}'), text):
            around = text[max(0, found.start() - 60) : found.end() + 120]
            assert author.lower() in around, name_of(path)
            assert str(year) in around, name_of(path)
            cited.append(name_of(path))
    assert "docs/seed_ledger.md" in cited
