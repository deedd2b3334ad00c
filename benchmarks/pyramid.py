"""The large pyramid: 5050 boxes at rest, 500 steps.

python benchmarks/pyramid.py [--workers N] [--steps N] [--picture out.png]
"""

from __future__ import annotations

from box2dpy.benchmarks.commands.script import main

if __name__ == "__main__":
    main("large_pyramid", __doc__)
