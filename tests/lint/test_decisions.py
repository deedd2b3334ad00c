"""Records of decisions (docs/decisions): their form, their rows in the index, and what refers to them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DECISIONS = ROOT / "docs" / "decisions"
INDEX = DECISIONS / "README.md"
SUBJECTS = sorted(path for path in DECISIONS.glob("*.md") if path != INDEX)
STATUSES = ("kept", "refuted")  # a record that is superseded is replaced
LONGEST = 15  # lines of a record without its heading and empty lines
COLUMNS = 120
FOLDERS = ("csrc", "box2dpy", "benchmarks", "samples", "examples", "tests", "docs")
KINDS = (".c", ".h", ".inl", ".def", ".py", ".md")
WRITTEN = sorted(
    path
    for path in [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))]
    if path.suffix in KINDS and path != Path(__file__)
)


def records_of(path: Path) -> list[tuple[str, str]]:
    """Title and text of each record of a subject."""
    parts = re.split(r"^## (.+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def anchor(title: str) -> str:
    """The anchor that GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def plain(path: Path) -> str:
    """The text of a file as one line, without the marks that begin comments."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return re.sub(r"\s+", " ", " ".join(line.strip().lstrip("/#*").strip() for line in lines))


RECORDS = [(path, title, body) for path in SUBJECTS for title, body in records_of(path)]


def test_each_record_has_a_title_of_its_own() -> None:
    titles = [title for _, title, _ in RECORDS]
    assert len(titles) > 100
    assert len(set(titles)) == len(titles)
    assert all(len({anchor(title) for title, _ in records_of(path)}) == len(records_of(path)) for path in SUBJECTS)


@pytest.mark.parametrize(("title", "body"), [each[1:] for each in RECORDS], ids=[each[1][:40] for each in RECORDS])
def test_a_record_has_a_date_a_status_a_reason_and_at_most_15_lines(title: str, body: str) -> None:
    found = re.match(r"\n+Date: (\d{4}-\d\d-\d\d)\. Status: (\w+)(, [^.]+)?\. (.+)", body, flags=re.DOTALL)
    assert found is not None, f"{title}: its text does not begin with 'Date: YYYY-MM-DD. Status: ...'"
    assert found[2] in STATUSES
    assert len(found[4].strip()) > 40
    lines = [line for line in body.splitlines() if line.strip()]
    assert len(lines) <= LONGEST
    assert max(len(line) for line in lines) <= COLUMNS


@pytest.mark.parametrize("path", SUBJECTS, ids=lambda path: path.stem)
def test_records_of_a_subject_are_newest_first(path: Path) -> None:
    dates = re.findall(r"^Date: (\S+)\. Status", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert dates == sorted(dates, reverse=True)


def test_the_index_has_one_row_for_each_record_in_the_same_order() -> None:
    """With an answer and the status of the record; the subjects in any order."""
    rows = re.findall(
        r"^\| \[(.+)\]\((\w+\.md)#(.+)\) \| (.+) \| (\w+) \|$", INDEX.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    for path in SUBJECTS:
        expected = [
            (title, anchor(title), found[1])
            for title, body in records_of(path)
            if (found := re.search(r"Status: (\w+)", body))
        ]
        listed = [(title, place, status) for title, name, place, _, status in rows if name == path.name]
        assert listed == expected, path.name
    assert [title for title, _, _, answer, _ in rows if not answer.strip()] == []
    assert {name for _, name, _, _, _ in rows} == {path.name for path in SUBJECTS}


def test_the_index_and_the_site_list_every_subject() -> None:
    names = {path.name for path in SUBJECTS}
    assert set(re.findall(r"\*\*\[[^\]]+\]\((\w+\.md)\)\*\*", INDEX.read_text(encoding="utf-8"))) == names
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"decisions/(\w+\.md)", site)) == names | {INDEX.name}


def test_what_refers_to_records_finds_them() -> None:
    """Links with anchors, files named in code, and titles in quotation marks behind such a name or in a record."""
    wrong, found = [], 0
    anchors = {path.name: {anchor(title) for title, _ in records_of(path)} for path in SUBJECTS}
    titles = [title for _, title, _ in RECORDS]
    for path in WRITTEN:
        text = plain(path)
        for name, _, place in re.findall(r"decisions/(\w+\.md)(#([\w\-]+))?", text):
            found += 1
            if not (DECISIONS / name).exists() or (place and place not in anchors.get(name, set())):
                wrong.append(f"{path.relative_to(ROOT)}: decisions/{name}#{place}")
        quoted = re.findall(r'decisions/\w+\.md, "([^"]+)"', text)
        if path in SUBJECTS:
            quoted += re.findall(r'[Ss]ee "([^"]+)"', text)
        wrong += [
            f"{path.relative_to(ROOT)}: {title}"
            for title in quoted
            if not any(each.startswith(title) for each in titles)
        ]
    assert found > 10
    assert wrong == []
