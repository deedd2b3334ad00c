"""How stiff joints are, and what forces do over time."""

from __future__ import annotations

import itertools
import math
from typing import Any

import box2dpy as b2

from ..engines.peer import world_point
from .common import DT, SHORT_STEPS, SUBSTEPS, Figure, Make, box, run, speed


def spring(make: Make, steps: int) -> float:
    world = make(gravity=(0, 0), sleeping=False)
    bob = world.create_dynamic_body((3, 0))
    bob.create_shape(b2.Circle(0.5))
    post = world.create_static_body()
    world.create_distance_joint(
        post, bob, local_anchor_a=(0, 0), local_anchor_b=(0, 0), length=2.0, enable_spring=True, hertz=1.0
    )
    run(world, max(0, steps - 60))
    amplitude = 0.0
    for _ in range(60):  # a period
        world.step(DT, SUBSTEPS)
        amplitude = max(amplitude, abs(float(bob.position[0]) - 2))
    return 100 * amplitude


def chain(make: Make, steps: int) -> float:
    world = make(sleeping=False)
    last = world.create_static_body((0, 0))
    links = 30
    for k in range(links):
        link = world.create_dynamic_body((0, -0.5 - k))
        link.create_shape(b2.Box(0.1, 0.45), density=10.0)
        world.create_revolute_joint(last, link, anchor=(0, -k))
        last = link
    load = box(world, 0, -links - 0.5, density=100)
    world.create_revolute_joint(last, load, anchor=(0, -links))
    run(world, steps)
    return 1000 * abs(float(load.position[1]) + links + 0.5)


def cantilever(make: Make, steps: int) -> float:
    world = make(sleeping=False)
    last = world.create_static_body((-0.5, 0))
    beams = 16
    for k in range(beams):
        beam = world.create_dynamic_body((0.5 + k, 0))
        beam.create_shape(b2.Box(0.5, 0.1))
        world.create_weld_joint(last, beam, anchor=(k, 0))
        last = beam
    run(world, steps)
    return 100 * max(0.0, -float(last.position[1]))


BRIDGES = (2, 3, 4, 5, 6, 8, 10, 12, 13, 14, 15, 16, 17, 20, 30, 40)


def bridge(make: Make, planks: int, steps: int) -> tuple[float, float, float]:
    """The sag for each plank, and the greatest force at a pin in step 0 and at the end."""
    world = make(sleeping=False)
    last, bodies, joints = world.create_static_body((-1, 0)), [], []
    for k in range(planks):
        plank = world.create_dynamic_body((0.5 + k, 0))
        plank.create_shape(b2.Box(0.5, 0.08), density=40.0)
        joints.append(world.create_revolute_joint(last, plank, anchor=(k, 0)))
        bodies.append(plank)
        last = plank
    joints.append(world.create_revolute_joint(last, world.create_static_body((planks + 1, 0)), anchor=(planks, 0)))
    forces = []
    for step in range(steps):
        world.step(DT, SUBSTEPS)
        if step in (0, steps - 1):
            forces.append(max(math.hypot(*joint.constraint_force) for joint in joints))
    sag = max(side * 0.5 * math.sin(-body.angle) - body.position[1] for body in bodies for side in (-1, 1))
    world.close()
    return float(sag) / planks, float(forces[0]), float(forces[-1])


def bridge_sag(make: Make, steps: int) -> float:
    return 1000 * max(bridge(make, planks, steps)[0] for planks in BRIDGES)


def bridge_cliff(make: Make, steps: int) -> float:
    sags = [bridge(make, planks, steps)[0] for planks in BRIDGES]
    return 100 * max(abs(b - a) / max(a, b) for a, b in itertools.pairwise(sags))


def bridge_start(make: Make, steps: int) -> float:
    rows = [bridge(make, planks, steps) for planks in BRIDGES]
    return max(first / rest for _, first, rest in rows)


