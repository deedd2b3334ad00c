"""The core for web pages under wasmtime: `Core` has what a page has, and a test steps it beside a native world."""

from __future__ import annotations

import atexit
import os
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy._page import build
from box2dpy._world.state import _split

from . import driver


@cache
def _missing() -> str | None:
    return build.missing()


def needs_compiler() -> None:
    """Skips the test where the core cannot be compiled for WebAssembly, or another build is tested."""
    for name in ("B2D_TEST_CFLAGS", "B2D_EMULATOR"):
        if name in os.environ:
            pytest.skip(f"{name} is for the native build")
    reason = _missing()
    if reason is not None:
        pytest.skip(reason)


@cache
def module_bytes() -> bytes:
    """The module of the present sources, as `make wasm` writes it; skips the test where it cannot be built."""
    needs_compiler()
    data, said = build.compiled(driver.ROOT / "build" / "wasm")
    assert said == ""
    return data


@atexit.register  # before the interpreter takes apart what the runtime needs to free them
def _forget() -> None:
    _module.cache_clear()


@cache
def _module() -> tuple[Any, Any]:
    wasmtime = pytest.importorskip("wasmtime")
    engine = wasmtime.Engine()
    return engine, wasmtime.Module(engine, module_bytes())


class Core:
    """One world in an instance of the module."""

    def __init__(self, world: b2.World | None = None) -> None:
        import wasmtime

        engine, module = _module()
        linker, self._store = wasmtime.Linker(engine), wasmtime.Store(engine)
        self._store.set_wasi(wasmtime.WasiConfig())
        linker.define_wasi()
        self._exports = linker.instantiate(self._store, module).exports(self._store)
        self.call("_initialize")
        if world is not None:
            self.open(_split(world.snapshot())[0])

    def call(self, name: str, *arguments: float) -> Any:
        """Calls an exported function."""
        return self._exports[name](self._store, *arguments)

    def read(self, at: int, size: int) -> bytes:
        """Bytes of the memory of the instance."""
        return bytes(self._exports["memory"].read(self._store, at, at + size))

    def write(self, data: bytes) -> int:
        """The address of a copy of the bytes."""
        at = self.call("take", len(data) + 1)
        self._exports["memory"].write(self._store, data, at)
        return int(at)

    def open(self, snapshot: bytes) -> None:
        """Opens a snapshot of the core, which has no names."""
        status = self.call("open", self.write(snapshot), len(snapshot))
        assert status == 0, (status, self.read(self.call("message"), 200).split(b"\0")[0])

    def hash(self) -> int:
        """As `World.state_hash`."""
        return int(self.call("hash")) % 2**64

    def replay(self, parts: Sequence[bytes]) -> bool:
        """Makes the calls of a log again; whether each gave what the log says."""
        for part in parts:
            assert self.call("replay", self.write(part), len(part)) == 0
        return bool(self.call("equal"))

    def log(self) -> bytes:
        """The log since the last call."""
        at = self.call("log_take")
        assert not self.call("log_lacks")
        return self.read(at, self.call("count"))

    def positions(self) -> Any:
        """Positions of the bodies."""
        at = self.call("poses")
        rows = np.frombuffer(self.read(at, 32 * self.call("count")), np.float64).reshape(-1, 4)
        return rows[:, :2]
