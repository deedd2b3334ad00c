"""The machine and the versions with which a measurement was made; every table and file of results names them."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import box2dpy as b2


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def last_cache() -> float | None:
    """The size of the largest cache that a core sees, in MB; None where the system does not say."""
    units = {"K": 1024, "M": 1024**2, "G": 1024**3}
    sizes = []
    for path in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        text = path.read_text(encoding="utf-8").strip()
        sizes.append(int(text[:-1]) * units[text[-1]] / 1e6)
    return max(sizes, default=None)


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def commit() -> str:
    """Short hash of the checkout that this file is in, with a plus when it has changes; empty outside of one."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    try:
        inside = git("ls-files", "--error-unmatch", Path(__file__).name)
        return (
            git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "-uno") else "")
            if inside
            else ""
        )
    except OSError:  # no git
        return ""


def machine() -> dict[str, Any]:
    """Processor, system, compiler, versions, commit, date, and how busy the machine was."""
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "cpu": processor(),
        "cores": os.cpu_count(),
        "last_cache_mb": last_cache(),
        "simd": " ".join(b2.cpu_features()),
        "system": platform.platform(),
        "compiler": b2.compiler(),
        "python": platform.python_version(),
        "box2dpy": b2.__version__,
        "commit": commit(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def sentence(where: dict[str, Any]) -> str:
    """The same in one line."""
    at = f" at {where['commit']}" if where["commit"] else ""
    return (
        f"{where['date'][:10]}, box2dpy {where['box2dpy']}{at}, {where['cores']} cores {where['cpu']} "
        f"({where['simd']}), {where['compiler']}, Python {where['python']}, {where['system']}; "
        f"load {where['load']} at the start"
    )
