"""`python -m benchmarks.demo`, which is `make demo`."""

from __future__ import annotations

import sys

from .commands.demo import main

if __name__ == "__main__":
    sys.exit(main())
