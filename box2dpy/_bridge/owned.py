"""`owned`: a C object that Python frees, but not before the finalizers of the user.

The garbage collector runs all finalizers in a garbage cycle in an unknown order and breaks the cycle only then. The
finalizer of an `ffi.gc` pointer is one of them, so a `__del__` of the user could use a C object after it was freed. The
collector does not look into numpy arrays. A pointer that is also in an array of objects therefore seems to be in use
from outside: it is freed when the cycle is broken and the last reference disappears.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .library import ffi

if TYPE_CHECKING:
    from numpy.typing import NDArray


def owned(pointer: Any, free: Any) -> tuple[Any, NDArray[np.object_]]:
    """The pointer, which calls `free` with its last reference, and what its owner has to keep beside it."""
    result = ffi.gc(pointer, free)
    keeper = np.empty(1, object)
    keeper[0] = result
    return result, keeper
