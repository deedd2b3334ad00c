"""Draws docs/step.svg, the picture of one step: `python docs/draw_step.py`. The names are those of the code.

tests/lint/test_docs.py checks that the file is up to date and that every name occurs in the code.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import NamedTuple

SERIAL, PARALLEL = "#fde9b8", "#cfe3f7"
WIDTH, LEFT, ROW, GAP = 1120, 24, 34, 10
NAME, DOES, LEAVES, PROFILE = 60, 320, 690, 990  # columns


class Stage(NamedTuple):
    code: str  # names in the code, separated by ", "
    profile: str  # its entry in world.profile, or ""
    parallel: bool
    does: str
    leaves: str
    depth: int = 0  # 1: when dt > 0, 2: inside the substep loop


STAGES = (
    Stage("swap_events", "", False, "empty last step's events", "event lists"),
    Stage("b2d_world_create_pairs", "pairs", True, "broad phase: update, then pairs", "key lists, one a worker"),
    Stage(
        "b2d_world_create_pairs",
        "create_contacts",
        False,
        "b2d_radix_sort; b2d_world_create_pair in key order",
        "new contacts, not touching",
    ),
    Stage(
        "b2d_world_collide",
        "collide",
        True,
        "touching contacts by block, others by bucket",
        "lanes in place; begun, ended, parted bits",
    ),
    Stage(
        "b2d_world_apply_contact_transitions",
        "contact_transitions",
        False,
        "ends, begins, collapse, parted: in id order; parts on all workers",
        "events, colours, islands, woken bodies",
    ),
    Stage("begin_split", "split", False, "at most one island; its search runs beside the solver", "smaller islands"),
    Stage(
        "B2D_PASS_PREPARE",
        "prepare",
        True,
        "body steps, joint lanes, scaled impulses",
        "body_step rows, joint blocks",
        1,
    ),
    Stage("b2d_bounce", "restitution", False, "impacts before the substeps, one after the other", "velocities", 1),
    Stage(
        "B2D_PASS_FORCES, B2D_PASS_REPLAY",
        "solve",
        True,
        "forces; from substep 2 on also the replayed warm start",
        "",
        2,
    ),
    Stage("B2D_PASS_WARM_START", "solve", True, "first substep only: impulses of the last step", "", 2),
    Stage("B2D_PASS_SOLVE", "solve", True, "soft constraints; friction of what sticks", "impulses in the blocks", 2),
    Stage("B2D_PASS_MOVE", "solve", True, "dx, dy, angle of the step", "", 2),
    Stage("B2D_PASS_RELAX", "solve", True, "no bias; friction and rolling", "velocities", 2),
    Stage("B2D_PASS_RESTITUTION", "restitution", True, "other restitution, in blocks that have some", "velocities", 1),
    Stage("b2d_world_collect_hits", "restitution", True, "fast approaches that pushed, by contact", "hit events", 1),
    Stage(
        "b2d_world_finalize",
        "finalize",
        True,
        "poses, sleep timers, fat boxes",
        "moved, awake_islands, fast, invalid bits",
        1,
    ),
    Stage("list_moves, disable_invalid", "finalize", False, "body events; bodies with a non-finite state", "events", 1),
    Stage(
        "b2d_world_continuous",
        "continuous",
        True,
        "fast bodies against static, then moving shapes",
        "poses cut at the first impact",
        1,
    ),
    Stage(
        "b2d_world_update_broadphase",
        "refit",
        True,
        "b2d_collect_moved; the final boxes",
        "what queries and the next step see",
        1,
    ),
    Stage(
        "b2d_world_update_sensors",
        "sensors",
        True,
        "overlaps of sensors on final poses, joined and merged",
        "sensor events",
        1,
    ),
    Stage(
        "fall_asleep",
        "sleep",
        False,
        "islands without an awake bit, by lowest body",
        "rest pool, cleared awake bits",
        1,
    ),
)


def text(
    x: float, y: float, words: str, *, size: int = 13, bold: bool = False, code: bool = False, fill: str = "#1a1a1a"
) -> str:
    family = "ui-monospace, Menlo, Consolas, monospace" if code else "system-ui, Helvetica, Arial, sans-serif"
    weight = ' font-weight="600"' if bold else ""
    font = f'font-family="{family}" font-size="{size}"{weight}'
    return f'<text x="{x:g}" y="{y:g}" {font} fill="{fill}">{escape(words)}</text>'


def frame(top: float, bottom: float, left: float, words: str) -> list[str]:
    return [
        f'<rect x="{left:g}" y="{top:g}" width="{WIDTH - 2 * left:g}" height="{bottom - top:g}" rx="8" '
        'fill="none" stroke="#888" stroke-dasharray="5 4"/>',
        text(left + 10, top + 17, words, size=12, fill="#555"),
    ]


def render() -> str:
    top, tops = 78.0, []
    for k, stage in enumerate(STAGES):
        before = STAGES[k - 1].depth if k else 0
        top += 26 * max(0, stage.depth - before) + 10 * max(0, before - stage.depth)
        tops.append(top)
        top += ROW + GAP
    height = top + 12
    inside = [k for k, stage in enumerate(STAGES) if stage.depth > 0]
    loop = [k for k, stage in enumerate(STAGES) if stage.depth > 1]
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
        f'width="{WIDTH}" height="{height:g}">',
        "<title>One step of box2dpy</title>",
        f'<rect width="{WIDTH}" height="{height:g}" fill="#ffffff"/>',
        text(LEFT, 32, "b2d_world_run_step", size=18, bold=True, code=True),
        f'<rect x="250" y="18" width="16" height="16" fill="{SERIAL}" stroke="#666"/>',
        text(272, 31, "serial, ids upwards"),
        f'<rect x="410" y="18" width="16" height="16" fill="{PARALLEL}" stroke="#666"/>',
        text(432, 31, "parallel, each item writes only its own"),
        *(
            text(x, 60, words, size=12, bold=True, fill="#555")
            for x, words in ((NAME, "code"), (DOES, "what it does"), (LEAVES, "what it leaves"))
        ),
        text(PROFILE, 60, "world.profile", size=12, bold=True, fill="#555"),
        *frame(tops[inside[0]] - 26, tops[inside[-1]] + ROW + 8, LEFT - 14, "only when dt > 0; sensors always"),
        *frame(
            tops[loop[0]] - 22,
            tops[loop[-1]] + ROW + 6,
            LEFT,
            "every substep, all of them one job of the scheduler",
        ),
    ]
    for k, stage in enumerate(STAGES):
        y, x = tops[k], LEFT + 12 * stage.depth
        if k:
            out.append(f'<path d="M {WIDTH / 2:g} {tops[k - 1] + ROW:g} V {y:g}" stroke="#999" stroke-width="1.5"/>')
        out.append(
            f'<rect x="{x}" y="{y:g}" width="{WIDTH - 2 * x}" height="{ROW}" rx="6" '
            f'fill="{PARALLEL if stage.parallel else SERIAL}" stroke="#666"/>'
        )
        out.append(text(NAME, y + 22, stage.code, size=13 if len(stage.code) < 28 else 12, code=True))
        out.append(text(DOES, y + 22, stage.does))
        out.append(text(LEAVES, y + 22, stage.leaves, size=12, fill="#444"))
        if stage.profile:
            out.append(text(PROFILE, y + 22, stage.profile, size=12, code=True))
    return "\n".join([*out, "</svg>", ""])


if __name__ == "__main__":
    Path(__file__).with_name("step.svg").write_text(render(), encoding="utf-8")
