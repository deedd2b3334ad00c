"""The samples of box2dpy, and the browser that shows them: `python -m samples`, `box2dpy samples`, `make samples`.

    _sample    Sample, its controls, the registry
    _run       Run: a running sample, without a window
    _picture   pictures and animations without a screen
    _cli       the command line
    _parts     parts that several samples build
    browser/   the window
    the others one file for each category: short classes, each of which teaches one thing

README.md says how to write a sample. Importing this package needs neither pyglet nor a screen.
"""

from __future__ import annotations

import importlib
import pkgutil

from ._run import Run
from ._sample import CATEGORIES, SAMPLES, Button, Choice, Control, Sample, Slider, Toggle, fuzzy, slug

__all__ = [
    "CATEGORIES",
    "SAMPLES",
    "Button",
    "Choice",
    "Control",
    "Run",
    "Sample",
    "Slider",
    "Toggle",
    "find",
    "fuzzy",
    "load",
    "slug",
]


def load() -> dict[str, type[Sample]]:
    """All samples by name, in the order of the browser: by category, and within a category as in their files."""
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_") and not module.ispkg:
            importlib.import_module(f"{__name__}.{module.name}")
    ordered = sorted(SAMPLES.items(), key=lambda item: CATEGORIES.index(item[1].category))
    SAMPLES.clear()
    SAMPLES.update(ordered)
    return SAMPLES


def find(name: str) -> type[Sample]:
    """The sample with this name. The exact name, its file name and, failing these, the best fuzzy match are accepted.

    Raises:
        ValueError: no sample matches.
    """
    samples = load()
    for known, kind in samples.items():
        if name in (known, slug(known)):
            return kind
    fits = sorted((cost, known) for known in samples if (cost := fuzzy(name, known)) is not None)
    if not fits:
        raise ValueError(f"no sample {name!r}: `box2dpy samples --list` lists them")
    return samples[fits[0][1]]
