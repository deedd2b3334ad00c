"""Builds tests/c/golden_driver.c with the C core for a compiler and a level, and runs it: no Python, no numpy, no cffi
between.

`python tests/golden/driver.py neon` is `make neon`: the aarch64 build under qemu-user against the native build; `musl`
and `windows` (mingw, under wine) are the same for these platforms. A build for WebAssembly runs under wasmtime. Objects
are kept in build/driver by a hash of their inputs, so only changed files are compiled again. B2D_TEST_CFLAGS adds
flags.
"""

from __future__ import annotations

import hashlib
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from multiprocessing.pool import ThreadPool
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STORE = ROOT / "build" / "driver"
FLAGS = ["-std=c17", "-Wall", "-Wextra", "-ffp-contract=off", "-fno-math-errno", "-pthread"]
INCLUDES = [f"-I{ROOT / 'csrc'}", f"-I{ROOT / 'csrc/include'}", f"-I{ROOT / 'tests/c'}"]
BLOCKS = ROOT / "tests/c/blocks.c"
COUNTED = ["-fsanitize-coverage=trace-pc", *(f"-D{name}=counted_{name}" for name in ("memcpy", "memmove", "memset"))]
# As in box2dpy/_page/build.py, which says why
WASM_COMPILER = "clang --target=wasm32-wasi -msimd128 -Wno-unused-command-line-argument"
WASM_LINK = ["-Wl,-z,stack-size=262144", "-Wl,--stack-first", "-Wl,--max-memory=1073741824"]
WASM_RUNNER = [sys.executable, str(ROOT / "tests/golden/wasi.py")]
ARM_COMPILER, ARM_EMULATOR, ARM_ROOT = "aarch64-linux-gnu-gcc", "qemu-aarch64", "/usr/aarch64-linux-gnu"


def sources(lab: bool = True, main: str = "golden_driver.c") -> list[Path]:
    """The whole core and a program of tests/c."""
    core = sorted(path for path in ROOT.glob("csrc/*/*.c") if lab or path.parent.name != "lab")
    return [*core, ROOT / "tests/c" / main]


def headers() -> bytes:
    folders, kinds = (ROOT / "csrc", ROOT / "tests" / "c"), ("h", "inl", "def")
    return b"".join(
        path.read_bytes() for path in sorted(each for f in folders for k in kinds for each in f.rglob(f"*.{k}"))
    )


def compiled(
    compiler: str, flags: Sequence[str], files: Sequence[Path], own: Callable[[Path], Sequence[str]] = lambda _: ()
) -> tuple[Path, str]:
    """Returns the program of these files and what the compiler said, which is empty when there is no warning.

    `own` gives the further flags of a file; those of the last file, after which the program is named, are also for the
    linker. Programs with the same flags share their objects.
    """
    flags = [*flags, *os.environ.get("B2D_TEST_CFLAGS", "").split()]
    words = compiler.split()  # "ccache gcc"
    version = subprocess.run([*words, "--version"], capture_output=True, text=True, check=True).stdout
    common = hashlib.sha256("\0".join([version, *flags]).encode() + headers())
    STORE.mkdir(parents=True, exist_ok=True)

    def make(target: Path, arguments: list[str]) -> str:
        said = target.with_suffix(".txt")
        if not target.exists():
            new = target.with_name(f"{target.name}.{os.getpid()}")  # another process may make the same object
            done = subprocess.run(
                [*words, *flags, *arguments, "-o", str(new)], capture_output=True, text=True, check=False
            )
            if done.returncode != 0:
                raise RuntimeError(f"{compiler} {' '.join(flags)} failed:\n{done.stderr}")
            said.write_text(done.stderr, encoding="utf-8")
            new.replace(target)
        os.utime(target)
        return said.read_text(encoding="utf-8")

    def compile_one(source: Path) -> tuple[Path, str]:
        key = common.copy()
        key.update(source.read_bytes() + "\0".join(own(source)).encode())
        target = STORE / f"{source.parent.name}-{source.stem}-{key.hexdigest()[:16]}.o"
        return target, make(target, [*own(source), *INCLUDES, "-c", str(source)])

    # The files that take longest first, so that no processor waits for the last one
    longest_first = sorted(files, key=lambda source: source.parent.name != "simd")
    with ThreadPool(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1) as pool:
        made = pool.map(compile_one, longest_first, chunksize=1)
    objects = sorted(str(target) for target, _ in made)
    program = STORE / f"{files[-1].stem}-{hashlib.sha256(chr(0).join(objects).encode()).hexdigest()[:16]}"
    said = make(program, [*own(files[-1]), *objects, "-lm"])
    return program, "".join(text for _, text in made) + said


