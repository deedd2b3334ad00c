"""Runs a program that was compiled for WASI, under wasmtime from PyPI: `python wasi.py PROGRAM [ARGUMENT ...]`.

The program sees no files and no environment but B2D_SIMD. The exit status is its own.
"""

from __future__ import annotations

import os
import sys

from wasmtime import Engine, ExitTrap, Linker, Module, Store, WasiConfig


def main(arguments: list[str]) -> int:
    """Runs the program and returns its exit status."""
    engine = Engine()
    linker, store, wasi = Linker(engine), Store(engine), WasiConfig()
    wasi.argv = arguments
    wasi.env = [(name, os.environ[name]) for name in ("B2D_SIMD", "TEST_SCALE") if name in os.environ]
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    store.set_wasi(wasi)
    linker.define_wasi()
    program = linker.instantiate(store, Module.from_file(engine, arguments[0]))
    try:
        program.exports(store)["_start"](store)  # type: ignore[operator]
    except ExitTrap as ending:
        return ending.code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
