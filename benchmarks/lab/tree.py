"""Trees of boxes that are refined, rebuilt or left to decay: the scenes and claims of document 003 in two dimensions.

Nordby 2015, "Blazing Fast Trees": boxes of side 1 + 99 X^10 (X uniform from 0 to 1) move in random directions at
10 X^10 a second, or at 10 to 100 ("churn"), and bounce off the walls of their world. The side of the world is chosen so
that the number of overlaps is that of the document's three-dimensional scene. Boxes are exact, not fat.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from time import perf_counter
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

import box2dpy as b2

from ..engines import idle as idle_bodies
from . import moving, pictures
from .claim import CPU, Claim, Part, Plot, Run, Section, Table, least
from .core import ffi, lib

Floats: TypeAlias = npt.NDArray[np.float32]
Ids: TypeAlias = npt.NDArray[np.int32]

SIDES = {16_384: 3088.0, 65_536: 6176.0, 262_144: 12_352.0}  # about one overlap a leaf
SPARSE, DENSE = 17_468.0, 2184.0  # of 65,536 leaves: an eighth, and eight times as many
DT = 1 / 60
BUILDERS = ("insert", "median", "sweep", "binned", "morton", "agglomerative")


def number(prefix: str, name: str) -> int:
    return int(getattr(lib, f"B2D_REFINE_{prefix}{name.upper()}"))


class Tree:
    def __init__(self, build: str = "insert", policy: str = "refine", refiner: str = "binned", layout: str = "copy",
                 pairs: str = "self", metric: str = "perimeter", simd: bool = True, root: bool = True,
                 growth: bool = False, workers: int = 1) -> None:  # fmt: skip
        options = {
            "build": number("", build), "policy": number("POLICY_", policy), "refiner": number("", refiner),
            "layout": number("LAYOUT_", layout), "pairs": number("PAIRS_", pairs), "metric": number("METRIC_", metric),
            "simd": simd, "root": root, "growth": growth, "workers": workers,
        }  # fmt: skip
        out = ffi.new("b2d_refine_tree**")
        if lib.b2d_refine_tree_create(ffi.new("b2d_refine_options*", options), out) != lib.B2D_OK:
            raise MemoryError
        self.pointer = ffi.gc(out[0], lib.b2d_refine_tree_destroy)
        self.result = ffi.new("b2d_refine_frame*")

    def load(self, boxes: Floats) -> float:
        start = perf_counter()
        if lib.b2d_refine_tree_load(self.pointer, ffi.from_buffer("float[]", boxes), len(boxes)) != lib.B2D_OK:
            raise MemoryError
        return perf_counter() - start

    def frame(self, boxes: Floats, ids: Ids) -> Any:
        rows, changed = ffi.from_buffer("float[]", boxes), ffi.from_buffer("int32_t[]", ids)
        if lib.b2d_refine_tree_frame(self.pointer, rows, changed, len(ids), self.result) != lib.B2D_OK:
            raise MemoryError
        return self.result[0]

    @property
    def cost(self) -> float:
        return float(lib.b2d_refine_tree_cost(self.pointer))

    def check(self) -> None:
        broken = lib.b2d_refine_tree_validate(self.pointer)
        if broken != ffi.NULL:
            raise RuntimeError(ffi.string(broken).decode())


class Scene:
    def __init__(self, count: int, side: float, motion: str = "realistic", seed: int = 1) -> None:
        draw = np.random.default_rng(seed)
        self.side = side
        sizes = (1 + 99 * draw.random((count, 1)) ** 10).astype(np.float32) * np.ones((1, 2), np.float32)
        self.corner = (draw.random((count, 2)) * (side - sizes)).astype(np.float32)
        self.sizes = sizes
        x = draw.random(count)
        speed = {"realistic": 10 * x**10, "churn": 10 + 90 * x**10, "still": 0 * x}[motion]
        angle = draw.uniform(0, 2 * np.pi, count)
        self.velocity = (speed[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)).astype(np.float32)
        self.moving = motion != "still"
        self.all = np.arange(count, dtype=np.int32)
        self.boxes = self.make()

    def make(self) -> Floats:
        return cast(Floats, np.ascontiguousarray(np.concatenate([self.corner, self.corner + self.sizes], axis=1)))

    def step(self) -> Ids:
        """Moves the leaves; returns those that moved."""
        if not self.moving:
            return self.all[:0]
        self.corner += self.velocity * np.float32(DT)
        low, high = self.corner < 0, self.corner > self.side - self.sizes
        self.velocity = np.where(low, np.abs(self.velocity), np.where(high, -np.abs(self.velocity), self.velocity))
        self.boxes = self.make()
        return self.all

    def step_some(self, share: float, draw: np.random.Generator) -> Ids:
        ids = np.sort(draw.permutation(len(self.all))[: max(1, round(share * len(self.all)))]).astype(np.int32)
        self.corner[ids] += self.velocity[ids] * np.float32(DT)
        self.boxes[ids] = np.concatenate([self.corner[ids], self.corner[ids] + self.sizes[ids]], axis=1)
        return ids


def expected_overlaps(scene: Scene) -> float:
    """Mean number of overlaps of boxes that lie anywhere: N (N - 1) / 2 times the mean of (a + b)^2 / free area."""
    sizes, count = scene.sizes[:, 0].astype(np.float64), len(scene.sizes)
    mean, square = sizes.mean(), (sizes**2).mean()
    free = (scene.side - sizes).mean()
    return float(count * (count - 1) / 2 * (2 * square + 2 * mean * mean) / free**2)


def leaves(run: Run) -> int:
    return 1024 if run.quick else 65_536


def update(frame: Any) -> float:
    return float(frame.refit_ms + frame.refine_ms + frame.layout_ms)


# -- parts


def builders(run: Run, section: Section) -> None:
    sizes = [512, 1024] if run.quick else list(SIDES)
    rows = []
    worst = {"binned": 0.0, "median": float("inf")}
    for count in sizes:
        scene = Scene(count, side_of(count))
        costs: dict[str, float] = {}
        cells = [f"{count}"]
        for build in BUILDERS:
            if build == "agglomerative" and count > 4096:
                cells += [""]
                continue
            run.begin(f"{build} of {count}")
            tree = Tree(build, "none")
            seconds = tree.load(scene.boxes)
            tree.check()
            costs[build] = tree.cost
            cells += [f"{costs[build]:.2f} ({1e3 * seconds:.0f} ms)"]
        rows.append(cells)
        pairs = int(tree.frame(scene.boxes, scene.all[:0]).pairs)
        ratio = pairs / expected_overlaps(scene)
        section.claims += [Claim(f"{count} leaves: overlaps ({pairs}) over the formula, away from 1",
                                 abs(ratio - 1), 0.05, True, not run.quick)]  # fmt: skip
        worst["binned"] = max(worst["binned"], costs["binned"] / costs["sweep"])
        worst["median"] = min(worst["median"], costs["median"] / costs["binned"])
    section.parts.append(
        Table("Cost and time of builders, in metrics of the root", ["leaves", *BUILDERS], rows, left=0)
    )
    count = sizes[-2]
    for name, side in (("sparse", SPARSE), ("dense", DENSE)):
        scene = Scene(count, side_of(count) * side / SIDES[65_536])
        tree = Tree("binned", "none")
        tree.load(scene.boxes)
        pairs = int(tree.frame(scene.boxes, scene.all[:0]).pairs)
        ratio = pairs / expected_overlaps(scene)
        section.claims += [Claim(f"{name}, {count} leaves: overlaps ({pairs}) over the formula, away from 1",
                                 abs(ratio - 1), 0.05, True, not run.quick)]  # fmt: skip
    section.claims += [
        Claim("cost of binned over sweep, most of the sizes", worst["binned"], 1.05, True, True),
        Claim("cost of median over binned, least of the sizes", worst["median"], 1.0, exact=True),
    ]


def side_of(count: int) -> float:
    return SIDES.get(count, 6176.0 * math.sqrt(count / 65_536))


def curves(run: Run, section: Section) -> None:
    """Cost and time over the frames, by policy, in the realistic and the churning scene."""
    count, frames = leaves(run), 60 if run.quick else 1000
    policies = ("refine", "threshold", "rebuild")
    found: dict[tuple[str, str], tuple[list[float], list[float], list[float]]] = {}
    bound = 0.0
    for motion in ("realistic", "churn"):
        for policy in policies:
            run.begin(f"{policy}, {motion}, {frames} frames of {count}")
            scene = Scene(count, side_of(count), motion)
            tree = Tree("insert" if policy == "refine" else "median", policy)
            tree.load(scene.boxes)
            costs, times, tests = [], [], []
            for _ in range(frames // 10 if policy == "rebuild" else frames):
                ids = scene.step()
                frame = tree.frame(scene.boxes, ids)
                costs.append(frame.cost)
                times.append(update(frame))
                tests.append(frame.pairs_ms)
                if policy == "refine":
                    bound = max(bound, frame.refined_leaves / frame.refine_bound)
            tree.check()
            found[motion, policy] = costs, times, tests
        best = Tree("sweep", "none")
        best.load(scene.boxes)
        found[motion, "sweep"] = [best.cost] * frames, [0.0], [0.0]
    rows = []
    for (motion, policy), (costs, times, tests) in found.items():
        if policy == "sweep":
            rows.append([motion, "new sweep build at the end", f"{costs[-1]:.2f}", *[""] * 5])
            continue
        middle = float(np.median(times))
        rows.append([motion, policy, f"{costs[-1]:.2f}", f"{middle:.2f}", f"{np.percentile(times, 99.9) / middle:.1f}",
                     f"{max(times) / middle:.1f}", f"{float(np.median(tests)):.2f}", f"{tests[-1]:.2f}"])  # fmt: skip
    head = ["scene", "policy", "cost at the end", "update ms", "p99.9 / median", "most / median", "pairs ms", "last"]
    section.parts.append(Table(f"{frames} frames of {count} leaves (rebuild: a tenth of them)", head, rows, left=2))
    for motion in ("realistic", "churn"):
        costs, times, _ = found[motion, "refine"]
        middle = float(np.median(times))
        near = float(np.mean(costs[-20:])) / found[motion, "sweep"][0][-1]
        exact = not run.quick
        section.claims += [
            Claim(f"{motion}: cost of the refined tree over a new sweep build", near, 1.20, True, exact),
            Claim(f"{motion}: update, p99.9 over median", float(np.percentile(times, 99.9)) / middle, 3, True),
            Claim(f"{motion}: update, most over median", max(times) / middle, 6, True),
        ]
    churn, times, _ = found["churn", "threshold"]
    half = len(churn) // 2
    section.claims += [
        Claim("refined pieces over their bound, most of all frames", bound, 1, True, True),
        Claim("threshold, churn: cost of the last frames over that in the middle",
              float(np.mean(churn[-20:])) / float(np.mean(churn[half : half + 20])), 1.0, exact=not run.quick),
    ]  # fmt: skip

    def draw(figure: Any) -> None:
        panes = figure.subplots(2, 2, sharex=True)
        for column, motion in enumerate(("realistic", "churn")):
            for policy in policies:
                costs, times, _ = found[motion, policy]
                panes[0][column].plot(costs, label=policy, linewidth=0.9)
                panes[1][column].plot(times, label=policy, linewidth=0.6)
            panes[0][column].axhline(found[motion, "sweep"][0][0], color="gray", linewidth=0.7, linestyle="--")
            panes[0][column].set(title=motion, ylabel="cost; dashed: a new sweep build", yscale="log")
            panes[1][column].set(xlabel="frame", ylabel="update, ms", yscale="log")
            panes[0][column].legend(fontsize=7)

    section.parts.append(
        Plot(
            "tree",
            "Above the cost of the tree, below the time of an update, frame by frame: `rebuild` for the first "
            "100 frames, the others for all",
            draw,
            (10.0, 6.0),
        )
    )
    section.records["curves"] = {f"{motion} {policy}": values for (motion, policy), values in found.items()}


def old_policy(run: Run, section: Section) -> None:
    """The tree of the document's engine before: single insertions, then the policy `threshold`, whose first frame
    rebuilds the root. Also with the document's own metric, which is the area in two dimensions. Beside it the refined
    tree, which begins with the same insertions."""
    count, frames = leaves(run), 40 if run.quick else 300
    rows, worst, first = [], float("inf"), {}
    for policy, metric in (("threshold", "perimeter"), ("threshold", "area"), ("refine", "perimeter")):
        run.begin(f"{policy} after insertion, {metric}")
        loads, firsts = [], []
        for _ in range(1 if run.quick else 3):  # a load is one moment, which any other program may disturb
            scene = Scene(count, side_of(count), "churn")
            tree = Tree("insert", policy, metric=metric)
            start = CPU()
            tree.load(scene.boxes)
            loads.append(1e3 * (CPU() - start))
            firsts.append(update(tree.frame(scene.boxes, scene.step())))
        times = [update(tree.frame(scene.boxes, scene.step())) for _ in range(frames)]
        middle, load, frame = float(np.median(times)), min(loads), min(firsts)
        first[policy, metric] = load + frame, frame / middle
        if policy == "threshold":
            worst = min(worst, max(frame, *times) / middle)
        rows.append([policy, metric, f"{load:.0f}", f"{frame:.1f}", f"{middle:.2f}", f"{max(times):.1f}"])
    head = ["policy", "metric", "loading", "first frame", "median update", "slowest later"]
    section.parts.append(Table(f"Single insertions and the frames after them, {count} leaves, ms", head, rows, left=2))
    sentence = "threshold, churn, from single insertions: slowest update over the median, least of two metrics"
    section.claims += [
        Claim(sentence, worst, 6),  # the bound that the refined tree keeps
        Claim("refined tree: the first frame after loading over the median", first["refine", "perimeter"][1], 6, True),
        Claim("loading and the first frame, refined tree over the old policy",
              first["refine", "perimeter"][0] / first["threshold", "perimeter"][0], 1, True),
    ]  # fmt: skip


def teleport(run: Run, section: Section) -> None:
    count = 4096 if run.quick else leaves(run)
    run.begin("leaves that are put elsewhere")
    ratios = {}
    for root in (True, False):
        scene = Scene(count, side_of(count), "still")
        tree = Tree("sweep", "refine", root=root)
        tree.load(scene.boxes)
        before = tree.cost
        ids = np.arange(0, count, max(count // 1000, 1), dtype=np.int32)[:1000]
        scene.corner[ids] = np.random.default_rng(9).random((len(ids), 2)).astype(np.float32) * (scene.side - 100)
        scene.boxes = scene.make()
        for k in range(64):
            tree.frame(scene.boxes, ids if k == 0 else ids[:0])
        ratios[root] = tree.cost / before
    exact = not run.quick
    section.claims += [
        Claim("1000 leaves put elsewhere: cost after 64 frames over that before", ratios[True], 1.3, True, exact),
        Claim("the same without refinement of the top", ratios[False], 1.3, exact=exact),
    ]


def by_growth(run: Run, section: Section) -> None:
    """The top of the tree takes apart first what grew, instead of what is large."""
    count, frames = leaves(run), (1, 4, 16, 64)
    rows, found = [], {}
    for moved in (16, 64) if run.quick else (100, 1000):
        for growth in (False, True):
            name = "growth" if growth else "size"
            run.begin(f"{moved} leaves that are put elsewhere, by {name}")
            scene = Scene(count, side_of(count), "still")
            tree = Tree("sweep", "refine", growth=growth)
            tree.load(scene.boxes)
            before = tree.cost
            ids = np.arange(0, count, count // moved, dtype=np.int32)[:moved]
            scene.corner[ids] = np.random.default_rng(9).random((len(ids), 2)).astype(np.float32) * (scene.side - 100)
            scene.boxes = scene.make()
            costs = [tree.frame(scene.boxes, ids if k == 0 else ids[:0]).cost / before for k in range(max(frames))]
            found[moved, growth] = costs
            rows.append([str(moved), name, *(f"{costs[k - 1]:.3f}" for k in frames)])
    head = ["leaves put elsewhere", "the top by", *(f"frame {k}" for k in frames)]
    section.parts.append(Table("Cost of the tree over that before", head, rows, left=0))
    few, many = min(found)[0], max(found)[0]
    exact = not run.quick
    section.claims += [
        Claim(f"{few} leaves put elsewhere: excess of the cost after one frame, by size over by growth",
              (found[few, False][0] - 1) / (found[few, True][0] - 1), 2, exact=exact),
        Claim(f"{many} leaves put elsewhere: cost after 64 frames, by growth over by size",
              found[many, True][-1] / found[many, False][-1], 1, True, exact),
    ]  # fmt: skip


def layouts(run: Run, section: Section) -> None:
    count, frames = leaves(run), 30 if run.quick else 200
    found, rows = {}, []
    cases = [("none", True), ("incremental", True), ("parts", True), ("parts", False), ("copy", True)]
    for layout, root in cases:
        run.begin(f"layout {layout}")
        scene = Scene(count, side_of(count))
        tree = Tree("insert", "refine", layout=layout, root=root)
        tree.load(scene.boxes)
        times, updates = [], []
        for _ in range(frames):
            frame = tree.frame(scene.boxes, scene.step())
            times.append(frame.pairs_ms)
            updates.append(update(frame))
        best = min(times[len(times) // 2 :])
        found[layout, root] = float(frame.cache_quality)
        rows.append(
            [layout, "yes" if root else "no", f"{frame.cache_quality:.2f}", f"{best:.2f}", f"{np.median(updates):.2f}"]
        )
    section.parts.append(Table(f"Node layouts, {count} leaves", ["layout", "top refined", "in order",
                               "pairs ms", "update ms"], rows, left=2))  # fmt: skip
    churning = Scene(count, side_of(count), "churn")
    tree = Tree("insert", "refine", layout="incremental")
    tree.load(churning.boxes)
    for _ in range(frames):
        churned = float(tree.frame(churning.boxes, churning.step()).cache_quality)
    ratios = []
    for number in (count,) if run.quick else (count, 2 * count, 4 * count, 8 * count):
        run.begin(f"an insertion build of {number}, scattered and in order")
        scene = Scene(number, side_of(number))
        trees = {layout: Tree("insert", "none", layout=layout) for layout in ("none", "copy")}
        for tree in trees.values():
            tree.load(scene.boxes)
        best_of = dict.fromkeys(trees, float("inf"))
        for _ in range(3 if run.quick else 6):
            ids = scene.step()
            for layout, tree in trees.items():
                best_of[layout] = min(best_of[layout], tree.frame(scene.boxes, ids).pairs_ms)
        ratios.append(best_of["none"] / best_of["copy"])
    section.parts.append(
        f"The same tree from single insertions, nodes where they fell over nodes in depth-first order: the self test "
        f"takes {', '.join(f'{ratio:.2f}' for ratio in ratios)} times as long with {count} leaves, twice, four and "
        "eight times as many."
    )
    section.claims += [
        Claim("self test of an insertion build: nodes as they fell over depth-first order, most of the sizes",
              max(ratios), 2.0),
        Claim(f"layout incremental: nodes in order after {frames} frames", found["incremental", True], 0.8,
              exact=not run.quick),
        Claim(f"layout of the refined subtrees: nodes in order after {frames} frames", found["parts", True], 0.8,
              exact=not run.quick),
        Claim("the same without refinement of the top, which scrambles", found["parts", False], 0.8,
              exact=not run.quick),
        Claim("share of the nodes that refinement of the top keeps out of order", found["parts", False] -
              found["parts", True], 0, exact=not run.quick),
        Claim("the fraction follows the cost: nodes in order in the churning scene", churned, 0.8,
              exact=not run.quick),
    ]  # fmt: skip


def finders(run: Run, section: Section) -> None:
    """Three ways to find pairs over the share of leaves that move, and both kernels."""
    count = leaves(run)
    rows = []
    shares = (0.001, 0.01, 0.1, 0.5, 1.0)
    best: dict[tuple[str, float], float] = {}
    differing = 0
    for share in shares:
        run.begin(f"pair finders, {100 * share:g} % moving")
        hashes = {}
        for kind in ("self", "changed", "query"):
            scene, draw = Scene(count, side_of(count), "churn"), np.random.default_rng(5)
            tree = Tree("sweep", "refine", pairs=kind)
            tree.load(scene.boxes)
            for _ in range(3 if run.quick else 6):
                ids = scene.step_some(share, draw)
                frame = tree.frame(scene.boxes, ids)
                best[kind, share] = min(best.get((kind, share), float("inf")), frame.pairs_ms)
            hashes[kind] = frame.pair_hash
        differing += hashes["changed"] != hashes["query"]
        differing += share == 1.0 and hashes["self"] != hashes["query"]
        rows.append([f"{100 * share:g} %", *(f"{best[kind, share]:.3f}" for kind in ("self", "changed", "query"))])
    section.parts.append(
        Table(f"Finding pairs, {count} leaves, ms", ["moving", "self", "changed", "query"], rows, left=0)
    )
    section.claims += [
        Claim("shares for which the pair finders disagree", differing, 0, True, True),
        Claim("all moving: query over self test", best["query", 1.0] / best["self", 1.0], 1),
        Claim("0.1 % moving: self test over changed", best["self", 0.001] / best["changed", 0.001], 1),
    ]
    run.begin("kernels of the self test")
    times: dict[bool, float] = {}
    scene = Scene(count, side_of(count) * DENSE / 6176, "realistic")
    trees = {simd: Tree("sweep", "refine", simd=simd) for simd in (False, True)}
    for tree in trees.values():
        tree.load(scene.boxes)
    for _ in range(3 if run.quick else 8):
        ids = scene.step()
        for simd, tree in trees.items():
            times[simd] = min(times.get(simd, float("inf")), tree.frame(scene.boxes, ids).pairs_ms)
    section.claims += [
        Claim("dense scene, self test: node by node over batches of 8 leaves", times[False] / times[True], 1.2)
    ]


def refiners(run: Run, section: Section) -> None:
    count, frames = leaves(run), 30 if run.quick else 200
    rows = []
    points: dict[str, tuple[float, float]] = {}
    for refiner in ("binned", "sweep", "agglomerative", "treelets", "median"):
        run.begin(f"refiner {refiner}")
        scene = Scene(count, side_of(count))
        tree = Tree("insert", "refine", refiner)
        tree.load(scene.boxes)
        times = []
        for _ in range(max(frames // 8, 8) if refiner == "agglomerative" else frames):
            frame = tree.frame(scene.boxes, scene.step())
            times.append(frame.refine_ms)
        points[refiner] = float(np.median(times)), frame.cost
        rows.append([refiner, f"{points[refiner][0]:.2f}", f"{points[refiner][1]:.2f}", str(len(times))])
    section.parts.append(
        Table(f"Refiners, {count} leaves", ["refiner", "refinement ms", "cost at the end", "frames"], rows)
    )
    slower = min(points[name][0] for name in ("sweep", "agglomerative", "treelets")) / points["binned"][0]
    section.claims += [
        Claim("time of the better refiners over binned, least", slower, 1.5),
        Claim("cost that treelets reach, in that of binned", points["treelets"][1] / points["binned"][1], 1, True,
              not run.quick),
    ]  # fmt: skip

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for name, (ms, cost) in points.items():
            axes.plot(ms, cost, "o")
            axes.annotate(name, (ms, cost), textcoords="offset points", xytext=(5, 5))
        axes.set(xlabel="refinement, ms a frame (logarithmic)", ylabel="cost at the end", xscale="log")

    section.parts.append(Plot("tree-refiners", "Refiners: time against the cost that they reach", draw, (6.0, 4.0)))


def six_rows(run: Run, section: Section) -> None:
    """The document's table: density, count and motion; update and self test of whole trees.

    The old tree is that of the document: built by single insertions, then the policy `threshold`, nodes where they
    fell, no SIMD. The other columns have the layout and the self test of the new tree, and so differ in the policy
    alone. The first half of the frames is left out: the document's trees had run for thousands of frames.
    """
    frames, scale = (16, 64) if run.quick else (300, 1)
    large = 65_536 // scale
    cases = [("realistic", large, side_of(large), "realistic"), ("stationary", large, side_of(large), "still"),
             ("sparse", large, side_of(large) * SPARSE / 6176, "still"),
             ("dense", large, side_of(large) * DENSE / 6176, "still"),
             ("16,384", 16_384 // scale, side_of(16_384 // scale), "realistic"),
             ("262,144", 262_144 // scale, side_of(262_144 // scale), "realistic")]  # fmt: skip
    trees: dict[str, dict[str, Any]] = {
        "refine": {"build": "insert", "policy": "refine"},
        "old": {"build": "insert", "policy": "threshold", "layout": "none", "simd": False},
        "threshold": {"build": "median", "policy": "threshold"},
        "rebuild": {"build": "median", "policy": "rebuild"},
    }
    rows, wins = [], 0
    for name, count, side, motion in cases:
        times = {}
        for kind, options in trees.items():
            run.begin(f"policies, {name}, {kind}")
            scene = Scene(count, side, motion)
            tree = Tree(**options)
            tree.load(scene.boxes)
            updates, tests = [], []
            for _ in range(frames // 10 if kind == "rebuild" else frames):
                frame = tree.frame(scene.boxes, scene.step())
                updates.append(update(frame))
                tests.append(frame.pairs_ms)
            half = len(tests) // 2
            times[kind] = float(np.median(updates[half:])), float(np.median(tests[half:]))
        sums = {kind: sum(both) for kind, both in times.items()}
        wins += sums["refine"] < sums["old"]
        ratios = [f"{sums[kind] / sums['refine']:.2f}" for kind in trees if kind != "refine"]
        rows.append([name, str(count), *(f"{a:.2f} + {b:.2f}" for a, b in times.values()), *ratios])
    others = [f"{kind} / refine" for kind in trees if kind != "refine"]
    head = ["scene", "leaves", *(f"{kind} ms" for kind in trees), *others]
    section.parts.append(Table("Update and self test of a frame, medians", head, rows))
    section.claims += [Claim("rows of six in which the refined tree takes less than the old one", wins, 4)]


def objects(run: Run, section: Section) -> None:
    """One thread: the document's old tree, of objects with virtual functions, beside the refined tree."""
    rows, ratios, differing = [], [], 0
    for number in (1024,) if run.quick else (65_536, 262_144):
        run.begin(f"a tree of {number} objects")
        scene, frames = Scene(number, side_of(number)), 12 if run.quick else 60
        out, ms = ffi.new("b2d_object_tree**"), ffi.new("double[2]")
        pairs, pair_hash = ffi.new("int64_t*"), ffi.new("uint64_t*")
        if lib.b2d_object_tree_create(ffi.from_buffer("float[]", scene.boxes), number, out) != lib.B2D_OK:
            raise MemoryError
        old = ffi.gc(out[0], lib.b2d_object_tree_destroy)
        new = Tree("insert", "refine")
        new.load(scene.boxes)
        spent: dict[str, list[tuple[float, float]]] = {"objects": [], "refine": []}
        for _ in range(frames):
            ids = scene.step()
            lib.b2d_object_tree_frame(old, ffi.from_buffer("float[]", scene.boxes), ms, pairs, pair_hash)
            frame = new.frame(scene.boxes, ids)
            differing += (pairs[0], pair_hash[0]) != (frame.pairs, frame.pair_hash)
            spent["objects"].append((ms[0], ms[1]))
            spent["refine"].append((update(frame), frame.pairs_ms))
        middle = {name: np.median(np.array(times[frames // 2 :]), axis=0) for name, times in spent.items()}
        ratios.append(float(middle["objects"].sum() / middle["refine"].sum()))
        rows += [[str(number), name, f"{a:.2f}", f"{b:.2f}"] for name, (a, b) in middle.items()]
    section.parts.append(Table("One thread, realistic, medians in ms", ["leaves", "tree", "update", "self test"], rows,
                               left=2))  # fmt: skip
    section.claims += [
        Claim("frames in which the tree of objects finds other pairs than the refined tree", differing, 0, True, True),
        Claim("one thread, realistic: the tree of objects over the refined tree, most of two sizes", max(ratios), 3),
    ]


def workers(run: Run, section: Section) -> None:
    count, frames = leaves(run), 10 if run.quick else 80
    run.begin("workers")
    scene = Scene(count, side_of(count), "churn")
    trees = {number: Tree("insert", "refine", workers=number) for number in (1, 2, 4)}
    for tree in trees.values():
        tree.load(scene.boxes)
    best: dict[tuple[int, str], float] = {}
    balance, differing = float("inf"), 0
    for _ in range(frames):  # in turns, because other programs disturb two workers more
        ids = scene.step()
        for number, tree in trees.items():
            frame = tree.frame(scene.boxes, ids)
            for name in ("refine_ms", "pairs_ms"):
                best[number, name] = min(best.get((number, name), float("inf")), getattr(frame, name))
            if number == 2:
                balance = min(balance, frame.balance)
        differing += len({lib.b2d_refine_tree_hash(tree.pointer) for tree in trees.values()}) > 1
    section.claims += [
        Claim("frames in which 1, 2 and 4 workers give different nodes", differing, 0, True, True),
        Claim("self test, one worker over two", best[1, "pairs_ms"] / best[2, "pairs_ms"], 1.6),
        Claim("refinement, one worker over two", best[1, "refine_ms"] / best[2, "refine_ms"], 1.2),
        Claim("self test with two workers: most work over the mean, least of the frames", balance, 1.5, True),
    ]


def still(run: Run, section: Section) -> None:
    count, frames = leaves(run), 100 if run.quick else 300
    run.begin("nothing moves")
    times = {}
    for motion in ("realistic", "still"):
        scene = Scene(count, side_of(count), motion)
        tree = Tree("insert", "refine")
        tree.load(scene.boxes)
        spent, refined = [], 0
        for _ in range(frames):
            frame = tree.frame(scene.boxes, scene.step())
            spent.append(update(frame))
            refined = frame.refined_leaves
        times[motion] = float(np.median(spent[-10:]))
    exact = not run.quick
    section.claims += [
        Claim("update of the still scene over the realistic one", times["still"] / times["realistic"], 0.05, True),
        Claim("pieces refined in the last frame of the still scene", refined, 0, True, exact),
        Claim("update of the still scene", 1e3 * times["still"], 100, True, unit="us"),
    ]


def idle(run: Run, section: Section) -> None:
    """2,000 bodies that never sleep, beside many that are static or asleep; and worlds in which all sleep."""
    rows = []
    awake = 50 if run.quick else 2000
    cases = [("static", 100), ("sleeping", 100)] if run.quick else [
        ("static", 10_000), ("static", 100_000), ("static", 500_000), ("sleeping", 10_000), ("sleeping", 100_000),
        ("sleeping", 1_000_000)]  # fmt: skip
    shares = {}
    for kind, count in cases:
        run.begin(f"{awake} bodies beside {count} {kind}")
        found = idle_bodies.beside(kind, count, awake, 1 if run.quick else 6, 1)
        shares[kind, count] = found["share"]
        rows.append([kind, str(found["idle"]), f"{found['alone_ms']:.3f}", f"{found['beside_ms']:.3f}",
                     f"{100 * found['share']:+.1f} %"])  # fmt: skip
    head = ["idle", "bodies", "alone, ms", "beside them, ms", "adds"]
    section.parts.append(Table(f"A step of {awake} awake bodies beside idle ones", head, rows))
    most = cases[-1][1]
    run.begin(f"{most} bodies asleep")
    with b2.World() as empty, b2.World() as resting:
        idle_bodies.sleepers(resting, most)
        for world in (empty, resting):
            for _ in range(3):
                world.step()
        visited = resting.counters.contacts_updated + resting.counters.awake_bodies
        calls = 2 if run.quick else 100  # a step is so short that reading the clock would count
        worlds = (empty, resting)
        actions = [lambda world=world: [world.step() for _ in range(calls)] for world in worlds]  # type: ignore[misc]
        nothing, asleep = (1e6 * each / calls for each in least(40, actions))
    section.parts.append(
        f"A step of a world in which {most} bodies sleep takes {asleep:.2f} us, of an empty world {nothing:.2f} us."
    )
    for kind, count in cases:
        if count < 1_000_000:
            section.claims += [Claim(f"what {count} {kind} bodies add to a step of {awake}, as a share",
                                     shares[kind, count], 0.1, True)]  # fmt: skip
    section.claims += [
        Claim(f"contacts and bodies that a step visits while {most} sleep", visited, 0, True, True),
        Claim(f"us that {most} sleeping bodies add to a step of an empty world", asleep - nothing, 0.5, True),
        Claim(f"what {most} sleeping bodies add to a step of {awake} awake ones, as a share",
              shares[cases[-1]], 0.05, True),
    ]  # fmt: skip


def one_group(run: Run, section: Section) -> None:
    """A static mesh as one body of many segments, or as a body for each segment, under falling boxes."""
    segments, boxes = (500, 20) if run.quick else (50_000, 500)
    line = [(0.5 * k - 0.25 * segments, 0.2 * math.sin(0.3 * k)) for k in range(segments + 1)]
    made: dict[str, float] = {}
    worlds: dict[str, b2.World] = {}
    for name in ("one chain", "a body for each segment"):
        run.begin(f"a static mesh, {name}")
        world = worlds[name] = b2.World(sleeping=False)
        start = perf_counter()
        if name == "one chain":
            world.create_static_body().create_chain(line[::-1])
        else:
            for a, b in pairwise(line):
                world.create_static_body().create_shape(b2.Segment(a, b))
        world.step()  # the tree is made
        made[name] = 1e3 * (perf_counter() - start)
        world.create_bodies([(1.5 * (k - boxes / 2), 1.5) for k in range(boxes)], geometry=b2.Box(0.4, 0.4))
        for _ in range(60):
            world.step()
    group, single = least(20 if run.quick else 150, [world.step for world in worlds.values()])
    sizes = [world.counters.bytes / segments for world in worlds.values()]
    rows = [[name, f"{made[name]:.1f}", f"{size:.0f}", f"{1e6 * step:.1f}"]
            for name, size, step in zip(worlds, sizes, (group, single), strict=True)]  # fmt: skip
    for world in worlds.values():
        world.close()
    head = ["mesh", "made in ms", "bytes a segment", "step, us"]
    section.parts.append(Table(f"A static mesh of {segments} segments under {boxes} boxes at rest", head, rows))
    one, many = worlds
    section.claims += [
        Claim("making a body for each segment over making one group, time", made[many] / made[one], 2),
        Claim("memory of a body for each segment over that of one group", sizes[1] / sizes[0], 1.2,
              exact=not run.quick),
        Claim("a step with the group, in steps with single bodies", group / single, 1.1, True),
    ]  # fmt: skip


PARTS: Sequence[Part] = (
    pictures.refined_nodes, moving.tree_film, builders, curves, old_policy, teleport, by_growth, layouts, finders,
    refiners, six_rows, objects, workers, still, idle, one_group,
)  # fmt: skip
