"""Worlds with different options that get the same calls, and what must hold for each of them after every step.

`components` is the plain oracle for islands, `expected_pairs` the one for contacts; `Mob` draws random calls of the
whole API.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import box2dpy as b2
from box2dpy._bridge.handles import ReadOnly
from box2dpy._objects.joint import JOINT_CLASSES

from ..seeds import draws

DT = 1 / 60
REFERENCE = {"workers": 1, "simd": "scalar", "broadphase": "brute", "narrowphase": "per_pair"}
FASTEST = {"workers": 3, "simd": "auto", "broadphase": "grid", "narrowphase": "batched"}
TREE = {"workers": 2, "simd": "auto", "broadphase": "tree", "narrowphase": "batched"}


def make_ground(world: b2.World, half_width: float = 40.0, **material: float) -> b2.Body:
    """A static box whose top is y = 0."""
    ground = world.create_static_body((0, -1))
    ground.create_shape(b2.Box(half_width, 1), **material)
    return ground


def run(world: b2.World, steps: int, check: bool = True) -> None:
    """Steps, validating after each step."""
    for _ in range(steps):
        world.step(DT, 4)
        if check:
            world.validate()


def run_until_asleep(world: b2.World, most: int = 600) -> int:
    """Steps until nothing is awake; returns how many steps that took."""
    for number in range(1, most + 1):
        world.step(DT, 4)
        if world.counters.awake_bodies == 0:
            world.validate()
            return number
    raise AssertionError(f"{world.counters.awake_bodies} bodies are awake after {most} steps")


# -- islands


def partition(groups: Iterable[Iterable[int]]) -> set[frozenset[int]]:
    return {frozenset(group) for group in groups}


def islands_of(world: b2.World) -> set[frozenset[int]]:
    """The islands as sets of body indices."""
    return partition([body.index for body in island.bodies] for island in world.islands)


def components(world: b2.World) -> set[frozenset[int]]:
    """Connected components of enabled dynamic bodies under touching contacts and joints; kinematic bodies are alone."""
    bodies = list(world.bodies)
    links = {body.index: body.index for body in bodies if body.enabled and body.type != b2.BodyType.STATIC}
    dynamic = {body.index for body in bodies if body.enabled and body.type == b2.BodyType.DYNAMIC}

    def find(x: int) -> int:
        while links[x] != x:
            links[x] = x = links[links[x]]
        return x

    touching = world.arrays.contacts
    edges = list(zip(touching["body_a"].tolist(), touching["body_b"].tolist(), strict=True))
    holding = [joint for joint in world.joints if not isinstance(joint, b2.FilterJoint)]
    edges += [(joint.body_a.index, joint.body_b.index) for joint in holding]
    for a, b in edges:
        if a in dynamic and b in dynamic:
            links[find(a)] = find(b)
    groups: dict[int, set[int]] = {}
    for x in links:
        groups.setdefault(find(x), set()).add(x)
    return partition(groups.values())


def assert_coarsening(world: b2.World) -> None:
    """Every connected component lies in one island, and every island sleeps or is awake as a whole."""
    islands = islands_of(world)
    home = {x: island for island in islands for x in island}
    for component in components(world):
        wholes = {home[x] for x in component}
        assert len(wholes) == 1, f"the component {sorted(component)} lies in islands {[sorted(w) for w in wholes]}"
    assert sum(map(len, islands)) == len(home)
    awake = world.arrays.awake
    for island in islands:
        assert len({bool(awake[x]) for x in island}) == 1, f"island {sorted(island)} is half awake"


def assert_exact_after_splitting(world: b2.World) -> None:
    world.split_islands()
    assert islands_of(world) == components(world)


# -- pairs


def contact_pairs(world: b2.World) -> set[tuple[int, int]]:
    return {tuple(sorted((c.shape_a.index, c.shape_b.index))) for c in world.contacts}  # type: ignore[misc]


def may_meet(a: b2.Shape, b: b2.Shape) -> bool:
    """The rules beside the boxes, from the public API alone."""
    body_a, body_b = a.body, b.body
    if body_a is body_b or a.sensor or b.sensor or not body_a.enabled or not body_b.enabled:
        return False
    if b2.BodyType.DYNAMIC not in (body_a.type, body_b.type):
        return False
    if isinstance(a.geometry, b2.ChainSegment) and isinstance(b.geometry, b2.ChainSegment):
        return False
    f, g = a.filter, b.filter
    if f.group == g.group != 0:
        if f.group < 0:
            return False
    elif not (f.mask & g.category and g.mask & f.category):
        return False
    between = [joint for joint in body_a.joints if {joint.body_a, joint.body_b} == {body_a, body_b}]
    return all(not isinstance(joint, b2.FilterJoint) and joint.collide_connected for joint in between)


def overlapping(world: b2.World) -> set[tuple[int, int]]:
    """Pairs of shapes whose fat boxes overlap now and that may meet: all against all."""
    shapes = list(world.shapes)
    boxes = [shape.fat_aabb for shape in shapes]
    pairs = set()
    for j, b in enumerate(shapes):
        upper = boxes[j]
        for i in range(j):
            lower = boxes[i]
            if (
                lower[0][0] <= upper[1][0]
                and upper[0][0] <= lower[1][0]
                and lower[0][1] <= upper[1][1]
                and upper[0][1] <= lower[1][1]
                and may_meet(shapes[i], b)
            ):
                pairs.add((shapes[i].index, b.index))
    return pairs


def assert_pairs_match_brute_force(world: b2.World) -> None:
    """After steps without motion (dt = 0) contacts are exactly the overlapping pairs, but for sleeping leftovers (also
    on kinematic bodies)."""
    for _ in range(20):
        world.step(0.0)
        world.validate()
        if world.counters.bodies_woken == 0:  # a woken body collides in the next step
            break
    wanted, found = overlapping(world), contact_pairs(world)
    assert not wanted - found, f"overlapping without a contact: {wanted - found}"
    awake = {shape.index for shape in world.shapes if shape.body.awake}
    dynamic = {shape.index for shape in world.shapes if shape.body.type == b2.BodyType.DYNAMIC}
    resting = {tuple(sorted((c.shape_a.index, c.shape_b.index))) for c in world.contacts if c.touching}
    spare = {
        pair for pair in found - wanted if awake & set(pair) and (pair not in resting or awake & dynamic & set(pair))
    }
    assert not spare, f"contacts of shapes apart: {spare}"


# -- random calls


def random_geometry(draw: random.Random) -> b2.Geometry:
    size = draw.uniform(0.15, 0.6)
    kind = draw.randrange(8)
    if kind == 0:
        return b2.Circle(size, (draw.uniform(-0.1, 0.1), 0.0))
    if kind == 1:
        return b2.Capsule((-size, 0), (size, draw.uniform(-0.2, 0.2)), 0.5 * size)
    if kind == 2:
        return b2.Segment((-size, 0), (size, 0.1))
    if kind == 3:
        return b2.Box(size, draw.uniform(0.1, 0.5), radius=draw.choice((0.0, 0.05)))
    if kind == 4:
        return b2.Polygon([(size * math.cos(math.tau * k / 6), size * math.sin(math.tau * k / 6)) for k in range(6)])
    if kind == 6:
        return b2.ChainSegment((size, 0), (-size, 0.1), ghost1=draw.choice(((2, 0), (size, -1), None)))
    if kind == 5:
        return b2.Polygon([(-size, -size), (size, -size), (0, size)], radius=0.03)
    return b2.Box(size, size)


MIXED = ("friction", "restitution", "rolling_resistance", "tangent_speed")
EVENTS = "contact_begin contact_end contact_hit sensor_begin sensor_end body_move body_invalid joint_threshold".split()
KINDS = """
    revolute revolute distance prismatic wheel weld motor filter pulley rope gear
    mover pogo ratchet groove rotary_spring
