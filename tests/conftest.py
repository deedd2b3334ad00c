"""Settings that all tests share: the two profiles of Hypothesis."""

from __future__ import annotations

from hypothesis import settings

# The same examples in every run, so that a change of the code decides whether the suite passes. `make fuzz` takes the
# other profile.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("random", derandomize=False, deadline=None, print_blob=True)
settings.load_profile("fixed")
