"""The lists that C and Python share (csrc/include/lists), as the compiled module carries them."""

from __future__ import annotations

from .library import ffi, lib

_ALL: dict[str, list[list[str]]] = {}
for _line in ffi.string(lib.b2d_lists).decode().splitlines():
    _name, *_fields = _line.split("\t")
    _ALL.setdefault(_name, []).append(_fields)


def shared_list(name: str) -> list[list[str]]:
    """The rows of one list, each with the fields of its macro: `shared_list("status")[0] == ["OK", "no error"]`."""
    return _ALL[name]


JOINT_NAMES = {f"{name.title().replace('_', '')}Joint": name for _, name in shared_list("joint_types")}
"""The types of joints in the order of their numbers: the class, and its name in the core."""
