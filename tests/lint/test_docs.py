"""The documents: links and named files exist, the ledger is complete and honest, the picture is current, the examples
run."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

from benchmarks.commands import lab

from ..loading import loaded
from ..patience import finished

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = {"build", "dist", "out", "shared"}


def is_ours(path: Path) -> bool:
    """Not of a cache, of another program's folder or of a virtual environment, whatever its name."""
    parts = path.relative_to(ROOT).parts
    hidden = parts[0].startswith(".") and parts[0] != ".github"
    made = OUTSIDE & set(parts) or any("egg-info" in part for part in parts)
    return not (hidden or made or (ROOT / parts[0] / "pyvenv.cfg").exists())


DOCUMENTS = sorted(path for path in ROOT.rglob("*.md") if is_ours(path))
LEDGER = ROOT / "docs" / "seed_ledger.md"
ROWS = {"I": 21, "S": 26, "A": 16, "B": 34, "N": 23}  # of each seed document, numbered from 01
STATES = ("open", "works", "refuted")


def without_code(text: str) -> str:
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def headings(path: Path) -> set[str]:
    """Anchors of a document, as a web page would name them."""
    found = re.findall(r"^#+ (.+)$", without_code(path.read_text(encoding="utf-8")), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def ledger_rows() -> list[list[str]]:
    lines = LEDGER.read_text(encoding="utf-8").splitlines()
    return [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in lines
        if re.match(r"\| [A-Z]-\d\d \|", line)
    ]


def test_there_are_documents() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in DOCUMENTS}
    assert {
        "README.md",
        "CHANGELOG.md",
        "docs/architecture.md",
        "docs/decisions/README.md",
        "docs/results.md",
        "docs/seed_ledger.md",
    } <= names


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_relative_links_resolve(path: Path) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(path.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        there = (path.parent / name).resolve() if name else path
        if there.parent == ROOT / "docs" / "reference":  # made when the site is built, see test_site.py
            continue
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in headings(there)):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_files_and_targets_named_in_the_documents_exist(path: Path) -> None:
    """`csrc/step/step.c` and the like, and `make target`; what git ignores is built."""
    text = path.read_text(encoding="utf-8")
    built = {line.strip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {name for line in re.findall(r"^([a-z0-9 ]+):", makefile, flags=re.MULTILINE) for name in line.split()}
    wrong = [f"make {target}" for target in re.findall(r"`make ([a-z0-9]+)`", text) if target not in targets]
    for name in re.findall(r"`((?:csrc|tests|docs|benchmarks|box2dpy|samples|lists)/[\w./*]*)(?:::[^`]*)?`", text):
        base = ROOT / "csrc" / "include" if name.startswith("lists/") else ROOT
        if name not in built and not any(base.glob(name.rstrip("/"))):
            wrong.append(name)
    assert wrong == []


def test_names_of_the_architecture_are_in_the_files_beside_them() -> None:
    """`name` in `file`: the answers to a reader's questions."""
    text = re.sub(r"\s+", " ", (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))
    found = re.findall(r"`(\w+)` in `((?:csrc|box2dpy)/[\w./]+\.\w+)`", text)
    assert len(found) > 8
    wrong = [
        f"{name} is not in {path}"
        for name, path in found
        if not re.search(rf"\b{name}\b", (ROOT / path).read_text(encoding="utf-8"))
    ]
    assert wrong == []
    core = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("csrc/**/*.[ch]"))
    assert [name for name in set(re.findall(r"\bb2d_\w+", text)) if not re.search(rf"\b{name.rstrip('_')}", core)] == []


def test_the_ledger_has_every_row_once() -> None:
    expected = [f"{letter}-{number:02d}" for letter, count in ROWS.items() for number in range(1, count + 1)]
    assert [row[0] for row in ledger_rows()] == expected


def test_ledger_rows_have_a_title_a_state_and_an_explanation() -> None:
    wrong = [row[0] for row in ledger_rows() if len(row) != 5 or not row[1] or row[2] not in STATES or not row[3]]
    assert wrong == []


