"""Broad phases without a world: the heat map of all of them, batches, clutter.

The scenes are squares of 1 m that drift in a square at the density of a loose pile, or in a flat layer of 10 m, where
the projections of nearly all of them overlap on one axis. With one worker all times are processor times of the thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter, thread_time
from typing import Any, cast

import numpy as np

import box2dpy as b2

from . import moving, pictures
from .claim import Claim, Part, Plot, Run, Section, Table, least
from .core import ffi, lib
from .phase import Floats, Ids, Phase

SHARES = (0.0, 0.001, 0.01, 0.1, 1.0)
KINDS = ("grid", "tree", "refined_tree", "brute_wide", "box_pruning", "morton", "sap", "multi_sap")
DENSITY = 0.5  # area of the boxes over the area
LAYER = 10.0  # height of the flat layer, metres
BRUTE_TO = 16_384  # shapes up to which the brute kind is measured


class Boxes:
    """Squares that drift between walls."""

    def __init__(self, count: int, layer: bool, seed: int = 1) -> None:
        self.draw = np.random.default_rng(seed)
        area = count / DENSITY
        self.size = np.array([area / LAYER, LAYER] if layer else [area**0.5] * 2, dtype=np.float32)
        self.corner = (self.draw.random((count, 2)) * self.size).astype(np.float32)
        self.speed = self.draw.uniform(-0.15, 0.15, (count, 2)).astype(np.float32)
        self.ids = np.arange(count, dtype=np.int32)

    def boxes(self, ids: Ids) -> Floats:
        return cast(Floats, np.concatenate([self.corner[ids], self.corner[ids] + np.float32(1)], axis=1))

    def move(self, share: float) -> Ids:
        ids = self.ids if share == 1 else np.sort(self.draw.permutation(len(self.ids))[: round(share * len(self.ids))])
        ids = ids.astype(np.int32)
        self.corner[ids] += self.speed[ids]
        outside = (self.corner[ids] < 0) | (self.corner[ids] > self.size)
        self.speed[ids] = np.where(outside, -self.speed[ids], self.speed[ids])
        return ids


def filled(kind: str, boxes: Boxes, count: int | None = None, **options: Any) -> Phase:
    """A phase with the first boxes, whose pairs were found."""
    ids = boxes.ids[:count]
    phase = Phase(kind, len(boxes.ids), **options)
    phase.move(ids, boxes.boxes(ids), lib.B2D_LAB_CREATE_MOVING)
    phase.run()
    return phase


def cost(kind: str, count: int, layer: bool, share: float, steps: int, **options: Any) -> tuple[float, list[int]]:
    """Least milliseconds of a step, and the hashes of the new pairs of each step."""
    boxes = Boxes(count, layer)
    phase = filled(kind, boxes, **options)
    best, hashes = float("inf"), [int(phase.result.pair_hash)]
    for _ in range(steps):
        ids = boxes.move(share)
        phase.move(ids, boxes.boxes(ids))
        best = min(best, phase.run())
        hashes.append(int(phase.result.pair_hash))
    return best, hashes


# -- the heat map


def heat_map(run: Run, section: Section) -> None:
    sizes = (256, 512) if run.quick else (1024, 4096, 16_384, 65_536)
    steps = 3 if run.quick else 5
    times: dict[tuple[bool, int, float, str], float] = {}
    differing = 0
    for layer in (False, True):
        rows = []
        for count in sizes:
            run.begin(f"heat map, {count} shapes, {'layer' if layer else 'square'}")
            for share in SHARES:
                hashes = []
                for kind in KINDS:
                    if kind == "brute_wide" and count > BRUTE_TO:
                        continue
                    slow = kind == "sap" and layer and share == 1 and count > BRUTE_TO
                    times[layer, count, share, kind], found = cost(kind, count, layer, share, 2 if slow else steps)
                    hashes.append(found[:3])
                differing += sum(each != hashes[0] for each in hashes)
                here = {
                    kind: times[layer, count, share, kind] for kind in KINDS if (layer, count, share, kind) in times
                }
                winner = min(here, key=lambda kind: here[kind])
                cells = [f"{1e3 * here[kind]:.1f}" if kind in here else "" for kind in KINDS]
                rows.append([f"{count}", f"{100 * share:g} %", *cells, winner])
        title = f"Microseconds of a step in {'a layer of 10 m' if layer else 'a square'}"
        section.parts.append(Table(title, ["shapes", "moving", *KINDS, "least"], rows, left=0))
    section.claims += [
        Claim("cells of the heat map in which a broad phase finds other pairs", differing, 0, True, True)
    ]

    def draw(figure: Any) -> None:
        panes = figure.subplots(1, 2)
        for axes, layer in zip(panes, (False, True), strict=True):
            winners = np.zeros((len(SHARES), len(sizes)))
            for x, count in enumerate(sizes):
                for y, share in enumerate(SHARES):
                    here = {k: times[layer, count, share, k] for k in KINDS if (layer, count, share, k) in times}
                    best = min(here, key=lambda kind: here[kind])
                    winners[y, x] = KINDS.index(best)
                    ratio = here["grid"] / here[best]
                    axes.text(x, y, f"{best}\n{ratio:.1f}x" if ratio > 1.05 else best, ha="center", va="center", size=7)
            axes.imshow(winners, cmap="Pastel1", vmin=0, vmax=len(KINDS), aspect="auto", origin="lower")
            axes.set_xticks(range(len(sizes)), [f"{count:,}" for count in sizes])
            axes.set_yticks(range(len(SHARES)), [f"{100 * share:g} %" for share in SHARES])
            axes.set(xlabel="shapes", ylabel="moving", title="layer" if layer else "square")

    section.parts.append(Plot("broadphase", "The quickest broad phase by size and moving share, and how much quicker "
                              "than the grid", draw, (10.0, 4.2)))  # fmt: skip
    section.records["heat_map"] = [[*key, value] for key, value in times.items()]


def claims_of_the_map(run: Run, section: Section) -> None:
    count = 512 if run.quick else 10_000
    run.begin("box pruning and sweep-and-prune")
    found: dict[tuple[str, float], float] = {}
    for _ in range(1 if run.quick else 2):
        for kind in ("sap", "box_pruning"):
            for share in (0.01, 1.0):
                best, _ = cost(kind, count, False, share, 3)
                found[kind, share] = min(found.get((kind, share), best), best)
    boxes = Boxes(count, False)
    phase = filled("sap", boxes)
    before = phase.result.swaps
    for _ in range(10):
        phase.run()
    section.claims += [Claim("swaps of a sweep-and-prune at rest", phase.result.swaps - before, 0, True, True)]
    section.claims += [
        Claim(f"{count} shapes, all moving: sap over box pruning",
              found["sap", 1.0] / found["box_pruning", 1.0], 1),
        Claim(f"{count} shapes, 1 % moving: box pruning over sap",
              found["box_pruning", 0.01] / found["sap", 0.01], 1),
    ]  # fmt: skip
    moved, ms, pairs = Boxes(count, False), ffi.new("double*"), ffi.new("int64_t*")
    rows = moved.boxes(moved.ids)
    hashed = float("inf")
    for cell in (1.5, 2.0, 3.0):
        for _ in range(1 if run.quick else 4):
            if lib.b2d_lab_hash_grid(ffi.from_buffer("float[]", rows), count, cell, ms, pairs) != lib.B2D_OK:
                raise MemoryError
            hashed = min(hashed, ms[0])
    sentence = f"{count} shapes, 1 % moving: a hash grid, made anew in each step, over sap"
    section.claims.append(Claim(sentence, hashed / found["sap", 0.01], 1))
    rest = min(phase.run() for _ in range(10))
    section.claims += [
        Claim(f"{count} shapes: a step of sap at rest over one in which all move", rest / found["sap", 1.0],
              0.01, True)
    ]  # fmt: skip


# -- batches


def batches(run: Run, section: Section) -> None:
    rows = []
    cases = [(100, 1000)] if run.quick else [(1000, 10_000), (10_000, 50_000)]
    for added, present in cases:
        run.begin(f"{added} shapes into {present}")
        moves, times, found = [], [], []
        for single in (0, 1):
            boxes = Boxes(added + present, False)
            phase = filled("sap", boxes, present)
            lib.b2d_lab_pairs_set_one_by_one(phase.pointer, single)
            before = phase.result.endpoint_moves
            phase.move(boxes.ids[present:], boxes.boxes(boxes.ids[present:]), lib.B2D_LAB_CREATE_MOVING)
            times.append(phase.run())
            moves.append(phase.result.endpoint_moves - before)
            found.append((phase.result.pairs, phase.result.pair_hash))
        rows.append([f"insert {added} into {present}", *map(str, moves), f"{times[0]:.2f}", f"{times[1]:.2f}"])
        what = f"insert {added} into {present}"
        name = f"{what}: single over batch"
        section.claims += [
            Claim(f"{name}, end points moved", moves[1] / moves[0], 20, exact=True),
            Claim(f"{name}, time", times[1] / times[0], 10),
            Claim(f"{what}: end points moved in the batch over 2 (M + N) on each axis",
                  moves[0] / (4 * (added + present)), 1, True, True),
            Claim(f"{what}: pairs that the batch finds and single insertions do not, or the reverse",
                  found[0] != found[1], 0, True, True),
            Claim(f"{what}: end points that a single insertion passes on an axis over all end points",
                  moves[1] / (2 * added) / (2 * present), 0.1, exact=True),
            Claim(f"{name}, time", times[1] / times[0], 10),
        ]  # fmt: skip
    present, removed = (1000, 100) if run.quick else (10_000, 1000)
    run.begin(f"{removed} shapes from {present}")
    moves, times, kept = [], [], []
    for single in (0, 1, 2):
        boxes = Boxes(present, False)
        phase = filled("sap", boxes)
        lib.b2d_lab_pairs_set_one_by_one(phase.pointer, single)
        before = phase.result.endpoint_moves
        phase.move(boxes.ids[:: present // removed], None, lib.B2D_LAB_DESTROY)
        times.append(phase.run())
        moves.append(phase.result.endpoint_moves - before)
        kept.append(phase.result.live_pairs)
    rows.append([f"remove {removed} of {present}", *map(str, moves[:2]), f"{times[0]:.2f}",
                 f"{times[1]:.2f}"])  # fmt: skip
    section.claims += [
        Claim(f"remove {removed} of {present}: single over batch, time", times[1] / times[0], 10),
        Claim("end points moved by the batch over 2 N on each axis", moves[0] / (4 * present), 1, True, True),
        Claim("end points moved one by one over those of the batch", moves[1] / moves[0], 10, exact=True),
        Claim("moving to infinity over dropping all pairs of the object, time", times[1] / times[2], 1),
        Claim("dropping all pairs of the object over the batch, time", times[2] / times[0], 10),
        Claim("pairs that one way leaves and another does not", len(set(kept)) - 1, 0, True, True),
    ]
    head = ["", "moves, batch", "moves, single", "ms, batch", "ms, single"]
    section.parts.append(Table("Batches against single insertions and removals in a sweep-and-prune", head, rows))
    section.parts.append(
        f"Removing {removed} of {present} boxes takes {times[1]:.2f} ms when each moves to infinity, {times[2]:.2f} ms "
        f"when the pair manager drops all pairs of each and its end points are taken out, and {times[0]:.2f} ms as a "
        "batch: dropping walks over all pairs for each object, and each array of end points is shifted for each."
    )


def swept(boxes: Floats, fresh: int, angle: float = 0.0, open_intervals: bool = False, passes: int = 1) -> Any:
    """The quickest pass."""
    out, best = ffi.new("b2d_lab_sweep_result *"), None
    for _ in range(passes):
        rows = ffi.from_buffer("float[]", np.ascontiguousarray(boxes))
        if lib.b2d_lab_sweep(open_intervals, rows, len(boxes), fresh, angle, out) != lib.B2D_OK:
            raise MemoryError
        if best is None or out.ms < best[0]:
            best = out.ms, out.pairs, out.tests, out.hash
    return best


def batch_pairs(run: Run, section: Section) -> None:
    """The pairs of a batch of insertions: box pruning, a list of open intervals, and other axes."""
    passes = 2 if run.quick else 15
    rows, ratios, wrong = [], {}, 0
    for added, present in [(100, 1000)] if run.quick else [(100, 10_000), (1000, 10_000), (10_000, 50_000)]:
        run.begin(f"pairs of {added} shapes among {present}")
        boxes = Boxes(added + present, False)
        table = boxes.boxes(boxes.ids)
        pruned, opened = (swept(table, added, 0.0, way, passes) for way in (False, True))
        wrong += pruned[1:] != opened[1:] and (pruned[1], pruned[3]) != (opened[1], opened[3])
        ratios[added] = opened[0] / pruned[0]
        rows.append([f"{added} into {present}", str(pruned[1]), *(f"{each[0]:.2f}" for each in (pruned, opened)),
                     str(pruned[2]), str(opened[2])])  # fmt: skip
    head = ["", "pairs", "box pruning, ms", "open intervals, ms", "tests", "tests"]
    section.parts.append(Table("The new pairs of a batch of insertions", head, rows))
    section.claims += [
        Claim("least cost of a list of open intervals, in that of box pruning", min(ratios.values()), 1),
        Claim("batches of which both find other pairs", wrong, 0, True, True),
    ]
    axes_of_boxes(run, section)


def axes_of_boxes(run: Run, section: Section) -> None:
    """Boxes in bands at several angles and in a square: tests along x, y, and along the band."""
    count = 500 if run.quick else 10_000
    draw = np.random.default_rng(5)
    length = count / DENSITY / 6.0
    rows, wrong, best = [], 0, 0.0
    for degrees in (None, 15, 30, 45, 60, 75):
        run.begin(f"axes, a band at {degrees} degrees")
        angle = np.radians(45 if degrees is None else degrees)
        along, across = draw.uniform(0, length, count), draw.uniform(-3, 3, count)
        turned = [np.cos(angle) * along - np.sin(angle) * across, np.sin(angle) * along + np.cos(angle) * across]
        corner = draw.uniform(0, (count / DENSITY) ** 0.5, (count, 2)) if degrees is None else np.stack(turned, axis=1)
        table = np.concatenate([corner, corner + 1], axis=1).astype(np.float32)
        found = [swept(table, count, float(each), False, 2 if run.quick else 5) for each in (0.0, 0.5 * np.pi, angle)]
        wrong += len({(pairs, hash_) for _, pairs, _, hash_ in found}) - 1
        best = max(best, min(found[0][2], found[1][2]) / found[2][2])
        name = "a square, axis at 45 degrees" if degrees is None else f"a band at {degrees} degrees"
        rows.append([name, *(str(tests) for _, _, tests, _ in found), *(f"{ms:.2f}" for ms, *_ in found)])
    head = ["boxes lie in", "tests along x", "along y", "along the band", "ms along x", "along y", "along the band"]
    section.parts.append(Table(f"Box pruning of {count} boxes of 1 m along an axis", head, rows))
    section.parts.append(
        "Another axis never saves tests of boxes that are parallel to the coordinate axes. In a band at an angle a, "
        "boxes of width w and height h reach w / cos a along the band as the x axis sees them and h / sin a as the y "
        "axis does; on the axis of the band itself they reach w cos a + h sin a, which is a mean of these two (with "
        "weights cos² a and sin² a), and so never less than the smaller."
    )
    section.claims += [
        Claim("sets of boxes in which an axis finds other pairs", wrong, 0, True, True),
        Claim("tests on the better coordinate axis over those on the axis along the boxes, most of six sets",
              best, 1.1),
    ]  # fmt: skip


# -- clutter


def clutter(run: Run, section: Section) -> None:
    sizes = (256, 1024) if run.quick else (1000, 5000, 20_000, 50_000)
    rows, swaps = [], {}
    for kind in ("sap", "multi_sap"):
        for count in sizes:
            run.begin(f"clutter, {kind}, {count}")
            boxes = Boxes(count, True)
            phase = filled(kind, boxes)
            before, moved, time = phase.result.swaps, 0, float("inf")
            for _ in range(5):
                ids = boxes.move(0.01)
                phase.move(ids, boxes.boxes(ids))
                time = min(time, phase.run())
                moved += len(ids)
            swaps[kind, count] = (phase.result.swaps - before) / max(moved, 1)
            rows.append([kind, str(count), f"{swaps[kind, count]:.1f}", f"{1e3 * time:.1f}"])
    title = "A layer of constant density, 1 % moving: swaps of a mover"
    section.parts.append(Table(title, ["", "shapes", "swaps", "us"], rows))
    sap, multi = ([swaps[kind, count] for count in sizes] for kind in ("sap", "multi_sap"))
    section.claims += [
        Claim(f"sap: swaps of a mover, {sizes[-1]} shapes over {sizes[0]}", sap[-1] / sap[0], 2, exact=True),
        Claim("multi_sap: swaps of a mover, most over least", max(multi) / min(multi), 1.5, True, not run.quick),
    ]

    count = 300
    phase = Phase("sap", count + 1)
    k = np.arange(count, dtype=np.int32)
    x = 2.0 * k
    still = np.stack([x, 0 * x + 10, x + 1, 0 * x + 11], axis=1).astype(np.float32)
    phase.move(k, still, lib.B2D_LAB_CREATE_MOVING)
    fast = np.array([count], dtype=np.int32)
    phase.move(fast, np.array([[-5, 0, -4, 1]], np.float32), lib.B2D_LAB_CREATE_MOVING)
    lap = [(10.0 * at, 0.0) for at in range(60)] + [(590.0, 9.5), (590.0, 0.0)]
    for x0, y in 4 * lap:  # past all others, touching one of them at the end
        phase.move(fast, np.array([[x0, y, x0 + 1, y + 1]], np.float32))
        phase.run()
    ratio = phase.result.apparent_removals / max(phase.result.real_removals, 1)
    section.claims += [
        Claim("a fast box past clutter: ends of overlaps on one axis over pairs that end", ratio, 100, exact=True)
    ]
    times: dict[str, float] = {}
    hashes = {}
    crowd, share = (500, 1.0) if run.quick else (20_000, 0.1)
    ways: dict[str, dict[str, int]] = {"positions": {}, "always search": {"always_search": 1},
                                       "coordinates": {"by_coordinates": 1}}  # fmt: skip
    for _ in range(1 if run.quick else 3):
        for way, options in ways.items():
            ms, hashes[way] = cost("sap", crowd, True, share, 3, **options)
            times[way] = min(times.get(way, ms), ms)
    section.claims += [
        Claim("searching the pair manager at each of these ends over testing the other axis first",
              times["always search"] / times["positions"], 1.0),
        Claim("overlap on the other axis: tests of coordinates over tests of positions",
              times["coordinates"] / times["positions"], 1.0),
        Claim("steps in which coordinates and positions give other pairs",
              sum(a != b for a, b in zip(hashes["coordinates"], hashes["positions"], strict=True)), 0, True, True),
    ]  # fmt: skip


# -- grids of sweep-and-prunes


def cells(run: Run, section: Section) -> None:
    count = 1000 if run.quick else 50_000
    run.begin("grids of sweep-and-prunes")
    kinds = {"hashed": lib.B2D_LAB_GRID_HASHED, "wrapped": lib.B2D_LAB_GRID_WRAPPED, "fixed": lib.B2D_LAB_GRID_FIXED}
    found = {name: cost("multi_sap", min(count, 5000), False, 1.0, 3, grid=kind) for name, kind in kinds.items()}
    plain = cost("sap", min(count, 5000), False, 1.0, 3)
    differing = sum(hashes != plain[1] for _, hashes in found.values())
    queues = cost("multi_sap", min(count, 5000), False, 1.0, 3, queues=1)
    rows = [[f"multi_sap, {name}", f"{ms:.2f}"] for name, (ms, _) in found.items()]
    rows += [["multi_sap, queues of events", f"{queues[0]:.2f}"], ["sap", f"{plain[0]:.2f}"]]
    section.parts.append(Table(f"Kinds of grids, {min(count, 5000)} shapes, all moving", ["", "ms"], rows))
    section.claims += [
        Claim("kinds of grids that give other pairs than one sweep-and-prune", differing, 0, True, True),
        Claim("queues of events give other pairs than the shared manager", queues[1] != plain[1], 0, True, True),
    ]

    boxes = Boxes(count, False)
    walls, serial = {1: float("inf"), 2: float("inf")}, 0.0
    phases = {workers: filled("multi_sap", boxes, workers=workers, queues=1) for workers in walls}
    for _ in range(4 if run.quick else 40):  # in turns, because other programs disturb two workers more
        ids = boxes.move(1.0)
        for workers, phase in phases.items():
            phase.clock = perf_counter
            phase.move(ids, boxes.boxes(ids))
            before = phase.result.serial_ms
            ms = phase.run()
            if ms < walls[workers]:
                walls[workers], serial = ms, (phase.result.serial_ms - before) / ms
    times = {kind: cost(kind, count, False, 1.0, 2)[0] for kind in ("sap", "multi_sap")}
    insertion = {}
    for kind in ("sap", "multi_sap"):
        start = thread_time()
        filled(kind, boxes)
        insertion[kind] = thread_time() - start
    section.parts.append(
        f"{count:,} shapes that all move: multi_sap takes {walls[1]:.1f} ms with one worker and {walls[2]:.1f} ms with "
        f"two, of which {100 * serial:.0f} % are serial: deciding which shapes enter which cells, and merging events."
    )
    section.claims += [
        Claim(f"multi_sap, {count} shapes: one worker over two", walls[1] / walls[2], 1.4),
        Claim(f"{count} shapes, all moving: sap over multi_sap", times["sap"] / times["multi_sap"], 1),
        Claim(f"{count} shapes inserted: sap over multi_sap", insertion["sap"] / insertion["multi_sap"], 1),
        Claim(f"{count} shapes, all moving: sap over multi_sap", times["sap"] / times["multi_sap"], 1),
    ]


def merging(run: Run, section: Section) -> None:
    """What it costs that the cells work apart: their events are merged serially."""
    count = 1000 if run.quick else 50_000
    run.begin("merging the pairs of the cells")
    boxes = Boxes(count, False)
    phase = filled("multi_sap", boxes, queues=1)
    best, share, serial = float("inf"), 0.0, 0.0
    for _ in range(3 if run.quick else 20):
        ids = boxes.move(1.0)
        phase.move(ids, boxes.boxes(ids))
        before = phase.result.serial_ms, phase.result.merging_ms
        ms = phase.run()
        if ms < best:
            best = ms
            serial, share = (phase.result.serial_ms - before[0]) / ms, (phase.result.merging_ms - before[1]) / ms
    section.parts.append(
        f"One worker with a queue for each cell, {count:,} shapes that all move: merging the events takes "
        f"{100 * share:.0f} % of a step, and with the decision which shapes enter which cells {100 * serial:.0f} % are "
        "serial."
    )
    section.claims.append(Claim("share of a step that merging the pairs of the cells takes", share, 0.2, True))


def owners(run: Run, section: Section) -> None:
    """A pair that lies in several cells is reported by the cell that owns it, or found in a hash table."""
    run.begin("owners of pairs")
    rows = []
    ms, pairs, found = ffi.new("double*"), ffi.new("int64_t*"), ffi.new("int64_t*")
    for count in (1000,) if run.quick else (10_000, 50_000):
        boxes = Boxes(count, False)
        table = np.ascontiguousarray(boxes.boxes(boxes.ids))
        best, reported = [float("inf")] * 2, [0, 0]
        for _ in range(2 if run.quick else 8):
            for owner in (0, 1):
                status = lib.b2d_lab_cell_pairs(owner, ffi.from_buffer("float[]", table), count, 8.0, ms, pairs, found)
                if status != lib.B2D_OK:
                    raise MemoryError
                best[owner], reported[owner] = min(best[owner], ms[0]), pairs[0]
        rows.append([str(count), str(pairs[0]), str(found[0]), f"{best[0]:.2f}", f"{best[1]:.2f}"])
        section.claims += [
            Claim(f"{count} shapes: pairs that owners and the hash table count differently",
                  abs(reported[0] - reported[1]), 0, True, True),
            Claim(f"{count} shapes: hash table over owners, time", best[0] / best[1], 1),
        ]  # fmt: skip
    head = ["shapes", "pairs", "found in all cells", "hash table, ms", "owners, ms"]
    section.parts.append(Table("Box pruning in cells of 8 m: how a pair of several cells is reported once", head, rows))


def grounds(run: Run, section: Section) -> None:
    """A ground as long as the world: in all cells, or in a tree beside them."""
    run.begin("a ground of 1000 m")
    count = 500  # four in each cell of 8 m
    ms, bytes_, entries, pairs = ffi.new("double*"), *(ffi.new("int64_t*") for _ in range(3))
    best, rows, held = [float("inf")] * 2, [], []
    for in_cells in (0, 1):
        for _ in range(2 if run.quick else 20):
            if lib.b2d_lab_ground(in_cells, count, 8.0, 10, ms, bytes_, entries, pairs) != lib.B2D_OK:
                raise MemoryError
            best[in_cells] = min(best[in_cells], ms[0] / 10)
        held.append((entries[0], bytes_[0], pairs[0]))
        name = "in all cells" if in_cells else "in a tree"
        rows.append([name, str(entries[0]), str(bytes_[0]), f"{1e3 * best[in_cells]:.1f}"])
    head = ["ground of 1000 m", "boxes in cells", "bytes", "us a step"]
    section.parts.append(Table(f"{count} boxes that slide on a ground, cells of 8 m", head, rows))
    section.claims += [
        Claim("boxes in cells because the ground is in them, over the one leaf in a tree",
              held[1][0] - held[0][0], 100, exact=True),
        Claim("pairs with the ground that one way finds and the other does not", abs(held[0][2] - held[1][2]),
              0, True, True),
    ]  # fmt: skip


# -- structures


def axes(run: Run, section: Section) -> None:
    """One axis kept sorted: arrays and lists, integer and float keys, with and without sentinels."""
    run.begin("storage and keys")
    names = (
        "array, integer keys",
        "array, float keys",
        "linked list, integer keys",
        "array, tests instead of sentinels",
        "array, integer keys, boxes tested",
        "linked list, the paper's nodes, boxes tested",
    )
    ms, swaps = ffi.new("double*"), ffi.new("int64_t*")
    rows = []
    for count in (1000,) if run.quick else (1000, 10_000, 100_000, 400_000):
        draw = np.random.default_rng(3)
        lower = draw.uniform(0, 2.0 * count, count).astype(np.float32)
        intervals = np.stack([lower, lower + 1, draw.uniform(-4, 4, count)], axis=1).astype(np.float32)
        times: dict[int, float] = {}

        def sort(kind: int, intervals: Floats = intervals, times: dict[int, float] = times) -> Callable[[], None]:
            steps = max(4, 400_000 // len(intervals))

            def action() -> None:
                rows_ = ffi.from_buffer("float[]", intervals)
                if lib.b2d_lab_axis(kind, rows_, len(intervals), steps, ms, swaps) != lib.B2D_OK:
                    raise MemoryError
                times[kind] = min(times.get(kind, float("inf")), 1e6 * ms[0] / steps / len(intervals))

            return action

        least(5, [sort(kind) for kind in range(6)])
        rows.append([str(count), *(f"{times[kind]:.1f}" for kind in range(6))])
        if count == (1000 if run.quick else 400_000):  # more than the cache holds
            section.claims += [
                Claim(f"{count} intervals: linked list of the paper's nodes over array, boxes tested",
                      times[5] / times[4], 1.2),
                Claim(f"{count} intervals: array with float keys over integer keys, time",
                      times[1] / times[0], 1),
            ]  # fmt: skip
        if count == (1000 if run.quick else 10_000):
            # 16 bits over the world: lower ends rounded down, upper ends up
            scale = 65535.0 / float(lower.max() + 1)
            low, high = np.floor(lower * scale), np.ceil((lower + 1) * scale)
            more = overlapping(low, high) - overlapping(lower, lower + 1)
            section.claims += [
                Claim("overlaps that keys of 16 bits claim and the coordinates deny", more, 1, exact=True)
            ]
    section.parts.append(
        Table(
            "One axis of moving intervals kept sorted, ns an interval, which passes four end points in a step",
            ["intervals", *names],
            rows,
        )
    )


def pair_sets(run: Run, section: Section) -> None:
    """The ways of the paper to keep pairs: in a box of few neighbours, and in a layer where each has many."""
    run.begin("pair sets")
    rows = []
    names = ("pair manager", "matrix of bits", "list for each lower id", "ordered map")
    ids, draw = 500 if run.quick else 4000, np.random.default_rng(3)
    ms, bytes_, longest = ffi.new("double[4]"), ffi.new("int64_t*"), ffi.new("int32_t*")
    held: dict[tuple[int, int], tuple[int, int]] = {}
    times: dict[tuple[int, int], list[float]] = {}
    for each in (3, 100):  # pairs of a shape
        keys = np.unique(draw.integers(0, ids - 1, (2 * each * ids, 2)), axis=0)
        keys = draw.permutation(keys[keys[:, 0] < keys[:, 1]].astype(np.uint64))[: each * ids // 2 * 2]
        packed = np.ascontiguousarray(keys[:, 0] << np.uint64(32) | keys[:, 1])
        for kind in range(4):
            times[each, kind] = [float("inf")] * 4
        for _ in range(2 if run.quick else 7):
            for kind in range(4):
                rows_ = ffi.from_buffer("uint64_t[]", packed)
                if lib.b2d_lab_pair_sets(kind, rows_, len(packed), ids, ms, bytes_, longest) != lib.B2D_OK:
                    raise MemoryError
                held[each, kind] = bytes_[0], longest[0]
                times[each, kind] = [min(a, 1e6 * b / len(packed)) for a, b in zip(times[each, kind], ms, strict=True)]
        for kind, name in enumerate(names):
            cells = [f"{value:.1f}" for value in times[each, kind]]
            rows.append([name, str(len(packed)), *cells, f"{held[each, kind][0] / len(packed):.0f}",
                         str(held[each, kind][1])])  # fmt: skip
    head = ["", "pairs", "add, ns", "find", "walk", "remove", "bytes a pair", "reads of the slowest look-up"]
    section.parts.append(Table(f"Pairs of {ids} shapes", head, rows))

    def changing(each: int, kind: int) -> float:
        return times[each, kind][0] + times[each, kind][1] + times[each, kind][3]

    section.claims += [
        Claim("memory of a matrix of bits over that of the pair manager", held[3, 1][0] / held[3, 0][0], 1,
              exact=not run.quick),
        Claim("slots that the slowest look-up of a present pair reads", held[3, 0][1], 64, True, True),
        Claim("3 pairs a shape: an ordered map over the pair manager, adding, finding and removing",
              changing(3, 3) / changing(3, 0), 1),
        Claim("100 pairs a shape: a list for each lower id over the pair manager, the same",
              changing(100, 2) / changing(100, 0), 1),
        Claim("100 pairs a shape: a list for each lower id over the pair manager, walking all pairs",
              times[100, 2][2] / times[100, 0][2], 1),
    ]  # fmt: skip


def overlapping(lower: Any, upper: Any) -> int:
    """How many pairs of closed intervals overlap."""
    below = np.searchsorted(np.sort(lower), upper, side="right").sum()
    before = np.searchsorted(np.sort(upper), lower, side="left").sum()
    return int(below - before - len(lower)) // 2


# -- few shapes


def few_shapes(run: Run, section: Section) -> None:
    run.begin("1,000 shapes, and small worlds")
    count, steps = (200, 3) if run.quick else (1000, 12)
    widths = [name for name in ("sse2", "avx2") if name in b2.cpu_features()]
    times: dict[str, float] = {}
    chunks = 500 if run.quick else 8192  # as many as the document sends through chunks
    boxes, ms, pairs = Boxes(count, False), ffi.new("double*"), ffi.new("int64_t*")
    rows_ = boxes.boxes(boxes.ids)
    cells = (1.5, 2.0, 3.0)  # of the hash grid, m: the best counts
    hashed = {cell: float("inf") for cell in cells}
    for _ in range(1 if run.quick else 12):
        for cell in cells:
            if lib.b2d_lab_hash_grid(ffi.from_buffer("float[]", rows_), count, cell, ms, pairs) != lib.B2D_OK:
                raise MemoryError
            hashed[cell] = min(hashed[cell], ms[0])
    wrong = int(pairs[0]) - pairs_of(rows_)
    for _ in range(1 if run.quick else 3):
        for kind, simd in [("grid", "scalar"), ("grid", ""), ("brute_wide", ""), *(("morton", w) for w in widths)]:
            name, shapes = f"{kind} {simd}".strip(), chunks if kind == "morton" else count
            times[name] = min(times.get(name, float("inf")), cost(kind, shapes, False, 1.0, steps, simd=simd)[0])
    least_hashed = min(hashed.values())
    section.parts.append(
        f"{count} shapes that all move: a hash grid takes {1e3 * least_hashed:.0f} us, brute force with vectors "
        f"{1e3 * times['brute_wide']:.0f}, our grid, which sorts shapes by cells, {1e3 * times['grid']:.0f} "
        f"({1e3 * times['grid scalar']:.0f} with scalar kernels)."
    )
    section.claims += [
        Claim(f"{count} shapes: a hash grid over brute_wide", least_hashed / times["brute_wide"], 2),
        Claim(f"{count} shapes: pairs that the hash grid finds too many or too few", abs(wrong), 0, True, True),
        Claim(f"{count} shapes: a hash grid over today's grid", least_hashed / times["grid"], 1),
    ]
    if len(widths) == 2:
        section.claims += [
            Claim(f"morton, {chunks} shapes: SSE2 over AVX2", times["morton sse2"] / times["morton avx2"], 1)
        ]
    rows = []
    kinds = ("brute_wide", "grid", "tree", "sap")
    for shapes in (50, 100) if run.quick else (50, 100, 200, 400, 800):
        found = {kind: min(cost(kind, shapes, False, 1.0, 3 * steps)[0] for _ in range(3)) for kind in kinds}
        rows.append([str(shapes), *(f"{1e3 * found[kind]:.1f}" for kind in kinds), min(found, key=lambda k: found[k])])
    section.parts.append(Table("Few shapes, all moving, us", ["shapes", *kinds, "least"], rows, left=0))
    rows = []
    for bodies in (20,) if run.quick else (20, 60, 120, 200):
        names = ("grid", "brute_wide", "box_pruning", "morton", "sap")
        worlds = {name: pile(name, bodies) for name in names}
        best = dict.fromkeys(names, float("inf"))
        for _ in range(10 if run.quick else 120):
            for name, world in worlds.items():
                start = thread_time()
                world.step()
                best[name] = min(best[name], 1e6 * (thread_time() - start))
        for world in worlds.values():
            world.close()
        rows.append([str(bodies), *(f"{best[name]:.1f}" for name in names)])
    section.parts.append(Table("Microseconds of a world's step, a pile that tumbles", ["bodies", *names], rows, left=0))


def pairs_of(boxes: Floats) -> int:
    """By comparing all."""
    low, high = boxes[:, :2], boxes[:, 2:]
    meets = ((low[:, None] <= high[None]) & (low[None] <= high[:, None])).all(axis=2)
    return int(meets.sum() - len(boxes)) // 2


def pile(broadphase: str, bodies: int) -> b2.World:
    world = b2.World(broadphase=cast(Any, broadphase), sleeping=False)
    drum = world.create_kinematic_body(angular_velocity=1.0)
    side = 0.5 * bodies**0.5 + 1
    for x, y, hx, hy in ((side, 0, 0.3, side), (-side, 0, 0.3, side), (0, side, side, 0.3), (0, -side, side, 0.3)):
        drum.create_shape(b2.Box(hx, hy, (x, y)))
    row = int(bodies**0.5) + 1
    for k in range(bodies):
        world.create_dynamic_body((0.7 * (k % row) - 0.35 * row, 0.7 * (k // row) - 0.35 * row)).create_shape(
            b2.Box(0.25, 0.25)
        )
    for _ in range(60):
        world.step()
    return world


PARTS: Sequence[Part] = (
    pictures.end_points, moving.end_points_film, heat_map, claims_of_the_map, batches, batch_pairs, clutter, cells,
    merging, owners, grounds, axes, pair_sets, few_shapes,
)  # fmt: skip
