"""The type of `body.world`, for readers and type checkers: the only name of a higher folder that lower folders may use.

`World` makes bodies, and `body.world` gives the `World` back, so one of the two types has to be named below its folder.
The lower folders work with `WorldBase`. They use this name in one place only, as what the public property `world`
returns (tests/lint/test_imports.py). Nothing is imported when the program runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .._world.world import World as World
