"""All fuzzers of random calls, one after the other: `python -m tests.fuzz [calls] [first seed]`."""

from __future__ import annotations

import subprocess
import sys

SHARES = {"calls": 0.5, "buffers": 0.2, "batches": 0.1, "compat": 0.1, "recordings": 0.09, "executors": 0.01}


def main() -> int:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    failed = 0
    for name, share in SHARES.items():  # in processes of their own, because compat changes what `import Box2D` gives
        number = str(round(calls * share))
        failed |= subprocess.run([sys.executable, "-m", f"tests.fuzz.{name}", number, *sys.argv[2:3]]).returncode
    return failed


if __name__ == "__main__":
    sys.exit(main())
