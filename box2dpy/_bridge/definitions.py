"""Definitions: the C structs that describe a new object, filled from keyword options.

A struct from a pool starts as a copy of a template. An option of the expected type is written into its memory directly;
other values are first converted or refused. C checks the ranges of the values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from .arguments import flag, number
from .library import ffi
from .struct_pool import StructPool

if TYPE_CHECKING:
    from typing import TypeAlias

Encode: TypeAlias = "Callable[[Any, str], Any]"
_SHORT: dict[Encode, type] = {number: float, flag: bool}  # values of these types need no conversion
_FORMATS = {"double": "d", "_Bool": "B", "int32_t": "i", "uint32_t": "I"}
NUMBERS = 0  # the view of double


class Field(NamedTuple):
    """Where an option is written to."""

    kind: type | None  # values of just this type need no encoding
    view: int  # of which numbers
    place: int
    encode: Encode  # gives the numbers from `place` on


class StructBuffer(NamedTuple):
    """A struct to be filled: the struct, its bytes, and the same bytes as numbers of each of `_FORMATS`."""

    struct: Any
    memory: memoryview
    views: tuple[memoryview[Any], ...]


def struct_buffers(kind: str) -> StructPool[StructBuffer]:
    """A pool of structs of a type."""

    def make() -> StructBuffer:
        struct = ffi.new(f"{kind} *")
        memory = memoryview(ffi.buffer(struct)).cast("B")
        return StructBuffer(struct, memory, tuple(memory.cast(form) for form in _FORMATS.values()))  # type: ignore[call-overload]

    return StructPool(make)


def _alone(encode: Encode, value: Any, name: str) -> tuple[Any]:
    return (encode(value, name),)


def struct_fields(kind: str, encoders: Mapping[str, Encode]) -> dict[str, Field]:
    """Fields of the struct by name, each with its encoder of one number."""
    found = {}
    members, forms = dict(ffi.typeof(kind).fields), list(_FORMATS)
    for name, encode in encoders.items():
        member = members[name]
        place = member.offset // ffi.sizeof(member.type)
        found[name] = Field(_SHORT.get(encode), forms.index(member.type.cname), place, partial(_alone, encode))
    return found


class OptionWriter:
    """How the options of one kind of object are written."""

    __slots__ = ("_field", "_pop", "_take", "_template")

    def __init__(self, stock: StructPool[StructBuffer], template: Any, fields: dict[str, Field]) -> None:
        self._pop, self._take = stock.pop, stock.take
        self._template = bytes(ffi.buffer(template))
        self._field = fields.get

    def write(self, options: Mapping[str, Any]) -> tuple[StructBuffer, dict[str, Any]]:
        """A copy of the template with the options, to be given back to its pool; and the options that are no fields."""
        try:
            buffer = self._pop()
        except IndexError:
            buffer = self._take()
        _, memory, views = buffer
        memory[:] = self._template
        find, others = self._field, {}
        for name, value in options.items():
            field = find(name)
            if field is None:
                others[name] = value
                continue
            kind, view, place, encode = field
            if type(value) is kind:
                views[view][place] = value
            else:
                for component in encode(value, name):
                    views[view][place] = component
                    place += 1
        return buffer, others
