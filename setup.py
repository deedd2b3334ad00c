"""The compiled half of the build. Everything declarative is in pyproject.toml.

`build_ext` compiles the C files in parallel, and only those that are older than their source, a header that they
include (the compiler lists these in a `.d` file beside the object), this file or the flags. It prints its progress in
lines that start with `box2dpy:`; pip shows them with `-v`.
"""

import sys

# pip runs this file before it reads which version is needed. An older Python compiles the file as a whole.
if sys.version_info < (3, 10):  # noqa: UP036
    sys.exit(f"box2dpy needs Python 3.10 or newer; this is Python {sys.version_info[0]}.{sys.version_info[1]}")

import atexit
import hashlib
import os
import re
import shutil
import sysconfig
import tempfile
from importlib.metadata import version
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.command.editable_wheel import editable_wheel
from setuptools.command.sdist import sdist

SETTINGS = ("CC", "CFLAGS", "CPPFLAGS", "LDFLAGS", "B2D_SANITIZE", "B2D_ASSERTS", "B2D_NO_LAB")
ROOT = Path(__file__).resolve().parent
# The build folder, or a temporary one where the sources are read-only.
BUILD = Path("build")
if not os.access(ROOT, os.W_OK):
    BUILD = Path(tempfile.mkdtemp(prefix="box2dpy-build-"))
    atexit.register(shutil.rmtree, BUILD, ignore_errors=True)
# A free-threaded Python has no stable ABI before 3.15.
LIMITED = not sysconfig.get_config_var("Py_GIL_DISABLED")

# A placeholder until the project has a public address: those in the metadata and on the documentation site follow from
# it, and .github/workflows/release.yml publishes nothing while it ends in .invalid/box2dpy.
REPOSITORY = "https://repository.invalid/box2dpy"

RECIPE = ("setup.py", "box2dpy/_build.py")  # every object depends on them
# gcc keeps their loops of three iterations as loops below -O3
UNROLLED = ("csrc/solver/direct_", "csrc/solver/press.c")


def is_current(target: Path) -> bool:
    """Whether an object is newer than all files that went into it, which the `.d` file beside it names."""
    try:
        text = target.with_suffix(".d").read_text(encoding="utf-8").replace("\\\n", " ").partition(": ")[2]
        words = [word.replace("\\ ", " ") for word in re.findall(r"(?:\\ |\S)+", text)]
        newest = max(Path(name).stat().st_mtime for name in (*RECIPE, *words))
        return bool(words) and target.stat().st_mtime > newest
    except OSError:  # there is no object yet, or a header has gone
        return False


def say(line: str) -> None:
    print(f"box2dpy: {line}", flush=True)


class BuildExt(build_ext):
    def finalize_options(self) -> None:
        super().finalize_options()
        # One folder of objects for each set of flags, so that a sanitizer build never meets a plain one.
        flags = "\0".join([*(os.environ.get(name, "") for name in SETTINGS), str(LIMITED)])
        self.force = True  # compile_parallel decides what is old: setuptools does not know the headers
        self.build_temp = str(BUILD / f"objects-{hashlib.sha256(flags.encode()).hexdigest()[:8]}")

    def build_extensions(self) -> None:
        compiler = self.compiler
        if compiler.compiler_type == "msvc":  # cl.exe knows neither vectors nor attributes as gcc and clang write them
            compiler.initialize()
            compiler.cc = shutil.which("clang-cl")
            if compiler.cc is None:
                sys.exit("box2dpy: the C compiler 'clang-cl' is missing: install LLVM (Visual Studio offers it)")
            say("compiling with clang-cl, one to three minutes")
        elif compiler.compiler_type == "unix":
            for command in compiler.compiler[:2]:  # two words where CC is, for example, "ccache gcc"
                if not command.startswith("-") and shutil.which(command) is None:
                    sys.exit(f"box2dpy: the C compiler {command!r} is missing: install gcc or clang, or set CC")

            def compile_parallel(
                sources: list[str],
                output_dir: str | None = None,
                macros: Any = None,
                include_dirs: Any = None,
                debug: bool = False,
                extra_preargs: Any = None,
                extra_postargs: Any = None,
                depends: Any = None,
            ) -> list[str]:
                macros, objects, extra_postargs, pp_opts, build = compiler._setup_compile(
                    output_dir, macros, include_dirs, sources, depends, extra_postargs
                )
                cc_args = compiler._get_cc_args(pp_opts, debug, extra_preargs)
                old = [name for name in objects if not is_current(Path(name))]
                if old:
                    whole = "" if len(old) < len(objects) else ", one to three minutes"
                    say(f"compiling {len(old)} files{whole}")

                def compile_one(name: str) -> None:
                    source, suffix = build[name]
                    target = Path(name)
                    part = target.with_suffix(".part.o")  # a compiler that was stopped leaves no object that looks new
                    options = ["-MD", "-MF", str(part.with_suffix(".d")), *extra_postargs]
                    levels = [option for option in options if option.startswith("-O")]
                    if source.startswith(UNROLLED) and levels and levels[-1] == "-O2":
                        options.append("-O3")
                    compiler._compile(str(part), source, suffix, cc_args, options, pp_opts)
                    part.with_suffix(".d").replace(target.with_suffix(".d"))
                    part.replace(target)

                with ThreadPool(os.cpu_count() or 1) as pool:
                    for done, _ in enumerate(pool.imap_unordered(compile_one, old), 1):
                        if done % 10 == 0:
                            say(f"{done} of {len(old)} files are compiled")
                return list(objects)

            compiler.compile = compile_parallel
        super().build_extensions()


