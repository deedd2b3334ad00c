"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def replacing(name: str) -> Iterator[str]:
    """A name in the same folder, with the same ending. What is written there replaces the file at the end, so that a
    full disk leaves the old one whole. Devices and pipes are written to themselves."""
    target = os.path.realpath(name)
    if os.path.exists(target) and not os.path.isfile(target):
        yield target
        return
    folder, ending = os.path.dirname(target), os.path.splitext(target)[1]
    beside = os.path.join(folder, f".{os.getpid()}.{threading.get_ident()}.part{ending}")
    try:
        yield beside
        os.replace(beside, target)
    except BaseException as error:
        with suppress(OSError):
            os.remove(beside)
        if isinstance(error, OSError) and error.filename == beside:
            error.filename = name
        raise


def replace_file(name: str, data: bytes) -> None:
    with replacing(name) as path, open(path, "wb") as opened:
        opened.write(data)
