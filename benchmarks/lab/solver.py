"""Documents 002 and 004: colours against other solve orders, what they cost, and what the order does to a stack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

import box2dpy as b2
from box2dpy.scenes import get

from ..engines import prediction
from ..engines.runner import DT, SUBSTEPS
from . import moving, pictures
from .claim import CPU, WALL, Claim, Part, Plot, Run, Section, Table, least
from .core import ffi, lib

Options = Mapping[str, Any]
# By stage of the profile, ms: of the steps, of which each has the least time of its passes, the 20th percentile.
Times = dict[str, float]


def widest() -> str:
    return "avx2" if "avx2" in b2.cpu_features() else b2.cpu_features()[-1]


def alternate(
    run: Run, scene_name: str, cases: Mapping[str, Options], scale: float, steps: int, passes: int = 3
) -> dict[str, Times]:
    """Times of the stages with several options, each pass running all of them in turn."""
    scene = get(scene_name)
    best: dict[str, Any] = {}
    for turn in range(1 if run.quick else passes):
        for name, options in cases.items():
            run.begin(f"{scene_name}, {name} #{turn + 1}")
            rows = []
            with scene.world(**{"sleeping": False, **options}) as world:
                state = scene.build(world, scale)
                for number in range(steps):
                    scene.advance(world, state, number)
                    world.step(DT, SUBSTEPS)
                    rows.append([*world.profile, *copies()])
            now = np.array(rows)
            best[name] = np.minimum(best[name], now) if name in best else now
    fields = [*b2.Profile._fields, "plan", "copy_in", "copy_out"]
    return {
        name: dict(zip(fields, map(float, np.percentile(table[steps // 4 :], 20, axis=0)), strict=True))
        for name, table in best.items()
    }


def copies() -> tuple[float, float, float]:
    out = ffi.new("b2d_lab_order *")
    lib.b2d_lab_last_order(out)
    return out.plan_ms, out.copy_in_ms, out.copy_out_ms


def lanes() -> tuple[int, int]:
    """Contacts and lanes of the last step in an order of the lab."""
    out = ffi.new("b2d_lab_order *")
    lib.b2d_lab_last_order(out)
    return out.contacts, out.lanes


STEPS = {"large_pyramid": 40, "many_pyramids": 12, "tumbler": 150, "washer": 16}


def schedules(run: Run, section: Section) -> None:
    """Solve times of the schedules on four scenes, with one worker and two."""
    cases: dict[str, dict[str, Any]] = {}
    for workers in (1, 2):
        for name in b2.lab.NAMES["schedule"]:
            cases[f"{name}, {workers}"] = {"schedule": name, "workers": workers, "simd": widest()}
        for simd in ("scalar", "sse2"):
            if simd in b2.cpu_features():
                cases[f"colors {simd}, {workers}"] = {"schedule": "colors", "workers": workers, "simd": simd}
    found, rows = {}, []
    for scene in ("large_pyramid", "many_pyramids", "tumbler", "washer"):
        scale, steps = (0.15, 4) if run.quick else (1.0, STEPS[scene])
        found[scene] = alternate(run, scene, cases, scale, steps)
        for name, times in found[scene].items():
            label, used = name.rsplit(", ", 1)
            copied = label in ("serial", "islands", "slots")
            solve = times["solve"] - (times["copy_in"] if copied and used == "1" else 0.0)
            parts = [times[part] if copied else 0.0 for part in ("plan", "copy_in", "copy_out")]
            rows.append([scene, label, used, *(f"{value:.3f}" for value in (solve, *parts, times["step"]))])
    head = ["scene", "schedule", "workers", "solve ms", "plan", "copy in", "copy out", "step"]
    section.parts.append(
        Table(
            f"Schedules, milliseconds a step, {widest()} unless named; `serial` and `islands` go lane by lane; the "
            "copy in is taken out of `solve` with one worker",
            head,
            rows,
            2,
        )
    )
    section.records["schedules"] = found
    large, many = found["large_pyramid"], found["many_pyramids"]

    def faster(times: dict[str, Times], slow: str, fast: str, stage: str = "solve") -> float:
        return times[slow][stage] / times[fast][stage]

    section.claims += [
        Claim(
            "large pyramid: colours on two workers against serial, solve", faster(large, "serial, 1", "colors, 2"), 3
        ),
        Claim("the whole step", faster(large, "serial, 1", "colors, 2", "step"), 1.8),
        Claim("colours on one worker against serial, solve", faster(large, "serial, 1", "colors, 1"), 2),
        Claim("wide lanes on one worker against serial, solve", faster(large, "serial, 1", "colors, 1"), 2),
        Claim(
            "many pyramids, one worker: batches cost that many times tasks that stay in the cache, solve",
            faster(many, "batches, 1", "colors, 1"),
            1.0,
        ),
        Claim(
            "many pyramids, one worker: serial costs that many times slots, solve",
            faster(many, "serial, 1", "slots, 1"),
            1.5,
        ),
        Claim(
            "large pyramid: the copy into slots costs that many times the preparation in place",
            large["slots, 1"]["copy_in"] / large["colors, 1"]["prepare"],
            1.0,
        ),
    ]

    def draw(figure: Any) -> None:
        names = list(cases)
        for axes, scene in zip(figure.subplots(1, len(found)), found, strict=True):
            axes.barh(range(len(names)), [found[scene][name]["solve"] for name in names], color="#2f6f9f")
            axes.set_title(scene, fontsize=9)
            axes.set_yticks(range(len(names)), names if scene == next(iter(found)) else [], fontsize=7)
            axes.invert_yaxis()
            axes.set_xlabel("solve, ms", fontsize=8)

    section.parts.append(Plot("schedules", "Solve times of the schedules on four scenes", draw, (11.0, 4.5)))


def colors_of(world: b2.World) -> np.ndarray:
    contacts = world.arrays.contacts
    return np.asarray(contacts["color"][contacts["color"] >= 0])


def lane_use(run: Run, section: Section) -> None:
    rows, worst, hub = [], -99, {}
    for name, scale in (
        ("large_pyramid", 0.3 if run.quick else 1.0),
        ("many_pyramids", 0.1 if run.quick else 1.0),
        ("pyramids", 0.2 if run.quick else 1.0),
        ("tumbler", 0.3 if run.quick else 1.0),
        ("washer", 0.2 if run.quick else 1.0),
    ):
        run.begin(f"lane use, {name}")
        scene = get(name)
        used = {}
        for schedule in ("colors", "slots"):
            with scene.world(sleeping=False, schedule=schedule) as world:
                state = scene.build(world, scale)
                for number in range(10 if run.quick else 60):
                    scene.advance(world, state, number)
                    world.step(DT, SUBSTEPS)
                if schedule == "slots":
                    contacts, room = lanes()
                    used[schedule] = contacts / max(1, room)
                    continue
                color = colors_of(world)
                sizes = np.bincount(color[color < 32], minlength=1)
                used[schedule] = float(sizes.sum() / max(1, (np.ceil(sizes / 16) * 16).sum()))
                counters = world.counters
                hub[name] = counters.overflow_contacts
                degree = greatest_degree(world)
                if name.endswith(("pyramid", "pyramids")):
                    worst = max(worst, counters.colors - degree)
                rows.append([name, str(counters.touching), str(counters.colors), str(degree), str(hub[name])])
        rows[-1] += [f"{100 * used['colors']:.1f} %", f"{100 * used['slots']:.1f} %"]
    head = ["scene", "contacts", "colours", "greatest degree", "overflow", "lanes used by colours, at best", "by slots"]
    section.parts.append(Table("Colours, overflow and the use of 16 lanes", head, rows))
    section.claims += [
        Claim("colours beyond the greatest degree of a moving body, on pyramids", worst, 2, most=True, exact=True),
        Claim(
            "overflow contacts of the tumbler, whose container moves", hub["tumbler"], 0 if run.quick else 1, exact=True
        ),
        Claim("overflow contacts of the washer, whose container does not", hub["washer"], 0, most=True, exact=True),
    ]


def greatest_degree(world: b2.World) -> int:
    """Of the moving bodies in the graph of touching contacts."""
    contacts = world.arrays.contacts
    moving = np.array([body.index for body in world.bodies if body.type == b2.BodyType.DYNAMIC])
    ends = np.concatenate([contacts["body_a"], contacts["body_b"]])
    counts = np.bincount(ends, minlength=int(moving.max()) + 1)
    return int(counts[moving].max())


def store(run: Run, section: Section) -> None:
    stores: tuple[Any, Any] = ("handle", "lookup")
    cases = {name: {"strategies": b2.lab.Strategies(schedule="slots", store=name)} for name in stores}
    times = alternate(run, "large_pyramid", cases, 0.2 if run.quick else 1.0, 4 if run.quick else 30)
    handle, lookup = (times[name]["copy_out"] for name in ("handle", "lookup"))
    section.parts.append(
        f"Writing the impulses of the large pyramid back takes {1000 * handle:.0f} us when each constraint knows its "
        f"lane and {1000 * lookup:.0f} us when it looks its contact up by the two shapes. On the default path it takes "
        "nothing, because the impulses never leave their lanes."
    )
    section.claims.append(Claim("store by look-up costs that many times store by handle", lookup / handle, 2))


def pyramid_of(world: b2.World, base: int) -> None:
    world.create_static_body((0, -1)).create_shape(b2.Box(100 + base, 1))
    world.create_bodies(
        [(1.05 * i - 0.525 * j - 0.5 * base, 0.5 + 1.0 * j) for j in range(base) for i in range(j, base)],
        geometry=b2.Box(0.5, 0.5),
    )


def pyramid_of_rows(world: b2.World, base: int, numbers: str = "upwards") -> None:
    """The same, but its rows come together from the top down, so that the ids of contacts, which follow the time of
    their begin, ascend downwards. Tags follow the numbers of the shapes."""
    gravity = tuple(world.gravity)
    world.gravity = (0, 0)
    world.create_static_body((0, -1)).create_shape(b2.Box(100 + base, 1))
    places = [(1.05 * i - 0.525 * j - 0.5 * base, 0.5 + 1.0 * j) for j in range(base) for i in range(j, base)]
    if numbers == "downwards":
        places.reverse()
    elif numbers == "shuffled":
        np.random.default_rng(3).shuffle(places)
    boxes = list(world.create_bodies([(x, 200 * y) for x, y in places], geometry=b2.Box(0.5, 0.5)))
    for height in sorted({y for _, y in places}, reverse=True):
        for box, place in zip(boxes, places, strict=True):
            if place[1] == height:
                box.position = place
        world.step(DT, 1)
    world.gravity = gravity


def displaced(world: b2.World) -> float:
    """The share of contacts that have another place in the order of tags than in that of ids."""
    contacts = world.arrays.contacts
    ids = np.argsort(contacts["contact"])
    low = np.minimum(contacts["shape_a"], contacts["shape_b"])
    high = np.maximum(contacts["shape_a"], contacts["shape_b"])
    return float(np.mean(ids != np.lexsort((high, low))))


def impulses(world: b2.World) -> dict[int, float]:
    contacts = world.arrays.contacts
    return dict(zip(contacts["contact"].tolist(), contacts["normal_impulse"].sum(axis=1).tolist(), strict=True))


def order(run: Run, section: Section) -> None:
    """What the order of contacts does to a pyramid of 10: jitter of the impulses, drift, speed that is left."""
    rows, jitter, left, hashes, elsewhere = [], {}, {}, {}, 0.0
    cases = [(name, "upwards") for name in b2.lab.NAMES["order"]] + [("tag", "downwards"), ("tag", "shuffled")]
    for order_name, numbers in cases:
        name = order_name if numbers == "upwards" else f"{order_name}, {numbers}"
        run.begin(f"order {name}")
        strategies = b2.lab.Strategies(schedule="serial", order=cast(Any, order_name))
        with b2.World(sleeping=False, strategies=strategies) as world:
            pyramid_of_rows(world, 10, numbers)
            changes: list[float] = []
            speeds: list[float] = []
            before: dict[int, float] = {}
            steps = 60 if run.quick else 600
            for number in range(steps):
                world.step(DT, SUBSTEPS)
                now = impulses(world)
                if number > steps // 2:
                    shared = [now[key] - before[key] for key in now.keys() & before.keys()]
                    changes.append(float(np.sqrt(np.mean(np.square(shared)))))
                elif number >= 5:
                    speeds.append(float(np.abs(world.arrays.linear_velocity[1:, 1]).max()))
                before = now
            top = float(world.arrays.position[:, 1].max())
            jitter[name], left[name] = float(np.mean(changes)), float(np.mean(speeds))
            hashes[name], elsewhere = world.state_hash(), max(elsewhere, displaced(world))
            rows.append([name, f"{jitter[name]:.2e}", f"{left[name]:.2e}", f"{1000 * abs(10 * 1.0 - 0.5 - top):.2f}"])
    section.parts.append(
        Table(
            "A pyramid of 10 rows in serial orders: change of the impulses from step to step once it stands (RMS, kg "
            "m/s), greatest vertical speed while it settles (mean, m/s), sinking of its top (mm)",
            ["order", "jitter", "speed", "sinking"],
            rows,
        )
    )
    section.claims += [
        Claim(
            "order of tags, the worst of three numberings: speed that is left, in that of a random order",
            max(speed for name, speed in left.items() if name.startswith("tag")) / left["fixed"],
            1.0,
            exact=not run.quick,
        ),
        Claim(
            "share of contacts that have another place in the order of tags than in that of ids",
            elsewhere,
            0.5,
            exact=True,
        ),
        Claim("orders of tags and of ids that end in one state", hashes["tag"] == hashes["id"], 0, True, True),
    ]


def sunk(name: str, height: int, ratio: float, floor: float, substeps: int, columns: int) -> float:
    """How deep a box of a stack goes into a floor, m, at most."""
    most = 0.0
    with b2.World(sleeping=False, strategies=b2.lab.Strategies(schedule="serial", order=name)) as world:
        world.create_static_body((0, -floor)).create_shape(b2.Box(5, floor))
        lowest = []
        for column in range(columns):
            for k in range(height):
                box = world.create_dynamic_body((0.5 * column, 0.25 + 0.5 * k))
                box.create_shape(b2.Box(0.25, 0.25), density=ratio if k == height - 1 else 1.0)
                lowest += [box] if k == 0 else []
        for _ in range(200):
            world.step(DT, substeps)
            most = max(most, *(0.25 - box.position.y for box in lowest), 0.0)
    return most


def static_band(run: Run, section: Section) -> None:
    """The colours of the engine, whose last four are for contacts with one moving side, against colours without such
    a band; both solved colour by colour."""
    run.begin("the band of colours for static contacts")
    heights, ratios = ((2, 4), (1, 100)) if run.quick else ((2, 4, 8), (1, 10, 100, 1000))
    rows, worst = [], {}
    for substeps in (1, 4):
        for ratio in ratios:
            found = [(sunk("no_band", height, ratio, floor, substeps, columns),
                      sunk("color", height, ratio, floor, substeps, columns))
                     for height in heights for floor in (0.05, 1.0) for columns in (1, 3)]  # fmt: skip
            quotients = [band / without for without, band in found]
            if ratio > 1:
                worst[substeps] = max(worst.get(substeps, 0.0), *quotients)
            deepest = [1000 * max(pair[k] for pair in found) for k in (0, 1)]
            rows.append([str(substeps), str(ratio), *(f"{depth:.3g}" for depth in deepest), f"{min(quotients):.3g}",
                         f"{max(quotients):.3g}"])  # fmt: skip
    head = ["substeps", "top box heavier by", "without a band, mm", "with it, mm", "ratio, least", "most"]
    title = (
        f"Stacks of {', '.join(map(str, heights))} boxes, one and three side by side, on a thin and a thick floor: how "
        "deep the lowest box goes into it at most"
    )
    section.parts.append(Table(title, head, rows, left=0))
    section.parts.append(
        "With one substep, as the document's engine had it, the band keeps boxes out of the floor, and without it a "
        "top box that is heavier by 1000 goes through. With four substeps the order matters little, in both directions."
    )
    section.claims.append(Claim("one substep, a heavy top box: depth with the band of static colours in that "
                                "without, most of all stacks", worst[1], 1.0, most=True, exact=True))  # fmt: skip


def preparation(run: Run, section: Section) -> None:
    """Preparing contacts is a stage of the solver, which all workers share."""
    run.begin("preparing contacts on two workers")
    scene, best = get("large_pyramid"), {1: float("inf"), 2: float("inf")}
    collide = dict(best)
    worlds = {workers: scene.world(workers=workers, sleeping=False, simd=widest()) for workers in best}
    for world in worlds.values():
        scene.build(world, 0.15 if run.quick else 1.0)
    for _ in range(4 if run.quick else 120):  # in turns, because other programs disturb two workers more
        for workers, world in worlds.items():
            world.step(DT, SUBSTEPS)
            best[workers] = min(best[workers], world.profile.prepare)
            collide[workers] = min(collide[workers], world.profile.collide)
    for world in worlds.values():
        world.close()
    section.parts.append(
        f"Large pyramid: the narrow phase takes {1000 * collide[1]:.0f} us with one worker and "
        f"{1000 * collide[2]:.0f} us with two; preparing contacts and bodies, a stage of the solver, "
        f"{1000 * best[1]:.0f} us and {1000 * best[2]:.0f} us."
    )
    section.claims.append(Claim("large pyramid: preparation in the solver, in the narrow phase before it",
                                best[1] / collide[1], 0.5, most=True))  # fmt: skip


def shuffled_stack(run: Run, section: Section) -> None:
    """A stack of 10 boxes, in one shuffled order and in another in each step, by the number of substeps."""
    rows, ratios = [], {}
    for substeps in (1, 2, 4):
        jitter = {}
        for name in ("fixed", "per_step"):
            run.begin(f"a stack, order {name}, {substeps} substeps")
            with b2.World(sleeping=False, strategies=b2.lab.Strategies(schedule="serial", order=name)) as world:
                world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
                world.create_bodies([(0, 0.5 + k) for k in range(10)], geometry=b2.Box(0.5, 0.5))
                changes: list[float] = []
                before: dict[int, float] = {}
                for number in range(600):
                    world.step(DT, substeps)
                    now = impulses(world)
                    if number >= 300:  # the stack has come to rest, as far as it does
                        shared = [now[key] - before[key] for key in now.keys() & before.keys()]
                        changes.append(float(np.sqrt(np.mean(np.square(shared)))))
                    before = now
                jitter[name] = float(np.mean(changes))
        ratios[substeps] = jitter["per_step"] / max(jitter["fixed"], 1e-12)
        rows.append([str(substeps), *(f"{value:.2e}" for value in jitter.values()), f"{ratios[substeps]:.2f}"])
    head = ["substeps", "one order", "another in each step", "ratio"]
    title = "A stack of 10 boxes in shuffled orders: change of the impulses from step to step, after 5 s (RMS, kg m/s)"
    section.parts.append(Table(title, head, rows, left=0))
    section.parts.append(
        "With one substep the impulses keep the order's mark; with more the stack comes to rest at the rounding of "
        "32-bit floats, where no order differs from another."
    )
    sentence = "a stack of 10, one substep: jitter with another order in each step over that with one order"
    section.claims.append(Claim(sentence, ratios[1], 3, exact=True))


def warm_starting(run: Run, section: Section) -> None:
    rows, worst = [], np.inf
    for height in (10, 20) if run.quick else (10, 20, 40):
        drift = {}
        for warm in (True, False):
            run.begin(f"a stack of {height}, warm starting {warm}")
            with b2.World(warm_starting=warm, sleeping=False) as world:
                world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
                boxes = world.create_bodies([(0, 0.5 + k) for k in range(height)], geometry=b2.Box(0.5, 0.5))
                start = np.array(boxes.position)
                for _ in range(120):
                    world.step(DT, SUBSTEPS)
                drift[warm] = float(np.hypot(*(np.array(boxes.position) - start).T).max())
        ratio = drift[False] / drift[True]
        worst = min(worst, ratio)
        rows.append([str(height), *(f"{1000 * drift[warm]:.1f}" for warm in (True, False)), f"{ratio:.1f}"])
    section.parts.append(
        Table(
            "Stacks of boxes after 2 s at 4 substeps: farthest way of a box, mm",
            ["height", "warm starting", "without", "ratio"],
            rows,
        )
    )
    section.claims.append(Claim("drift without warm starting, least ratio", float(worst), 5, exact=True))


def narrow_phase(run: Run, section: Section) -> None:
    cases = {kind: {"narrowphase": kind, "contact_recycle": 0.0, "simd": widest()} for kind in ("batched", "per_pair")}
    rows = []
    ratio = {}
    for scene, steps in (("pyramids", 20), ("mixed_pile", 200)):
        times = alternate(run, scene, cases, 0.2 if run.quick else 1.0, 4 if run.quick else steps)
        ratio[scene] = times["per_pair"]["collide"] / times["batched"]["collide"]
        rows.append([scene, *(f"{times[kind]['collide']:.3f}" for kind in cases), f"{ratio[scene]:.2f}"])
    section.parts.append(Table("Narrow phase without recycling, ms", ["scene", *cases, "ratio"], rows))
    section.claims.append(Claim("pyramids: pair by pair against batches of a type, collide", ratio["pyramids"], 1.5))
    # Pairs that a separating axis ends at once against pairs that touch, in the same kernel
    count = 2000 if run.quick else 20_000
    spent = {}
    for name, distance in (("apart", 1.08), ("touching", 0.999)):
        run.begin(f"pairs of boxes {name}")
        with b2.World(gravity=(0, 0), sleeping=False, contact_recycle=0.0) as world:
            places = [(4.0 * (k // 2 % 200) + distance * (k % 2), 4.0 * (k // 400)) for k in range(2 * count)]
            world.create_bodies(places, geometry=b2.Box(0.5, 0.5))
            best = np.inf
            for _ in range(3 if run.quick else 12):
                world.step(DT, 1)
                best = min(best, world.profile.collide)
            spent[name] = best / max(1, world.counters.contacts_updated)
    section.parts.append(
        f"A pair of boxes takes {1e6 * spent['apart']:.0f} ns when it is apart and {1e6 * spent['touching']:.0f} ns "
        "when it touches; a first pass over all pairs can save no more than their difference."
    )
    section.claims.append(
        Claim("pairs that touch cost that many times pairs that are apart", spent["touching"] / spent["apart"], 1.5)
    )


def staged_sat(run: Run, section: Section) -> None:
    """Axes and manifold of pairs of boxes one by one, or the axes of all pairs first, by the share that touches."""
    rows, ratios, differing = [], {}, 0
    count = 4000 if run.quick else 200_000
    for share in (0.02, 0.1, 0.5, 1.0):
        run.begin(f"staged passes, {100 * share:g} % touching")
        draw = np.random.default_rng(run.seed)
        near = draw.random(count) < share
        angle, way = draw.uniform(0, 2 * np.pi, (2, count))
        distance = np.where(near, draw.uniform(0.7, 0.95, count), draw.uniform(1.5, 3.0, count))
        half = np.full((4, count), 0.5)
        columns = np.array([*half, distance * np.cos(way), distance * np.sin(way), np.cos(angle), np.sin(angle)],
                           dtype=np.float32)  # fmt: skip
        ms, digest, touching = ffi.new("double[2]"), ffi.new("double[2]"), ffi.new("int32_t[2]")
        passes = 3 if run.quick else 10
        if (
            lib.b2d_lab_staged_sat(ffi.from_buffer("float[]", columns), count, passes, ms, digest, touching)
            != lib.B2D_OK
        ):
            raise MemoryError
        differing += touching[0] != touching[1] or digest[0] != digest[1]
        ratios[share] = ms[0] / ms[1]
        rows.append([f"{100 * touching[0] / count:.0f} %", *(f"{1e6 * each / count:.1f}" for each in ms),
                     f"{ratios[share]:.2f}"])  # fmt: skip
    head = ["touching", "pair by pair, ns", "in stages, ns", "ratio"]
    section.parts.append(Table("A pair of boxes: separating axes and manifold", head, rows, left=0))
    section.claims += [
        Claim("shares of touching pairs for which stages give other points", differing, 0, True, True),
        Claim("few pairs touch: pair by pair over the axes of all pairs first", ratios[0.02], 1),
    ]


def two_workers(run: Run, section: Section) -> None:
    """Solve times with one worker and two, step by step in turns, the least of many steps: so a machine on which other
    programs run has both processors free for some of them."""
    rows = []
    ratios: dict[tuple[str, str], float] = {}
    cases = [("many_pyramids", "islands"), ("large_pyramid", "islands"), ("large_pyramid", "colors"),
             ("joint_grid", "colors")]  # fmt: skip
    for name, schedule in cases:
        run.begin(f"{name}, {schedule}, two workers in turns")
        scene, best = get(name), {1: float("inf"), 2: float("inf")}
        options: dict[str, Any] = {"schedule": schedule, "simd": widest(), "sleeping": False}
        worlds = {workers: scene.world(workers=workers, **options) for workers in best}
        states = {workers: scene.build(world, 0.15 if run.quick else 1.0) for workers, world in worlds.items()}
        for number in range(4 if run.quick else 80):
            for workers, world in worlds.items():
                scene.advance(world, states[workers], number)
                world.step(DT, SUBSTEPS)
                best[workers] = min(best[workers], world.profile.solve)
        for world in worlds.values():
            world.close()
        ratios[name, schedule] = best[1] / best[2]
        rows.append([name, schedule, f"{best[1]:.3f}", f"{best[2]:.3f}", f"{best[1] / best[2]:.2f}"])
    head = ["scene", "schedule", "one worker, ms", "two, ms", "ratio"]
    section.parts.append(Table("Solving with one worker and with two, in turns, least of all steps", head, rows, 2))
    section.claims += [
        Claim("many pyramids: islands on two workers against one, solve", ratios["many_pyramids", "islands"],
              1.6),
        Claim("one large island: islands on two workers against one, solve", ratios["large_pyramid", "islands"],
              1.15, most=True),
        Claim("colours on it", ratios["large_pyramid", "colors"], 1.5),
        Claim("joint grid: two workers against one, solve", ratios["joint_grid", "colors"], 1.5),
    ]  # fmt: skip


def asleep(run: Run, section: Section) -> None:
    run.begin("pyramids asleep")
    scene = get("pyramids")
    with scene.world(sleeping=True) as world:
        scene.build(world, 0.3 if run.quick else 1.0)
        awake = []
        for _ in range(600):
            start = CPU()
            world.step(DT, SUBSTEPS)
            if world.counters.awake_bodies == 0:
                break
            awake.append(1000 * (CPU() - start))
        resting = []
        for _ in range(20):
            start = CPU()
            world.step(DT, SUBSTEPS)
            resting.append(1000 * (CPU() - start))
        updated = world.counters.contacts_updated
        count = len(world.arrays.contacts)
    large = get("large_pyramid")
    with large.world() as world:
        large.build(world, 0.3 if run.quick else 1.0)
        for _ in range(3):
            world.step(DT, SUBSTEPS)
        read = []
        for _ in range(30):
            start = CPU()
            contacts = world.arrays.contacts
            read.append(1000 * (CPU() - start))
    section.parts.append(
        f"Pyramids with {count} contacts asleep: a step takes {1000 * min(resting):.1f} us, and "
        f"{float(np.median(awake)):.2f} ms while all are awake. Reading the {len(contacts)} contacts of the large "
        f"pyramid as an array takes {min(read):.2f} ms."
    )
    section.claims += [
        Claim("contacts that the narrow phase visits when all sleep", updated, 0, most=True, exact=True),
        Claim("a step asleep, in steps awake", min(resting) / float(np.median(awake)), 0.02, most=True),
        Claim("milliseconds to read the contacts of the large pyramid at once", min(read), 1.0, most=True),
    ]


def degrees(run: Run, section: Section) -> None:
    """How long the contacts of a body take to list, by their number, and one contact of two shapes to find."""
    run.begin("contacts of a body")
    rows, times = [], {}
    for count in (10, 100) if run.quick else (10, 100, 1000, 10_000):
        with b2.World() as world:
            ground = world.create_static_body().create_shape(b2.Box(2 * count, 1))
            x = 1.1 * np.arange(count) - 0.55 * count
            balls = world.create_bodies(np.stack([x, 0 * x + 1.5], axis=1), geometry=b2.Circle(0.5))
            world.step(DT, SUBSTEPS)
            last = balls[count - 1].shapes[0]
            handles = ffi.new("b2d_handle[]", count)
            found = ffi.new("int32_t *")

            def listed(world: b2.World = world, shape: b2.Shape = ground, out: Any = handles, n: Any = found) -> None:
                lib.b2d_shape_contacts(world._ptr, shape._index, shape._generation, out, len(out), n)

            def between(world: b2.World = world, a: b2.Shape = ground, b: b2.Shape = last) -> None:
                world.contact_between(a, b)

            seconds = least(20, [lambda f=f: [f() for _ in range(20)] for f in (listed, between)])  # type: ignore[misc]
            times[count] = [1e6 * each / 20 for each in seconds]
            if found[0] != count:
                raise RuntimeError(f"{found[0]} contacts, not {count}")
        rows.append([str(count), *(f"{each:.2f}" for each in times[count])])
    head = ["contacts of a shape", "listing them, us", "contact_between, us"]
    section.parts.append(Table("Finding contacts", head, rows, left=0))
    few, many = min(times), max(times)
    section.claims += [
        Claim(f"time to list {many} contacts over that of {few}, over the ratio of their numbers",
              times[many][0] / times[few][0] / (many / few), 2, most=True),
        Claim(f"contact_between: time with {many} contacts over that with {few}",
              times[many][1] / times[few][1], 2, most=True),
    ]  # fmt: skip


def removals(run: Run, section: Section) -> None:
    """Contacts that end when a shape goes, in small and large lists of the body that all of them touch."""
    rows, each_us = [], {}
    for count in (200, 400) if run.quick else (1000, 16_000):
        run.begin(f"removing {count} contacts of one body")
        best = float("inf")
        for _ in range(1 if run.quick else 3):
            with b2.World() as world:
                world.create_static_body().create_shape(b2.Box(2 * count, 1))
                x = 1.1 * np.arange(count) - 0.55 * count
                balls = list(world.create_bodies(np.stack([x, 0 * x + 1.5], axis=1), geometry=b2.Circle(0.5)))
                world.step(DT, SUBSTEPS)
                went = balls[: count // 2]  # half of them, so that the others stay in the lists
                start = CPU()
                for ball in went:
                    ball.destroy()
                best = min(best, 1e6 * (CPU() - start) / len(went))
        each_us[count] = best
        rows.append([str(count), f"{best:.2f}"])
    section.parts.append(
        Table("Destroying a ball with its contact", ["contacts of the ground", "us each"], rows, left=0)
    )
    few, many = min(each_us), max(each_us)
    section.claims.append(Claim(f"removing a contact of {many} over one of {few}, time", each_us[many] /
                                each_us[few], 2, most=True))  # fmt: skip


def snapshots(run: Run, section: Section) -> None:
    run.begin("snapshots")
    scene = get("pyramids")
    with scene.world() as world:
        scene.build(world, 0.1 if run.quick else 1.0)
        for _ in range(10):
            world.step(DT, SUBSTEPS)
        data = world.snapshot(compress=False)
        state = world.save()
        taken, given, saved, put = least(
            10,
            [
                lambda: world.snapshot(compress=False),
                lambda: world.restore(data),
                world.save,
                lambda: world.restore(state),
            ],
        )
        count, hash_before = len(world.bodies), world.state_hash()
        world.restore(data)
        differs = world.state_hash() != hash_before
    section.parts.append(
        f"{count} bodies in pyramids: a snapshot of {len(data) / 1e6:.1f} MB is taken in {1e3 * taken:.1f} ms and read "
        f"in {1e3 * given:.1f} ms; `World.save` takes {1e3 * saved:.1f} ms, and restoring that state "
        f"{1e3 * put:.1f} ms."
    )
    section.claims += [
        Claim(f"milliseconds to save {count} bodies in memory", 1e3 * saved, 5, most=True),
        Claim(f"milliseconds to write {count} bodies as portable bytes", 1e3 * taken, 5, most=True),
        Claim("worlds that are restored with another hash", differs, 0, most=True, exact=True),
    ]


def largest_pyramid(run: Run, section: Section) -> None:
    """The bodies of the largest pyramid that is stepped 60 times a second."""
    rows = []
    for workers in (1, 2):
        low, high = 10, 20 if run.quick else 500
        while high - low > 5:
            base = (low + high) // 2
            run.begin(f"pyramid of base {base}, {workers} workers")
            with b2.World(workers=workers, sleeping=False) as world:
                pyramid_of(world, base)
                times = []
                for _ in range(12):
                    start = WALL()
                    world.step(DT, SUBSTEPS)
                    times.append(1000 * (WALL() - start))
            if float(np.percentile(times[4:], 25)) <= 1000 * DT:
                low = base
            else:
                high = base
        rows.append([str(workers), str(low), str(low * (low + 1) // 2)])
    section.parts.append(Table("The largest pyramid in 16.7 ms a step", ["workers", "base", "bodies"], rows, left=0))
    section.claims += [Claim("bodies of the largest pyramid at 60 steps a second, one worker",
                             float(rows[0][2]), 50 if run.quick else 2000)]  # fmt: skip


def serial_share(run: Run, section: Section) -> None:
    run.begin("serial share")
    scene = get("many_pyramids")
    with scene.world(workers=1) as world:
        state = scene.build(world, 0.1 if run.quick else 1.0)
        shares = []
        for number in range(10 if run.quick else 60):
            scene.advance(world, state, number)
            world.step(DT, SUBSTEPS)
            profile = world.profile
            serial = profile.create_contacts + profile.contact_transitions + profile.split + profile.sleep
            shares.append(serial / profile.step)
    measure = float(np.median(shares))
    section.claims.append(Claim("many pyramids: share of serial stages in a step", measure, 0.1, most=True))
    rows = []
    for name, steps in (("tumbler2000", 120), ("smash", 150)):
        for workers in (1, 2):
            run.begin(f"serial share, {name}, {workers} workers")
            with get(name).world(workers=workers) as world:
                state = get(name).build(world, 0.1 if run.quick else 1.0)
                shares, ended = [], 0
                for number in range(8 if run.quick else steps):
                    get(name).advance(world, state, number)
                    world.step(DT, SUBSTEPS)
                    profile, counters = world.profile, world.counters
                    parts = profile.create_contacts, profile.contact_transitions, profile.split + profile.sleep
                    shares.append([each / profile.step for each in parts])
                    ended += counters.contacts_ended
            medians = np.median(np.array(shares[len(shares) // 4 :]), axis=0)
            rows.append([name, str(workers), *(f"{100 * each:.1f} %" for each in (*medians, medians.sum())),
                         f"{ended / len(shares):.0f}"])  # fmt: skip
            if workers == 2:
                section.claims.append(Claim(f"{name}, which moves, two workers: share of serial stages in a step",
                                            float(medians.sum()), 0.25, most=True))  # fmt: skip
    head = ["scene", "workers", "creating contacts", "begins and ends", "sleep", "together", "pairs that part, a step"]
    section.parts.append(Table("Serial stages of a step in which all moves, medians", head, rows, left=1))


def many_cores(run: Run, section: Section) -> None:
    """A model: the step of many workers, predicted from a trace of one (`benchmarks scaling --predict`).

    At rest all steps have the same stages, so each part has the least time of all steps.
    """
    scene = get("many_pyramids")
    rows, gains = [], {}
    for cut in (8, 64):
        steps: list[prediction.Step] = []
        for turn in range(1 if run.quick else 5):
            run.begin(f"the model of many cores, cut for {cut} #{turn + 1}")
            steps += prediction.trace(scene, cut, 4 if run.quick else 8, 0.1 if run.quick else 1.0)
        kinds = Counter(tuple(stage[:2] for stage in step.shared) for step in steps)
        usual = kinds.most_common(1)[0][0]
        plan = prediction.least([[step] for step in steps if tuple(stage[:2] for stage in step.shared) == usual])
        found = {workers: prediction.predict(plan, workers) for workers in prediction.WORKERS}
        for workers in (16, 64):
            gains[cut, workers] = found[1].total / found[workers].total
            rows.append([str(cut), str(workers), f"{gains[cut, workers]:.1f}", found[workers].bounds()])
    head = ["stages cut for", "workers", "gain", "where the time goes, %"]
    section.parts.append(Table("many pyramids, predicted from one worker", head, rows, left=0))
    section.claims += [
        Claim("model, many pyramids: gain by 16 workers", gains[8, 16], 6),
        Claim("model, many pyramids: gain by 64 workers over that by 16", max(gains[8, 64], gains[64, 64]) /
              gains[8, 16], 1.2),
    ]  # fmt: skip


PARTS: Sequence[Part] = (
    pictures.colors_and_slots, moving.colors_film, moving.slots_film, schedules, lane_use, store, order, static_band,
    preparation, shuffled_stack, warm_starting, narrow_phase, staged_sat, two_workers, asleep, degrees, removals,
    snapshots, largest_pyramid, serial_share, many_cores,
)  # fmt: skip