class Sdist(sdist):
    """A source distribution should have the core for web pages, which its users cannot easily build."""

    def run(self) -> None:
        if not Path("box2dpy/_page/box2dpy.wasm").exists():
            say("there is no core for web pages in this distribution: `make wasm` builds it")
        super().run()


class EditableWheel(editable_wheel):
    """Type checkers do not run the finder of an editable installation, but they read the paths in `.pth` files."""

    def _select_strategy(self, *arguments: Any) -> Any:
        strategy = super()._select_strategy(*arguments)
        call = type(strategy).__call__

        class WithPath(type(strategy)):  # type: ignore[misc]
            def __call__(self, wheel: Any, files: list[str], mapping: dict[str, str]) -> None:
                call(self, wheel, files, mapping)
                wheel.writestr("__editable__.box2dpy.types.pth", f"{ROOT}\n".encode())

        strategy.__class__ = WithPath
        return strategy


FOLDERS = {
    "box2dpy": "box2dpy",
    "box2dpy._bridge": "box2dpy/_bridge",
    "box2dpy._geometry": "box2dpy/_geometry",
    "box2dpy._buffers": "box2dpy/_buffers",
    "box2dpy._objects": "box2dpy/_objects",
    "box2dpy._joints": "box2dpy/_joints",
    "box2dpy._queries": "box2dpy/_queries",
    "box2dpy._draw": "box2dpy/_draw",
    "box2dpy._page": "box2dpy/_page",
    "box2dpy._helpers": "box2dpy/_helpers",
    "box2dpy._recording": "box2dpy/_recording",
    "box2dpy._world": "box2dpy/_world",
    "box2dpy._batch": "box2dpy/_batch",
    "box2dpy.scenes": "box2dpy/scenes",
    "box2dpy.compat": "box2dpy/compat",
    "box2dpy.envs": "box2dpy/envs",
    "box2dpy.benchmarks": "benchmarks",
    "box2dpy.benchmarks.engines": "benchmarks/engines",
    "box2dpy.benchmarks.quality": "benchmarks/quality",
    "box2dpy.benchmarks.output": "benchmarks/output",
    "box2dpy.benchmarks.commands": "benchmarks/commands",
    "box2dpy.benchmarks.lab": "benchmarks/lab",
    "box2dpy.samples": "samples",
    "box2dpy.samples.browser": "samples/browser",
}
PACKAGES = {name: folder for name, folder in FOLDERS.items() if (Path(folder) / "__init__.py").exists()}

options: dict[str, dict[str, str]] = {"bdist_wheel": {"py_limited_api": "cp310"}} if LIMITED else {}
if BUILD.is_absolute():
    options |= {"build": {"build_base": str(BUILD)}, "egg_info": {"egg_base": str(BUILD)}}

setup(
    packages=list(PACKAGES),
    package_dir=PACKAGES,
    cffi_modules=["box2dpy/_build.py:ffibuilder"],
    cmdclass={"build_ext": BuildExt, "editable_wheel": EditableWheel, "sdist": Sdist},
    options=options,
    project_urls={
        "Repository": REPOSITORY,
        "Issues": f"{REPOSITORY}/issues",
        "Documentation": f"{REPOSITORY}/blob/main/docs/index.md",
        "Changelog": f"{REPOSITORY}/blob/main/CHANGELOG.md",
    },
    # setuptools before 77 knows no SPDX expressions, and refuses them in pyproject.toml.
    **{"license_expression" if int(version("setuptools").partition(".")[0]) >= 77 else "license": "MIT"},
)
