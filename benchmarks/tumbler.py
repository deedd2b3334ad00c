"""The tumbler: a motor turns a drum with 2025 small boxes, 750 steps.

python benchmarks/tumbler.py [--workers N] [--steps N] [--picture out.png]
"""

from __future__ import annotations

from box2dpy.benchmarks.commands.script import main

if __name__ == "__main__":
    main("tumbler", __doc__)
