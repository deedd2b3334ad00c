"""Document 000 (Catto, "Simulation Islands", 2023): how islands are found, split, scanned and put to sleep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

import box2dpy as b2
from box2dpy.scenes import get

from ..engines.runner import DT, SUBSTEPS
from . import moving, pictures
from .claim import CPU, Claim, Part, Plot, Run, Section, Table
from .core import ffi, lib

WAYS = ("persistent", "dfs", "union_find", "parallel_union_find", "incremental")
FINDERS = ("dfs", "union_find", "parallel_union_find")
MARKS = ("clear", "stamp", "bitset", "clear, in the objects", "stamp, in the objects")


def milliseconds(world: b2.World, steps: int, between: Any = None) -> list[tuple[float, float]]:
    """Milliseconds of contact transitions and of splits, of each step."""
    found = []
    for number in range(steps):
        if between is not None:
            between(number)
        world.step(DT, SUBSTEPS)
        start = CPU()
        world.split_islands()
        found.append((world.profile.contact_transitions, 1000 * (CPU() - start)))
    return found


def table_of_the_document(run: Run, section: Section) -> None:
    """Average, most and step 0 of managing the islands, of each strategy in turn, sleeping off."""
    sizes = {"pyramids": (0.2, 10) if run.quick else (1.0, 100), "tumbler2000": (0.2, 10) if run.quick else (1.0, 200)}
    rows, average = [], {}
    for name, (scale, steps) in sizes.items():
        scene = get(name)
        times: dict[str, list[tuple[float, float]]] = {}
        for _ in range(1 if run.quick else 2):  # passes
            for strategy in WAYS:
                run.begin(f"{name}, {strategy}")
                with scene.world(sleeping=False, islands=strategy) as world:
                    state = scene.build(world, scale)
                    now = milliseconds(world, steps, lambda k, c=scene, w=world, s=state: c.advance(w, s, k))
                before = times.get(strategy, now)
                times[strategy] = [(min(a, c), min(b, d)) for (a, b), (c, d) in zip(before, now, strict=True)]
        for strategy, found in times.items():
            transitions = [transition for transition, _ in found]
            splits = [split for _, split in found]
            average[name, strategy] = sum(transitions[1:]) / len(transitions[1:])
            rows.append(
                [
                    name,
                    strategy,
                    *(
                        f"{value:.3f}"
                        for value in (
                            average[name, strategy],
                            max(transitions[1:]),
                            transitions[0],
                            sum(splits) / len(splits),
                            max(splits),
                        )
                    ),
                ]
            )
    head = ["scene", "islands", "average ms", "most", "step 0", "splitting all, average", "most"]
    section.parts.append(
        Table("Managing the islands, with events and colours, in each step; one worker, sleeping off", head, rows, 2)
    )
    section.parts.append(
        "The document has 0.69 ms (most 0.98) for depth-first search and 0.01 (0.45) for persistent islands on the "
        "pyramids, 0.43 (0.87) and 0.08 (0.43) on the tumbler. Our column also holds the events and colours of "
        "contacts that begin and end, so the ratios are lower bounds."
    )
    for name, threshold in (("pyramids", 10), ("tumbler2000", 3)):
        measure = average[name, "dfs"] / max(average[name, "persistent"], 1e-6)
        section.claims.append(Claim(f"{name}: dfs costs that many times persistent", measure, threshold))
    section.records["table"] = [dict(zip(head, row, strict=True)) for row in rows]


def resting_pyramids(bodies: int) -> b2.World:
    """Pyramids of 55 boxes on a ground, after a few steps: about `bodies` bodies, all awake."""
    scene = get("pyramids")
    world = scene.world(sleeping=False)
    scene.build(world, (bodies / 10_010) ** 0.5)  # a scale shrinks rows and columns
    for _ in range(3):
        world.step(DT, SUBSTEPS)
    return world


def partition(world: b2.World, kind: int, passes: int = 5) -> Any:
    out = ffi.new("b2d_lab_partition_result *")
    if lib.b2d_lab_partition(world._ptr, kind, passes, out) != 0:
        raise MemoryError
    return out


def marked(world: b2.World, marks: int, every: bool, passes: int = 9) -> float:
    out = ffi.new("b2d_lab_partition_result *")
    if lib.b2d_lab_marks(world._ptr, marks, every, 0, passes, out) != 0:
        raise MemoryError
    return float(out.find_ns)


def finders(run: Run, section: Section) -> None:
    """The functions alone: cost by size, against each other, equal results."""
    sizes = [500, 1000, 2000] if run.quick else [1000, 2000, 4000, 8000, 16_000, 32_000]
    kinds = {
        "search": lib.B2D_LAB_SEARCH,
        "dfs": lib.B2D_LAB_DFS,
        "union_find": lib.B2D_LAB_UNION_FIND,
        "parallel_union_find": lib.B2D_LAB_PARALLEL_UNION_FIND,
    }
    rows, different = [], 0
    times: dict[str, list[float]] = {name: [] for name in kinds}
    bodies, gathered = [], []
    for size in sizes:
        run.begin(f"finders, {size} bodies")
        with resting_pyramids(size) as world:
            found = {name: partition(world, kind, 15) for name, kind in kinds.items()}
            different += len({each.digest for each in found.values()}) - 1
            bodies.append(found["dfs"].bodies)
            for name, each in found.items():
                times[name].append(each.find_ns / 1000)
            gather = min(each.gather_ns for each in found.values()) / 1000
            gathered.append(gather)
            rows.append(
                [
                    str(bodies[-1]),
                    str(found["dfs"].links),
                    f"{gather:.0f}",
                    *(f"{times[name][-1]:.0f}" for name in kinds),
                ]
            )
    section.parts.append(
        Table(
            "Labelling the parts of pyramids at rest, microseconds, one worker; `search` is the split of persistent "
            "islands, which sorts links by body first",
            ["bodies", "links", "gathering", *kinds],
            rows,
        )
    )
    fit = np.polyfit(bodies, times["dfs"], 1)
    rest = np.array(times["dfs"]) - np.polyval(fit, bodies)
    r2 = 1 - float(np.sum(rest**2)) / float(np.sum((times["dfs"] - np.mean(times["dfs"])) ** 2))
    # Depth-first search finds the links in the bodies, union-find needs them as a list: the median of the larger sizes.
    larger = [(a + b) / c for a, b, c in zip(gathered, times["union_find"], times["dfs"], strict=True)][
        len(sizes) // 2 :
    ]
    whole = float(np.median(larger))
    section.claims += [
        Claim("cost is linear in the bodies, 1k to 32k: 1 - R squared of the fit", 1 - r2, 0.02, most=True),
        Claim("finders that disagree with dfs in any world", different, 0, most=True, exact=True),
        Claim("union-find with the links that it has to gather costs at least half of dfs", whole, 0.5),
        Claim("and at most 1.5 of it", whole, 1.5, most=True),
    ]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for name, values in times.items():
            axes.plot(bodies, values, "o-", label=name)
        axes.set(xlabel="awake bodies", ylabel="microseconds", title="Labelling the islands of pyramids at rest")
        axes.legend(frameon=False)

    section.parts.append(Plot("finders", "Time of the partition functions by the number of bodies", draw))
    section.records["finders"] = {"bodies": bodies, "microseconds": times}

    run.begin("a chain of 100,000 bodies")
    count = 2000 if run.quick else 100_000
    with b2.World(gravity=(0, 0), sleeping=False) as world:
        world.create_bodies([(1.0 * k, 0) for k in range(count)], geometry=b2.Box(0.5, 0.5))
        world.step(DT, 1)
        parts = {name: partition(world, kind, 1).parts for name, kind in kinds.items()}
    section.claims.append(
        Claim(
            f"parts that any finder makes of a chain of {count} bodies", max(parts.values()), 1, most=True, exact=True
        )
    )


def parallel(run: Run, section: Section) -> None:
    run.begin("parallel union-find")
    rows = []
    wrong = 0
    with resting_pyramids(1000 if run.quick else 20_000) as world:
        wanted = partition(world, lib.B2D_LAB_DFS)
        labelling = {1: float("inf"), 2: float("inf")}
        for _ in range(2 if run.quick else 60):  # in turns, because other programs disturb two workers more
            for workers in labelling:
                world.workers = workers
                found = partition(world, lib.B2D_LAB_PARALLEL_UNION_FIND, 5)
                labelling[workers] = min(labelling[workers], found.find_ns)
                wrong += found.digest != wanted.digest
        for workers in labelling:
            world.workers = workers
            append, ordered = ffi.new("double *"), ffi.new("double *")
            displaced = ffi.new("int32_t *")
            if lib.b2d_lab_link_order(world._ptr, 5, append, ordered, displaced) != 0:
                raise MemoryError
            share = max(ordered[0] - append[0], 0.0) / (labelling[workers] + ordered[0])
            rows.append(
                [
                    str(workers),
                    f"{labelling[workers] / 1000:.0f}",
                    f"{append[0] / 1000:.0f}",
                    f"{ordered[0] / 1000:.0f}",
                    f"{100 * share:.0f} %",
                    str(displaced[0]),
                ]
            )
    section.parts.append(
        Table(
            "Parallel union-find with lists of links in the order of arrival, microseconds; displaced: links that "
            "five runs found out of their sorted place",
            ["workers", "labelling", "lists", "lists, sorted", "share of the sort", "displaced"],
            rows,
        )
    )
    section.claims += [
        Claim("runs of 120 with other parts than dfs", wrong, 0, most=True, exact=True),
        Claim("two workers label faster than one by a factor of", labelling[1] / labelling[2], 1.0),
    ]


def in_order_of_arrival(run: Run, section: Section) -> None:
    """A solver that gets the contacts as workers found them, as the document saw it."""
    rows, states = [], {}
    repeats, steps, base = (2, 20, 12) if run.quick else (6, 120, 20)
    for order, workers in (("id", 2), ("arrival", 1), ("arrival", 2)):
        run.begin(f"contacts in order of {order}, {workers} workers")
        found, places = set(), []
        for _ in range(repeats):
            strategies = b2.lab.Strategies(schedule="islands", order=order)
            with b2.World(workers=workers, sleeping=False, strategies=strategies) as world:
                world.create_static_body((0, -1)).create_shape(b2.Box(100, 1))
                rows_ = [(1.05 * i - 0.525 * j - 0.5 * base, 0.5 + j) for j in range(base) for i in range(j, base)]
                world.create_bodies(rows_, geometry=b2.Box(0.5, 0.5))
                for _ in range(steps):
                    world.step(DT, SUBSTEPS)
                found.add(world.state_hash())
                places.append(np.array(world.arrays.position))
        states[order, workers] = len(found)
        spread = max(float(np.hypot(*(each - places[0]).T).max()) for each in places)
        rows.append([order, str(workers), f"{len(found)} of {repeats}", f"{1000 * spread:.3g}"])
    head = ["order", "workers", "different states", "farthest apart, mm"]
    title = (
        f"A pyramid of {len(rows_)} boxes after {steps} steps, {repeats} runs, solved island by island with the "
        "contacts in order of their ids, or as they arrive"
    )
    section.parts.append(Table(title, head, rows))
    section.claims += [
        Claim("runs in order of arrival on two workers that end in different states", states["arrival", 2], 2),
        Claim("runs with sorted lists that end in another state", states["id", 2] - 1, 0, True, True),
    ]


def wake_by_links(world: b2.World, seeds: Sequence[int], passes: int = 1) -> tuple[list[int], Any]:
    """By body index the lowest body of its set, -1 where it stays asleep; and rounds, woken bodies, pairs and time."""
    size = 1 + max(body.index for body in world.bodies)
    root, out = ffi.new("int32_t[]", size), ffi.new("b2d_lab_waking *")
    if lib.b2d_lab_wake_by_links(world._ptr, list(seeds), len(seeds), passes, root, out) != 0:
        raise MemoryError
    return list(root), out


def waking_rounds(run: Run, section: Section) -> None:
    """Union-find inside the narrow phase: what is woken has to be collided in the same step."""
    run.begin("union-find inside the narrow phase")
    rows, different = [], 0
    best = {1: float("inf"), 2: float("inf")}
    with resting_pyramids(1000 if run.quick else 20_000) as world:
        islands = [[body.index for body in island.bodies] for island in world.islands if len(island.bodies) > 1]
        lowest = {index: min(island) for island in islands for index in island}
        for name, seeds in (("one body of each pyramid", [island[len(island) // 2] for island in islands]),
                            ("all bodies", list(lowest))):  # fmt: skip
            for _ in range(1 if run.quick else 20):  # in turns, because other programs disturb two workers more
                for workers in best:
                    world.workers = workers
                    root, out = wake_by_links(world, seeds)
                    different += any(root[index] != low for index, low in lowest.items())
                    if name == "all bodies":
                        best[workers] = min(best[workers], out.ms)
            cells = [str(len(seeds)), str(out.rounds), str(out.woken), str(out.pairs)]
            rows.append([name, *cells])
    head = ["awake at first", "bodies", "rounds", "woken", "pairs collided"]
    section.parts.append(Table("Pyramids at rest: contacts are collided, and bodies united and woken, in rounds", head,
                               rows))  # fmt: skip
    section.parts.append(
        f"Colliding and uniting all takes {best[1]:.2f} ms with one worker and {best[2]:.2f} ms with two. Bodies that "
        "are woken need rounds, each of which waits for the slowest worker; persistent islands wake as a whole, before "
        "their contacts are collided."
    )
    section.claims += [
        Claim("inside the narrow phase: runs with other sets than the islands of the world", different, 0, True,
              True),
        Claim("inside the narrow phase: two workers faster than one by a factor of", best[1] / best[2], 1.0),
    ]  # fmt: skip


def storage(run: Run, section: Section) -> None:
    """Linked lists through bodies and contacts against arrays."""
    rows = []
    found: dict[tuple[int, bool], list[float]] = {}
    ms, parts = ffi.new("double[4]"), ffi.new("int32_t*")
    for count in (100, 1000) if run.quick else (2500, 50_000):
        run.begin(f"storage of islands, {2 * count} bodies")
        for _ in range(2 if run.quick else 9):
            for lists in (True, False):
                if lib.b2d_lab_island_storage(lists, count, 100, ms, parts) != 0:
                    raise MemoryError
                before = found.get((count, lists), [float("inf")] * 4)
                found[count, lists] = [min(a, b) for a, b in zip(before, ms, strict=True)]
        for lists in (True, False):
            cells = [f"{1e6 * value / (2 * count):.1f}" for value in found[count, lists]]
            rows.append([str(2 * count), "linked lists" if lists else "arrays", *cells])
    head = ["bodies", "storage", "merging", "removing and adding", "splitting", "reading all"]
    section.parts.append(Table("Islands of two bodies that become one, in ns a body", head, rows, 2))
    small = min(found)[0]
    listed, arrayed = found[max(found)[0], True], found[max(found)[0], False]
    section.claims += [
        Claim(
            f"{2 * small} bodies: merging arrays over merging lists, time",
            found[small, False][0] / found[small, True][0],
            1,
        ),
        Claim("reading all members: lists over arrays, time", listed[3] / arrayed[3], 1),
    ]


def marks_and_seeds(run: Run, section: Section) -> None:
    """Also the two forms of the document: marks of all bodies and constraints that are cleared, with seeds among all
    bodies; and stamps, with seeds among the awake ones."""
    found = {}
    for every in (10, 100):
        run.begin(f"marks and seeds, one pyramid of {every} awake")
        scene = get("pyramids")
        with scene.world(sleeping=True) as world:
            scene.build(world, 0.3 if run.quick else 1.5)
            for _ in range(400):
                world.step(DT, SUBSTEPS)
                if world.counters.awake_bodies == 0:
                    break
            islands = [island for island in world.islands if island.bodies[0].type == b2.BodyType.DYNAMIC]
            for island in islands[::every]:
                island.bodies[0].awake = True
            asleep = 1 - world.counters.awake_bodies / max(1, sum(len(island) for island in islands))
            times = {(k, all_): marked(world, k, all_) for k in range(len(MARKS)) for all_ in (False, True)}
        found[every] = times
        rows = [[name, *(f"{times[k, all_] / 1000:.1f}" for all_ in (False, True))] for k, name in enumerate(MARKS)]
        head = ["marks", "seeds: awake bodies", "seeds: all bodies"]
        title = f"Depth-first search with {100 * asleep:.0f} % of the bodies asleep, microseconds"
        section.parts.append(Table(title, head, rows))
    few = found[100]
    sentence = "99 % asleep, marks in the objects: cleared marks and seeds of all bodies over stamps and awake seeds"
    section.claims += [
        Claim(sentence, few[3, True] / few[4, False], 5),
        Claim("90 % asleep, marks in the objects: stamps over cleared marks",
              found[10][4, False] / found[10][3, False], 1.0, most=True),
        Claim("99 % asleep, marks in arrays of their own: all seeds over awake ones",
              few[0, True] / few[0, False], 5),
    ]  # fmt: skip


def gap_of(world: b2.World) -> float:
    """Microseconds between the last span of the narrow phase and the first of the solver."""
    spans, stages = b2.lab.spans(world), world.profile._fields
    collide = spans["end"][spans["stage"] == stages.index("collide")]
    solve = spans["begin"][np.isin(spans["stage"], [stages.index("prepare"), stages.index("solve")])]
    return 1e3 * float(solve.min() - collide.max()) if len(collide) and len(solve) else 0.0


def gap(run: Run, section: Section) -> None:
    found = {}
    for strategy in WAYS:
        run.begin(f"gap, {strategy}")
        scene = get("pyramids")
        with scene.world(sleeping=False, islands=strategy, workers=2) as world:
            scene.build(world, 0.2 if run.quick else 1.0)
            b2.lab.trace(world)
            gaps = []
            for _ in range(10 if run.quick else 60):
                world.step(DT, SUBSTEPS)
                gaps.append(gap_of(world))
            found[strategy] = float(np.percentile(gaps[5:], 20))
    section.parts.append(
        Table(
            "The serial gap between narrow phase and solver on the pyramids, 2 workers, microseconds (20th percentile)",
            ["islands", "gap"],
            [[name, f"{value:.0f}"] for name, value in found.items()],
        )
    )
    measure = min(found[name] for name in FINDERS) / max(found["persistent"], 1e-9)
    section.claims.append(Claim("the least gap of a search from nothing, in gaps of persistent", measure, 1.0))


def coherence(run: Run, section: Section) -> None:
    rows, resting = [], 0.0
    for name in ("pyramids", "tumbler2000", "many_pyramids", "mixed_pile"):
        run.begin(f"coherence, {name}")
        scene = get(name)
        with scene.world(sleeping=False) as world:
            state = scene.build(world, 0.2 if run.quick else 0.5)
            calm = still = transitions = 0
            steps, warm = (40, 20) if run.quick else (200, 100)
            for number in range(steps):
                scene.advance(world, state, number)
                world.step(DT, SUBSTEPS)
                counters = world.counters
                if number < warm:
                    continue
                calm += counters.islands_merged == 0 and counters.islands_split == 0
                still += counters.contacts_begun + counters.contacts_ended == 0
                transitions += counters.contacts_begun + counters.contacts_ended
            count = steps - warm
            if name == "pyramids":
                resting = still / count
            share = transitions / count / max(1, world.counters.contacts_updated)
            rows.append(
                [
                    name,
                    f"{100 * calm / count:.0f} %",
                    f"{100 * still / count:.0f} %",
                    f"{transitions / count:.1f}",
                    f"{100 * share:.2f} %",
                ]
            )
    head = [
        "scene",
        "no island merged or split",
        "no contact transition",
        "contact transitions a step",
        "of the contacts",
    ]
    section.parts.append(Table("How often islands change: shares of steps, after settling", head, rows))
    section.claims.append(
        Claim("share of steps of pyramids at rest in which no contact begins or ends", resting, 0.95, exact=True)
    )


def bits(run: Run, section: Section) -> None:
    run.begin("bit arrays")
    ids = 100_000 if run.quick else 1_000_000
    rows, times = [], {}
    for members in (0, 10, 10_000):
        scan, loop, found = ffi.new("double *"), ffi.new("double *"), ffi.new("int64_t *")
        stride = 0 if members == 0 else max(1, ids // members)
        if lib.b2d_lab_scan_bits(ids, stride, 9, scan, loop, found) != 0:
            raise MemoryError
        times[members] = (scan[0] / 1000, loop[0] / 1000, found[0])
        rows.append([str(members), f"{scan[0] / 1000:.2f}", f"{loop[0] / 1000:.0f}"])
    section.parts.append(
        Table(f"Visiting the changed contacts of {ids}, microseconds", ["changed", "bit array", "loop over rows"], rows)
    )
    disagree = sum(each[2] < 0 for each in times.values())
    section.claims += [
        Claim("microseconds to scan a bit array of 1e6 with 10 members", times[10][0], 100, most=True),
        Claim("a loop over all rows costs that many times as much", times[10][1] / times[10][0], 20),
        Claim("scans that missed a member", disagree, 0, most=True, exact=True),
    ]


def merging(run: Run, section: Section) -> None:
    run.begin("ten thousand islands merge at once")
    count = 1000 if run.quick else 10_000
    with b2.World(gravity=(0, 0)) as world:
        world.create_bodies([(1.0 * k, 0) for k in range(count)], geometry=b2.Box(0.5, 0.5))
        world.step(DT, 1)
        counters, transitions = world.counters, world.profile.contact_transitions
    section.parts.append(
        f"{count} boxes that begin to touch in one step become one island; {counters.islands_relabeled} bodies and "
        f"links were moved, in {transitions:.2f} ms with events and colours."
    )
    section.claims.append(
        Claim(
            "members moved when all begin at once, for each body",
            counters.islands_relabeled / count,
            2,
            most=True,
            exact=True,
        )
    )


def sleep(run: Run, section: Section) -> None:
    """Incremental against whole islands: when they sleep, and what it visits."""
    steps: dict[str, int] = {}
    visited, excess = 0, -(10**9)
    scene = get("pyramids")
    for strategy in ("dfs", "incremental"):
        run.begin(f"falling asleep, {strategy}")
        with scene.world(islands=strategy, sleeping=True) as world:
            scene.build(world, 0.2 if run.quick else 0.5)
            for number in range(1000):
                awake = world.counters.awake_bodies
                world.step(DT, SUBSTEPS)
                if strategy == "incremental":
                    visited = max(visited, world.counters.bodies_traversed)
                    excess = max(excess, world.counters.bodies_traversed - max(64, (awake + 99) // 100) - 55)
                steps[strategy] = number
                if world.counters.awake_bodies == 0:
                    break
    section.parts.append(
        f"Pyramids that come to rest are all asleep after {steps['dfs']} steps with dfs and {steps['incremental']} "
        f"with the incremental search, which visited at most {visited} bodies in a step."
    )
    times: dict[str, float] = {}
    steps_ms: list[float] = []
    for strategy in ("persistent", "incremental"):
        tumbler = get("tumbler2000")
        with tumbler.world(islands=strategy, sleeping=True) as world:
            state = tumbler.build(world, 0.1 if run.quick else 1.0)
            sums = []
            for number in range(20 if run.quick else 120):
                tumbler.advance(world, state, number)
                world.step(DT, SUBSTEPS)
                sums.append(world.profile.contact_transitions + world.profile.sleep + world.profile.split)
                steps_ms.append(world.profile.step)
            times[strategy] = float(np.percentile(sums, 20))
    section.claims += [
        Claim(
            "steps that the incremental search is later than dfs",
            steps["incremental"] - steps["dfs"],
            100,
            most=True,
            exact=True,
        ),
        Claim("bodies visited in a step beyond the budget and one island", excess, 0, most=True, exact=True),
        Claim(
            "awake tumbler: what contact transitions and sleep cost more than persistent islands, as a share of a step",
            (times["incremental"] - times["persistent"]) / float(np.percentile(steps_ms, 20)),
            0.02,
            most=True,
        ),
    ]


def height_of(body: b2.Body) -> float:
    return body.position.y


def hidden_split(run: Run, section: Section) -> None:
    """The search of an island that may have come apart: all of it on the calling thread with one worker, beside the
    solver with two. Many islands, of which one is searched in a step; a few large ones that come apart; and a large one
    that stays together, so that nothing follows the search."""
    rows = []
    splits: dict[tuple[str, int], float] = {}
    wholes: dict[str, float] = {}
    for name, steps in (("junkyard", 240), ("pyramids", 120), ("large_pyramid", 90)):
        scene = get(name)
        whole = dict.fromkeys((1, 2), float("inf"))
        tried = 0
        for turn in range(1 if run.quick else 5):
            for workers in (1, 2):
                run.begin(f"split of {name}, {workers} workers #{turn + 1}")
                with scene.world(workers=workers, sleeping=True) as world:
                    state = scene.build(world, 0.2 if run.quick else 1.0)
                    spent, times = [], []
                    # Boxes of the large pyramid that nothing rests on, from the top
                    highest = sorted(world.bodies, key=height_of) if name == "large_pyramid" else []
                    for number in range(steps):
                        scene.advance(world, state, number)
                        if name == "pyramids" and number == 20:  # the highest box of each
                            for body in [max(each.bodies, key=height_of) for each in world.islands]:
                                body.destroy()
                        if highest and number >= 40:
                            highest.pop().destroy()
                        world.step(DT, SUBSTEPS)
                        if world.counters.splits_tried > 0:
                            spent.append(1000 * world.profile.split)
                            times.append(world.profile.step)
                tried = len(spent)
                if spent:
                    best = splits.get((name, workers), float("inf"))
                    splits[name, workers] = min(best, float(np.percentile(spent, 25)))
                    whole[workers] = min(whole[workers], float(np.percentile(times, 25)))
        if tried:
            wholes[name] = whole[1]
            rows.append([name, str(tried), *(f"{splits[name, w]:.1f}" for w in (1, 2)),
                         *(f"{whole[w]:.3f}" for w in (1, 2))])  # fmt: skip
    head = ["scene", "steps with a split", "one worker, us", "two, us", "step, one worker, ms", "step, two, ms"]
    title = "What splitting takes of the calling thread, 25th percentile of the steps that try it"
    section.parts.append(Table(title, head, rows))
    if ("junkyard", 2) in splits:
        section.claims.append(Claim("junkyard: share of the split that two workers leave to the calling thread",
                                    splits["junkyard", 2] / splits["junkyard", 1], 0.9, most=True))  # fmt: skip
    if ("large_pyramid", 2) in splits:
        section.claims.append(Claim("large pyramid, which stays whole: share of the search that two workers leave to "
                                    "the calling thread", splits["large_pyramid", 2] / splits["large_pyramid", 1], 0.25,
                                    most=True))  # fmt: skip
    section.claims.append(Claim("pyramids: microseconds of a split on one core", splits["pyramids", 1], 10,
                                most=True))  # fmt: skip
    section.claims.append(Claim("pyramids: share of a step that splitting takes on one core",
                                splits["pyramids", 1] / (1000 * wholes["pyramids"]), 0.01, most=True))  # fmt: skip


def bridged_piles(strategy: str, piles: int, stirred: int) -> tuple[int, int, int]:
    """Pairs of piles whose bridges go at once, beside a drum in which contacts begin and end all the time: the steps
    until all piles are asleep, the searches, and the bodies that they visited."""
    with b2.World(islands=cast(Any, strategy)) as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(20.0 * piles, 1))
        drum = world.create_kinematic_body((0, 30), angular_velocity=0.6)
        for x, y, hx, hy in ((12.0, 0, 0.5, 12.5), (-12, 0, 0.5, 12.5), (0, 12, 12.5, 0.5), (0, -12, 12.5, 0.5)):
            drum.create_shape(b2.Box(hx, hy, (x, y)))
        stir = [(0.8 * (k % 20) - 8, 22 + 0.8 * (k // 20)) for k in range(stirred)]
        world.create_bodies(stir, geometry=b2.Box(0.35, 0.35))
        bridges = []
        for k in range(piles):
            x = (30 + 8.0 * k) * (1 if k % 2 else -1)
            for side in (-2.0, 1.0):
                rows = [(x + side + 0.52 * i - 0.26 * j, 0.25 + 0.5 * j) for j in range(3) for i in range(j, 3)]
                world.create_bodies(rows, geometry=b2.Box(0.25, 0.25))
            bridges.append(world.create_dynamic_body((x, 1.75)))
            bridges[-1].create_shape(b2.Box(2.2, 0.1))
        for _ in range(30):
            world.step(DT, SUBSTEPS)
        for bridge in bridges:
            bridge.destroy()
        searches = visited = 0
        for number in range(2000):
            world.step(DT, SUBSTEPS)
            searches += world.counters.splits_tried
            visited += world.counters.bodies_traversed
            if world.counters.awake_bodies <= stirred + 1:
                return number, searches, visited
    raise RuntimeError("the piles never fall asleep")


def split_choice(run: Run, section: Section) -> None:
    """Which of the islands that may have come apart is searched next."""
    rows, found = [], {}
    for strategy in ("persistent", "split_largest", "split_most_removed"):
        run.begin(f"the choice of the island to split, {strategy}")
        found[strategy] = bridged_piles(strategy, 10 if run.quick else 40, 100 if run.quick else 400)
        rows.append([strategy, *map(str, found[strategy])])
    head = ["islands", "steps until all piles sleep", "searches", "bodies visited"]
    section.parts.append(Table("40 pairs of piles lose their bridges at once, beside a drum of 400 boxes that is one "
                               "island and loses contacts in each step", head, rows))  # fmt: skip
    section.parts.append(
        "`persistent` searches the island that is nearest to sleep, which only then needs to be split. The two choices "
        "of the document search the drum in most steps, for nothing, and the piles wait. Without the drum all three "
        "take the same steps."
    )
    default = found["persistent"]
    for strategy in ("split_largest", "split_most_removed"):
        section.claims += [
            Claim(f"{strategy}: bodies visited, in those of the default", found[strategy][2] / default[2], 1,
                  exact=True),
            Claim(f"{strategy}: steps until all piles sleep, beyond the default", found[strategy][0] -
                  default[0], 100, True, True),
        ]  # fmt: skip


def fast_bodies(run: Run, section: Section) -> None:
    run.begin("bullets at 500 m/s")
    seeds, through = 50 if run.quick else 1000, 0
    draw = np.random.default_rng(run.seed)
    with b2.World(gravity=(0, 0), max_linear_speed=1000.0, sleeping=False) as world:
        wall = world.create_static_body((0, 0))
        wall.create_shape(b2.Box(0.05, 10.0 * seeds))
        places = [(-10 - draw.uniform(0, 8), 18.0 * (k - seeds / 2)) for k in range(seeds)]
        boxes = [world.create_dynamic_body(at, angle=draw.uniform(0, 3), bullet=True) for at in places]
        for box in boxes:
            box.linear_velocity, box.angular_velocity = (500, draw.uniform(-20, 20)), draw.uniform(-20, 20)
            box.create_shape(b2.Box(0.1, 0.1))
        for _ in range(30):
            world.step(DT, SUBSTEPS)
            through = max(through, sum(box.position.x > 0.05 for box in boxes))
    lost = 0
    run.begin("tumbler, 2000 steps")
    scene = get("tumbler2000")
    with scene.world() as world:
        state = scene.build(world, 0.1 if run.quick else 1.0)
        for number in range(60 if run.quick else 2000):
            scene.advance(world, state, number)
            world.step(DT, SUBSTEPS)
        position = world.arrays.position
        lost = int(np.sum(np.hypot(position[:, 0], position[:, 1] - 10.0) > 30.0))
    section.claims += [
        Claim(f"of {seeds} boxes at 500 m/s, those that pass a wall of 0.1 m", through, 0, most=True, exact=True),
        Claim("boxes lost by the tumbler in 2000 steps", lost, 0, most=True, exact=True),
    ]


PARTS: Sequence[Part] = (
    pictures.timeline, pictures.union_find, moving.union_find_film, pictures.merged_bits, moving.merged_bits_film,
    table_of_the_document, finders, parallel, in_order_of_arrival, waking_rounds, storage, marks_and_seeds, gap,
    coherence, bits, merging, sleep, split_choice, hidden_split, fast_bodies,
)  # fmt: skip
