"""A short run of libFuzzer on the reader of snapshots, under the sanitizers; `make fuzz` and `make nightly` run longer.

The first run builds the core with clang, which takes a minute; build/driver keeps the objects.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ..fuzz.libfuzzer import missing, run


def test_mutated_snapshots_are_refused_or_give_usable_worlds(tmp_path: Path) -> None:
    if why := missing():
        pytest.skip(why)
    assert "Done 2000 runs" in run(2000, 1, tmp_path, short=True)
