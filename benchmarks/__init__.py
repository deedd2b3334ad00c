"""Benchmarks: `python -m benchmarks` in a checkout, `python -m box2dpy.benchmarks` once installed.

`engines` runs scenes on box2dpy, on other engines and with Box2D's own program. `output` prints tables, draws charts
and writes the documents. `commands` holds what the command line runs. `pyramid.py` and `tumbler.py` are scripts that
run a single scene, and `python -m benchmarks.demo` is `make demo`.
"""
