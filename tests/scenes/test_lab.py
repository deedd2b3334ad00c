"""`python -m benchmarks lab --quick`: every subject runs at tiny sizes, and the claims that rest on counters hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.commands import lab
from benchmarks.lab.claim import Claim, Run, Section
from benchmarks.output.machine import machine


@pytest.mark.parametrize("subject", lab.subjects())
def test_claims_of_a_subject_that_rest_on_counters_hold(subject: str) -> None:
    sections = lab.measure(subject, Run(quick=True))
    claims = [claim for section in sections.values() for claim in section.claims]
    assert [claim.cells() for claim in claims if claim.exact and not claim.holds] == []
    assert lab.page(subject, {name: lab.record_of(section, machine()) for name, section in sections.items()})


def test_a_verdict_follows_from_the_measure_and_names_noise_near_the_threshold() -> None:
    assert Claim("fast", 2.5, 2.0).verdict == "works"
    assert Claim("fast", 1.0, 2.0).verdict == "refuted"
    assert Claim("fast", 2.1, 2.0).verdict == "works, within noise"
    assert Claim("fast", 1.9, 2.0).verdict == "refuted, within noise"
    assert Claim("few", 2.1, 2.0, most=True).verdict == "refuted, within noise"
    assert Claim("few", 2, 2, most=True, exact=True).verdict == "works"


def test_one_row_of_the_ledger_runs_only_the_parts_that_show_it() -> None:
    only = lab.parts_for(Path(__file__).resolve().parents[2], ["B-07"])
    assert list(lab.measure("tree", Run(quick=True), only)) == ["teleport"]
    assert lab.measure("buffers", Run(quick=True), only) == {}


def test_the_ledger_takes_states_and_figures_of_the_claims_that_it_names_from_the_records() -> None:
    before = (
        "| I-04 | islands | works | proof | fast: 0 (0); linear: 0 (0) |\n| I-05 | one | works | elsewhere |  |\n\n"
        "3 rows: none.\n"
    )
    claims = [Claim("fast", 2.5, 2.0), Claim("linear", 1.0, 2.0), Claim("of no row", 1.0, 2.0)]
    record = lab.record_of(Section("islands", claims=claims), {})
    after = lab.ledger(before, {"islands": {"part": record}})
    assert "| I-04 | islands | refuted | proof | fast: 2.5 (>= 2); linear: 1 (>= 2) |" in after
    assert "| I-05 | one | works | elsewhere |  |" in after
    assert "2 rows: 1 works, 1 refuted, 0 open." in after
    assert lab.ledger(after, {"islands": {"part": record}}) == after
