"""Compiles the core for WebAssembly, for live pages: `make wasm` runs `python box2dpy/_page/build.py`.

It needs clang, wasm-ld, and the C library of WASI. Objects are kept in build/wasm by a hash of what went into them, and
equal sources give equal bytes with the same compiler. There are no threads and no lab, and no function of the host but
a clock.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from multiprocessing.pool import ThreadPool
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(__file__).resolve().parent / "box2dpy.wasm"
COMPILER = (os.environ.get("B2D_WASM_CC") or "clang").split()
FLAGS = [
    *("--target=wasm32-wasi", "-msimd128", "-std=c17", "-Wall", "-Wextra", "-ffp-contract=off", "-fno-math-errno"),
    *("-DB2D_NO_LAB", "-Icsrc", "-Icsrc/include"),
]
# The default stack of 64 KB lies behind the data, which it would overwrite without a word; scenes use up to 88 KB. With
# memory for at most 1 GB, the bytes of rows of objects that exist are below 4 GB, which a size_t of 32 bits holds.
LINK = ["-Wl,-z,stack-size=262144", "-Wl,--stack-first", "-Wl,--max-memory=1073741824"]
SELDOM = ("api", "buffers", "page", "state")  # folders that no step uses: small code
_PACKAGES = "the Debian packages clang, lld, wasi-libc and libclang-rt-VERSION-dev-wasm32"


def missing() -> str | None:
    """What the build lacks, as a sentence; None: nothing."""
    if not (ROOT / "csrc").is_dir():
        return "the sources of the core are not beside the package"
    if shutil.which(COMPILER[0]) is None:
        return f"{COMPILER[0]} is missing; install {_PACKAGES}"
    probe = [*COMPILER, "--target=wasm32-wasi", "-nostartfiles", "-Wl,--no-entry", "-x", "c", "-", "-o", os.devnull]
    done = subprocess.run(probe, input="#include <stdlib.h>\n", capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    error = re.search(r"error: .*", done.stderr)
    return f"clang cannot compile for WebAssembly ({error[0] if error else 'no wasm-ld'}); install {_PACKAGES}"


def compiled(folder: Path) -> tuple[bytes, str]:
    """The module, and what the compiler said. Objects go to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([*COMPILER, "--version"], capture_output=True, text=True, check=True).stdout
    headers = sorted(path for kind in ("h", "inl", "def") for path in ROOT.glob(f"csrc/**/*.{kind}"))
    common = hashlib.sha256("\0".join([version, *FLAGS]).encode() + b"".join(path.read_bytes() for path in headers))
    sources = sorted(path for path in ROOT.glob("csrc/*/*.c") if path.parent.name != "lab")

    def compile_one(source: Path) -> tuple[str, str]:
        key = common.copy()
        level = "-Oz" if source.parent.name in SELDOM else "-O2"
        key.update(source.read_bytes() + level.encode())
        target = folder / f"{source.parent.name}-{source.stem}-{key.hexdigest()[:16]}.o"
        said = ""
        if not target.exists():
            part = target.with_suffix(f".{os.getpid()}")
            arguments = [*FLAGS, level, "-c", source.relative_to(ROOT).as_posix(), "-o", str(part)]
            said = _run(arguments)
            part.replace(target)
        return str(target), said

    with ThreadPool(os.cpu_count() or 1) as pool:
        made = pool.map(compile_one, sources, chunksize=1)
    module = folder / f"box2dpy.{os.getpid()}.wasm"
    said = _run([*FLAGS[:2], "-mexec-model=reactor", *LINK, "-Wl,--strip-all", *sorted(name for name, _ in made),
                 "-lm", "-o", str(module)])  # fmt: skip
    data = module.read_bytes()
    module.unlink()
    for old in set(map(str, folder.glob("*.o"))) - {name for name, _ in made}:
        Path(old).unlink(missing_ok=True)
    return data, "".join(text for _, text in made) + said


def _run(arguments: list[str]) -> str:
    done = subprocess.run([*COMPILER, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join([*COMPILER, *arguments])} failed:\n{done.stderr}")
    return done.stderr


def build() -> None:
    """Writes the module into the package, if it has changed."""
    data, said = compiled(ROOT / "build" / "wasm")
    sys.stderr.write(said)
    if not TARGET.exists() or TARGET.read_bytes() != data:
        part = TARGET.with_suffix(f".{os.getpid()}")
        part.write_bytes(data)
        part.replace(TARGET)


if __name__ == "__main__":
    reason = missing()
    if reason is not None:
        sys.exit(f"make wasm: {reason}")
    try:
        build()
    except RuntimeError as error:
        sys.exit(f"make wasm: {error}")
    print(f"make wasm: {TARGET.relative_to(ROOT)} has {TARGET.stat().st_size} bytes")
