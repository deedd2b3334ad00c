"""Benchmarks: `python -m benchmarks` in a checkout, `python -m box2dpy.benchmarks` once installed.

`runner` runs one scene on one engine, `report` prints what came out, `charts` draws it, `pages` writes it into the
documents; `peers` and `box2d_program` are the other engines. `small`, `memory`, `islands`, `growth`, `scaling` and
`lifecycle` are subcommands, `pyramid` and `tumbler` are scripts to read first, `demo` is `make demo`.
"""