""".split()
JOINT_READS = tuple(
    sorted(
        {
            name
            for kind in JOINT_CLASSES.values()
            for cls in kind.__mro__
            for name, x in vars(cls).items()
            if type(x) is ReadOnly
        }
    )
)
Group = tuple[Any, ...]  # the same object in every world


class Mob:
    """The same random calls on several worlds; `errors` outside ValueError come through."""

    def __init__(self, seed: int, options: Sequence[dict[str, Any]], most_bodies: int = 30, **common: Any) -> None:
        self.draw = draws(seed)
        self.worlds = [b2.World(**{**common, **each}) for each in options]
        self.bodies: list[Group] = []
        self.shapes: list[Group] = []
        self.joints: list[Group] = []
        self.flung: Group | None = None
        self.most_bodies = most_bodies
        self.log: list[str] = []
        for world in self.worlds:
            make_ground(world, 4.0)
            wall = world.create_static_body()
            wall.create_shape(b2.Segment((-4, 0), (-4, 12)))
            wall.create_shape(b2.Segment((4, 0), (4, 12)))
        for row in zip(*(world.bodies for world in self.worlds), strict=True):
            self.bodies.append(row)
        for row in zip(*(world.shapes for world in self.worlds), strict=True):
            self.shapes.append(row)
        for _ in range(most_bodies * 2 // 3):
            self.create_body()

    def close(self) -> None:
        for world in self.worlds:
            world.close()

    def play(self, steps: int) -> None:
        """A random call before each step; everything is checked after it."""
        for _ in range(steps):
            self.act()
            self.step()
            self.check()
        self.close()

    def note(self, text: str) -> None:
        self.log.append(text)

    def prune(self) -> None:
        self.bodies = [g for g in self.bodies if g[0].alive]
        self.shapes = [g for g in self.shapes if g[0].alive]
        self.joints = [g for g in self.joints if g[0].alive]

    def each(self, group: Group, action: Callable[[Any], Any]) -> Group:
        return tuple(action(item) for item in group)

    def assign(self, group: Group, name: str, value: Any) -> None:
        self.note(f"{group[0]!r}.{name} = {value!r}")
        for item in group:
            setattr(item, name, value)

    # what can be done

    def create_body(self) -> None:
        if len(self.bodies) >= self.most_bodies:
            return
        draw = self.draw
        kind = draw.choices(("dynamic", "kinematic", "static"), (14, 1, 1))[0]
        fields: dict[str, Any] = {
            "position": (draw.uniform(-3.5, 3.5), draw.uniform(0.2, 6)),
            "angle": draw.uniform(-3, 3),
        }
        if kind != "static":
            fields["linear_velocity"] = (draw.uniform(-3, 3), draw.uniform(-3, 1)) if draw.random() < 0.5 else (0, 0)
            fields["angular_velocity"] = draw.uniform(-2, 2) if draw.random() < 0.3 else 0.0
        for name in ("awake", "enabled", "can_sleep"):
            fields[name] = draw.random() < 0.95
        for name in ("bullet", "lock_rotation", "allow_fast_rotation", "lock_x"):
            fields[name] = draw.random() < 0.1
        if kind == "static":  # it takes no options of motion
            fields = {name: fields[name] for name in ("position", "angle", "enabled")}
        self.note(f"create {kind} {fields}")
        self.bodies.append(self.each(tuple(self.worlds), lambda w: getattr(w, f"create_{kind}_body")(**fields)))
        for _ in range(draw.choice((0, 1, 1, 1, 1, 2, 3))):
            self.create_shape(self.bodies[-1])

    def create_shape(self, group: Group | None = None) -> None:
        draw = self.draw
        group = group or draw.choice(self.bodies)
        if len(group[0].shapes) >= 4:
            return
        geometry = random_geometry(draw)
        fields: dict[str, Any] = {
            "density": draw.choice((0.0, 1.0, 1.0, 1.0, 5.0)),
            "friction": draw.choice((0.0, 0.6, 1.0)),
        }
        if draw.random() < 0.2:
            fields["restitution"] = draw.choice((0.3, 0.8))
        if draw.random() < 0.1:
            fields["rolling_resistance"] = 0.1
        if draw.random() < 0.1:
            fields["tangent_speed"] = 1.0
        if draw.random() < 0.1:
            fields["one_way"] = draw.choice(((0, 1), (1, -1)))
        fields["sensor"] = draw.random() < 0.05
        fields["hit_events"] = draw.random() < 0.3
        fields["sensor_events"] = draw.random() < 0.5
        fields["filter"] = self.random_filter()
        fields["update_mass"] = draw.random() < 0.9
        self.note(f"{group[0]!r}.create_shape({geometry!r}, {fields})")
        self.shapes.append(self.each(group, lambda b: b.create_shape(geometry, **fields)))

    def random_filter(self) -> b2.Filter:
        draw = self.draw
        if draw.random() < 0.85:
            return b2.Filter()
        return b2.Filter(1 << draw.randrange(3), draw.choice((1, 3, 5, 7, 2**64 - 1)), draw.choice((0, 0, 0, -1, 2)))

    def destroy_body(self) -> None:
        if len(self.bodies) > 3:
            group = self.draw.choice(self.bodies)
            self.note(f"destroy {group[0]!r}")
            self.each(group, lambda b: b.destroy())
            self.prune()

    def destroy_shape(self) -> None:
        if self.shapes:
            group, update = self.draw.choice(self.shapes), self.draw.random() < 0.8
            self.note(f"destroy {group[0]!r}")
            self.each(group, lambda s: s.destroy(update_mass=update))
            self.prune()

    def create_joint(self) -> None:
        draw = self.draw
        if len(self.bodies) < 2 or len(self.joints) > 16:
            return
        a, b = draw.sample(self.bodies, 2)
        kind = draw.choice(KINDS)
        anchor = (draw.uniform(-5, 5), draw.uniform(0, 5)) if draw.random() < 0.2 else tuple(a[0].position)
        flags = {
            name: draw.random() < 0.3 for name in ("enable_motor", "enable_limit", "enable_spring", "collide_connected")
        }
        spring = {"hertz": 3.0, "damping_ratio": 0.5}
        slide = {"axis": (1, draw.uniform(-1, 1)), "lower_translation": -0.5, "upper_translation": 0.5}
        fields: dict[str, Any] = {"anchor": anchor, "collide_connected": flags["collide_connected"]}
        if kind == "revolute":
            fields |= flags | spring | {"motor_speed": 2.0, "max_motor_torque": 20.0}
            fields |= {"lower_angle": -0.5, "upper_angle": 0.5}
        elif kind == "distance":
            fields = flags | spring | {"local_anchor_a": (0, 0), "local_anchor_b": (0.2, 0)}
            fields |= {"min_length": 0.5, "max_length": 2.0, "motor_speed": 1.0, "max_motor_force": 10.0}
        elif kind == "prismatic":
            fields |= flags | spring | slide | {"motor_speed": 1.0, "max_motor_force": 20.0}
        elif kind == "wheel":
            fields |= flags | spring | slide | {"motor_speed": 3.0, "max_motor_torque": 20.0}
        elif kind == "weld":
            fields |= {"linear_hertz": draw.choice((0.0, 4.0)), "angular_hertz": draw.choice((0.0, 4.0))}
        elif kind == "motor":
            fields |= {"linear_velocity": (1, 0), "max_velocity_force": 30.0}
            fields |= {"angular_velocity": 1.0, "max_velocity_torque": 3.0}
            fields |= {"linear_hertz": 2.0, "max_spring_force": 50.0, "angular_hertz": 2.0, "max_spring_torque": 5.0}
        elif kind == "pulley":
            fields |= {"ground_anchor_a": (-2, 9), "ground_anchor_b": (2, 9), "ratio": draw.choice((1.0, 2.0))}
        elif kind == "rope":
            fields = {"max_length": draw.uniform(0.5, 3), "collide_connected": flags["collide_connected"]}
        elif kind == "filter":
            fields = {}
        elif kind == "mover":
            fields = {"linear_velocity": (2, 1), "max_velocity_force": (draw.uniform(0, 30), draw.choice((0.0, 5.0)))}
        elif kind == "pogo":
            fields |= spring | {"normal": (draw.uniform(-1, 1), 1), "rest_length": 0.5}
            fields["max_tension_force"] = draw.choice((0, 20))
        elif kind == "ratchet":
            fields = {"ratchet": draw.choice((0.3, -0.2)), "phase": draw.uniform(-1, 1)}
        elif kind == "groove":
            fields = {"groove_start": (-0.5, 0.2), "groove_end": (1, draw.uniform(-1, 1)), "local_anchor_b": (0.1, 0)}
        elif kind == "rotary_spring":
            fields = spring | {"target_angle": draw.uniform(-1, 1), "max_spring_torque": draw.choice((2.0, math.inf))}
        else:
            turning = (b2.RevoluteJoint, b2.PrismaticJoint)
            fixed = b2.BodyType.STATIC
            drives = [
                g
                for g in self.joints
                if isinstance(g[0], turning) and (g[0].body_a.type == fixed) != (g[0].body_b.type == fixed)
            ]
            if len(drives) < 2:
                return
            a, b = draw.sample(drives, 2)
            fields = {"ratio": draw.choice((0.5, -2.0))}
        self.note(f"{kind} joint {a[0]!r} {b[0]!r} {fields}")
        try:
            rows = [
                getattr(w, f"create_{kind}_joint")(x, y, **fields) for w, x, y in zip(self.worlds, a, b, strict=True)
            ]
        except ValueError:
            if kind not in ("gear", "pulley", "distance"):  # these may not fit where the bodies are
                raise
            assert all(len(world.joints) == len(self.worlds[0].joints) for world in self.worlds)
            return
        self.joints.append(tuple(rows))

    def destroy_joint(self) -> None:
        if self.joints:
            group = self.draw.choice(self.joints)
            self.note(f"destroy {group[0]!r}")
            self.each(group, lambda j: j.destroy())
            self.prune()

    def change_body(self) -> None:
        draw = self.draw
        group = draw.choice(self.bodies)
        kind = group[0].type
        values: dict[str, Callable[[], Any]] = {
            "type": lambda: draw.choice(("static", "kinematic", *4 * ("dynamic",))),
            "enabled": lambda: draw.random() < 0.8,
            "awake": lambda: draw.random() < 0.5,
            "position": lambda: (draw.uniform(-3.5, 3.5), draw.uniform(0, 5)),
            "angle": lambda: draw.uniform(-8, 8),
            "rotation": lambda: (draw.uniform(0.1, 1), draw.uniform(-1, 1)),
            "linear_velocity": lambda: (draw.uniform(-6, 6), draw.uniform(-6, 6)) if kind else (0, 0),
            "angular_velocity": lambda: draw.uniform(-9, 9) if kind else 0.0,
            "linear_damping": lambda: draw.choice((0.0, 0.5)),
            "angular_damping": lambda: draw.choice((0.0, 0.5)),
            "gravity_scale": lambda: draw.choice((0.0, 1.0, -0.5)),
            "sleep_threshold": lambda: draw.choice((0.05, 0.2)),
            "safety_factor": lambda: draw.choice((0.1, 0.5)),
            "can_sleep": lambda: draw.random() < 0.7,
            "bullet": lambda: draw.random() < 0.5,
            "allow_fast_rotation": lambda: draw.random() < 0.5,
            "lock_x": lambda: draw.random() < 0.3,
            "lock_y": lambda: draw.random() < 0.3,
            "lock_rotation": lambda: draw.random() < 0.3,
        }
        if kind == b2.BodyType.DYNAMIC:
            values["mass"] = lambda: draw.uniform(0.5, 5.0)
            values["inertia"] = lambda: draw.uniform(0.0, 2.0)
            values["local_center"] = lambda: (draw.uniform(-0.2, 0.2), draw.uniform(-0.2, 0.2))
        name = draw.choice(list(values))
        self.assign(group, name, values[name]())

    def change_shape(self) -> None:
        if not self.shapes:
            return
        draw = self.draw
        group = draw.choice(self.shapes)
        values: dict[str, Callable[[], Any]] = {
            "density": lambda: draw.choice((0.0, 1.0, 1.0, 4.0)),
            "friction": lambda: draw.choice((0.0, 0.3, 1.0)),
            "restitution": lambda: draw.choice((0.0, 0.5, 0.9)),
            "rolling_resistance": lambda: draw.choice((0.0, 0.2)),
            "tangent_speed": lambda: draw.choice((0.0, 2.0)),
            "one_way": lambda: draw.choice((None, (0, 1), (-1, 0.5))),
            "sensor": lambda: draw.random() < 0.2,
            "contact_events": lambda: draw.random() < 0.5,
            "hit_events": lambda: draw.random() < 0.5,
            "sensor_events": lambda: draw.random() < 0.5,
            "filter": self.random_filter,
            "geometry": lambda: random_geometry(draw),
            "material": lambda: draw.randrange(5),
        }
        name = draw.choice(list(values))
        self.assign(group, name, values[name]())

    def change_joint(self) -> None:
        if not self.joints:
            return
        draw = self.draw
        group = draw.choice(self.joints)
        values: dict[str, Callable[[], Any]] = {
            "local_anchor_a": lambda: (draw.uniform(-0.3, 0.3), draw.uniform(-0.3, 0.3)),
            "local_anchor_b": lambda: (draw.uniform(-0.3, 0.3), draw.uniform(-0.3, 0.3)),
            "local_angle_a": lambda: draw.uniform(-1, 1),
            "collide_connected": lambda: draw.random() < 0.5,
            "joint_hertz": lambda: draw.choice((None, 30.0, 120.0)),
            "joint_damping_ratio": lambda: draw.choice((None, 1.0, 5.0)),
            "force_threshold": lambda: draw.choice((1.0, 50.0)),
            "enable_spring": lambda: draw.random() < 0.5,
            "hertz": lambda: draw.uniform(0, 5),
            "damping_ratio": lambda: draw.uniform(0, 2),
            "target_angle": lambda: draw.uniform(-1, 1),
            "target_translation": lambda: draw.uniform(-1, 1),
            "length": lambda: draw.uniform(0.5, 2),
            "enable_limit": lambda: draw.random() < 0.5,
            "lower_angle": lambda: draw.uniform(-1, 0),
            "upper_angle": lambda: draw.uniform(0, 1),
            "lower_translation": lambda: draw.uniform(-1, 0),
            "upper_translation": lambda: draw.uniform(0, 1),
            "min_length": lambda: draw.uniform(0.1, 0.5),
            "max_length": lambda: draw.uniform(1, 3),
            "enable_motor": lambda: draw.random() < 0.5,
            "motor_speed": lambda: draw.uniform(-5, 5),
            "max_motor_torque": lambda: draw.uniform(0, 50),
            "max_motor_force": lambda: draw.uniform(0, 50),
            "linear_hertz": lambda: draw.choice((0.0, 5.0)),
            "angular_hertz": lambda: draw.choice((0.0, 5.0)),
            "linear_velocity": lambda: (draw.uniform(-2, 2), draw.uniform(-2, 2)),
            "max_velocity_force": lambda: (
                (draw.uniform(0, 9), draw.uniform(0, 9)) if isinstance(group[0], b2.MoverJoint) else draw.uniform(0, 9)
            ),
            "rest_length": lambda: draw.uniform(0, 2),
            "max_tension_force": lambda: draw.uniform(0, 20),
            "max_compression_force": lambda: draw.uniform(0, 50),
            "phase": lambda: draw.uniform(-1, 1),
            "ratchet": lambda: draw.choice((0.3, -0.5)),
            "groove_end": lambda: (draw.uniform(-1, 1), draw.uniform(1, 2)),
            "max_spring_torque": lambda: draw.uniform(0, 5),
            "max_spring_force": lambda: draw.uniform(0, 50),
            "ratio": lambda: (
                draw.choice((0.5, 1.0, -2.0)) if isinstance(group[0], b2.GearJoint) else draw.choice((0.5, 1.0, 2.0))
            ),
        }
        if isinstance(group[0], b2.FilterJoint):
            return
        name = draw.choice([name for name in values if hasattr(group[0], name)])
        try:
            self.assign(group, name, values[name]())
        except ValueError:
            if not isinstance(group[0], (b2.PulleyJoint, b2.DistanceJoint)):  # some do not fit where the bodies are
                raise

    def push(self) -> None:
        draw = self.draw
        dynamic = [g for g in self.bodies if g[0].type == b2.BodyType.DYNAMIC]
        if not dynamic:
            return
        group, wake = draw.choice(dynamic), draw.random() < 0.7
        kind = draw.randrange(4)
        x, y = draw.uniform(-5, 5), draw.uniform(-5, 5)
        self.note(f"push {group[0]!r} {kind} {x} {y} {wake}")
        if kind == 0:
            self.each(group, lambda b: b.apply_force((10 * x, 10 * y), wake=wake))
        elif kind == 1:
            self.each(group, lambda b: b.apply_impulse((x, y), b.world_center + b2.Vec2(0.1, 0.1), wake=wake))
        elif kind == 2:
            self.each(group, lambda b: b.apply_torque(x, wake=wake))
        else:
            self.each(group, lambda b: b.apply_angular_impulse(0.1 * x, wake=wake))

    def fling(self) -> None:
        """Throws a body away or wakes it, and puts it to sleep right after the next step, so that its boxes separate in
        its sleep."""
        draw = self.draw
        group = draw.choice(self.bodies)
        if group[0].type != b2.BodyType.DYNAMIC:
            return
        if draw.random() < 0.6:
            self.assign(group, "linear_velocity", (draw.uniform(-90, 90), draw.uniform(-30, 90)))
            self.flung = group
        else:
            self.assign(group, "awake", not group[0].awake)

    def change_world(self) -> None:
        draw = self.draw
        values: dict[str, Callable[[], Any]] = {
            "gravity": lambda: draw.choice(((0, -10), (0, -10), (0, -10), (2, -9), (0, 0))),
            "sleeping": lambda: draw.random() < 0.8,
            "continuous": lambda: draw.random() < 0.8,
            "warm_starting": lambda: draw.random() < 0.8,
            "contact_recycle": lambda: draw.choice((0.0, 0.05)),
            "contact_hertz": lambda: draw.choice((30.0, 15.0)),
            "sleep_time": lambda: draw.choice((0.1, 0.5)),
            "friction_mixing": lambda: draw.choice(("geometric", "arithmetic", "min", "max", "multiply")),
            "restitution_mixing": lambda: draw.choice(("max", "max", "min", "arithmetic")),
        }
        name = draw.choice(list(values))
        self.assign(tuple(self.worlds), name, values[name]())

    def change_pair(self) -> None:
        draw = self.draw
        a, b = draw.randrange(3), draw.randrange(3)
        values = {name: draw.choice((None, 0.0, 0.5)) for name in MIXED}
        self.note(f"material pair {a} {b} {values}")
        remove = draw.random() < 0.4
        for world in self.worlds:
            if remove:
                world.remove_material_pair(a, b)
            else:
                world.set_material_pair(a, b, **values)

    def split(self) -> None:
        self.note("split_islands")
        for world in self.worlds:
            world.split_islands()

    def step(self) -> None:
        dt = self.draw.choice((DT, DT, DT, DT, 1 / 30, 1 / 120, 0.0))
        substeps = self.draw.choice((4, 4, 4, 1, 2))
        self.note(f"step {dt} {substeps}")
        for world in self.worlds:
            world.step(dt, substeps)
        if self.flung and self.flung[0].alive:
            self.assign(self.flung, "awake", False)
        self.flung = None

    OPERATIONS: ClassVar[dict[str, int]] = {
        "create_body": 8,
        "destroy_body": 4,
        "create_shape": 4,
        "destroy_shape": 3,
        "create_joint": 4,
        "destroy_joint": 2,
        "change_body": 20,
        "change_shape": 14,
        "change_joint": 4,
        "push": 5,
        "fling": 8,
        "change_world": 1,
        "change_pair": 1,
        "split": 1,
    }

    def act(self) -> None:
        """One random call."""
        names = list(self.OPERATIONS)
        getattr(self, self.draw.choices(names, list(self.OPERATIONS.values()))[0])()

    def check(self) -> None:
        """What must hold after every step."""
        hashes = set()
        for world in self.worlds:
            world.validate()
            hashes.add(world.state_hash())
        assert len(hashes) == 1, "worlds that differ in options that must not matter have different hashes"
        for kind in EVENTS:
            lists = [getattr(world.events, kind).as_array().tolist() for world in self.worlds]
            assert all(each == lists[0] for each in lists), f"worlds differ in their {kind} events"
        for group in self.joints:
            for name in JOINT_READS:
                if hasattr(group[0], name):
                    values = {getattr(joint, name) for joint in group if joint.alive}
                    assert len(values) < 2, f"{group[0]!r}: worlds differ in {name}: {values}"
                    assert all(
                        math.isfinite(x) for value in values for x in (value if isinstance(value, tuple) else (value,))
                    )
