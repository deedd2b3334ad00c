"""The types of options that are one of several values."""

from __future__ import annotations

from typing import Literal, TypeAlias

# generated: choices, see tools/lists.py
ContactEvents: TypeAlias = Literal["shapes", "bodies"]
Continuous: TypeAlias = bool | Literal["all"]
JointSolver: TypeAlias = Literal["auto", "direct", "iterative"]
Mixing: TypeAlias = Literal["geometric", "arithmetic", "min", "max", "multiply"]
Profiling: TypeAlias = Literal["full", "step", "off"]
# end of generated
