# The compiled module; `ffi` and `lib` are cffi's. Only the private modules of this package use it.
from typing import Any

ffi: Any
lib: Any
