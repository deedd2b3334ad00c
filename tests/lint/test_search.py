"""The search of the documentation site finds the page that answers. Its own worker reads its own index, in QuickJS."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHIM = """
var self = globalThis, console = {warn() {}}, listener, reply;
function addEventListener(_, f) { listener = f; }
function postMessage(message) { reply = JSON.stringify(message); }
"""
SETUP, QUERY = 0, 2  # kinds of messages to the worker

# What a user types, and the pages that answer it, besides the FAQ.
QUESTIONS = {
    "break a joint": ("joints", "events"),
    "one-way platform": ("shapes", "characters"),
    "ladder": ("recipes",),
    "pixels to metres": ("units",),
    "teleport": ("concepts", "troubleshooting"),
    "filter": ("events",),
    "hit strength": ("events",),
    "user data": ("concepts",),
    "mouse drag": ("first_game",),
    "conveyor": ("recipes", "shapes"),
    "fixed step": ("concepts",),
    "remove in a callback": ("events",),
    "save a level": ("levels", "state"),
    "top-down car": ("recipes", "joints"),
    "ray ignores shooter": ("queries",),
}
# The same and other things in other words. The FAQ does not count here, so the guide itself has to be found.
OTHERS = {
    "joint force threshold": ("joints",),
    "drag with mouse": ("first_game", "drawing", "joints"),
    "raycast hits itself": ("queries",),
    "climb": ("recipes", "characters"),
    "belt": ("recipes", "shapes"),
    "pixel scale": ("units",),
    "load json": ("recipes", "levels"),
    "water": ("recipes",),
    "explosion": ("recipes", "queries"),
    "pyinstaller": ("ship",),
    "pymunk": ("migration",),
    "save game": ("state",),
    "sensor": ("events",),
    "bounce": ("shapes", "recipes"),
    "determinism": ("determinism",),
    "numpy array positions": ("numpy",),
    "reinforcement learning": ("environments", "tasks"),
    "train policy": ("tasks", "environments"),
    "direct joints": ("joints",),
}

Search = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Search:
    """Pages by rank, as the site lists them."""
    quickjs = pytest.importorskip("quickjs", reason="not installed: make docs")
    config = pytest.importorskip("mkdocs.config", reason="not installed: make docs")
    from mkdocs.commands.build import build

    site = tmp_path_factory.mktemp("site")
    build(config.load_config(str(ROOT / "mkdocs.yml"), site_dir=str(site)))
    (worker,) = (site / "assets/javascripts/workers").glob("search.*.min.js")
    context = quickjs.Context()
    context.eval(SHIM)
    context.eval(worker.read_text(encoding="utf-8"))

    def send(kind: int, data: object) -> dict[str, list[list[dict[str, str]]]]:
        context.eval(f"listener({{data: {{type: {kind}, data: {json.dumps(data)}}}}})")
        while context.execute_pending_job():
            pass
        found = json.loads(context.eval("reply"))
        return dict(found.get("data") or {})

    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    send(SETUP, {**index, "options": {"suggest": False}})
    return lambda words: [page[0]["location"].split("#")[0] for page in send(QUERY, words)["items"]]


def missed(search: Search, questions: dict[str, tuple[str, ...]], *more: str) -> list[str]:
    return [
        f"{words}: {found}"
        for words, pages in questions.items()
        if not {f"guide/{page}.html" for page in (*pages, *more)} & set(found := search(words)[:3])
    ]


def test_the_fifteen_questions_are_answered_by_the_first_three_pages(search: Search) -> None:
    assert len(QUESTIONS) == 15
    wrong = missed(search, QUESTIONS, "faq")
    assert len(wrong) <= 1, wrong


def test_the_guide_answers_most_of_them_itself(search: Search) -> None:
    wrong = missed(search, {**QUESTIONS, **OTHERS})
    assert len(wrong) <= 4, wrong


def test_records_of_decisions_never_come_first(search: Search) -> None:
    inner = ("architecture.", "changelog.", "decisions/", "lab.", "results.", "seed_ledger.")
    first = {words: search(words)[0] for words in {**QUESTIONS, **OTHERS}}
    wrong = {words: page for words, page in first.items() if page.startswith(inner)}
    assert wrong == {}
