"""`python -m benchmarks lab --quick`: every subject runs at tiny sizes, and the claims that rest on counters hold."""

from __future__ import annotations

import pytest

from benchmarks.commands import lab
from benchmarks.lab.claim import Claim, Run, Section
from benchmarks.output.machine import machine


@pytest.mark.parametrize("subject", lab.subjects())
def test_claims_of_a_subject_that_rest_on_counters_hold(subject: str) -> None:
    sections = lab.measure(subject, Run(quick=True))
    claims = [claim for section in sections.values() for claim in section.claims]
    assert [claim.cells() for claim in claims if claim.exact and not claim.holds] == []
    for rows, part in lab.parts_of(subject):
        assert {claim.row for claim in sections[part.__name__].claims} == set(rows.split()), part.__name__
    assert lab.page(subject, {name: lab.record_of(section, machine()) for name, section in sections.items()})


def test_a_verdict_follows_from_the_measure_and_names_noise_near_the_threshold() -> None:
    assert Claim("I-01", "fast", 2.5, 2.0).verdict == "works"
    assert Claim("I-01", "fast", 1.0, 2.0).verdict == "refuted"
    assert Claim("I-01", "fast", 2.1, 2.0).verdict == "works, within noise"
    assert Claim("I-01", "fast", 1.9, 2.0).verdict == "refuted, within noise"
    assert Claim("I-01", "few", 2.1, 2.0, most=True).verdict == "refuted, within noise"
    assert Claim("I-01", "few", 2, 2, most=True, exact=True).verdict == "works"


def test_one_row_runs_only_the_parts_that_show_it() -> None:
    assert list(lab.measure("tree", Run(quick=True), ["B-07"])) == ["teleport"]
    assert lab.measure("buffers", Run(quick=True), ["B-07"]) == {}


def test_the_ledger_takes_states_and_figures_from_the_records() -> None:
    before = "| I-04 | islands | works | proof |  |\n| I-05 | one | works | elsewhere |  |\n\n3 rows: none.\n"
    claims = [Claim("I-04", "fast", 2.5, 2.0), Claim("I-04", "linear", 1.0, 2.0)]
    record = lab.record_of(Section("islands", claims=claims), {})
    after = lab.ledger(before, {"islands": {"part": record}})
    assert "| I-04 | islands | refuted | proof | fast: 2.5 (>= 2); linear: 1 (>= 2) |" in after
    assert "| I-05 | one | works | elsewhere |  |" in after
    assert "2 rows: 1 works, 1 refuted, 0 open." in after
    assert lab.ledger(after, {"islands": {"part": record}}) == after
