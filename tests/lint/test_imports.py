"""The folders of the Python package: imports go one way, and imports for type checkers count like all others.

`FOLDERS` lists the folders from the lowest to the highest. A folder imports from itself and from the folders below it.
Only the modules of the objects of a world may import each other in a circle: a body has shapes, and a shape has a
body.
"""

from __future__ import annotations

import ast
import graphlib
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import box2dpy

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "box2dpy"

FOLDERS = "_bridge _geometry _buffers _objects _joints _queries _draw _page _world _batch _recording _helpers".split()
OBJECTS = ("body", "chain", "contact", "island", "joint", "shape", "world_handles")
MAY_HAVE_CIRCLES = {f"_objects.{name}" for name in OBJECTS}
# The one module that names something of a higher folder, for type checkers: what the public property `world` returns.
WORLD_TYPE = "_bridge.world_type"
# Private modules that benchmarks and samples use until they have a public face.
# The harnesses of the lab call C functions that have no face in Python.
HARNESS = {"_bridge.library"}
SHARED_PRIVATE = {"_draw.debug_draw", "_draw.render", "_draw.style"}

FILES = {f"{folder}.{path.stem}": path for folder in FOLDERS for path in sorted((PACKAGE / folder).glob("*.py"))}


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """(module, name) of everything that a file imports: at its top, inside functions and for type checkers."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    folder = parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((module, alias.name) for alias in node.names)


def modules_of_folders(path: Path) -> set[str]:
    """The modules of folders that a file imports, as `_folder.module`; "" stands for the package itself."""
    found = set()
    for module, name in imports(path):
        if module == "box2dpy" or module.startswith("box2dpy."):
            inside = f"{module}.{name}".split(".")[1:]
            short = ".".join(inside[:2])
            found.add(short if short in FILES else inside[0] if inside[0].startswith("_") else "")
    return found


def test_every_folder_has_its_place_in_the_order() -> None:
    # Of a folder that a later commit has removed, what Python has compiled remains
    assert {path.parent.name for path in PACKAGE.glob("_*/*.py")} == set(FOLDERS)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_imports_only_itself_and_lower_folders(folder: str) -> None:
    allowed = FOLDERS[: FOLDERS.index(folder) + 1]
    wrong = [
        f"{module} imports {other or 'box2dpy'}"
        for module, path in FILES.items()
        if module.split(".")[0] == folder and module != WORLD_TYPE
        for other in sorted(modules_of_folders(path))
        if other.split(".")[0] not in allowed and not (folder == "_bridge" and other == "_core")
    ]
    assert wrong == []


def test_only_the_bridge_imports_the_compiled_module() -> None:
    users = {module for module, path in FILES.items() if "_core" in modules_of_folders(path)}
    assert users == {"_bridge.library"}


def test_modules_import_each_other_in_circles_only_where_allowed() -> None:
    graph = {
        module: modules_of_folders(path) - {module, WORLD_TYPE} - MAY_HAVE_CIRCLES
        for module, path in FILES.items()
        if module not in MAY_HAVE_CIRCLES and module != WORLD_TYPE
    }
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError with the circle


def test_the_objects_of_a_world_import_nothing_that_imports_them() -> None:
    below = set(FOLDERS[: FOLDERS.index("_objects")])
    for module in MAY_HAVE_CIRCLES:
        others = modules_of_folders(FILES[module]) - MAY_HAVE_CIRCLES
        assert {other for other in others if other.split(".")[0] not in below} == set(), module


def test_lower_folders_name_the_world_only_as_what_a_property_returns() -> None:
    """They work with `WorldBase` and `WorldObjects`; the full type is for users."""
    wrong = []
    for module, path in FILES.items():
        if WORLD_TYPE not in modules_of_folders(path):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        returned = {
            id(node.returns)
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and node.name == "world" and node.returns is not None
        }
        wrong += [
            f"{module}:{node.lineno}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and node.id == "World" and id(node) not in returned
        ]
    assert wrong == []


@pytest.mark.parametrize("tenant", ["compat", "envs", "scenes"])
def test_what_is_built_on_the_package_imports_its_public_names_only(tenant: str) -> None:
    public = {*box2dpy.__all__, tenant, "arguments", "rows"}
    wrong = []
    for path in sorted((PACKAGE / tenant).glob("*.py")):
        for module, name in imports(path):
            parts = f"{module}.{name}".split(".")
            if parts[0] == "box2dpy" and parts[1] not in public:
                wrong.append(f"{path.name}: {module} {name}")
    assert wrong == []


def private_attributes(trees: list[ast.Module]) -> list[str]:
    """Reads of attributes that begin with an underscore and that none of these modules defines: those of other
    packages. A name in a text counts as defined, since `__slots__` and `setattr` have such."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    own = {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
    own |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}
    own |= {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in nodes
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and node.attr not in own
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f(body): return body._row", ["1: body._row"]),
        ("def f(self): return self.native._pose[self.row]", ["1: self.native._pose"]),
        ("class C:\n    _row = 0\n    def f(self, other): return self._row + other._row", []),
        ("class C:\n    __slots__ = ('_row',)\n    def f(self, other): return other._row", []),
        ("class C:\n    def __init__(self): self._row = 0\ndef f(c): return c._row + c.__sizeof__()", []),
    ],
)
def test_private_attributes_of_others_are_found(text: str, found: list[str]) -> None:
    assert private_attributes([ast.parse(text)]) == found