def build(compiler: str, level: str) -> tuple[Path, str]:
    """The golden driver, as `compiled` returns it."""
    return compiled(compiler, FLAGS, sources(), lambda _: [level])


def compiled_wasm(files: Sequence[Path], *flags: str) -> tuple[Path, str]:
    """A program for WebAssembly, without threads; `WASM_RUNNER` runs it."""
    own = [flag for flag in FLAGS if flag != "-pthread"]
    return compiled(WASM_COMPILER, [*own, *flags], files, lambda _: ["-O2", *WASM_LINK])


def reference(main: str = "golden_driver.c") -> tuple[Path, str]:
    """A program of the core as gcc compiles it without optimisation and without the lab. tests/c/blocks.h counts what
    it runs, wide kernels left out. The golden driver, the test of the graph and that of costs share the objects.

    gcc takes half a minute for the wide kernels at -O0, so they have -O1.
    """

    def own(file: Path) -> Sequence[str]:
        if is_wide(file):
            return ["-O1"]
        return ["-O0", *COUNTED] if file.is_relative_to(ROOT / "csrc") else ["-O0"]

    *core, program = sources(False, main)
    return compiled(shutil.which("gcc") or "cc", [*FLAGS, "-DB2D_NO_LAB"], [*core, BLOCKS, program], own)


def is_wide(source: Path) -> bool:
    """Whether a file has the kernels of one instruction set with vectors; its source is that of the scalar ones."""
    return source.parent.name == "simd" and source.stem != "scalar"


def command(program: Path) -> list[str]:
    """How a test starts a program: B2D_EMULATOR="qemu-x86_64 -cpu Nehalem" runs it as on another processor."""
    return [*os.environ.get("B2D_EMULATOR", "").split(), str(program)]


def run(program: Path, *before: str) -> dict[str, str]:
    """What the driver prints: width to its two hashes, and `auto` to the width it chose; `before` may be an
    emulator."""
    done = subprocess.run([*before, str(program)], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):  # 3: it printed hashes, and they differ; 1 is what a sanitizer ends with
        raise RuntimeError(f"{program.name} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


def hashes(output: dict[str, str]) -> set[str]:
    """The set of hashes in an output, which must have one element."""
    return {value for name, value in output.items() if name != "auto"}


def clean_old(keep: int = 600) -> None:
    """Deletes the objects that were not used for the longest time; another process may compile or delete meanwhile."""

    def last_use(path: Path) -> float:
        try:
            return path.stat().st_mtime
        except FileNotFoundError:
            return math.inf

    kept = sorted((path for path in STORE.glob("*") if path.suffix != ".txt"), key=last_use)
    for path in kept[:-keep]:
        path.unlink(missing_ok=True)
        path.with_suffix(".txt").unlink(missing_ok=True)


def widths(output: dict[str, str]) -> str:
    return ", ".join(name for name in output if not name.startswith("auto"))


# What it is: the compiler, the program that runs its output, and the Debian packages of both.
PLATFORMS: dict[str, tuple[str, list[str], str]] = {
    "neon": (ARM_COMPILER, [ARM_EMULATOR, "-L", ARM_ROOT], "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"),
    "musl": ("musl-gcc", [], "musl-tools"),
    "windows": ("x86_64-w64-mingw32-gcc", ["/usr/lib/wine/wine64"], "gcc-mingw-w64-x86-64 wine64"),
}


def compare(name: str) -> int:
    """Compares a platform with the native build; one line, and the exit status."""
    compiler, emulator, packages = PLATFORMS[name]
    native = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    for tool in (native or "gcc", compiler, *emulator[:1]):
        if shutil.which(tool) is None:
            print(f"make {name}: {tool} is missing; install the Debian packages gcc {packages}", file=sys.stderr)
            return 1
    here = run(build(native or "cc", "-O2")[0])
    there = run(build(compiler, "-O2")[0], *emulator)
    equal = len(hashes(here) | hashes(there)) == 1 and (name != "neon" or "neon" in there)
    if equal:
        print(
            f"make {name}: 60 steps give {there['scalar'].split()[0]} with {widths(there)} there "
            f"and with {widths(here)} here"
        )
    else:
        print(f"make {name}: HASHES DIFFER\n  here  {here}\n  there {there}", file=sys.stderr)
    return 0 if equal else 1


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in PLATFORMS:
        sys.exit(__doc__)
    sys.exit(compare(sys.argv[1]))
