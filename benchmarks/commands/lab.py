"""The claims of the source documents, measured: islands, broad phases, trees, solve orders, buffers."""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import re
from collections.abc import Sequence
from pathlib import Path

from .. import lab
from ..lab.claim import Plot, Run, Section, Table, picture
from ..output import charts, pages
from ..output.machine import machine, sentence
from ..output.report import table

PAGE = Path("docs") / "lab.md"
LEDGER = Path("docs") / "seed_ledger.md"
CLAIMS = ["row", "claim", "measured", "threshold", "verdict"]


def subjects() -> list[str]:
    """Those that this checkout has."""
    return [name for name in lab.SUBJECTS if (Path(lab.__file__).parent / f"{name}.py").exists()]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("subject", nargs="*", choices=[*subjects(), []], help="default: all")
    parser.add_argument("--quick", action="store_true", help="tiny sizes; only counters mean anything")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write tables and claims")
    parser.add_argument("--write", type=Path, metavar="ROOT", nargs="?", const=Path(), help="write docs/lab.md")


def measure(subject: str, run: Run) -> Section:
    section: Section = importlib.import_module(f"{lab.__name__}.{subject}").measure(run)
    return section


def claims_table(section: Section) -> list[list[str]]:
    return [claim.cells() for claim in sorted(section.claims, key=lambda claim: claim.row)]


def show(section: Section) -> str:
    parts = [f"== {section.subject} =="]
    for part in section.parts:
        if isinstance(part, Table):
            parts.append(f"{part.title}\n\n{table(part.head, part.rows, left=part.left)}")
        elif isinstance(part, str):
            parts.append(part)
    parts.append(table(CLAIMS, claims_table(section), left=2))
    return "\n\n".join(parts)


def page(section: Section, where: str, pictures: dict[str, Path]) -> str:
    """The part of docs/lab.md between the markers of the subject."""
    parts = [f"Measured by `python -m benchmarks lab {section.subject}`. {where}."]
    for part in section.parts:
        if isinstance(part, Table):
            parts.append(f"{part.title}:\n\n{pages.markdown(part.head, part.rows)}")
        elif isinstance(part, Plot):
            if part.name in pictures:
                parts.append(f"![{part.sentence}](pictures/{pictures[part.name].name})")
        else:
            parts.append(part)
    parts.append(pages.markdown(CLAIMS, claims_table(section)))
    return "\n\n".join(parts)


def write(root: Path, sections: Sequence[Section], where: dict[str, object]) -> None:
    for section in sections:
        drawn = {
            part.name: charts.save(part.draw, picture(root, part), where, part.size)
            for part in section.parts
            if isinstance(part, Plot)
        }
        pages.replace_between(root / PAGE, f"lab {section.subject}", page(section, sentence(where), drawn))


def differing_rows(root: Path, sections: Sequence[Section]) -> list[str]:
    """Rows of the ledger that name a subject which has just been measured, and have another state than it."""
    text = (root / LEDGER).read_text(encoding="utf-8")
    found = []
    for section in sections:
        for row in sorted({claim.row for claim in section.claims}):
            measured = "works" if all(claim.holds for claim in section.claims if claim.row == row) else "refuted"
            line = re.search(rf"^\| {row} \|[^|]*\| (\w+) \|(.*)$", text, flags=re.MULTILINE)
            if line and f"`python -m benchmarks lab {section.subject}`" in line[2] and line[1] != measured:
                found.append(f"{LEDGER.as_posix()} has {row} as {line[1]}, measured: {measured}")
    return found


def run(arguments: argparse.Namespace) -> int:
    where = machine()
    sections = []
    for name in arguments.subject or subjects():
        section = measure(name, Run(arguments.quick, lambda what, name=name: print(f"{name}: {what}", flush=True)))
        print(f"\n{show(section)}\n", flush=True)
        sections.append(section)
    print(sentence(where))
    if arguments.json is not None:
        found = {
            each.subject: {
                "claims": [{**dataclasses.asdict(claim), "verdict": claim.verdict} for claim in each.claims],
                **each.records,
            }
            for each in sections
        }
        text = json.dumps({"machine": where, "quick": arguments.quick, "lab": found}, indent=1)
        arguments.json.write_text(text + "\n", encoding="utf-8")
    if arguments.write is not None:
        if arguments.quick:
            raise ValueError("--write needs a full run, because a quick one measures nothing but counters")
        write(arguments.write, sections, where)
        print(*differing_rows(arguments.write, sections), sep="\n")
    return 0
