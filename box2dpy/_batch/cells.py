"""`Cells`: the packed world of the core in which the worlds of a batch are, and what its errors mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .._bridge.errors import DestroyedError, InvariantError, raise_error, short_repr
from .._bridge.library import ffi, lib
from .._bridge.world_base import TABLE_ROW, TableView
from .._world.world import World

if TYPE_CHECKING:
    from numpy.typing import NDArray

MESSAGE = 512  # bytes
KINDS = {"body": lib.B2D_KIND_BODY, "shape": lib.B2D_KIND_SHAPE, "joint": lib.B2D_KIND_JOINT}
_C_TYPES: dict[Any, str] = {bool: "bool", np.float64: "double", np.uint64: "uint64_t"}


class Cells:
    """A packed world: `count` worlds with room for so many `objects` of each kind."""

    __slots__ = ("chains", "count", "objects", "world")

    def __init__(self, pointer: Any) -> None:
        world = object.__new__(World)
        world._take(pointer)
        self.world = world  # holds the pointer; users never see it, so it has no handles
        size = ffi.new("b2d_cells_size *")
        lib.b2d_cells_get_size(pointer, size)
        self.count = int(size.count)
        self.objects = {"body": int(size.bodies), "shape": int(size.shapes), "joint": int(size.joints)}
        self.chains = int(size.chains)

    @property
    def pointer(self) -> Any:
        """Of the C world; raises when the batch is closed."""
        try:
            return self.world._ptr
        except DestroyedError:
            raise DestroyedError("the batch has been closed") from None

    def view(self, table: int, kind: Any, first: int, width: int) -> NDArray[Any]:
        """An array that shows members of a table, shape (count, bodies, width); without the last axis if that is 1."""
        bodies, dtype = self.objects["body"], np.dtype(kind)
        _, capacity, block, offset = self.world._acquire(table)
        if capacity < self.count * bodies:
            raise InvariantError(f"a table of {capacity} rows for {self.count} x {bodies} bodies")
        shape: tuple[int, ...] = (self.count, bodies)
        strides: tuple[int, ...] = (bodies * TABLE_ROW, TABLE_ROW)
        if width > 1:
            shape, strides = (*shape, width), (*strides, dtype.itemsize)
        address = int(ffi.cast("intptr_t", block)) + offset + first
        interface = {"data": (address, True), "shape": shape, "strides": strides, "typestr": dtype.str, "version": 3}
        return np.asarray(TableView(block, interface))

    def read(self, function: Any, dtype: Any, *shape: int) -> NDArray[Any]:
        """What a function of the core writes for each world: shape (count, *shape)."""
        out = np.zeros((self.count, *shape), dtype)
        status = function(self.pointer, ffi.from_buffer(f"{_C_TYPES[dtype]}[]", out, require_writable=True))
        if status:
            self.fail(status)
        return out

    def exist(self, kind: str) -> NDArray[np.bool_]:
        """Which objects of a kind there are, shape (count, objects)."""
        return self.read(lambda world, out: lib.b2d_cells_exist(world, KINDS[kind], out), bool, self.objects[kind])

    def fail(
        self, status: int, kind: str = "", row: int = 0, name: str = "", value: object = None, *, text: str = ""
    ) -> NoReturn:
        """Raises what a status means; `row` of `kind` says which world and object."""
        if text:
            raise ValueError(text)
        many = self.objects.get(kind, 0)
        where = f"world {row // many}, {kind} {row % many}" if many else ""
        if status & 0xFF == lib.B2D_STALE_HANDLE:
            raise ValueError(f"{name}={short_repr(value)}: {where} does not exist")
        try:
            raise_error(status, self.world, **({name: value} if name else {}))
        except ValueError as error:
            raise ValueError(f"{error} ({where})" if where else str(error)) from None


def mask_pointer(mask: NDArray[np.bool_] | None) -> Any:
    return ffi.NULL if mask is None else ffi.from_buffer("bool[]", mask)
