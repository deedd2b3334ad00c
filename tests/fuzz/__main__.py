"""All fuzzers of random calls, one after the other: `python -m tests.fuzz [calls] [first seed] [kind=share ...]`.

The calls are divided by the shares; a kind without a share is left out, when any is given. Each kind prints what
failed, how many calls it made in each second, and its first seed. The processes inherit the environment, so a sanitizer
that is preloaded sees all of them: `make fuzz-address` and `make fuzz-thread`.
"""

from __future__ import annotations

import subprocess
import sys
import time

SHARES = {"calls": 0.5, "buffers": 0.2, "batches": 0.1, "compat": 0.1, "recordings": 0.09, "executors": 0.01}


def shares(given: list[str]) -> dict[str, float]:
    if not given:
        return SHARES
    found = {name: float(share) for name, share in (each.split("=") for each in given)}
    if unknown := found.keys() - SHARES.keys():
        raise SystemExit(f"there is no kind {', '.join(unknown)}; the kinds are {', '.join(SHARES)}")
    return {name: share / sum(found.values()) for name, share in found.items()}


def main() -> int:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    seed = sys.argv[2] if len(sys.argv) > 2 else "1"
    failed = 0
    for name, share in shares(sys.argv[3:]).items():  # in processes of their own: compat changes `import Box2D`
        number, start = max(1, round(calls * share)), time.monotonic()
        code = subprocess.run([sys.executable, "-m", f"tests.fuzz.{name}", str(number), seed]).returncode
        rate = number / max(time.monotonic() - start, 1e-9)
        print(f"{time.strftime('%H:%M:%S')} {name}: {number} from seed {seed}, {rate:.0f} a second", end="")
        print(f", FAILED with code {code}" if code else "", flush=True)
        failed |= code != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
