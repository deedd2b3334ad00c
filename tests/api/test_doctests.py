"""Every example in a docstring of the package runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import math
import pkgutil

import numpy as np
import pytest

import box2dpy
from box2dpy import arguments, buffers, lab, rows

PUBLIC = {"arguments": arguments, "buffers": buffers, "lab": lab, "rows": rows}
NAMES = ["box2dpy"] + [
    module.name
    for module in pkgutil.walk_packages(box2dpy.__path__, "box2dpy.")
    if (module.name.split(".")[1].startswith("_") or module.name.split(".")[1] in PUBLIC)
    and module.name not in ("box2dpy._build", "box2dpy._core", "box2dpy.__main__")
]


@pytest.mark.parametrize("name", NAMES)
def test_docstring_examples_print_what_they_say(name: str) -> None:
    module = importlib.import_module(name)
    for package in ("contourpy", "mapbox_earcut") if name.endswith("outlines") else ():
        pytest.importorskip(package)
    # Exported classes call themselves box2dpy.X, so the finder must be told where they were written.
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    names = {**{each: getattr(box2dpy, each) for each in box2dpy.__all__}, "math": math, "b2": box2dpy, **PUBLIC}
    if "buffers" in name:
        names |= {"np": np, **{each: getattr(buffers, each) for each in buffers.__all__}}
    text = doctest.DocTestParser().get_doctest(module.__doc__ or "", dict(names), name, module.__file__, 0)
    if text.examples:
        runner.run(text)
    for item, value in vars(module).items():
        if owns(module, value):
            for example in finder.find(value, f"{name}.{item}", module=False, globs=dict(names)):
                runner.run(example)
    assert runner.summarize(verbose=False).failed == 0


def owns(module: object, value: object) -> bool:
    """Whether `value` was written in this module, not imported into it."""
    code = getattr(value, "__code__", None)
    if code is not None:
        return code.co_filename == module.__file__  # type: ignore[attr-defined]
    if isinstance(value, type):
        for member in vars(value).values():
            function = getattr(member, "fget", None) or member
            if hasattr(function, "__code__"):
                return function.__code__.co_filename == module.__file__  # type: ignore[attr-defined]
    return False


def test_docstring_examples_are_found() -> None:
    assert len(NAMES) > 50, "the modules in the rooms, too"
    finder = doctest.DocTestFinder(exclude_empty=True)
    assert sum(bool(example.examples) for example in finder.find(box2dpy.Vec2, "Vec2", module=False)) > 5