def welded_ball(make: Make, steps: int) -> float:
    worst = 0.0
    for links in range(1, 6):
        for ratio in (1, 3, 10, 33, 100):
            world = make(sleeping=False)
            last = world.create_static_body((0, 0))
            for k in range(links):
                ball = world.create_dynamic_body((1 + k, 0))
                ball.create_shape(b2.Circle(0.1), density=float(ratio if k == links - 1 else 1))
                world.create_weld_joint(last, ball, anchor=(0.5 + k, 0))
                last = ball
            run(world, steps)
            worst = max(worst, math.hypot(last.position[0] - links, last.position[1]))
            world.close()
    return 100 * float(worst)


def motor_limit(make: Make, steps: int) -> float:
    worst = 0.0
    for torque in (100.0, 1e3, 1e4, 1e5, 1e9):
        for turn in (0.2, 2.0, 20.0):
            world = make(gravity=(0, 0), sleeping=False)
            body = world.create_dynamic_body((1, 0))
            body.create_shape(b2.Box(1, 0.1))
            world.create_revolute_joint(
                world.create_static_body((0, 0)), body, anchor=(0, 0), enable_limit=True, lower_angle=-0.5,
                upper_angle=0.5, enable_motor=True, motor_speed=turn, max_motor_torque=torque,
            )  # fmt: skip
            run(world, steps)
            worst = max(worst, float(body.angle) - 0.5)
            world.close()
    return worst


def swinging(make: Make, steps: int, short: float) -> float:
    """The greatest speed of a chain of ten links, m/s, where every tenth step is short."""
    world = make(sleeping=False)
    last, links = world.create_static_body((0, 0)), []
    for k in range(10):
        link = world.create_dynamic_body((0.5 + k, 0))
        link.create_shape(b2.Box(0.5, 0.1))
        world.create_revolute_joint(last, link, anchor=(k, 0))
        links.append(link)
        last = link
    fastest = 0.0
    for step in range(steps):
        world.step(short if step % 10 == 9 else DT, SUBSTEPS)
        fastest = max(fastest, *(speed(link) for link in links))
    world.close()
    return fastest


def variable_chain(make: Make, steps: int) -> float:
    return 100 * max(swinging(make, steps, short) for short in SHORT_STEPS) / swinging(make, steps, DT)


def raft(make: Make, steps: int) -> float:
    """The most that rafts without drag heave at the end, over how they began, %."""
    worst, sea = 0.0, b2.Polygon([(-50, -20), (50, -20), (50, 0), (-50, 0)])
    for half, density in itertools.product((0.05, 0.2, 1.0), (200.0, 500.0, 800.0)):
        world = make(sleeping=False)
        body = world.create_dynamic_body((0, half * (1.2 - density / 500)))
        body.create_shape(b2.Box(half * 3, half), density=density)
        rest, heave, first = half * (1 - density / 500), 0.0, 0.0
        for step in range(steps):
            world.apply_buoyancy(sea, density=1000, drag=0.0)
            world.step(DT, SUBSTEPS)
            away = abs(float(body.position[1]) - rest)
            first = max(first, away) if step < 120 else first
            heave = max(heave, away) if step >= steps - 120 else heave
        worst = max(worst, heave / first)
        world.close()
    return 100 * worst


def joint_force(make: Make, steps: int) -> float:
    """The worst error of the impulse of two pins that hold a plank on which a box falls, 1 to 16 substeps, %."""
    worst = 0.0
    for ratio, substeps in itertools.product((0.5, 3, 30), (1, 2, 4, 8, 16)):
        world = make(gravity=(0, -10), sleeping=False)
        ground, plank = world.create_static_body((0, 0)), world.create_dynamic_body((0, 0))
        plank.create_shape(b2.Box(1, 0.1))
        pins = [world.create_revolute_joint(ground, plank, anchor=(x, 0)) for x in (-1, 1)]
        body = box(world, 0, 1.35, 0.25, density=1.6 * ratio)
        impulse = 0.0
        for _ in range(steps):
            world.step(DT, substeps)
            impulse += DT * sum(float(pin.constraint_force[1]) for pin in pins)
        momentum = sum(
            m * (float(b.linear_velocity[1]) + 10 * steps * DT) for m, b in ((0.4, plank), (0.4 * ratio, body))
        )
        worst = max(worst, abs(abs(impulse) / momentum - 1))
        world.close()
    return 100 * worst


