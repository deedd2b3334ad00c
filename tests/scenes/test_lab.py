"""`python -m benchmarks lab --quick`: every subject runs at tiny sizes, and the claims that rest on counters hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.commands import lab
from benchmarks.lab.claim import Claim, Run, Section


@pytest.mark.parametrize("subject", lab.subjects())
def test_claims_of_a_subject_that_rest_on_counters_hold(subject: str) -> None:
    section = lab.measure(subject, Run(quick=True))
    assert section.subject == subject
    assert [claim.cells() for claim in section.claims if claim.exact and not claim.holds] == []
    assert section.claims
    assert lab.show(section)


def test_a_verdict_follows_from_the_measure_and_names_noise_near_the_threshold() -> None:
    assert Claim("I-01", "fast", 2.5, 2.0).verdict == "works"
    assert Claim("I-01", "fast", 1.0, 2.0).verdict == "refuted"
    assert Claim("I-01", "fast", 2.1, 2.0).verdict == "works, within noise"
    assert Claim("I-01", "fast", 1.9, 2.0).verdict == "refuted, within noise"
    assert Claim("I-01", "few", 2.1, 2.0, most=True).verdict == "refuted, within noise"
    assert Claim("I-01", "few", 2, 2, most=True, exact=True).verdict == "works"


def test_rows_of_the_ledger_that_differ_from_what_was_measured_are_named(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    rows = ("| I-04 | islands | open | `python -m benchmarks lab islands` |", "| I-05 | one | works | elsewhere |",
            "| I-06 | dfs | works | `python -m benchmarks lab islands` |")  # fmt: skip
    (tmp_path / "docs" / "seed_ledger.md").write_text("\n".join(rows), encoding="utf-8")
    claims = [Claim("I-04", "fast", 2.5, 2.0), Claim("I-05", "fast", 1.0, 2.0), Claim("I-06", "linear", 3.0, 2.0)]
    section = Section("islands", claims=claims)
    assert lab.differing_rows(tmp_path, [section]) == ["docs/seed_ledger.md has I-04 as open, measured: works"]
    section.claims.append(Claim("I-06", "fast", 1.0, 2.0))
    assert len(lab.differing_rows(tmp_path, [section])) == 2
