"""Progress on stderr: a bar if tqdm is installed and stderr is a terminal, else one line for each piece of work."""

from __future__ import annotations

import importlib
import sys
from typing import Any


class Progress:
    """Counts `total` pieces of work; `begin` names the next one. A context manager."""

    def __init__(self, total: int) -> None:
        self.total, self.done = total, -1
        self.bar: Any = None
        try:
            tqdm: Any = importlib.import_module("tqdm")
        except ModuleNotFoundError:
            return
        if sys.stderr.isatty():
            self.bar = tqdm.tqdm(total=total, file=sys.stderr, leave=False, unit="run")

    def begin(self, what: str) -> None:
        self.done += 1
        if self.bar is None:
            print(f"[{self.done + 1}/{self.total}] {what}", file=sys.stderr, flush=True)
        else:
            self.bar.n = self.done
            self.bar.set_description(what)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
