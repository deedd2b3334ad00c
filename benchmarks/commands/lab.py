"""The claims of the source documents, measured: islands, broad phases, trees, solve orders, buffers.

    python -m benchmarks lab --write          measures everything; writes lab.json, lab.md, seed_ledger.md of docs
    python -m benchmarks lab --row ROW        measures the parts that show one row of the ledger
    python -m benchmarks lab --render         writes page and ledger anew from docs/lab.json

A part that was measured replaces its record; the page and the ledger are always written from all records.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, cast

from .. import lab
from ..lab.claim import Claim, Film, Part, Plot, Run, Section, Table, picture, save_film
from ..output import charts, pages
from ..output.machine import machine, sentence
from ..output.report import table

PAGE = Path("docs") / "lab.md"
LEDGER = Path("docs") / "seed_ledger.md"
RECORDS = Path("docs") / "lab.json"
CLAIMS = ["claim", "measured", "threshold", "verdict"]
Record: TypeAlias = dict[str, Any]  # of a part: where, blocks, claims
Records: TypeAlias = dict[str, dict[str, Record]]  # by subject and part


def subjects() -> list[str]:
    """Those that this checkout has."""
    return [name for name in lab.SUBJECTS if (Path(lab.__file__).parent / f"{name}.py").exists()]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("subject", nargs="*", choices=[*subjects(), []], help="default: all")
    parser.add_argument("--row", nargs="+", help="only parts that show these rows of the ledger, or have these names")
    parser.add_argument("--quick", action="store_true", help="tiny sizes; compare only the counters")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write tables and claims")
    parser.add_argument("--write", type=Path, metavar="ROOT", nargs="?", const=Path(), help="write records and page")
    parser.add_argument("--render", type=Path, metavar="ROOT", nargs="?", const=Path(), help="page from the records")


def parts_of(subject: str) -> Sequence[Part]:
    return cast("Sequence[Part]", importlib.import_module(f"{lab.__name__}.{subject}").PARTS)


def measure(subject: str, run: Run, only: Sequence[str] | None = None) -> dict[str, Section]:
    found = {}
    for part in parts_of(subject):
        if only is None or part.__name__ in only:
            section = found[part.__name__] = Section(subject)
            part(run, section)
    return found


def record_of(section: Section, where: Mapping[str, Any]) -> Record:
    blocks: list[Any] = []
    for part in section.parts:
        if isinstance(part, Table):
            blocks.append({"title": part.title, "head": part.head, "rows": part.rows, "left": part.left})
        elif isinstance(part, Plot):
            blocks.append({"picture": part.name, "sentence": part.sentence})
        elif isinstance(part, Film):
            blocks.append({"film": part.name, "sentence": part.sentence})
        else:
            blocks.append(part)
    claims = {claim.sentence: dataclasses.asdict(claim) for claim in section.claims}  # two rows may have one
    return {"where": dict(where), "blocks": blocks, "claims": list(claims.values())}


def claims_of(parts: Mapping[str, Record]) -> list[Claim]:
    return [Claim(**each) for part in parts.values() for each in part["claims"]]


def show(subject: str, parts: Mapping[str, Record]) -> str:
    text = [f"== {subject} =="]
    for block in (block for part in parts.values() for block in part["blocks"]):
        if isinstance(block, str):
            text.append(block)
        elif "rows" in block:
            text.append(f"{block['title']}\n\n{table(block['head'], block['rows'], left=block['left'])}")
    text.append(table(CLAIMS, [claim.cells() for claim in claims_of(parts)]))
    return "\n\n".join(text)


def page(subject: str, parts: Mapping[str, Record]) -> dict[str, str]:
    """What docs/lab.md has between the markers of the subject, and between those of each of its parts."""
    name = f"lab {subject}"
    return {name: measured_by(subject, parts), **{f"{name} {part}": figures(each) for part, each in parts.items()}}


def measured_by(subject: str, parts: Mapping[str, Record]) -> str:
    measured: dict[str, list[str]] = {}
    for name, part in parts.items():
        measured.setdefault(sentence(part["where"]), []).append(f"`{name}`")
    command = f"Measured by `python -m benchmarks lab {subject}`"
    if len(measured) == 1:
        return f"{command}. {next(iter(measured))}."
    return f"{command}:\n\n" + "\n".join(f"* {', '.join(names)}: {where}" for where, names in measured.items())


def figures(part: Record) -> str:
    """Pictures, tables and verdicts of a part."""
    text = []
    for block in part["blocks"]:
        if isinstance(block, str):
            text.append(block)
        elif "rows" in block:
            text.append(f"{block['title']}:\n\n{pages.markdown(block['head'], block['rows'])}")
        elif "film" in block:
            text.append(f"![{block['sentence']}](pictures/lab-{block['film']}.gif)")
        else:
            text.append(f"![{block['sentence']}](pictures/lab-{block['picture']}.png)")
    if part["claims"]:
        text.append(pages.markdown(CLAIMS, [claim.cells() for claim in claims_of({"": part})]))
    return "\n\n".join(text)


def ledger(text: str, records: Records) -> str:
    """The ledger with the states and figures of the records, and with the number of rows of each state. The last column
    of a row names claims by their sentences; a new one is written there with any figure, as in "it is fast: 0 (0)"."""
    known = {claim.sentence: claim for parts in records.values() for claim in claims_of(parts)}

    def line(match: re.Match[str]) -> str:
        row, title, state, proof, named = (match[k] for k in range(1, 6))
        claims = [known[sentence] for sentence in sentences(named) if sentence in known]
        if claims:
            state = "works" if all(claim.holds for claim in claims) else "refuted"
        figures = "; ".join("{}: {} ({})".format(*claim.cells()) for claim in claims)
        return f"| {row} | {title} | {state} | {proof} | {figures} |"

    cell = r" *((?:[^|]|\\\|)*?) *\|"
    text = re.sub(rf"^\| ([A-Z]-\d\d) \|{cell} (\w+) \|{cell}([^|\n]*)\|$", line, text, flags=re.MULTILINE)
    states = re.findall(r"^\| [A-Z]-\d\d \|[^|]*\| (\w+) \|", text, flags=re.MULTILINE)
    counts = ", ".join(f"{states.count(state)} {state}" for state in ("works", "refuted", "open"))
    return re.sub(r"^\d+ rows: .*\.$", f"{len(states)} rows: {counts}.", text, flags=re.MULTILINE)


def sentences(figures: str) -> list[str]:
    """The claims that the last column of a row of the ledger names."""
    return [each.strip().rpartition(": ")[0] for each in figures.split(";") if each.strip()]


def parts_for(root: Path, names: Sequence[str]) -> list[str]:
    """The names of parts: those that are given, and those that show the given rows of the ledger."""
    lines = (root / LEDGER).read_text(encoding="utf-8").splitlines()
    rows = {line.split("|")[1].strip(): sentences(line.rstrip("|").rpartition("|")[2]) for line in lines if "|" in line}
    wanted = {sentence for name in names for sentence in rows.get(name, [])}
    return [
        *names,
        *(
            name
            for parts in read_records(root).values()
            for name, part in parts.items()
            if wanted & {claim.sentence for claim in claims_of({name: part})}
        ),
    ]


def read_records(root: Path) -> Records:
    """In the order of the parts, without those that are gone."""
    found: Records = json.loads((root / RECORDS).read_text(encoding="utf-8"))
    return {
        name: {part.__name__: found[name][part.__name__] for part in parts_of(name) if part.__name__ in found[name]}
        for name in subjects()
    }


def render(root: Path) -> None:
    records = read_records(root)
    for subject, parts in records.items():
        for name, text in page(subject, parts).items():
            pages.replace_between(root / PAGE, name, text)
    path = root / LEDGER
    path.write_text(ledger(path.read_text(encoding="utf-8"), records), encoding="utf-8")


def write(root: Path, found: Mapping[str, Mapping[str, Section]], where: dict[str, Any]) -> None:
    path = root / RECORDS
    records = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for subject, sections in found.items():
        for name, section in sections.items():
            for part in section.parts:
                if isinstance(part, Plot):
                    charts.save(part.draw, picture(root, part), where, part.size)
                elif isinstance(part, Film):
                    save_film(part, picture(root, part))
            records.setdefault(subject, {})[name] = record_of(section, where)
    path.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    render(root)


def run(arguments: argparse.Namespace) -> int:
    if arguments.render is not None:
        render(arguments.render)
        return 0
    if arguments.write is not None and arguments.quick:
        raise ValueError("--write needs a full run, because a quick one measures nothing but counters")
    where = machine()
    found, shown = {}, {}
    only = None if arguments.row is None else parts_for(Path(), arguments.row)
    for name in arguments.subject or subjects():
        begin = lambda what, name=name: print(f"{name}: {what}", flush=True)  # noqa: E731
        sections = measure(name, Run(arguments.quick, begin), only)
        if not sections:
            continue
        found[name] = sections
        shown[name] = {part: record_of(section, where) for part, section in sections.items()}
        print(f"\n{show(name, shown[name])}\n", flush=True)
        if arguments.write is not None:  # after each subject, so that an interrupted run keeps what it has
            write(arguments.write, {name: sections}, where)
    if not found:
        raise ValueError(f"no part shows {' or '.join(arguments.row or [])}")
    print(sentence(where))
    if arguments.json is not None:
        more = {
            name: {k: v for each in parts.values() for k, v in each.records.items()} for name, parts in found.items()
        }
        text = json.dumps({"machine": where, "quick": arguments.quick, "lab": shown, "more": more}, indent=1)
        arguments.json.write_text(text + "\n", encoding="utf-8")
    return 0