def test_tests_named_in_the_ledger_exist() -> None:
    """A row that works names a test (file::function) or a benchmark command; every test named anywhere is there."""
    wrong = []
    for key, _, state, proof, figures in ledger_rows():
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)[^`]*`", proof)
        if (
            state == "works"
            and not named
            and "`python -m benchmarks" not in proof
            and "`python benchmarks/" not in proof
        ):
            wrong.append(f"{key} works, but names no proof")
        if state == "refuted" and not re.search(r"\d", figures):
            wrong.append(f"{key} is refuted without a figure")
        if "`python -m benchmarks lab" in proof and not figures:
            wrong.append(f"{key} names the lab, whose records do not have it")
        for file, function in named:
            path = ROOT / file
            functions = {
                node.name
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                if isinstance(node, ast.FunctionDef)
            }
            if function not in functions:
                wrong.append(f"{key}: {file} has no {function}")
    assert wrong == []


def test_code_and_tests_do_not_name_rows_of_the_ledger() -> None:
    """The ledger names the tests, and claims of the lab by their sentences."""
    files = [
        path
        for folder in ("benchmarks", "box2dpy", "csrc", "examples", "samples", "tests")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".c", ".h", ".inl", ".def"} and path != ROOT / "tests" / "scenes" / "test_lab.py"
    ]
    row = re.compile(rf"\b[{''.join(ROWS)}]-\d\d\b")
    assert [path.name for path in files if row.search(path.read_text(encoding="utf-8"))] == []


def test_page_and_ledger_are_what_the_records_of_the_lab_say() -> None:
    """All figures of docs/lab.md and of the last column of the ledger, and the states that follow from them."""
    records = lab.read_records(ROOT)
    text = (ROOT / "docs" / "lab.md").read_text(encoding="utf-8")
    for subject, parts in records.items():
        for name, wanted in lab.page(subject, parts).items():
            section = re.search(rf"<!-- {name} -->\n(.*?)<!-- end of {name} -->", text, flags=re.DOTALL)
            assert section is not None, name
            assert section[1].strip() == wanted.strip(), "run python -m benchmarks lab --render"
    ledger = LEDGER.read_text(encoding="utf-8")
    assert ledger == lab.ledger(ledger, records), "run python -m benchmarks lab --render"


def test_every_part_of_the_lab_has_a_record_whose_claims_the_ledger_names() -> None:
    records = lab.read_records(ROOT)
    named = {sentence for *_, figures in ledger_rows() for sentence in lab.sentences(figures)}
    for subject in lab.subjects():
        for part in lab.parts_of(subject):
            record = records[subject].get(part.__name__)
            assert record is not None, f"run python -m benchmarks lab {subject} --write"
            assert {claim["sentence"] for claim in record["claims"]} <= named, part.__name__
    found = [claim.sentence for parts in records.values() for claim in lab.claims_of(parts)]
    assert len(found) == len(set(found))


def test_moving_pictures_of_the_lab_move_are_small_and_are_on_its_page() -> None:
    films = sorted((ROOT / "docs" / "pictures").glob("lab-*.gif"))
    text = (ROOT / "docs" / "lab.md").read_text(encoding="utf-8")
    shown = re.findall(r"pictures/(lab-[\w-]+\.gif)", text)
    assert sorted(shown) == [film.name for film in films]
    assert len(films) >= 6
    for film in films:
        data = film.read_bytes()
        assert len(data) < 300_000
        assert data.count(b"\x21\xf9\x04") > 20  # the extension that each frame begins with


def test_proofs_leave_the_figures_of_the_lab_to_its_records() -> None:
    """A figure in a proof would be of another run than the one beside it."""
    wrong = [key for key, _, _, proof, figures in ledger_rows() if figures and re.search(r"\d\.\d", proof)]
    assert wrong == []


