"""`python -m benchmarks lab --quick`: every subject runs at tiny sizes, and the claims that rest on counters hold."""

from __future__ import annotations

import pytest

from benchmarks.commands import lab
from benchmarks.lab.claim import Claim, Run


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
