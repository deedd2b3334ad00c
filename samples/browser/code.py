"""The code of a sample in the panel: monospaced, with the colours of its parts, and copied as a script."""

from __future__ import annotations

import builtins
import io
import keyword
import tokenize
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from .._script import script
from . import look

if TYPE_CHECKING:
    from .window import Browser

Piece = tuple[str, str]  # text, and the name of its colour


@lru_cache(maxsize=8)
def pieces(source: str) -> tuple[tuple[Piece, ...], ...]:
    """The pieces of each line of Python code: "keyword", "string", "comment", "number", "name" of a builtin, "text"."""
    lines = source.split("\n")
    kinds = [["text"] * len(line) for line in lines]
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            kind = _kind(token)
            for row in range(token.start[0] - 1, min(token.end[0], len(lines))) if kind else ():
                first = token.start[1] if row == token.start[0] - 1 else 0
                last = token.end[1] if row == token.end[0] - 1 else len(lines[row])
                kinds[row][first:last] = [kind] * (last - first)
    except (tokenize.TokenError, SyntaxError):
        pass
    return tuple(tuple(_runs(line, row)) for line, row in zip(lines, kinds, strict=True))


def _kind(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME:
        if keyword.iskeyword(token.string):
            return "keyword"
        return "name" if token.string in ("self", "b2") or hasattr(builtins, token.string) else ""
    strings = {tokenize.STRING, getattr(tokenize, "FSTRING_START", -1), getattr(tokenize, "FSTRING_MIDDLE", -1)}
    if token.type in strings or token.type == getattr(tokenize, "FSTRING_END", -1):
        return "string"
    return {tokenize.COMMENT: "comment", tokenize.NUMBER: "number"}.get(token.type, "")


def _runs(line: str, kinds: list[str]) -> list[Piece]:
    found: list[Piece] = []
    for letter, kind in zip(line, kinds, strict=True):
        if found and (found[-1][1] == kind or letter == " "):
            found[-1] = found[-1][0] + letter, found[-1][1]
        else:
            found.append((letter, kind))
    return found


def panel(browser: Browser, kind: Any) -> None:
    source = kind.source()
    imgui.begin_disabled(not source)
    if imgui.button(f"{look.ICONS['copy']}  copy as a script", imgui.ImVec2(-1, 0)):
        browser.copy(script(kind, browser.session.run))
    browser.mark("copy code")
    imgui.end_disabled()
    imgui.push_font(look.mono(), imgui.get_style().font_size_base * 0.85)
    imgui.begin_child("code", imgui.ImVec2(0, 0), 0, imgui.WindowFlags_.horizontal_scrollbar)
    lines = pieces(source)
    clipper = imgui.ListClipper()
    clipper.begin(len(lines))
    while clipper.step():
        for line in lines[clipper.display_start : clipper.display_end]:
            _line(line)
    imgui.end_child()
    imgui.pop_font()


def _line(line: tuple[Piece, ...]) -> None:
    if not line:
        imgui.text_unformatted("")
    for number, (words, name) in enumerate(line):
        if number:
            imgui.same_line(0, 0)
        imgui.push_style_color(imgui.Col_.text, look.code_color(name))
        imgui.text_unformatted(words)
        imgui.pop_style_color()
