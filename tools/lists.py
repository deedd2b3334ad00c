"""Writes the code that follows from the lists in csrc/include/lists: `python tools/lists.py`.

Each place is marked by the lines `generated: NAME, see tools/lists.py` and `end of generated`, in the comments of its
language. A test says when a place is out of date. What is cheap to read at import is not generated: numbers, ranges and
texts are in the string `b2d_lists` of the compiled core.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PLACES = (
    "box2dpy/__init__.py",
    "box2dpy/_batch/bodies.py",
    "box2dpy/_batch/columns.py",
    "box2dpy/_bridge/choices.py",
    *(path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "box2dpy" / "_joints").glob("*.py"))),
    "box2dpy/_objects/arrays.py",
    "box2dpy/_objects/body.py",
    "box2dpy/_objects/body_array.py",
    "box2dpy/_objects/chain.py",
    "box2dpy/_objects/events.py",
    "box2dpy/_objects/joint.py",
    "box2dpy/_objects/shape.py",
    "box2dpy/_queries/casts.py",
    "box2dpy/_queries/keywords.py",
    "box2dpy/_queries/overlaps.py",
    "box2dpy/_queries/queries.py",
    "box2dpy/_world/callbacks.py",
    "box2dpy/_world/counters.py",
    "box2dpy/_world/make_body.py",
    "box2dpy/_world/options.py",
    "box2dpy/_world/world_options.py",
    "csrc/objects/world.h",
    "csrc/state/tables.def",
    "docs/guide/events.md",
    "docs/guide/queries.md",
)
MARK = re.compile(
    r"(?P<head>(?P<indent>[ \t]*)(?:#|//|<!--) generated: (?P<name>[\w ]+), see tools/lists\.py(?: -->)?\n)"
    r"(?P<body>.*?)(?P<tail>[ \t]*(?:#|//|<!--) end of generated(?: -->)?\n)",
    re.DOTALL,
)
HEAD = re.compile(  # of a query
    r"@query\(.*\)  # generated: parameters, see tools/lists\.py\ndef (?P<name>\w+)\([^)]*\) -> (?P<result>.*):\n"
)
Rows = list[list[str]]
MAKERS: dict[str, Callable[[], Iterator[str]]] = {}


def _build() -> Any:
    spec = importlib.util.spec_from_file_location("_build", ROOT / "box2dpy" / "_build.py")
    assert spec is not None
    assert spec.loader is not None
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.dont_write_bytecode = before
    return module


BUILD = _build()


def rows(name: str) -> list[list[str]]:
    """The entries of a list, strings without their quotes."""
    path = BUILD.INCLUDE / "lists" / f"{name}.def"
    return [[BUILD.literal(field) for field in row] for row in BUILD.list_rows(path)]


def makes(name: str) -> Callable[[Callable[[], Iterator[str]]], Callable[[], Iterator[str]]]:
    """A decorator: the function gives the lines of the places of this name."""

    def add(function: Callable[[], Iterator[str]]) -> Callable[[], Iterator[str]]:
        MAKERS[name] = function
        return function

    return add


@makes("choices")
def choices() -> Iterator[str]:
    names = {row[2]: row[3] for row in rows("options") if row[3] and row[2] != "bool"}
    for kind, words in sorted(names.items()):
        values = [each for _, each in rows(words)] if words == "mixing" else words.split()
        flags = "bool | " if values[0] == "False" else ""
        shown = ", ".join(f'"{each}"' for each in values if each not in ("False", "True"))
        yield f"{kind}: TypeAlias = {flags}Literal[{shown}]"


@makes("options")
def options() -> Iterator[str]:
    for _, name, kind, *_, text in rows("options"):
        if text:
            yield f"{name}: Option[{kind}] = Option()"


@makes("types of options")
def types_of_options() -> Iterator[str]:
    for _, name, kind, *_, text in rows("options"):
        if text:
            yield f"{name}: {kind}{' | None' if name == 'restitution_threshold' else ''}"


# What a property of one component becomes in Python, by its type
CODECS = {"bool": "FLAG", "int": "INTEGER", "color": "COLOR", "direction": "DIRECTION", "box": "BOX"}
TYPES = {"color": "Color", "direction": "Vec2Like | None"}
NUMPY = {"bool": "np.bool_"}
# Arrays of these properties have a section of their own in the class
_IN_ARRAYS = ("local_center", "world_center", "contact_force", "aabb")


class BodyRow(NamedTuple):
    name: str
    type: str
    components: int
    default: str
    writable: bool
    text: str

    @property
    def numpy(self) -> str:
        return NUMPY.get(self.type, f"np.{self.type}")


def body_rows() -> list[BodyRow]:
    """The properties of a body that no hand has written."""
    return [
        BodyRow(name, kind, int(width), default, float(lower) <= float(upper), text)
        for _, name, kind, width, default, _, lower, upper, text in rows("body_properties")
        if text
    ]


def shape_rows() -> list[tuple[str, str, bool]]:
    """The properties of a shape: name, type, and whether they can be written."""
    return [(row[1], row[2], row[2] != "box") for row in rows("shape_properties")]


@makes("properties of a body")
def body_properties() -> Iterator[str]:
    for row in body_rows():
        codec = {2: "PAIR", 4: "BOX"}.get(row.components) or CODECS.get(row.type, "NUMBER")
        yield f"{row.name} = {'Property' if row.writable else 'ReadOnly'}({codec})"


@makes("columns of bodies")
def body_columns() -> Iterator[str]:
    for row in body_rows():
        yield f"{row.name} = {'Column' if row.writable else 'ReadOnlyColumn'}({row.numpy})"
    for name, kind, _ in shape_rows():
        if kind == "float":
            yield f"{name} = ShapeColumn(np.float32)"


@makes("arrays of bodies")
def body_arrays() -> Iterator[str]:
    for row in body_rows():
        if row.name not in _IN_ARRAYS:
            # As float64, which holds all that is stored
            kind = "np.float64" if row.type == "float32" else row.numpy
            yield f"{row.name} = {'Array' if row.writable else 'ReadOnlyArray'}({kind})"


@makes("keywords of arrays")
def array_keywords() -> Iterator[str]:
    by_hand = ("position", "rotation", "angle", "linear_velocity", "angular_velocity", "force", "torque")
    written = [row.name for row in body_rows() if row.writable and row.name not in _IN_ARRAYS]
    for name in (*by_hand, *written):
        yield f"{name}: ArrayLike | None = None,"


@makes("columns of batches")
def batch_columns() -> Iterator[str]:
    for row in body_rows():
        if row.writable and row.components == 1:
            yield f'{row.name} = Column["BatchBodies"]("body")'
    for name, kind, _ in shape_rows():
        if kind == "float":
            yield f'{name} = Column["BatchBodies"]("shape")'


@makes("types of body options")
def types_of_body_options() -> Iterator[str]:
    for row in body_rows():
        if row.default != "none" and row.name != "enabled":
            yield f"{row.name}: {'bool' if row.type == 'bool' else 'float'}"


class JointRow(NamedTuple):
    NAME: str
    kind: str
    default: str
    text: str
    components: int
    name: str

    @property
    def codec(self) -> str:
        """How Python converts the value."""
        if self.kind in ("STIFFNESS", "DAMPING"):
            return "CONSTANT"
        if self.kind in ("FLAG", "PAIR", "WORLD_PAIR"):
            return self.kind
        pair = self.kind == "IMPULSE_PAIR" or (self.kind == "COMPUTED" and self.components == 2)
        return "PAIR" if pair else JOINT_CODECS.get(self.name, "NUMBER")

    @property
    def written(self) -> str:
        """The line of the class."""
        other = f', c_name="{self.NAME}"' if self.NAME.lower() != self.name else ""
        return f"{self.name} = {'ReadOnly' if self.default == 'none' else 'Property'}({self.codec}{other})"

    @property
    def keyword(self) -> str:
        """The parameter of the function that creates the joint."""
        if self.kind == "FLAG":
            return f"{self.name}: bool = {self.default.title()},"
        number = self.default if self.default[-1].isalpha() else repr(float(self.default))
        kind, default = JOINT_TYPES.get(self.codec, ("float", number))
        return f"{self.name}: {kind}," if number == "B2D_REQUIRED" else f"{self.name}: {kind} = {default},"


# The properties of joints that are not simply numbers, and the types and defaults of their keywords
JOINT_CODECS = {"joint_hertz": "INHERITED", "joint_damping_ratio": "INHERITED", "joint_solver": "SOLVER",
                "length": "LENGTH", "total": "TOTAL", "axes": "AXES"}  # fmt: skip
JOINT_TYPES = {
    **dict.fromkeys(("INHERITED", "CONSTANT", "LENGTH", "TOTAL"), ("float | None", "None")),
    **dict.fromkeys(("PAIR", "WORLD_PAIR"), ("Vec2Like", "(0.0, 0.0)")),
    "SOLVER": ("JointSolver", '"auto"'),
    "AXES": ("MoverAxes", '"world"'),
}


def joint_rows(part: str) -> list[JointRow]:
    known = {row[0]: row[1:] for row in rows("joint_properties")}
    return [
        JointRow(row[0], row[1], row[5], row[6], int(known[row[0]][1]), known[row[0]][0])
        for row in rows(f"joints/{part}")
        if row[6]
    ]


@makes("properties of all joints")
def joint_properties() -> Iterator[str]:
    for part in ("frame", "row", "load"):
        yield from (row.written for row in joint_rows(part))


def make_joint(name: str) -> None:
    """The places of a joint type."""
    words = name.replace("_", " ")
    makes(f"properties of {words} joints")(lambda: (row.written for row in joint_rows(name)))
    makes(f"keywords of {words} joints")(lambda: (row.keyword for row in joint_rows(name) if row.default != "none"))


for _, _name in rows("joint_types"):
    make_joint(_name)


@makes("columns of joints")
def joint_columns() -> Iterator[str]:
    for _, name, _, text in rows("joint_properties"):
        if text:
            yield f'{name} = Column["BatchJoints"]("joint", "{text}")'


@makes("types of joint options")
def types_of_joint_options() -> Iterator[str]:
    for row in joint_rows("row"):
        yield row.keyword.partition(" = ")[0]


@makes("defaults of joint options")
def defaults_of_joint_options() -> Iterator[str]:
    for row in joint_rows("row"):
        yield f'"{row.name}": {row.keyword.partition(" = ")[2]}'


@makes("properties of a shape")
def shape_properties() -> Iterator[str]:
    for name, kind, writable in shape_rows():
        yield f"{name} = {'Property' if writable else 'ReadOnly'}({CODECS.get(kind, 'NUMBER')})"


@makes("properties of a chain")
def chain_properties() -> Iterator[str]:
    for name, kind in surface():
        yield f"{name} = Property({CODECS.get(kind, 'NUMBER')})"


def surface() -> list[tuple[str, str]]:
    """The properties that shapes and chains have in common: name and type."""
    return [(name, kind) for name, kind, writable in shape_rows() if writable and name not in ("density", "sensor")]


@makes("types of surface numbers")
def types_of_surface_numbers() -> Iterator[str]:
    for name, kind in surface():
        if kind == "float":
            yield f"{name}: float"


@makes("types of surface options")
def types_of_surface_options() -> Iterator[str]:
    for name, kind in surface():
        if kind != "float":
            yield f"{name}: {TYPES.get(kind, kind)}"


@makes("types of shape options of many")
def types_of_shape_options_of_many() -> Iterator[str]:
    kinds = {"float": "ArrayLike", "int": "ArrayLike", "color": "ArrayLike | Color"}
    for name, kind, writable in shape_rows():
        if writable and kind != "direction":
            yield f"{name}: {kinds.get(kind, kind)}"


class EventRow(NamedTuple):
    kind: str
    name: str
    list: str
    row: str
    layout: str
    record: str
    about: str
    text: str
    call: str

    @property
    def cls(self) -> str:
        """The class of the records."""
        return self.name.title().replace("_", "")


def event_rows() -> list[EventRow]:
    return [EventRow(*row) for row in rows("events")]


@makes("records of events")
def event_records() -> Iterator[str]:
    for row in event_rows():
        yield from (f"class {row.cls}(_{row.record}Event):", "    __slots__ = ()", "", "")


@makes("records to import")
def records_to_import() -> Iterator[str]:
    yield "from ._objects.events import ("
    for name in sorted(("Event", "EventList", "Events", *(row.cls for row in event_rows()))):
        yield f"    {name},"
    yield from (")", "")


@makes("records to export")
def records_to_export() -> Iterator[str]:
    for name in sorted(row.cls for row in event_rows()):
        yield f'"{name}",'


@makes("lists of events")
def event_lists() -> Iterator[str]:
    for row in event_rows():
        yield f"{row.name} = EventKind({row.cls})"


@makes("callbacks of events")
def event_callbacks() -> Iterator[str]:
    for row in event_rows():
        yield f"on_{row.name}: _Callback[Callable[[events.{row.cls}], Any]] = _Callback("
        yield f"    lib.B2D_EVENT_{row.kind}, record=events.{row.cls}"
        yield ")"


@makes("members for events")
def event_members() -> Iterator[str]:
    for row in event_rows():
        yield f"b2d_{row.row}_events {row.list};"


@makes("tables of events")
def event_tables() -> Iterator[str]:
    members = [*((row.list, row.layout) for row in event_rows()), ("pending_end_events", "3q3wz")]
    for name, layout in members:
        yield f'B2D_ARRAY({name}.rows, {name}.capacity, {name}.count, STATE, "{layout}")'


@makes("counts of events")
def event_counts() -> Iterator[str]:
    for name in (*(row.list for row in event_rows()), "pending_end_events"):
        yield f'B2D_VALUE({name}.count, STATE, "*w")'


@makes("table of events")
def event_table() -> Iterator[str]:
    yield from ("", "| list | reports |", "|---|---|")
    for row in event_rows():
        yield f"| `{row.name}` | {row.about} |"
    yield ""


def query_keywords(query: str) -> list[list[str]]:
    """The keywords of a kind of query that not all have, or of `ALL`: name, type, default and text."""
    kinds = {"bool": "bool", "double": "float", "int32_t": "int"}
    of_python = [[row[2], row[5], row[6], row[-1]] for row in rows("query_arguments") if query == row[0] == "ALL"]
    own = [row for row in rows("query_options") if row[0] == query]
    return of_python + [[row[2], kinds[row[3]], row[4].title(), row[-1].format(unit=row[-2])] for row in own]


def keywords_class(query: str) -> str:
    """The class of the keywords of a kind of query."""
    return f"{query.title().replace('_', '')}Options" if query != "ALL" and query_keywords(query) else "QueryOptions"


@makes("keywords of queries")
def keywords_of_queries() -> Iterator[str]:
    for query in ("ALL", *(row[0] for row in rows("queries"))):
        base, whose = ("TypedDict", "all queries") if query == "ALL" else ("QueryOptions", f"`{query.lower()}`")
        if keywords := query_keywords(query):
            yield f"class {keywords_class(query)}({base}, total=False):"
            yield from (f'    """The keywords of {whose}."""', "")
            yield from (*(f"    {name}: {kind}" for name, kind, *_ in keywords), "", "")


def query_parameters(query: str, many: bool) -> Iterator[str]:
    """The parameters of a query. In that for arrays, `many`, only numbers at the end have a default."""
    yield "world: WorldObjects"
    own = [row for row in rows("query_arguments") if row[0] == query]
    for k, (_, _, name, array, _, kind, default, *_) in enumerate(own):
        if many and array:
            omitted = all(row[4] == "1" and row[6] != "required" for row in own[k:])
            yield f"{array}: Any{' = None' if omitted else ''}"
        else:
            yield f"{name}: {kind}{'' if default == 'required' else f' = {default}'}"
    yield f"**options: Unpack[keywords.{keywords_class(query)}]"


def query_head(name: str, result: str) -> str:
    """The decorator and the first lines of a query, as ruff formats them."""
    query, many = next((row[0], row[3] == name) for row in rows("queries") if name in (*row[2].split(), row[3]))
    row = ", ".join(parameters := [*query_parameters(query, many)])
    column = "".join(f"    {each},\n" for each in parameters)
    heads = [f"def {name}({form}) -> {result}:\n" for form in (row, f"\n    {row}\n", f"\n{column}")]
    head = next((head for head in heads if max(map(len, head.splitlines())) <= 120), heads[-1])
    return f"@query(keywords.{keywords_class(query)})  # generated: parameters, see tools/lists.py\n{head}"


@makes("queries")
def queries() -> Iterator[str]:
    for _, module, one, many, _ in rows("queries"):
        for name in (*one.split(), many):
            yield f"{name} = {module}.{name}"


@makes("table of queries")
def table_of_queries() -> Iterator[str]:
    yield from ("", "| question | call | for arrays |", "|---|---|---|")
    for _, _, one, many, question in rows("queries"):
        yield f"| {question} | {', '.join(f'`{name}`' for name in one.split())} | `{many}` |"
    yield from ("", "| keyword | default | of | meaning |", "|---|---|---|---|")
    for query in ("ALL", *(row[0] for row in rows("queries"))):
        for name, _, default, text in query_keywords(query):
            whose = "all" if query == "ALL" else f"`{query.lower()}`"
            yield f"| `{name}` | `{default}` | {whose} | {text[0].upper()}{text[1:]} |"
    yield ""


@makes("counters")
def counters() -> Iterator[str]:
    for name, _ in rows("counters"):
        yield f"{name}: int"


@makes("stages")
def stages() -> Iterator[str]:
    for (name,) in rows("profile"):
        yield f"{name}: float"


def written(text: str) -> str:
    """A file with present places."""

    text = HEAD.sub(lambda head: query_head(head["name"], head["result"]), text)

    def fill(mark: re.Match[str]) -> str:
        lines = "".join(f"{mark['indent']}{line}".rstrip() + "\n" for line in MAKERS[mark["name"]]())
        return f"{mark['head']}{lines}{mark['tail']}"

    return MARK.sub(fill, text)


def stale() -> list[str]:
    """The files that have places out of date."""
    return [name for name in PLACES if (text := (ROOT / name).read_text("utf-8")) != written(text)]


if __name__ == "__main__":
    for each in stale():
        path = ROOT / each
        path.write_text(written(path.read_text("utf-8")), "utf-8")
        print(each)
