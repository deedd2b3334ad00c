"""What the site needs beyond Markdown: generated pages, programs, links to the reference and out of the site."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from box2dpy import Box2DError

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
CODE = {  # pages with the code of samples and scenes
    f"code/{path.parent.name}_{path.stem}.md": path
    for folder in ("samples", "box2dpy/scenes")
    for path in sorted((ROOT / folder).glob("[a-z]*.py"))
}
COPIED = {"changelog.md": "CHANGELOG.md", "samples.md": "samples/README.md"}  # pages from outside of docs/


def _module(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"box2dpy_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


# What a match on a page counts in the search, by the beginning of its path: a user looks for the guide first, and
# records of decisions have every word of it. A heading counts as much as 1000 words. tests/lint/test_search.py.
WEIGHTS = {
    **dict.fromkeys(("guide/environments", "guide/tasks", "guide/machines", "guide/worlds", "guide/buffers"), 1.0),
    **dict.fromkeys(("guide/compat", "guide/staged_step", "guide/programs"), 1.0),
    **dict.fromkeys(("guide/faq", "guide/recipes"), 8.0),
    "guide/": 5.0,
    "index": 2.0,
    "reference/": 1.0,
    "gallery/": 0.5,
    "": 0.002,  # decisions, results, the lab, the changelog: a heading counts less than a word of the guide
}

VERSION = re.findall(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), flags=re.MULTILINE)[0]
REPOSITORY = re.findall(r'^REPOSITORY = "(.+)"', (ROOT / "setup.py").read_text(encoding="utf-8"), flags=re.MULTILINE)[0]

REFERENCE, LIVE = _module("reference"), _module("live")
ANCHORS = REFERENCE.anchors()
GALLERY = "gallery/README.md"
living: set[str] = set()  # pages of scenes; none without the compiled core


def on_config(config: Any) -> Any:
    """Completes the navigation by the pages of the reference, and the header by version and repository."""
    config.site_name = f"box2dpy {VERSION}"
    ran = re.findall(
        r"^\| (.+?) \| run", (DOCS / "guide" / "support.md").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    config.copyright = f"box2dpy {VERSION}, MIT License. Built and run on: {'; '.join(ran)}."
    if not REPOSITORY.endswith(".invalid/box2dpy"):
        config.repo_url, config.repo_name = REPOSITORY, "Repository"
    titles = [{title: f"reference/{page}.md"} for page, title, _ in REFERENCE.grouped()]
    for section in config.nav:
        for name in section:
            if name == "Reference":
                section[name] = ["reference/index.md", *titles]
    return config


def on_files(files: Files, config: Any) -> Files:
    for name, _, text in REFERENCE.pages():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    for page, source in CODE.items():
        files.append(File.generated(config, page, content=code(source)))
    for page, source in COPIED.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    try:
        made: list[tuple[str, str | bytes]] = [(f"live/{name}", text) for name, text in LIVE.shared().items()]
    except Box2DError as error:
        print(f"box2dpy: the site has pictures in place of live scenes: {error}")
        return files
    for path in sorted(DOCS.rglob("*.md")):
        where, text = path.relative_to(DOCS).as_posix(), path.read_text(encoding="utf-8")
        made += LIVE.samples_of(text) if where == GALLERY else LIVE.files_of(where, text)
    for name, content in made:
        files.append(File.generated(config, name, content=content))
        living.add(name)
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    where = page.file.src_uri
    if where.startswith("code/"):
        page.meta["search"] = {"exclude": True}
        return markdown
    page.meta["search"] = {"boost": next(weight for start, weight in WEIGHTS.items() if where.startswith(start))}
    if living:
        markdown = LIVE.with_samples(markdown, living) if where == GALLERY else LIVE.with_scenes(where, markdown)
    markdown = re.sub(r"^```text$", "``` { .text .no-copy }", markdown, flags=re.MULTILINE)  # nothing to run
    markdown = re.sub(r"<!-- program (\w+) -->", lambda mark: program(mark[1]), markdown)
    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.DOTALL | re.MULTILINE)
    for k in range(0, len(parts), 2):
        parts[k] = _links(parts[k], where)
        if not where.startswith(("decisions", "results", "seed_ledger", "lab", "changelog")):
            parts[k] = _names(parts[k], where)
    return "".join(parts)


def code(source: Path) -> str:
    """A page with the code of a file, which the gallery links to: a heading and a block for each class and function."""
    text = source.read_text(encoding="utf-8")
    lines, start = text.split("\n"), 0
    parts = [f"# {source.relative_to(ROOT).as_posix()}", ""]
    for node in ast.parse(text).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            before = min([node.lineno, *(each.lineno for each in node.decorator_list)]) - 1
            for title, first, last in (("", start, before), (node.name, before, node.end_lineno or 0)):
                block = "\n".join(lines[first:last]).strip("\n")
                parts += [f"## {title} {{#{title}}}", ""] * bool(title)
                parts += ["``` { .python .no-copy }", block, "```", ""] * bool(block)
            start = node.end_lineno or 0
    return "\n".join(parts)


def program(name: str) -> str:
    return f"```python\n{(DOCS / 'programs' / f'{name}.py').read_text(encoding='utf-8')}```"


def _links(text: str, where: str) -> str:
    """Links to files that are not part of the site become plain text with the name of the file."""
    source = ROOT / COPIED[where] if where in COPIED else DOCS / where
    inside = {(ROOT / path).resolve(): page for page, path in (*COPIED.items(), *CODE.items())}

    def replace(match: re.Match[str]) -> str:
        label, target = match[1], match[2]
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        name, hash_, anchor = target.partition("#")
        there = (source.parent / name).resolve()
        page = inside.get(there)
        if page is None and there.is_relative_to(DOCS) and (there.suffix in (".md", ".svg", ".png", ".gif")):
            page = there.relative_to(DOCS).as_posix()
        if page is None and (there.is_relative_to(DOCS / "reference") or name.endswith(".html")):
            return match[0]
        if page is None:
            path = there.relative_to(ROOT).as_posix() if there.is_relative_to(ROOT) else name
            return label if path in label else f"{label} (`{path}`)"
        up = "../" * where.count("/")
        return f"[{label}]({up}{page}{hash_}{anchor})"

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", replace, text)


def _names(text: str, where: str) -> str:
    """Names in the code font become links to the reference, outside of headings and of links."""
    up = "../" * where.count("/")

    def replace(match: re.Match[str]) -> str:
        name = re.sub(r"^b2\.", "", re.sub(r"\(.*\)$", "", match[1]))
        name = re.sub(r"^world\.", "World.", name)
        name = re.sub(r"^body\.", "Body.", name)
        place = ANCHORS.get(name)
        if place is None or (where == f"reference/{place.split('#')[0]}" and where == "reference/index.md"):
            return match[0]
        return f"[`{match[1]}`]({up}reference/{place})"

    lines = []
    for line in text.split("\n"):
        if not line.startswith("#"):
            line = re.sub(r"(?<![\[`])`([\w.]+(?:\([^`]*\))?)`(?!\])", replace, line)
        lines.append(line)
    return "\n".join(lines)
