"""A sample as a program of its own that uses the public API only: what it needs of this package is written out in it,
and its controls have the values that the user has chosen."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import textwrap
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import box2dpy as b2

from ._run import Run
from ._sample import Button, Choice, Control, Sample, Slider, slug

HEAD = '''"""{title}

A sample of box2dpy {version}, by itself. It runs {frames} steps; with --window it opens a window of pygame.
"""
'''

PARENT = '''class Sample:
    """A scene: its world, the time that has passed, and the keys and the mouse of the window."""

    options, camera, hertz, substeps, keys, buttons = {}, None, 60, 4, {}, ()

    def __init__(self):
        self.time, self.scale, self.held, self.others = 0.0, 1.0, set(), []
        self.pointer, self.taken_over = b2.Vec2(0, 0), True
        self.world = b2.World(**self.options)
        self.build(self.world)

    def build(self, world):
        pass

    def step(self, world):
        pass

    def advance(self, world, dt, substeps):
        world.step(dt, substeps)

    def draw(self, draw):
        pass

    def status(self):
        return ""

    def changed(self, control):
        pass

    def key(self, key):
        pass

    def click(self, point):
        return False

    def look_at(self):
        return None

    def pressed(self, key):
        return key in self.held

    def other_world(self, offset, **options):
        """A further world, which is drawn `offset` metres away."""
        world = b2.World(**{**self.options, **options})
        self.others.append((world, offset))
        return world

    def ground(self, world, half_width=40.0, **material):
        """A floor whose top is at y = 0."""
        body = world.create_static_body((0, -1))
        body.create_shape(b2.Box(half_width, 1), **material)
        return body

    def frame(self):
        self.step(self.world)
        for world in (self.world, *(world for world, _ in self.others)):
            self.advance(world, 1 / self.hertz, self.substeps)
        self.time += 1 / self.hertz
'''

MAIN = '''def window(sample):
    """A window of pygame: the mouse pulls bodies, the sample has its own keys, and 1 to 9 are its buttons."""
    import pygame

    import box2dpy.pygame

    for keys, meaning in (*sample.keys.items(), *enumerate(sample.buttons, 1)):
        print(f"{{keys}}: {{meaning}}")
    pygame.init()
    pygame.display.set_caption({name!r})
    screen = pygame.display.set_mode((960, 600))
    clock, drag = pygame.time.Clock(), None
    camera = sample.camera or (*sample.world.bounds.lower, *sample.world.bounds.upper)
    while True:
        target = sample.look_at()
        if target is not None:
            dx, dy = target[0] - 0.5 * (camera[0] + camera[2]), target[1] - 0.5 * (camera[1] + camera[3])
            camera = (camera[0] + dx, camera[1] + dy, camera[2] + dx, camera[3] + dy)
        view = b2.View(camera, *screen.get_size())
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                return
            if event.type in (pygame.KEYDOWN, pygame.KEYUP):
                name = pygame.key.name(event.key)
                name = {{"return": "enter", "left shift": "shift", "right shift": "shift"}}.get(name, name)
                (sample.held.add if event.type == pygame.KEYDOWN else sample.held.discard)(name)
                if event.type == pygame.KEYDOWN:
                    sample.key(name)
                    if name.isdigit() and 0 < int(name) <= len(sample.buttons):
                        getattr(sample, sample.buttons[int(name) - 1])()
            elif event.type == pygame.MOUSEMOTION:
                sample.pointer = view.to_world(event.pos)
                if drag:
                    drag.move(sample.pointer)
            elif event.type == pygame.MOUSEBUTTONDOWN and not sample.click(view.to_world(event.pos)):
                drag = b2.MouseDrag(sample.world, view.to_world(event.pos))
            elif event.type == pygame.MOUSEBUTTONUP and drag:
                drag.release()
                drag = None
        clock.tick(sample.hertz)
        sample.frame()
        screen.fill((24, 27, 34))
        own = b2.DrawList()
        sample.draw(own)
        for world, (x, y) in [*sample.others, (sample.world, (0, 0))]:
            shifted = (camera[0] - x, camera[1] - y, camera[2] - x, camera[3] - y)
            box2dpy.pygame.draw(screen, world, shifted, draw=own if world is sample.world else None, theme="dark")
        for row, line in enumerate(sample.status().split("\\n")):
            screen.blit(pygame.font.Font(None, 22).render(line, True, "white"), (10, 10 + 20 * row))
        pygame.display.flip()


if __name__ == "__main__":
    sample = {kind}()
    if "--window" in sys.argv:
        window(sample)
    else:
        for _ in range({frames}):
            sample.frame()
        print(sample.status())
        print(f"box2dpy {{b2.__version__}}: {frames} steps; --window shows it")
'''

HIDDEN = ("name", "category", "frames", "color_by", "hide_joints", "demo", "demo_path")  # only the browser needs them
INLINED = (__name__.rpartition(".")[0], "box2dpy.scenes")  # what a script must not import


class Module(NamedTuple):
    lines: list[str]
    defined: dict[str, ast.stmt]
    imported: dict[str, tuple[str, str]]  # the module and its name there; "" for the module itself


def script(kind: type[Sample], run: Run | None = None) -> str:
    """The source of a program that runs this sample: `python car.py`, or `python car.py --window`. It has the values,
    the options, the rate and the substeps of `run`. The text is empty where there is no source, as for recordings."""
    scene = getattr(kind, "scene", None)
    places = [(base.__module__, base.__name__) for base in kind.__mro__ if issubclass(base, Sample)]
    roots = [place for place in places if place[1] != "Sample"]
    if scene is not None:
        roots = [(f.__module__, f.__name__) for f in (scene.build, scene.step) if f is not None]
    try:
        wanted = _gather(roots)
    except (OSError, TypeError, KeyError):
        return ""
    values = {control.name: control.default for control in kind.controls() if isinstance(control, Control)}
    settings: dict[str, Any] = {"options": dict(kind.options), "hertz": kind.hertz, "substeps": kind.substeps}
    if run is not None:
        values = {name: getattr(run.sample, name) for name in values}
        plain = bool, int, float, str, b2.Vec2, b2.lab.Strategies
        with b2.World(**kind.options) as fresh:
            for name in inspect.signature(b2.World).parameters:
                now = getattr(run.world, name, None)
                if now != getattr(fresh, name, None) and isinstance(now, plain):
                    settings["options"][name] = tuple(now) if isinstance(now, b2.Vec2) else now
        settings |= {"hertz": run.hertz, "substeps": run.substeps}
    settings["buttons"] = tuple(each.name for each in kind.controls() if isinstance(each, Button))
    settings = {name: value for name, value in settings.items() if value != _USUAL[name]}

    imports: set[tuple[str, str, str]] = {("sys", "", "sys"), ("box2dpy", "", "b2")}
    parts = []
    for place, name in wanted:
        module = _module(place)
        node = module.defined[name]
        for used in _used(node):
            there, original = module.imported.get(used, ("", ""))
            if there and not there.startswith(INLINED):
                imports.add((there, original, used))
        if isinstance(node, ast.ClassDef) and (place, name) in places:
            parts.append(_class(module, node, kind, values, settings if name == kind.__name__ else {}))
        else:
            parts.append(_text(module, node))
    if scene is not None:
        parts.append(_scene(kind, scene, values, settings))
    head = HEAD.format(title=f"{kind.name}: {kind.description()}", version=b2.__version__, frames=kind.frames)
    head = "\n".join(line for long in head.split("\n") for line in textwrap.wrap(long, 116) or [""])
    main = MAIN.format(kind=_python_name(kind), name=kind.name, frames=kind.frames)
    return "\n\n\n".join([f"{head.rstrip()}\n\n{_imports(imports)}", PARENT.rstrip(), *parts, main])


_USUAL: dict[str, Any] = {"options": {}, "hertz": 60.0, "substeps": 4, "buttons": ()}


def source_of(*functions: Any) -> str:
    """The functions, and what they use of the modules that are written out."""
    wanted = _gather([(each.__module__, each.__name__) for each in functions])
    return "\n\n\n".join(_text(_module(place), _module(place).defined[name]) for place, name in wanted)


@cache
def _module(name: str) -> Module:
    found = importlib.import_module(name)
    text = inspect.getsource(found)
    package = name if hasattr(found, "__path__") else name.rpartition(".")[0]
    defined: dict[str, ast.stmt] = {}
    imported: dict[str, tuple[str, str]] = {}
    for node in ast.walk(tree := ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            there = ".".join(package.split(".")[: len(package.split(".")) + 1 - node.level]) if node.level else ""
            there = ".".join(part for part in (there, node.module or "") if part)
            imported |= {each.asname or each.name: (there, each.name) for each in node.names}
        elif isinstance(node, ast.Import):
            imported |= {each.asname or each.name.split(".")[0]: (each.name, "") for each in node.names}
    for statement in tree.body:
        defined |= dict.fromkeys(_names(statement), statement)
    return Module(text.split("\n"), defined, imported)


def _gather(roots: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """What the roots use, of all modules that are written out, before what uses it."""
    found: dict[tuple[str, str], tuple[int, int]] = {}
    todo = [(place, 0) for place in roots]
    while todo:
        (place, name), depth = todo.pop()
        module = _module(place)
        order = (-depth, module.defined[name].lineno)
        if found.get((place, name), (1, 0)) <= order:
            continue
        found[place, name] = order
        for used in _used(module.defined[name]):
            there, original = module.imported.get(used, ("", ""))
            if used in module.defined and used != name:
                todo.append(((place, used), depth))
            elif there.startswith(INLINED) and not there.endswith("._sample"):
                todo.append(((there, original), depth + 1))
    return sorted(found, key=found.__getitem__)


def _class(
    module: Module, node: ast.ClassDef, kind: type[Sample], values: Mapping[str, Any], settings: Mapping[str, Any]
) -> str:
    """A class with values in place of its controls, and without what only the browser needs."""
    controls = {control.name: control for control in kind.controls()}
    lines = list(module.lines)
    gone: set[int] = set()
    for part in node.body:
        names = _names(part)
        rows = range(_first(part) - 1, part.end_lineno or 0)
        if isinstance(part, ast.FunctionDef) and part.name in controls:  # a button
            gone.update(row for row in rows if row < part.lineno - 1)
        elif names and names[0] in values:
            lines[rows[0]] = f"    {names[0]} = {values[names[0]]!r}{_range(controls[names[0]])}"
            gone.update(rows[1:])
        elif names and (names[0] in HIDDEN or names[0] in ("options", "hertz", "substeps")):
            gone.update(rows)
    text = [line for row, line in enumerate(lines[: node.end_lineno]) if row >= _first(node) - 1 and row not in gone]
    if settings:
        doc = node.body[0].end_lineno or 0  # every sample has a docstring
        place = doc - _first(node) + 1
        text[place:place] = ["", *(f"    {name} = {_literal(value)}" for name, value in settings.items())]
    tidied = [line for row, line in enumerate(text) if line.strip() or (row and text[row - 1].strip())]
    return "\n".join(tidied).rstrip()


def _literal(value: Any) -> str:
    return repr(value).replace("Strategies(", "b2.lab.Strategies(")


def _range(control: Any) -> str:
    if isinstance(control, Slider):
        return f"  # {control.low:g} to {control.high:g} {control.unit}".rstrip()
    return f"  # {', '.join(control.words)}" if isinstance(control, Choice) else ""


def _scene(kind: type[Sample], scene: Any, values: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """A sample that builds a scene of the registry by the functions of the scene."""
    lines = [f"class {_python_name(kind)}(Sample):", f"    camera = {scene.camera!r}"]
    lines += [f"    {name} = {_literal(value)}" for name, value in {**settings, **values}.items()]
    lines += ["", "    def build(self, world):", f"        self.state = {scene.build.__name__}(world, self.size)"]
    lines += ["        self.number = 0"]
    if scene.step is not None:
        lines += ["", "    def step(self, world):", f"        {scene.step.__name__}(world, self.state, self.number)"]
        lines += ["        self.number += 1"]
    lines += ["", "    def status(self):", '        return f"{self.world.counters.bodies} bodies"']
    return "\n".join(lines)


def _python_name(kind: type[Sample]) -> str:
    return kind.__name__ if not hasattr(kind, "scene") else "".join(part.title() for part in slug(kind.name).split("-"))


def _imports(found: set[tuple[str, str, str]]) -> str:
    """The import statements: those of Python's own modules first."""
    whole = {
        place: f"import {place}" + f" as {name}" * (name != place) for place, original, name in found if not original
    }
    places: dict[str, set[str]] = {}
    for place, original, name in found:
        if original:
            places.setdefault(place, set()).add(original if original == name else f"{original} as {name}")
    parts = {place: f"from {place} import {', '.join(sorted(names))}" for place, names in places.items()}
    lines = [(place not in sys.stdlib_module_names, line) for each in (whole, parts) for place, line in each.items()]
    return "\n\n".join("\n".join(sorted(line for own, line in lines if own == group)) for group in (False, True))


def _names(node: ast.stmt) -> list[str]:
    """The names that a statement of a module or of a class defines."""
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]


def _used(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _text(module: Module, node: ast.stmt) -> str:
    return "\n".join(module.lines[_first(node) - 1 : node.end_lineno])


def _first(node: ast.stmt) -> int:
    """The first line of a statement, with its decorators."""
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