# Attributes of other packages that they offer to classes derived from theirs, and of named tuples
OFFERED = {"self.entities._asdict", "self._reset_seeds", "self._reset_options", "self._np_random"}


@pytest.mark.parametrize("tenant", ["compat", "envs", "scenes"])
def test_what_is_built_on_the_package_reads_no_private_attribute_of_it(tenant: str) -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted((PACKAGE / tenant).rglob("*.py"))]
    assert [read for read in private_attributes(trees) if read.split(": ")[1] not in OFFERED] == []


def test_benchmarks_and_samples_use_the_public_package_only() -> None:
    wrong = []
    used = set()
    for path in sorted([*(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "samples").rglob("*.py")]):
        private = modules_of_folders(path) - {""} - (HARNESS if path.match("benchmarks/lab/core.py") else set())
        used |= private
        wrong += [f"{path.relative_to(ROOT)}: {module}" for module in sorted(private - SHARED_PRIVATE)]
    assert wrong == []
    assert used == SHARED_PRIVATE, "SHARED_PRIVATE lists what is used, and nothing else"


@pytest.mark.parametrize("module", ["arguments", "lab", "rows"])
def test_a_public_module_exports_what_it_lists(module: str) -> None:
    found = importlib.import_module(f"box2dpy.{module}")
    assert found.__all__ == sorted(found.__all__, key=lambda name: (name.islower(), name))
    assert all(hasattr(found, name) for name in found.__all__)
    assert dir(found) == sorted(found.__all__)


def test_package_does_not_import_its_users() -> None:
    users = ("benchmarks", "samples", "tests", "box2dpy.benchmarks", "box2dpy.samples", "box2dpy.scenes")
    wrong = [
        f"{module}: {name}"
        for module, path in FILES.items()
        for imported, name in imports(path)
        if any(f"{imported}.{name}" == user or f"{imported}.{name}".startswith(user + ".") for user in users)
    ]
    assert wrong == []


def test_exports_are_there_sorted_and_public() -> None:
    names = [name for name in box2dpy.__all__ if not name.startswith("__")]
    by_hand = names[: names.index("BodyInvalid")]  # the records of events follow, as tools/lists.py writes them
    assert by_hand == sorted(by_hand)
    assert len(set(names)) == len(names)
    for name in box2dpy.__all__:
        assert hasattr(box2dpy, name), name


def test_every_folder_is_named_in_the_map_of_the_package() -> None:
    """The docstring of `box2dpy` says what each folder has, in the order of the folders."""
    text = box2dpy.__doc__ or ""
    named = [line.split()[0] for line in text.splitlines() if line.startswith("    _")]
    assert [name for name in named if name in FOLDERS] == list(FOLDERS)