def slow_stream(make: Make, steps: int) -> float:
    """The least part of its way, without waves, that a stream carries a raft that may sleep, %."""
    least = math.inf
    for flow, drag, height in itertools.product((0.005, 0.01, 0.02, 0.03, 0.05), (0.5, 2.0, 10.0), (0.0, -0.04)):
        world = make()
        raft = world.create_dynamic_body((0, height))
        raft.create_shape(b2.Box(0.5, 0.2), density=600.0)
        for _ in range(steps):
            world.apply_buoyancy(b2.Box(50, 10), (0, -10), density=1000, drag=drag, flow=(flow, 0))
            world.step(DT, SUBSTEPS)
        time = steps * DT
        least = min(least, float(raft.position[0]) / (flow * (time - (1 - math.exp(-drag * time)) / drag)))
        world.close()
    return 100 * max(0.0, least)


def rope_bridge(make: Make, planks: int, rope: float, load: float, steps: int) -> float:
    """The most that a rope between planks of 1 m and 1 kg is too long, m, after 2 s under a box that falls 0.3 m."""
    world, pitch, longest = make(gravity=(0, -10), sleeping=False), 1 + rope, 1.01 * rope
    ends = last = world.create_static_body((0, 0))
    anchor, ropes = (0.0, 0.0), []
    for k in range(planks + 1):
        if k < planks:
            body, place = world.create_dynamic_body((rope + 0.5 + k * pitch, 0)), (-0.5, 0.0)
            body.create_shape(b2.Box(0.5, 0.1), density=5.0, filter=b2.Filter(group=-1))
        else:
            body, place = ends, (planks * pitch + rope, 0.0)
        ropes.append((last, anchor, body, place))
        world.create_rope_joint(last, body, max_length=longest, local_anchor_a=anchor, local_anchor_b=place)
        last, anchor = body, (0.5, 0.0)
    box(world, planks * pitch / 2, 0.8, 0.4, density=load / 0.64)
    widest = 0.0
    for step in range(steps):
        world.step(DT, SUBSTEPS)
        if step >= 120 and step % 6 == 0:
            widest = max(widest, *(math.dist(world_point(a, p), world_point(b, q)) for a, p, b, q in ropes))
    world.close()
    return max(0.0, widest - longest)


def rope_bridges(make: Make, steps: int) -> float:
    cases = itertools.product((2, 3, 5, 9, 14, 20, 28, 40), (0.05, 0.1, 0.35), (10.0, 20.0, 40.0, 100.0))
    return 1000 * max(rope_bridge(make, *case, steps) for case in cases)


FAR = {"enable_limit": True, "lower_angle": -99999.0, "upper_angle": 99999.0}  # rad: never reached
STRENGTHLESS = {"enable_motor": True, "motor_speed": 0.0, "max_motor_torque": 0.0}