def test_the_picture_of_the_step_is_current_and_names_functions_of_the_code() -> None:
    draw = loaded(ROOT / "docs" / "draw_step.py")
    assert (ROOT / "docs" / "step.svg").read_text(encoding="utf-8") == draw.render(), "run python docs/draw_step.py"
    source = "".join(
        (ROOT / "csrc" / name).read_text(encoding="utf-8") for name in ("step/step.c", "solver/schedule.c")
    )
    stages = re.findall(
        r"^B2D_PROFILE\((\w+)\)",
        (ROOT / "csrc/include/lists/profile.def").read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    for stage in draw.STAGES:
        for word in stage.code.split(", "):
            assert re.search(rf"\b{word}\b", source), f"{word} is not in step.c or schedule.c"
        assert stage.profile in ("", *stages), stage
    assert {stage.profile for stage in draw.STAGES} - {""} == set(stages) - {"step"}


SNIPPET = re.compile(r"```python\n(.*?)```", re.DOTALL)
HEADLESS = """\
import os, sys
sys.path.insert(0, sys.argv[1])
os.environ.update(SDL_VIDEODRIVER="dummy", SDL_AUDIODRIVER="dummy")
"""
CLOSES_ITS_WINDOW = """\
import pygame
start = pygame.init
pygame.init = lambda: (start(), pygame.time.set_timer(pygame.QUIT, 500))
"""


def programs_of(path: Path) -> list[str]:
    """The blocks of a document, each of which is a whole program: a reader copies one of them."""
    return SNIPPET.findall(path.read_text(encoding="utf-8"))


PROGRAMS = [(path, number) for path in DOCUMENTS for number in range(len(programs_of(path)))]


def test_the_readme_has_a_program_and_at_most_120_lines() -> None:
    assert len(programs_of(ROOT / "README.md")) == 1
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


@pytest.mark.parametrize(
    ("path", "number"), PROGRAMS, ids=[f"{path.relative_to(ROOT).as_posix()}-{number}" for path, number in PROGRAMS]
)
def test_python_examples_of_the_documents_run(path: Path, number: int, tmp_path: Path) -> None:
    """Each block alone in a process of its own, in an empty folder, with warnings as errors and without a screen."""
    text = programs_of(path)[number]
    pygame = "pygame.init()" in text
    for package, missing in (
        ("pygame", "box2dpy.pygame" in text),
        ("mapbox_earcut", "convex_pieces" in text),
        ("gymnasium", "box2dpy.envs" in text or "import gymnasium" in text),
        ("pettingzoo", "box2dpy.envs.parallel" in text),
        ("PIL", any(word in text for word in ("save_gif", "save_picture", "MovieWriter"))),
    ):
        if missing:
            pytest.importorskip(package)
    if ".save_html(" in text and "Recording(" not in text and not (ROOT / "box2dpy/_page/box2dpy.wasm").exists():
        pytest.skip("`make wasm` has not built the core for pages")
    ran = finished(
        [sys.executable, "-W", "error", "-c", HEADLESS + CLOSES_ITS_WINDOW * pygame + text, str(ROOT)], cwd=tmp_path
    )
    assert ran.returncode == 0, f"{text}\n{ran.stderr}"


def test_a_block_says_what_it_is() -> None:
    """A block without a language has a button that copies it, and no test runs it."""
    nameless = []
    for path in DOCUMENTS:
        fences = re.findall(r"^```(\w*)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        nameless += [f"{path.relative_to(ROOT)}, block {n}" for n, name in enumerate(fences[::2], 1) if not name]
    assert nameless == []


def shell_blocks(path: Path) -> list[list[str]]:
    """The commands of each block of shell code of a document, without their comments."""
    blocks = re.findall(r"^```sh\n(.*?)^```", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [[line.split(" #")[0].strip() for line in block.splitlines()] for block in blocks]


def test_the_readme_begins_with_the_two_commands() -> None:
    readme = ROOT / "README.md"
    assert shell_blocks(readme)[0] == ["make demo", "make test"]
    assert readme.read_text(encoding="utf-8").index("make test") < 1000, "it is on the first screen"


def test_a_block_that_is_pasted_whole_installs_once() -> None:
    blocks = [(path, block) for path in DOCUMENTS for block in shell_blocks(path)]
    assert len(blocks) >= 3
    assert [path.name for path, block in blocks if sum("pip install" in line for line in block) > 1] == []


def test_each_folder_of_the_core_has_a_readme_with_a_heading_and_at_most_five_lines() -> None:
    folders = [path for path in (ROOT / "csrc").iterdir() if path.is_dir() and path.name not in ("include", "joints")]
    assert len(folders) >= 10
    for folder in (*folders, ROOT / "tests", ROOT / "benchmarks"):
        lines = (folder / "README.md").read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith("# "), folder
        assert len([line for line in lines[1:] if line]) <= 5, folder
        assert all(len(line) <= 120 for line in lines), folder


def test_files_named_in_the_readme_of_a_folder_exist() -> None:
    core = ROOT / "csrc"
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in core.rglob("README.md")
        for name in re.findall(r"`([\w./]+\.(?:c|h|inl|def)|\.\./[\w/]+)`", path.read_text(encoding="utf-8"))
        if not any((base / name).exists() for base in (path.parent, core, core / "include"))
    ]
    assert wrong == []
