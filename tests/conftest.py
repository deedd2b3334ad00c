"""Settings that all tests share: the two profiles of Hypothesis, and the order of the files."""

from __future__ import annotations

import gc
import os

# Before numpy is imported: products of small matrices take ten times as long with threads on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

# The same examples in every run, so that a change of the code decides whether the suite passes. `make fuzz` takes the
# other profile. Neither looks at how long something takes.
CLOCKLESS = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("fixed", derandomize=True, **CLOCKLESS)
settings.register_profile("random", derandomize=False, print_blob=True, **CLOCKLESS)
settings.load_profile("fixed")

# The files that take longest. Several processes run the suite (`make test`), each of them takes the next file: none
# should take a long one when the others are nearly through.
LONG = (
    "golden/test_driver.py",
    "samples/test_window.py",  # it compiles nothing, so there are dots from the beginning
    "fuzz/test_interrupts.py",
    "unit/test_c_broadphase.py",
    "samples/test_open.py",
    "golden/test_hash.py",
    "unit/test_c_narrowphase.py",
    "queries/test_brute_force.py",
    "unit/test_c_base.py",
    "lint/test_docs.py",
    "samples/test_headless.py",
    "unit/test_c_geometry.py",
    "scenes/test_benchmarks.py",
    "oracle/test_memory_failures.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    rank = {name: k for k, name in enumerate(LONG)}
    items.sort(key=lambda item: rank.get("/".join(item.path.parts[-2:]), len(LONG)))


def pytest_collection_finish() -> None:
    """The cycle collector need not go through the 8,000 tests again each time: a tenth of the suite's time."""
    gc.collect()
    gc.freeze()
