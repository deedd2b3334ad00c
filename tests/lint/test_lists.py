"""Code that follows from the lists of the core is up to date, and a new entry of each kind arrives everywhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..loading import loaded

ROOT = Path(__file__).parents[2]
LISTS = "csrc/include/lists"
MADE_UP = {
    "options": 'B2D_OPTION(MADE_UP, made_up, float, "", 2.5, 0.0, 9.0, "m/s", "0 9", "Made up, {unit}.")',
    "body_numbers": 'B2D_BODY_PROPERTY(MADE_UP, made_up, float32, 1, 0.25, MADE_UP, 0, 1, "Made up of a body.")',
    "body_flags": 'B2D_BODY_PROPERTY(MADE, made, bool, 1, true, VALUE, -1.0e30, 1.0e30, "Made up.")',
    "shape_flags": 'B2D_SHAPE_PROPERTY(MADE_UP, made_up, bool, 1, true, VALUE, -1.0e30, 1.0e30, "Made up of a shape.")',
    "events": 'B2D_EVENT(MADE_UP, made_up, made_up_events, body, "q2w", Body, "It is made up.", "Made up.", "late")',
    "joint_settings": 'B2D_JOINT_PROPERTY(MADE_LIMIT, made_limit, 1, "Made up, N m.")',
    "joints/revolute": 'B2D_JOINT_MEMBER(MADE_LIMIT, NUMBER, ratio, 0, 9, 2.5, "Made up of a hinge.")',
    "query_options": 'B2D_QUERY_OPTION(ALL, MADE_SWITCH, made_switch, bool, false, 0, 1, "", "Made up of a query.")\n'
    'B2D_QUERY_OPTION(NEAREST, MADE_NEAR, made_near, double, 0.5, 0, 9, "metres", "made up of nearest: {unit}.")',
    "query_arguments": 'B2D_QUERY_ARGUMENT(NEAREST, MADE_WAY, made_way, "made_ways", 1, float, 1.5, -2.0, 2.0, '
    '"radians", "made up of a way: {unit}.")',
}
GENERATED = {
    "box2dpy/__init__.py": ["    MadeUp,\n", '    "MadeUp",\n'],
    "box2dpy/_batch/bodies.py": ['made_up = Column["BatchBodies"]("body")', 'made = Column["BatchBodies"]("body")'],
    "box2dpy/_batch/columns.py": ['made_limit = Column["BatchJoints"]("joint", "Made up, N m.")'],
    "box2dpy/_joints/revolute.py": ["made_limit = Property(NUMBER)", "made_limit: float = 2.5,"],
    "box2dpy/_objects/arrays.py": [
        "made_up = Array(np.float64)",
        "made = Array(np.bool_)",
        "made_up: ArrayLike | None = None,",
    ],
    "box2dpy/_objects/body.py": ["made_up = Property(NUMBER)", "made = Property(FLAG)"],
    "box2dpy/_objects/body_array.py": ["made_up = Column(np.float32)", "made = Column(np.bool_)"],
    "box2dpy/_objects/chain.py": ["made_up = Property(FLAG)"],
    "box2dpy/_objects/events.py": ["class MadeUp(_BodyEvent):", "made_up = EventKind(MadeUp)"],
    "box2dpy/_objects/shape.py": ["made_up: bool", "made_up = Property(FLAG)"],
    "box2dpy/_queries/casts.py": [
        "    world: WorldObjects,\n    point: Vec2Like,\n    max_distance: float,\n    made_way: float = 1.5,\n"
        "    **options: Unpack[keywords.NearestOptions],\n",
        "    made_ways: Any = None,\n",
    ],
    "box2dpy/_queries/keywords.py": [
        "    made_switch: bool\n",
        "class NearestOptions(QueryOptions, total=False):",
        "    made_near: float\n",
    ],
    "box2dpy/_world/callbacks.py": ["on_made_up: _Callback[Callable[[events.MadeUp], Any]]"],
    "box2dpy/_world/make_body.py": ["    made_up: float\n", "    made: bool\n", "    made_up: bool\n"],
    "box2dpy/_world/options.py": ["made_up: Option[float] = Option()"],
    "box2dpy/_world/world_options.py": ["made_up: float"],
    "csrc/objects/world.h": ["b2d_body_events made_up_events;"],
    "csrc/state/tables.def": [
        'B2D_ARRAY(made_up_events.rows, made_up_events.capacity, made_up_events.count, STATE, "q2w")',
        'B2D_VALUE(made_up_events.count, STATE, "*w")',
    ],
    "docs/guide/events.md": ["| `made_up` | It is made up. |"],
    "docs/guide/queries.md": [
        "| `made_switch` | `False` | all | Made up of a query. |",
        "| `made_near` | `0.5` | `nearest` | Made up of nearest: metres. |",
    ],
}
DECLARED = ["B2D_OPTION_MADE_UP,", "B2D_BODY_MADE_UP,", "B2D_SHAPE_MADE_UP,", "B2D_EVENT_MADE_UP,", "B2D_ARG_MADE_UP,"]
DECLARED += ["B2D_JOINT_MADE_LIMIT,", "B2D_ARG_MADE_LIMIT,"]
DECLARED += ["double made_up;", "bool made;", "bool made_up;", "bool made_switch;", "double made_near;"]
DECLARED += ["B2D_ARG_MADE_SWITCH,", "B2D_ARG_MADE_NEAR,", "B2D_ARG_NEAREST_MADE_WAY,"]
USE = """
import inspect
import pickle
import box2dpy as b2
world = b2.World(made_up=3.0)
assert b2.World().made_up == 2.5 and world.made_up == 3.0 and world.clone(made_up=1.0).made_up == 1.0
body = world.create_dynamic_body(made_up=0.5, made=False)
plain = world.create_dynamic_body((9, 0))
shape = body.create_shape(b2.Circle(0.5), made_up=False)
assert (body.made_up, body.made, plain.made_up, plain.made, shape.made_up) == (0.5, False, 0.25, True, False)
world.arrays.made_up = 0.75
assert world.arrays.made_up.tolist() == [0.75, 0.75] and world.arrays.made.tolist() == [False, True]
array = world.create_bodies([(3, 0), (6, 0)], geometry=b2.Circle(0.5), made_up=0.125)
assert array.made_up.tolist() == [0.125, 0.125] and array.made.all()
hinge = world.create_revolute_joint(body, plain, anchor=(0, 0), made_limit=3)
assert (hinge.made_limit, world.create_revolute_joint(body, plain, anchor=(0, 0)).made_limit) == (3, 2.5)
assert b2.WorldBatch(world, 2).joints.made_limit[:].tolist() == [[3, 2.5], [3, 2.5]]
for name, change in {
    "made_up=10": lambda: setattr(world, "made_up", 10), "made_up=2": lambda: setattr(body, "made_up", 2),
    "made_up=7": lambda: world.create_dynamic_body(made_up=7),
    "made_limit=10": lambda: setattr(hinge, "made_limit", 10),
    "made_near=9.5 is out of range: 0 to 9": lambda: world.nearest((0, 0), 9, made_near=9.5),
    "made_near=-1 is out of range": lambda: world.nearests([(0, 0)], 9, made_near=-1),
    "made_switch=2 must be True or False": lambda: world.point_query((0, 0), made_switch=2),
    "argument 'made_near'": lambda: world.ray_cast((-9, 0), (9, 0), made_near=1.0),
}.items():
    try:
        change()
    except (TypeError, ValueError) as error:
        assert name in str(error), error
    else:
        raise AssertionError(name)