def small_trees(make: Make, steps: int) -> tuple[float, float]:
    """The most that arms of 1 m in a row gain and lose, fixed or on a cart, of the energy of their fall from level."""
    world, trees = make(gravity=(0, -10), sleeping=False), []
    shape, alone = b2.Capsule((-0.4, 0), (0.4, 0), 0.1), b2.Filter(mask=0)
    unit = shape.mass_data(1.0)

    def energy(bodies: list[tuple[Any, float, float]]) -> float:
        return sum(m * (speed(b) ** 2 / 2 + 10 * b.position[1]) + i * b.angular_velocity**2 / 2 for b, m, i in bodies)

    tips = itertools.product((0, 1, 2), (0.1, 0.3, 1.0, 3.0, 10.0))
    for (before, tip), kind in itertools.product(tips, ("hinges", "limits", "motor", "weld", "cart")):
        at = 10.0 * len(trees)
        last, bodies, masses = world.create_static_body((at, 0)), [], [1.0] * before + [tip]
        if kind == "cart":
            cart = world.create_dynamic_body((at, 0))
            cart.create_shape(b2.Circle(0.2), density=1 / (math.pi * 0.04), filter=alone)
            world.create_prismatic_joint(last, cart, anchor=(at, 0), axis=(1, 0))
            bodies.append((cart, 1.0, 0.02))
            last = cart
        for k, mass in enumerate(masses):
            arm = world.create_dynamic_body((at + k + 0.5, 0))
            arm.create_shape(shape, density=mass / unit.mass, filter=alone)
            if kind == "weld" and k == before > 0:
                world.create_weld_joint(last, arm, anchor=(at + k, 0))
            else:
                options = {"limits": FAR, "motor": STRENGTHLESS}.get(kind, {})
                world.create_revolute_joint(last, arm, anchor=(at + k, 0), **options)
            bodies.append((arm, mass, unit.inertia * mass / unit.mass))
            last = arm
        trees.append((bodies, 10 * sum(mass * (k + 0.5) for k, mass in enumerate(masses))))
    least, most = 0.0, 0.0
    for step in range(steps):
        world.step(DT, SUBSTEPS)
        if step % 30 == 29:
            found = [energy(bodies) / fall for bodies, fall in trees]
            least, most = min(least, *found), max(most, *found)
    world.close()
    return float(most), float(-least)


def tree_gain(make: Make, steps: int) -> float:
    return 100 * small_trees(make, steps)[0]


def tree_energy(make: Make, steps: int) -> float:
    return 100 * max(small_trees(make, steps))


FIGURES = (
    Figure("spring", "%", True, 60, "of the amplitude that an undamped spring of 1 Hz has after 60 s", spring),
    Figure("chain stretch", "mm", False, 10, "of 30 links of 1 m under 50 times the mass of a link", chain),
    Figure("cantilever sag", "cm", False, 10, "at the end of 16 welded beams of 1 m", cantilever),
    Figure("bridge sag", "mm", False, 10, "for each plank of 1 m of straight bridges of 2 to 40", bridge_sag),
    Figure("bridge cliff", "%", False, 10, "most that this changes from one of 16 sizes to the next", bridge_cliff),
    Figure("bridge start", "", False, 10, "most that the force in step 0 is times that at rest", bridge_start),
    Figure("welded ball", "cm", False, 10, "sag of a ball of 0.1 m on 1 to 5 welds, 1 to 100 masses", welded_ball),
    Figure("motor at limit", "rad", False, 4, "that motors of 100 to 1e9 N m push through a limit", motor_limit),
    Figure("variable dt chain", "%", False, 10, "of its usual speed, with every tenth step short", variable_chain),
    Figure("raft", "%", False, 30, "heave of rafts of 10 cm to 2 m without drag, over the first", raft),
    Figure("joint force", "%", False, 1.5, "worst error of the impulse of an impact, 1 to 16 substeps", joint_force),
    Figure("slow stream", "%", True, 20, "of its way that streams of 5 to 50 mm/s carry a raft, worst", slow_stream),
    Figure("rope bridges", "mm", False, 3, "widest rope of 2 to 40 planks under a box of 10 to 100", rope_bridges),
    Figure("tree gain", "%", False, 20, "most that arms and carts of 1 to 4 bodies gain, of their fall", tree_gain),
    Figure("tree energy", "%", False, 20, "worst change of the same, most of it a loss", tree_energy),
)
