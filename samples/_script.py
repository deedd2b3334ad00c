"""A sample as a script of its own: the class, what it uses of its module, and a main part that runs it."""

from __future__ import annotations

import ast
import functools
import inspect
import sys

from ._sample import Sample, slug

MAIN = """
if __name__ == "__main__":
    import sys

    if "--window" in sys.argv:
        from {package}._cli import main

        sys.exit(main([{name!r}]))
    with Run({kind}, demo=True) as run:
        run.step({frames})
        print(run.sample.status())
        print(f"box2dpy {{b2.__version__}}: {{run.steps}} steps; --window shows it")
"""


@functools.cache
def script(kind: type[Sample]) -> str:
    """The source of a script that runs this sample alone: `python car.py`, or `python car.py --window`.

    It needs box2dpy with its samples, and nothing else of the file that the class comes from. The text is empty where
    there is no source, as for recordings.
    """
    module = sys.modules[kind.__module__]
    try:
        text = inspect.getsource(module)
    except (OSError, TypeError):
        return ""
    package = kind.__module__.rpartition(".")[0]
    defined: dict[str, ast.stmt] = {}
    imported: list[ast.stmt] = []
    for node in ast.parse(text).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imported.append(node)
        for name in _names(node):
            defined[name] = node
    if kind.__name__ not in defined:
        return ""
    wanted, todo = {kind.__name__}, [kind.__name__]
    while todo:
        for used in _used(defined[todo.pop()]):
            if used in defined and used not in wanted:
                wanted.add(used)
                todo.append(used)
    nodes = sorted({defined[name] for name in wanted}, key=lambda node: node.lineno)
    used = set().union(*map(_used, nodes)) | {"b2", "Run"}
    lines = text.split("\n")
    head = [line for node in imported if (line := _import(node, used, package))]
    if not any("b2" in line for line in head):
        head.append("import box2dpy as b2")
    bodies = ["\n".join(lines[_first(node) - 1 : node.end_lineno]) for node in nodes]
    main = MAIN.format(package=package, kind=kind.__name__, name=slug(kind.name), frames=kind.frames)
    title = f'"""The sample {kind.name} of box2dpy, by itself."""'
    run = f"from {package} import Run"
    return "\n".join([title, "", *head, run, "", "", "\n\n\n".join(bodies), "", *main.split("\n")])


def _names(node: ast.stmt) -> list[str]:
    """The names that a statement of a module defines."""
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]


def _used(node: ast.stmt) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _first(node: ast.stmt) -> int:
    """The first line of a statement, with its decorators."""
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])


def _import(node: ast.stmt, used: set[str], package: str) -> str:
    """The part of an import statement that the script needs, with absolute names."""
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return ""
    assert isinstance(node, (ast.Import, ast.ImportFrom))
    names = [each for each in node.names if (each.asname or each.name.split(".")[0]) in used]
    if not names:
        return ""
    if isinstance(node, ast.Import):
        return ast.unparse(ast.Import(names))
    module = f"{package}.{node.module}" if node.level else node.module
    return ast.unparse(ast.ImportFrom(module, names, 0))