for copy in (pickle.loads(pickle.dumps(world)), b2.World.from_dict(world.to_dict())):
    body_there = copy.body(0)
    assert copy.joint(0).made_limit == 3 and copy.joint(1).made_limit == 2.5
    assert (copy.made_up, body_there.made_up, body_there.made, body_there.shapes[0].made_up) == (3, 0.75, False, False)
world.on_made_up = print
world.step()
assert len(world.events.made_up) == 0 and b2.MadeUp.__doc__ == "It is made up."
assert world.ray_cast((-9, 0), (9, 0), made_switch=True).shape is shape
assert world.nearest((-9, 0), 20, made_near=1, made_way=2).shape is shape
assert "made_way: float = 1.5, *, filter" in str(inspect.signature(b2.World.nearest)).replace("'", "")
assert str(inspect.signature(b2.World.nearest)).replace("'", "").count("made_near: float = 0.5") == 1
assert "made_way: made up of a way: radians." in b2.World.nearest.__doc__
assert "made_ways: radians, shape (n,), or None for 1.5 in all." in b2.World.nearests.__doc__
assert "made up of nearest: metres." in b2.World.nearests.__doc__ and "made_near" not in b2.World.ray_cast.__doc__
assert "Made up of a query." in b2.World.ray_cast.__doc__ and "m/s times `length_unit`" in b2.World.__doc__
assert "Made up of a hinge." in b2.RevoluteJoint.made_limit.__doc__
assert "Made up of a hinge." in b2.World.create_revolute_joint.__doc__
assert "Made up of a body." in b2.World.create_dynamic_body.__doc__ and "late" in b2.World.on_made_up.__doc__
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources with a made-up entry of each kind."""
    root = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("*.so", "__pycache__", "*.wasm")
    for folder in ("csrc", "box2dpy", "tools", "docs/guide", "benchmarks", "samples"):
        shutil.copytree(ROOT / folder, root / folder, ignore=ignored)
    for file in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, root / file)
    for name, entry in MADE_UP.items():
        path = root / LISTS / f"{name}.def"
        path.write_text(f"{path.read_text('utf-8')}{entry}\n", "utf-8")
    subprocess.run([sys.executable, "tools/lists.py"], cwd=root, check=True, stdout=subprocess.DEVNULL)
    return root


def test_what_is_generated_from_the_lists_is_up_to_date() -> None:
    assert loaded(ROOT / "tools" / "lists.py").stale() == [], "run `python tools/lists.py`"


def test_a_new_entry_of_each_kind_arrives_in_every_place(copy: Path) -> None:
    for file, lines in GENERATED.items():
        text = (copy / file).read_text("utf-8")
        assert [line for line in lines if line not in text] == [], file
    module = loaded(copy / "tools" / "lists.py")
    assert module.stale() == []
    declared = module.BUILD.declarations()
    assert [line for line in DECLARED if line not in declared] == []
    literal = module.BUILD.lists_literal()
    for name in MADE_UP:
        assert f'"{name}\\t' in literal


def test_the_core_with_the_new_entries_is_valid_c(copy: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None or os.name == "nt":
        pytest.skip("no C compiler (cc) on the path")
    users = [path for path in sorted((copy / "csrc").glob("*/*.c")) if '#include "lists/' in path.read_text("utf-8")]
    files = [*users, *sorted((copy / "csrc/state").glob("*.c")), copy / "csrc/objects/call_log.c"]
    flags = ["-std=c17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Icsrc", "-Icsrc/include"]
    subprocess.run([compiler, *flags, *map(str, files)], cwd=copy, check=True)


@pytest.mark.skipif(not os.environ.get("B2D_ALL_BUILDS"), reason="compiles the core, for minutes")
def test_programs_can_use_the_new_entries(copy: Path) -> None:
    environment = {**os.environ, "B2D_NO_LAB": "1", "B2D_BUILD": str(copy / "build")}
    for arguments in (["setup.py", "build_ext", "--inplace"], ["-c", USE]):
        subprocess.run([sys.executable, *arguments], cwd=copy, check=True, env=environment, stdout=subprocess.DEVNULL)


def test_the_bounds_of_a_choice_are_those_of_its_names() -> None:
    """A name beyond the bound would be accepted by Python and refused by C."""
    rows = loaded(ROOT / "tools" / "lists.py").rows
    choices = [row for row in rows("options") if row[3]]
    assert len(choices) > 4
    for _, name, _, names, _, lower, upper, *_ in choices:
        count = len(rows(names)) if (ROOT / f"csrc/include/lists/{names}.def").exists() else len(names.split())
        assert (lower, upper) == ("0", str(count - 1)), name
