"""The panel at the bottom: the time of each stage, the counters, the colours of the solver, the islands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui, implot

import box2dpy as b2
from box2dpy._draw.style import island_color

from .look import color, u32
from .panels import FIXED, GAP, place, tip

if TYPE_CHECKING:
    from .window import Browser

HEIGHT = 268.0
STAGES = b2.Profile._fields[1:]
STAGE_COLORS = (  # far apart, also for people who see few colours: light and dark alternate
    *(0x4E79A7, 0xF28E2B, 0x59A14F, 0xE15759, 0x76B7B2, 0xEDC948, 0xB07AA1, 0x9C755F, 0xFF9DA7, 0x2F4B7C),
    *(0xA0CBE8, 0x8CD17D, 0xD4A6C8, 0x86611F, 0xBAB0AC, 0x499894),
)


def panel(browser: Browser) -> None:
    s = browser.ui_scale
    left, right = browser.scene_left() + GAP * s, browser.scene_right() - GAP * s
    place(left, browser.height - (HEIGHT + GAP) * s, max(right - left, 200 * s), HEIGHT * s)
    imgui.begin("Figures", None, FIXED)
    if imgui.begin_tab_bar("figures"):
        for name, draw in (
            ("Profile", profile),
            ("Counters", counters),
            ("Solver colours", colors),
            ("Islands", islands),
            ("Workers", workers),
        ):
            flags = imgui.TabItemFlags_.set_selected if browser.wanted_figure == name else 0
            opened, _ = imgui.begin_tab_item(name, None, flags)
            browser.mark(f"figures {name}")
            if opened:
                draw(browser)
                browser.figure = name
                if name != "Workers":
                    browser.session.trace(False)
                imgui.end_tab_item()
        browser.wanted_figure = ""
        imgui.end_tab_bar()
    imgui.end()


def profile(browser: Browser) -> None:
    """The stages of the step over time, stacked."""
    rows = np.array(browser.session.profile, np.float64)
    if len(rows) < 2:
        imgui.text_disabled("recorded once the scene runs")
        return
    stages = rows[:, 1:]
    rest = np.maximum(rows[:, 0] - stages.sum(axis=1), 0)
    layers = np.column_stack([stages, rest])
    names = [*STAGES, "rest"]
    shown = layers.mean(axis=0) > 0.01 * layers.sum(axis=1).mean()
    tops = np.cumsum(layers, axis=1)
    xs = np.arange(len(rows), dtype=np.float64)
    high = float(np.percentile(rows[:, 0], 98)) * 1.25 + 1e-3
    if implot.begin_plot("##profile", imgui.ImVec2(-1, -1), implot.Flags_.no_mouse_text):
        implot.setup_axes("steps", "ms", implot.AxisFlags_.no_tick_labels, 0)
        implot.setup_axes_limits(0, browser.session.profile.maxlen or 1, 0, high, implot.Cond_.always)
        implot.setup_legend(implot.Location_.east, implot.LegendFlags_.outside)
        base = np.zeros(len(rows))
        for k, name in enumerate(names):
            if shown[k]:
                spec = implot.Spec()
                spec.fill_color = stage_color(k + 1)
                label = f"{name} {layers[-60:, k].mean():.2f}"
                implot.plot_shaded(
                    f"{label}###{name}", xs, np.ascontiguousarray(base), np.ascontiguousarray(tops[:, k]), spec
                )
            base = tops[:, k]
        implot.end_plot()


def counters(browser: Browser) -> None:
    run = browser.session.run
    assert run is not None
    values = run.world.counters.as_dict()
    imgui.begin_child("all counters")
    if imgui.begin_table("counters", 6, imgui.TableFlags_.row_bg):
        for name, value in values.items():
            imgui.table_next_column()
            imgui.text(name.replace("_", " "))
            tip(b2.Counters.meanings[name])
            imgui.table_next_column()
            imgui.text(f"{value:,}")
        imgui.end_table()
    imgui.end_child()


def colors(browser: Browser) -> None:
    """The number of constraints in each colour of the solver."""
    run = browser.session.run
    assert run is not None
    arrays = run.world.arrays
    found: Any = np.concatenate([arrays.contacts["color"], arrays.joints["color"]])
    counts = np.bincount(found[found >= 0], minlength=33)[:33].astype(np.float64)
    imgui.text(
        f"constraints: {int(counts.sum())}, colours: {int((counts > 0).sum())}, in the overflow: {int(counts[32])}"
    )
    if implot.begin_plot("##colors", imgui.ImVec2(-1, -1), implot.Flags_.no_mouse_text | implot.Flags_.no_legend):
        implot.setup_axes("colour: constraints that share no moving body", "constraints")
        implot.setup_axes_limits(-0.7, 32.7, 0, max(counts.max() * 1.1, 1), implot.Cond_.always)
        spec = implot.Spec()
        spec.fill_color = color(0xE2B35B)
        implot.plot_bars("##batches", counts, 0.8, 0, spec)
        implot.end_plot()


def islands(browser: Browser) -> None:
    run = browser.session.run
    assert run is not None
    bodies = run.world.arrays.bodies
    member = bodies["island"] >= 0
    numbers, counts = np.unique(bodies["island"][member], return_counts=True)
    imgui.text(f"{len(numbers)} islands; largest first, click to select a body")
    imgui.begin_child("all islands")
    if imgui.begin_table("islands", 8):
        for k in np.argsort(-counts, kind="stable")[:200].tolist():
            number = int(numbers[k])
            some = int(np.nonzero(bodies["island"] == number)[0][0])
            red, green, blue = (island_color(np.array([number]))[0] / 255).tolist()
            awake = bool(bodies["awake"][some])
            imgui.table_next_column()
            imgui.push_style_color(imgui.Col_.text, imgui.ImVec4(red, green, blue, 1.0 if awake else 0.5))
            if imgui.selectable(f"{number}: {int(counts[k])}{'' if awake else ' asleep'}", False)[0]:
                browser.session.selected = next(body for body in run.world.bodies if body.index == some)
                browser.wanted_tab = "Inspect"
            imgui.pop_style_color()
        imgui.end_table()
    imgui.end_child()


def workers(browser: Browser) -> None:
    """The work of each thread in the last step. Gaps of the first worker are serial work; gaps of the others are
    waiting."""
    session = browser.session
    run = session.run
    assert run is not None
    session.trace(True)
    spans, whole = b2.lab.spans(run.world), max(run.world.profile.step, 1e-6)
    count = run.world.workers
    busy = [float((rows["end"] - rows["begin"]).sum()) for rows in (spans[spans["worker"] == k] for k in range(count))]
    imgui.text(f"{whole:.2f} ms; busy " + ", ".join(f"{100 * part / whole:.0f} %" for part in busy))
    for stage in np.unique(spans["stage"]).tolist():
        imgui.same_line()
        imgui.text_colored(stage_color(stage), b2.Profile._fields[stage])
    pen, s = imgui.get_window_draw_list(), browser.ui_scale
    at, room = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail()
    high = min(room.y / count, 34 * s)
    mouse = imgui.get_mouse_pos()
    for k in range(count):
        y = at.y + k * high
        pen.add_rect_filled(imgui.ImVec2(at.x, y + 2), imgui.ImVec2(at.x + room.x, y + high - 2), u32(0x2B313C), 3)
    for worker, stage, begin, end in zip(
        *(spans[name].tolist() for name in ("worker", "stage", "begin", "end")), strict=True
    ):
        x, y = at.x + room.x * begin / whole, at.y + worker * high
        right = max(at.x + room.x * end / whole, x + 1)
        pen.add_rect_filled(
            imgui.ImVec2(x, y + 2),
            imgui.ImVec2(right, y + high - 2),
            imgui.color_convert_float4_to_u32(stage_color(stage)),
        )
        if x <= mouse.x <= right and y <= mouse.y < y + high and imgui.is_window_hovered():
            imgui.set_tooltip(f"worker {worker}: {b2.Profile._fields[stage]}, {1000 * (end - begin):.1f} us")


def stage_color(stage: int) -> imgui.ImVec4:
    """The colour of a stage of the step, the same as in the profile."""
    return color(STAGE_COLORS[(stage - 1) % len(STAGE_COLORS)], 0.95)
