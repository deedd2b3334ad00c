"""Benchmarks: `python -m benchmarks` in a checkout, `python -m box2dpy.benchmarks` once installed.

`runner` runs one scene on one engine, `report` prints what came out, `peers` has the other engines, `small` and `memory`
are the two subcommands, `pyramid` and `tumbler` are scripts to read first, `demo` is `make demo`.
"""
