"""Each test has random numbers of its own: tests/seeds.py and tests/c/test.h say how."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
STARTS = {"draws", "arrays"}
GLOBAL = re.compile(r"(np|numpy)\.random\.\w+|random\.[a-z]\w*|(random\.)?(Random|SystemRandom)|default_rng")
# Derived from another generator of the same test
ALLOWED = {"random.Random(self.draw.random())"}
# Spaces of copies of an environment whose space has a seed
COPIES = {"other.action_space", "way(env).action_space"}


def shared(tree: ast.Module) -> list[str]:
    """What of a module draws from a generator that several tests may share, or that has no seed of tests/seeds.py."""
    found = []

    def visit(node: ast.AST, inside: bool) -> None:
        """`inside`: of a function that runs anew for each test."""
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            starts = name in STARTS and not inside
            if starts or (GLOBAL.fullmatch(name) and ast.unparse(node) not in ALLOWED):
                found.append(f"{node.lineno}: {name}")
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            decorators = getattr(node, "decorator_list", [])
            scoped = any(re.search(r"scope=|cache", ast.unparse(each)) for each in decorators)
            for each in [*decorators, *node.args.defaults, *node.args.kw_defaults]:
                if each is not None:
                    visit(each, inside)
            for each in node.body if isinstance(node.body, list) else [node.body]:
                visit(each, not scoped)
            return
        for each in ast.iter_child_nodes(node):
            visit(each, inside)

    visit(tree, False)
    return found


def unseeded(tree: ast.Module) -> list[str]:
    """Spaces that a function samples, itself or in the text of a program, and does not seed with `shifted`."""
    found = []
    for function in tree.body:
        sampled: dict[str, int] = {}
        seeded = set(COPIES)
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                space = ast.unparse(node.func.value)
                if node.func.attr == "sample" and not node.args and not node.keywords:
                    sampled[space] = node.lineno
                elif node.func.attr == "seed" and node.args and ast.unparse(node.args[0]).startswith("shifted("):
                    seeded.add(space)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                sampled |= dict.fromkeys(re.findall(r"([\w.]+)\.sample\(\)", node.value), node.lineno)
                seeded |= set(re.findall(r"([\w.]+)\.seed\(", node.value))
        found += [f"{line}: {space}" for space, line in sampled.items() if space not in seeded]
    return found


@pytest.mark.parametrize(
    ("text", "draws_from"),
    [
        ("R = draws(1)", ["1: draws"]),
        ("def f(r=arrays(1)): pass", ["1: arrays"]),
        ("@parametrize(arrays(1).normal(size=3))\ndef f(): pass", ["1: arrays"]),
        ("@fixture(scope='module')\ndef f(): return draws(1)", ["2: draws"]),
        ("class C:\n    R = draws(1)", ["2: draws"]),
        ("def f(): return random.random() + np.random.rand()", ["1: random.random", "1: np.random.rand"]),
        ("def f(): return random.Random(1)", ["1: random.Random"]),
        ("def f():\n    r = draws(1)\n    return r.random() + C().random.uniform(0, 1)", []),
    ],
)
def test_shared_generators_are_found(text: str, draws_from: list[str]) -> None:
    assert shared(ast.parse(text)) == draws_from


@pytest.mark.parametrize(
    ("text", "samples"),
    [
        ("def f(): return space.sample()", ["1: space"]),
        ("def f(): space.seed(3); return space.sample()", ["1: space"]),
        ("def f(): a.seed(shifted(3)); return a.b.sample()", ["1: a.b"]),
        ("def f(): space.seed(shifted(3))\ndef g(): return space.sample()", ["2: space"]),
        ("def f(): return run('e.space.sample()')", ["1: e.space"]),
        ("def f(): space.seed(shifted(3)); return space.sample()", []),
        ("def f(): return run(f'e.space.seed({shifted(3)})' 'e.space.sample()')", []),
        ("def f(): return draws(1).sample(range(9), 2)", []),
    ],
)
def test_spaces_without_a_seed_are_found(text: str, samples: list[str]) -> None:
    assert unseeded(ast.parse(text)) == samples


def test_tests_share_no_generator() -> None:
    files = [path for path in TESTS.rglob("*.py") if path.name not in ("seeds.py", Path(__file__).name)]
    trees = {path.relative_to(TESTS).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in files}
    found = {name: [*shared(tree), *unseeded(tree)] for name, tree in trees.items()}
    assert {name: calls for name, calls in found.items() if calls} == {}


def test_c_tests_draw_from_the_generator_that_run_starts() -> None:
    own = re.compile(r"\b(s?rand|random|rand_r)\s*\(|\bseed\s*=[^=]|\bdraw_start\b")
    found = {path.name: own.findall(path.read_text(encoding="utf-8")) for path in (TESTS / "c").glob("test_*.c")}
    assert {name: lines for name, lines in found.items() if lines} == {}
