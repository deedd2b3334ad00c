"""The systems of the source documents: `PARTS` of a module measure them, for docs/lab.md.

`SUBJECTS` has the order of the sections. A subject is a module of this folder of the same name.
"""

from __future__ import annotations

SUBJECTS = ("islands", "broadphase", "tree", "solver", "buffers")
