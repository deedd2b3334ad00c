"""The API reference as Markdown, made from the docstrings and signatures of the package."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import box2dpy as b2

ROOT = Path(__file__).resolve().parents[2]

PAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "world": ("World", ("World", "Template")),
    "bodies": ("Bodies", ("Body", "BodyType", "BodyArray", "Arrays", "Island")),
    "shapes": (
        "Shapes and geometry",
        (
            *("Shape", "Chain", "Geometry", "Circle", "Capsule", "Segment", "ChainSegment", "Polygon", "Box", "Filter"),
            *("Categories", "MassData", "GeometryHit", "MaterialPair", "hull", "simplify", "convex_pieces"),
            "bitmap_outlines",
            "ConvexPieces",
        ),
    ),
    "joints": (
        "Joints",
        (
            *("Joint", "RevoluteJoint", "DistanceJoint", "PrismaticJoint", "WheelJoint", "WeldJoint", "MotorJoint"),
            *("MoverJoint", "PulleyJoint", "GearJoint", "GrooveJoint", "RatchetJoint", "PogoJoint"),
            *("RotarySpringJoint", "FilterJoint", "ConnectionJoint", "Frame"),
        ),
    ),
    "events": (
        "Events and contacts",
        (
            *("Events", "EventList", "Event", "ContactBegin", "ContactEnd", "ContactHit", "SensorBegin", "SensorEnd"),
            *("JointThreshold", "BodyMove", "BodyInvalid", "Contact", "ContactPoint", "Presolve"),
        ),
    ),
    "queries": (
        "Queries and collision",
        (
            *(
                "RayHit",
                "NearestHit",
                "MoverPlane",
                "distance",
                "distances",
                "Distance",
                "collide",
                "manifolds",
                "mass_data",
            ),
            *("Manifold", "ManifoldPoint", "shape_cast", "shape_casts", "time_of_impact", "times_of_impact"),
            *("TimeOfImpact", "ImpactState", "clip_vector", "solve_planes"),
        ),
    ),
    "helpers": ("Helpers and values", ("FixedStepper", "MouseDrag", "Mover", "Vec2", "AABB", "Objects", "Contacts")),
    "drawing": ("Drawing and films", ("DrawList", "FollowCamera", "View", "MovieWriter", "render")),
    "state": (
        "State and recordings",
        (
            "State",
            "Recorder",
            "Recording",
            "RecordedFrame",
            "Verification",
            "HtmlPage",
            "StagedStep",
            "new_contacts",
            "rube_level",
        ),
    ),
    "batch": (
        "Many worlds",
        ("WorldBatch", "BatchWorld", "BatchColumn", "BatchJoints", "BatchRayHits", "BatchNumbers", "Entities"),
    ),
    "buffers": ("Buffers", ()),
    "lab": ("Experiments", ()),
    "engine": (
        "Engine and errors",
        (
            *("Scheduler", "Counters", "Profile", "cpu_features", "compiler"),
            *("Box2DError", "DestroyedError", "WorldLockedError", "InvariantError"),
            *("RecordingError", "SnapshotError", "LevelError"),
            "StaleViewWarning",
        ),
    ),
}
MODULES = {  # read without being imported, because some need other libraries
    "drawing": ("pygame", "pyglet"),
    "buffers": ("buffers",),
    "lab": ("lab",),
    "engine": ("arguments", "rows"),
}


def grouped() -> list[tuple[str, str, tuple[str, ...]]]:
    """The pages, and one more for exported names that no page has yet."""
    listed = {name for _, names in PAGES.values() for name in names}
    rest = tuple(name for name in b2.__all__ if name not in listed and name != "__version__")
    pages = [
        (page, title, tuple(name for name in names if hasattr(b2, name))) for page, (title, names) in PAGES.items()
    ]
    return [*pages, *([("more", "More", rest)] if rest else [])]


def pages() -> Iterator[tuple[str, str, str]]:
    """Name, title and text of each page."""
    everything = grouped()
    rows = []
    for page, title, names in everything:
        shown = [*names, *(f"box2dpy.{name}" for name in MODULES.get(page, ()))]
        rows.append(f"| [{title}]({page}.md) | {', '.join(f'`{name}`' for name in shown)} |")
    yield "index", "Reference", "\n".join([INTRODUCTION, "| page | names |", "|---|---|", *rows, ""])
    for page, title, names in everything:
        parts = [f"# {title}\n", *(entry(name) for name in names)]
        parts += [module(name) for name in MODULES.get(page, ())]
        yield page, title, "\n".join(parts)


def anchors() -> dict[str, str]:
    """For each name and each `Class.member` the place where it is described, as `page.md#anchor`."""
    found = {}
    for page, _, names in grouped():
        for name in names:
            found[name] = f"{page}.md#{name}"
            if inspect.isclass(getattr(b2, name)):
                for member in members(getattr(b2, name)):
                    found[f"{name}.{member}"] = f"{page}.md#{name}.{member}"
    for name in makers():
        found[f"World.{name}"] = f"joints.md#World.{name}"
    return found


def makers() -> dict[str, Any]:
    """The methods `create_..._joint` by name. They are described with the classes of their joints."""
    return {name: getattr(b2.World, name) for name in dir(b2.World) if re.fullmatch(r"create_\w+_joint", name)}


def members(cls: type) -> list[str]:
    """Public members in the order in which they are written, without those of exported bases."""
    found: dict[str, None] = {}
    for base in cls.__mro__:
        inherited = base is not cls and base.__name__ in b2.__all__
        of_joint = issubclass(cls, b2.Joint) and base.__name__ == "Handle" and cls is not b2.Joint
        if base.__module__.split(".")[0] != "box2dpy" or inherited or of_joint or issubclass(cls, BaseException):
            continue
        for name, value in vars(base).items():
            if name.startswith("_") or type(value).__name__ == "_OtherName" or name in found:
                continue
            if documented(value):
                found[name] = None
    return [name for name in found if not (cls is b2.World and re.fullmatch(r"create_\w+_joint", name))]


def documented(value: Any) -> bool:
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if callable(value) or isinstance(value, property):
        return bool(value.__doc__)
    return (
        type(value).__module__.startswith("box2dpy")
        and bool(getattr(value, "__doc__", ""))
        and hasattr(value, "__get__")
    )


def entry(name: str) -> str:
    """One exported class or function."""
    value = getattr(b2, name)
    if not inspect.isclass(value):
        return f"## `{name}` {{#{name}}}\n\n{code(signature(name, value))}\n{text(value.__doc__)}"
    parts = [f"## `{name}` {{#{name}}}\n"]
    if issubclass(value, b2.Joint) and value is not b2.Joint:
        parts.append("The members of [`Joint`](#Joint) belong to it, too.\n")
    if "__init__" in vars(value) and not issubclass(value, BaseException):
        parts.append(code(signature(name, value.__init__)))
    parts.append(text(value.__doc__, signature_of(value.__init__ if "__init__" in vars(value) else None)))
    for maker, method in makers().items():
        if method.__annotations__.get("return") == name:
            parts.append(f"### `World.{maker}` {{#World.{maker}}}\n")
            parts += [code(signature(maker, method)), text(method.__doc__, signature_of(method))]
    for member in members(value):
        parts.append(member_entry(value, member))
    return "\n".join(parts)


def member_entry(cls: type, name: str) -> str:
    value = inspect.getattr_static(cls, name)
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    head = f"### `{cls.__name__}.{name}` {{#{cls.__name__}.{name}}}\n"
    if inspect.isfunction(value):
        return "\n".join([head, code(signature(name, value)), text(value.__doc__, signature_of(value))])
    settable = value.fset is not None if isinstance(value, property) else hasattr(type(value), "__set__")
    kind = "property" if settable else "read-only property"
    return "\n".join([head, f"*{kind}*\n", text(value.__doc__)])


def signature_of(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def signature(name: str, function: Any) -> str:
    """A call as in a stub, on several lines when it is long."""
    found = signature_of(function)
    if found is None:
        return name
    shown, stars = [], False
    for each in found.parameters.values():
        if each.name in ("self", "cls", "world") and not shown:
            continue
        if each.kind is each.KEYWORD_ONLY and not stars:
            shown.append("*")
            stars = True
        stars = stars or each.kind is each.VAR_POSITIONAL
        shown.append(re.sub(r"'((?:[^'\\]|\\.)*)'", _unquoted, str(each), count=1))
    result = found.return_annotation
    end = "" if result is inspect.Signature.empty else f" -> {result if isinstance(result, str) else result.__name__}"
    line = f"{name}({', '.join(shown)}){end}"
    if len(line) <= 90:
        return line
    return "\n".join([f"{name}(", *(f"    {each}," if each != "*" else "    *," for each in shown), f"){end}"])


def _unquoted(match: re.Match[str]) -> str:
    return match[1]


def code(source: str) -> str:
    return f"```python\n{source}\n```\n"


def text(doc: str | None, found: inspect.Signature | None = None) -> str:
    """A docstring in Markdown: its sections become tables and lists, its examples become blocks."""
    out: list[str] = []
    section, items = "", list[list[str]]()

    def finish() -> None:
        if section == "Args":
            out.extend(arguments(items, found))
        elif section:
            out.append(f"**{section}**\n")
            out.extend(f"* {f'`{name}`: ' if name else ''}{about}" for name, about in items)
            out.append("")
        items.clear()

    lines = inspect.cleandoc(doc or "").split("\n")
    fenced = example = False
    for line in lines:
        if example and not line:
            out.append("```\n")
            example = False
        elif line.startswith(">>> ") and not example and not fenced:
            finish()
            section, example = "", True
            out += ["", "``` { .pycon .no-copy }", line]  # with prompts: a copy would not run
            continue
        if line.startswith("```"):
            finish()
            section, fenced = "", not fenced
            out.append("```python" if fenced else "```\n")
        elif example or fenced:
            out.append(line)
        elif re.fullmatch(r"(Args|Raises|Returns|Class attributes|Yields|Attributes):", line):
            finish()
            section = line[:-1]
        elif section and line.startswith("        "):
            if items:
                items[-1][1] += f" {line.strip()}"
        elif section and line.startswith("    "):
            name, colon, about = line.strip().partition(": ")
            named = colon and section != "Returns" and (re.fullmatch(r"[\w*, .]+", name))
            items.append([name, about] if named else ["", line.strip()])
        elif section and not line:
            continue
        else:
            if section:
                finish()
                out.append("")
                section = ""
            out.append(line)
    finish()
    if example:
        out.append("```")
    return "\n".join(out) + "\n"


def arguments(items: list[list[str]], found: inspect.Signature | None) -> list[str]:
    rows = ["| argument | default | meaning |", "|---|---|---|"]
    for names, about in items:
        defaults = []
        for name in names.split(", "):
            each = found.parameters.get(name.lstrip("*")) if found else None
            defaults.append("" if each is None or each.default is each.empty else f"`{_default(each.default)}`")
        shown = ", ".join(f"`{name}`" for name in names.split(", "))
        same = defaults[:1] if len(set(defaults)) == 1 else defaults
        meaning = about if re.match(r"(m|s|kg|rad|N)\b|\W", about) else about[:1].upper() + about[1:]
        rows.append(f"| {shown} | {', '.join(same)} | {meaning.replace('|', chr(92) + '|')} |")
    return ["", *rows, ""]


def _default(value: Any) -> str:
    if value == 1 / 60:
        return "1 / 60"
    return "Filter()" if value == b2.Filter() else repr(value)


def module(name: str) -> str:
    """A module of the package, read as source."""
    tree = ast.parse((ROOT / "box2dpy" / f"{name}.py").read_text(encoding="utf-8"))
    parts = [f"## `box2dpy.{name}` {{#box2dpy.{name}}}\n", text(ast.get_docstring(tree))]
    for node in definitions(tree):
        methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
        function = node if isinstance(node, ast.FunctionDef) else _named(methods, "__init__")
        parts.append(f"### `box2dpy.{name}.{node.name}` {{#box2dpy.{name}.{node.name}}}\n")
        if function is not None:
            parts.append(code(f"{node.name}({re.sub(r'^self, ', '', ast.unparse(function.args))})"))
        parts.append(text(ast.get_docstring(node)))
        if isinstance(node, ast.ClassDef):
            parts += [_field(each) for each in node.body if isinstance(each, ast.AnnAssign)]
            for each in methods:
                if not each.name.startswith("_") and ast.get_docstring(each):
                    parts += [f"#### `{node.name}.{each.name}`\n", text(ast.get_docstring(each))]
    return "\n".join(parts)


def definitions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """The public functions and classes of a module, and those of private modules that its `__all__` exports."""
    exported = next((ast.literal_eval(node.value) for node in tree.body
                     if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"), [])  # fmt: skip
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            yield node
        elif isinstance(node, ast.ImportFrom) and node.level and node.module:
            wanted = {alias.name for alias in node.names} & {*exported}
            if wanted:
                source = (ROOT / "box2dpy" / f"{node.module.replace('.', '/')}.py").read_text(encoding="utf-8")
                yield from (each for each in definitions(ast.parse(source)) if each.name in wanted)


def _field(node: ast.AnnAssign) -> str:
    return f"* `{ast.unparse(node.target)}`: `{ast.unparse(node.annotation)}`"


def _named(functions: list[ast.FunctionDef], name: str) -> ast.FunctionDef | None:
    return next((each for each in functions if each.name == name), None)


INTRODUCTION = """# Reference

All names are exported by `box2dpy`; the guide imports it as `b2`. Units are metres, kilograms, seconds and radians.
`Vec2Like` is any pair of numbers, `ArrayLike` anything that numpy makes an array of, and `CameraLike` is a rectangle
(left, bottom, right, top) in metres, a function that returns one, or None for everything.
"""
