"""The compiled half of the build. Everything declarative is in pyproject.toml.

`build_ext` compiles the C files in parallel, and only those that are older than their source, a header that they
include (the compiler lists these in a `.d` file beside the object), this file or the flags.
"""

from __future__ import annotations

import hashlib
import os
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.build_ext import build_ext

SETTINGS = ("CC", "CFLAGS", "CPPFLAGS", "LDFLAGS", "B2D_SANITIZE", "B2D_ASSERTS", "B2D_NO_LAB")


RECIPE = ("setup.py", "box2dpy/_build.py")  # every object depends on them


def is_current(target: Path) -> bool:
    """Whether an object is newer than all files that went into it, which the `.d` file beside it names."""
    try:
        words = target.with_suffix(".d").read_text(encoding="utf-8").replace("\\\n", " ").partition(": ")[2].split()
        newest = max(Path(name).stat().st_mtime for name in (*RECIPE, *words))
        return bool(words) and target.stat().st_mtime > newest
    except OSError:  # there is no object yet, or a header has gone
        return False


class BuildExt(build_ext):
    def finalize_options(self) -> None:
        super().finalize_options()
        # One folder of objects for each set of flags, so that a sanitizer build never meets a plain one.
        flags = "\0".join(os.environ.get(name, "") for name in SETTINGS)
        self.force = True  # compile_parallel decides what is old: setuptools does not know the headers
        self.build_temp = str(Path("build") / f"objects-{hashlib.sha256(flags.encode()).hexdigest()[:8]}")

    def build_extensions(self) -> None:
        compiler = self.compiler
        if compiler.compiler_type == "unix":

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

                def compile_one(obj: str) -> None:
                    source, suffix = build[obj]
                    target = Path(obj)
                    if is_current(target):
                        return
                    part = target.with_suffix(".part.o")  # a compiler that was stopped leaves no object that looks new
                    options = ["-MD", "-MF", str(part.with_suffix(".d")), *extra_postargs]
                    compiler._compile(str(part), source, suffix, cc_args, options, pp_opts)
                    part.with_suffix(".d").replace(target.with_suffix(".d"))
                    part.replace(target)

                with ThreadPool(os.cpu_count() or 1) as pool:
                    pool.map(compile_one, objects, chunksize=1)
                return list(objects)

            compiler.compile = compile_parallel
        super().build_extensions()


FOLDERS = {
    "box2dpy": "box2dpy",
    "box2dpy._bridge": "box2dpy/_bridge",
    "box2dpy._geometry": "box2dpy/_geometry",
    "box2dpy._objects": "box2dpy/_objects",
    "box2dpy._joints": "box2dpy/_joints",
    "box2dpy._queries": "box2dpy/_queries",
    "box2dpy._draw": "box2dpy/_draw",
    "box2dpy._helpers": "box2dpy/_helpers",
    "box2dpy._world": "box2dpy/_world",
    "box2dpy.scenes": "box2dpy/scenes",
    "box2dpy.benchmarks": "benchmarks",
    "box2dpy.benchmarks.engines": "benchmarks/engines",
    "box2dpy.benchmarks.output": "benchmarks/output",
    "box2dpy.benchmarks.commands": "benchmarks/commands",
    "box2dpy.benchmarks.lab": "benchmarks/lab",
    "box2dpy.samples": "samples",
    "box2dpy.samples.browser": "samples/browser",
}
PACKAGES = {name: folder for name, folder in FOLDERS.items() if (Path(folder) / "__init__.py").exists()}

setup(
    packages=list(PACKAGES),
    package_dir=PACKAGES,
    cffi_modules=["box2dpy/_build.py:ffibuilder"],
    cmdclass={"build_ext": BuildExt},
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
