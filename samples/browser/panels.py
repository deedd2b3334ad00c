"""The panels around the scene: the tree of samples, the tool bar, the controls of the sample, the options of the world,
and the layers that are drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

import box2dpy as b2
from box2dpy._draw.debug_draw import FLAGS

from .. import Button, Choice, Slider, Toggle, fuzzy, slug
from . import inspector
from .look import ICONS
from .replay import Replay

if TYPE_CHECKING:
    from .window import Browser

NO_MOVE = imgui.WindowFlags_.no_move | imgui.WindowFlags_.no_resize | imgui.WindowFlags_.no_collapse
FIXED = NO_MOVE | imgui.WindowFlags_.no_title_bar | imgui.WindowFlags_.no_bring_to_front_on_focus
LEFT, RIGHT, BAR, TIMELINE, GAP = 230.0, 300.0, 46.0, 40.0, 8.0

HELP = (
    ("P, space", "pause and continue"),
    ("O", "single step"),
    ("R", "restart"),
    ("[ ], page up / down", "previous, next sample"),
    ("/ or ctrl F", "search for a sample"),
    ("B", "throw a bomb towards the mouse"),
    ("home", "show the whole scene"),
    ("+ -", "zoom"),
    ("arrows", "move the camera, or the sample's own keys"),
    ("comma, period", "one step back, one step forward"),
    ("F9", "record the world to a file, again to end it"),
    ("F10", "save the newest recording as an HTML page"),
    ("F2", "figures: profile, counters, islands"),
    ("F11", "record a GIF, again to save it"),
    ("F12", "screenshot"),
    ("tab", "hide the interface"),
    ("J X C N F I M", "joints, boxes, contacts, normals, forces, islands, masses"),
    ("F3, F4", "smaller, larger interface"),
    ("F1", "this help"),
    ("ctrl Q", "quit"),
    ("left drag", "pull a body"),
    ("right or middle drag", "move the camera"),
    ("wheel", "zoom at the mouse"),
    ("shift + left drag", "throw a bomb with a sling"),
    ("click", "select for the inspector"),
)


def place(x: float, y: float, width: float, height: float) -> None:
    imgui.set_next_window_pos(imgui.ImVec2(x, y))
    imgui.set_next_window_size(imgui.ImVec2(width, height))


def tip(text: str) -> None:
    imgui.set_item_tooltip(text.replace("%", "%%"))


def samples(browser: Browser) -> None:
    """The tree of samples with its search field."""
    session, s = browser.session, browser.ui_scale
    place(GAP * s, GAP * s, browser.left_width(), browser.height - 2 * GAP * s)
    imgui.begin("Samples", None, FIXED)
    imgui.set_next_item_width(-1)
    if browser.focus_search:
        imgui.set_keyboard_focus_here()
        browser.focus_search = False
    changed, browser.query = imgui.input_text_with_hint("##search", f"{ICONS['search']}  search", browser.query)
    browser.mark("search")
    entered = imgui.is_item_deactivated() and imgui.is_key_pressed(imgui.Key.enter)
    imgui.begin_child("tree")
    if browser.query:
        found = sorted(
            (cost, name) for name, kind in session.samples.items() if (cost := fuzzy(browser.query, name)) is not None
        )
        found += sorted(
            (100 + cost, name)
            for name, kind in session.samples.items()
            if (cost := fuzzy(browser.query, kind.category)) is not None
            and cost < 8
            and all(name != other for _, other in found)
        )
        for _, name in found:
            sample_line(browser, name)
        if entered and found:
            session.open(found[0][1])
            browser.query = ""
        if not found:
            imgui.text_disabled("no match")
    else:
        tree(browser, changed)
    imgui.end_child()
    imgui.end()


def tree(browser: Browser, changed: bool) -> None:
    session = browser.session
    categories: dict[str, list[str]] = {}
    for name, kind in session.samples.items():
        categories.setdefault(kind.category, []).append(name)
    here = session.samples[session.name].category
    for category, names in categories.items():
        if browser.reveal and category == here:
            imgui.set_next_item_open(True)
        opened = imgui.tree_node_ex(f"{category}  ({len(names)})###{category}", imgui.TreeNodeFlags_.span_avail_width)
        browser.mark(f"category {category}")
        if opened:
            for name in names:
                sample_line(browser, name)
            imgui.tree_pop()
    browser.reveal = False


def sample_line(browser: Browser, name: str) -> None:
    session = browser.session
    chosen, _ = imgui.selectable(name, name == session.name)
    browser.mark(f"sample {slug(name)}")
    if imgui.is_item_hovered(imgui.HoveredFlags_.delay_short):
        tip(session.samples[name].description())
    if chosen:
        session.open(name)


def bar(browser: Browser) -> None:
    """The buttons above the scene."""
    session, s = browser.session, browser.ui_scale
    left, right = browser.scene_left(), browser.scene_right()
    imgui.set_next_window_pos(imgui.ImVec2(0.5 * (left + right), GAP * s), 0, imgui.ImVec2(0.5, 0))
    imgui.begin("Bar", None, FIXED | imgui.WindowFlags_.always_auto_resize | imgui.WindowFlags_.no_saved_settings)
    s *= min(1.0, (right - left) / (700 * s))  # smaller in a narrow window
    imgui.push_font(None, imgui.get_style().font_size_base * s / browser.ui_scale)
    size = imgui.ImVec2(34 * s, 28 * s)

    def button(name: str, icon: str, hint: str) -> bool:
        pressed = imgui.button(f"{ICONS[icon]}##{name}", size)
        tip(hint)
        browser.mark(name)
        imgui.same_line()
        return bool(pressed)

    if button("previous", "previous", "previous sample  ["):
        session.go(-1)
    if button("restart", "restart", "restart  R"):
        session.restart()
    if button("pause", "play" if session.paused else "pause", "pause and continue  P"):
        session.paused = not session.paused
    if button("step", "step", "single step  O"):
        session.step_once()
    if button("next", "next", "next sample  ]"):
        session.go(1)
    imgui.set_next_item_width(96 * s)
    spread = imgui.SliderFlags_.logarithmic
    _, session.settings.speed = imgui.slider_float("##speed", session.settings.speed, 0.1, 4.0, "%.2fx speed", spread)
    browser.mark("speed")
    imgui.same_line()
    if button("home", "home", "show the whole scene  home"):
        session.view_changed = True
    if button("bomb", "bomb", "throw a bomb  B"):
        browser.throw_bomb()
    if button("screenshot", "camera", "screenshot  F12"):
        browser.wants_screenshot = True
    if button("record", "stop" if browser.recorder.recording else "record", "record a GIF  F11"):
        browser.recorder.toggle(slug(session.name))
    if button("figures", "panel", "profile, counters, islands  F2"):
        browser.toggle_figures()
    if button("help", "help", "keys  F1"):
        browser.show_help = not browser.show_help
    imgui.new_line()
    if browser.recorder.recording:
        imgui.text_colored(imgui.ImVec4(0.9, 0.35, 0.3, 1), f"recording: {len(browser.recorder.frames)} pictures")
    elif browser.recorder.busy:
        done, total = browser.recorder.done, max(browser.recorder.total, 1)
        imgui.progress_bar(
            done / total, imgui.ImVec2(-1, 0), f"writing {browser.recorder.path}: {100 * done // total} %"
        )
    elif browser.notice():
        imgui.text_colored(imgui.ImVec4(0.95, 0.75, 0.4, 1), browser.notice())
    imgui.pop_font()
    imgui.end()


def timeline(browser: Browser) -> None:
    """The slider under the scene: any step of the last minute, or any frame of an opened recording."""
    session, s = browser.session, browser.ui_scale
    run = session.run
    assert run is not None
    left, right = browser.scene_left() + GAP * s, browser.scene_right() - GAP * s
    high = TIMELINE * s
    place(left, browser.height - browser.figures_height() - high - GAP * s, max(right - left, 200 * s), high)
    imgui.begin("Timeline", None, FIXED | imgui.WindowFlags_.no_scrollbar)
    first, last = session.time_range()
    now = session.moment()
    replayed = isinstance(run.sample, Replay)
    imgui.set_next_item_width(-140 * s if replayed else -1)
    imgui.begin_disabled(first >= last)
    changed, step = imgui.slider_int("##time", now, first, max(last, first + 1), f"{(now - last) / run.hertz:.2f} s")
    imgui.end_disabled()
    tip("drag to go back; the scene goes on from there")
    browser.mark("timeline")
    if changed:
        session.scrub(step)
    if replayed:
        imgui.same_line()
        if imgui.button("continue from here", imgui.ImVec2(-1, 0)):
            session.continue_here()
        browser.mark("continue")
    imgui.end()


def recordings(browser: Browser) -> None:
    """Records the world, opens recordings, writes pages."""
    session = browser.session
    words = "end the recording" if session.recording else "record the world"
    if imgui.button(words, imgui.ImVec2(-1, 0)):
        browser.toggle_recording()
    browser.mark("record world")
    if session.recording:
        assert session.run is not None
        recorder = session.run.world.recorder
        assert recorder is not None
        imgui.text_wrapped(f"{recorder.frames} frames, {recorder.nbytes / 1e6:.1f} MB".replace("%", "%%"))
    imgui.begin_disabled(session.saved is None)
    if imgui.button("save the newest as HTML", imgui.ImVec2(-1, 0)):
        browser.export_recording()
    browser.mark("export")
    imgui.end_disabled()
    imgui.separator_text("recordings in this folder")
    for path in sorted(Path().glob("*.b2d")):
        chosen, _ = imgui.selectable(path.name, session.opened is not None and session.opened.name == path.name)
        browser.mark(f"recording {path.name}")
        if chosen:
            session.open_recording(path)
            return


def side(browser: Browser) -> None:
    """The tabs on the right side."""
    s = browser.ui_scale
    width = browser.right_width()
    place(browser.width - width - GAP * s, GAP * s, width, browser.height - 2 * GAP * s)
    imgui.begin("Side", None, FIXED)
    if imgui.begin_tab_bar("tabs"):
        for name, draw in (
            ("Sample", sample),
            ("World", world),
            ("Draw", drawing),
            ("Inspect", inspector.panel),
            ("Record", recordings),
        ):
            flags = imgui.TabItemFlags_.set_selected if browser.wanted_tab == name else 0
            opened, _ = imgui.begin_tab_item(name, None, flags)
            browser.mark(f"tab {name}")
            if opened:
                browser.tab = name
                imgui.begin_child("body")
                imgui.push_item_width(-0.4 * width)
                draw(browser)
                imgui.pop_item_width()
                imgui.end_child()
                imgui.end_tab_item()
        browser.wanted_tab = ""
        imgui.end_tab_bar()
    imgui.end()


def sample(browser: Browser) -> None:
    session = browser.session
    run = session.run
    assert run is not None
    kind = run.kind
    imgui.push_font(None, imgui.get_style().font_size_base * 1.25)
    imgui.text_wrapped(kind.name)
    imgui.pop_font()
    imgui.text_disabled(kind.category)
    imgui.spacing()
    imgui.text_wrapped(kind.description().replace("%", "%%"))
    imgui.spacing()
    imgui.separator()
    for control in kind.controls():
        if isinstance(control, Button):
            if imgui.button(control.label, imgui.ImVec2(-1, 0)):
                try:
                    getattr(run.sample, control.name)()
                except Exception as error:
                    session.message = f"{type(error).__name__}: {error}"
            browser.mark(f"control {control.name}")
            continue
        value = getattr(run.sample, control.name)
        changed, value = widget(control, value)
        browser.mark(f"control {control.name}")
        if changed:
            session.set_control(control, value)
            if session.run is not run:
                return
    for keys, meaning in kind.keys.items():
        imgui.text_colored(imgui.ImVec4(0.5, 0.7, 0.96, 1), keys)
        imgui.same_line()
        imgui.text_wrapped(meaning)
    imgui.spacing()
    if imgui.collapsing_header("Code"):
        imgui.push_font(None, imgui.get_style().font_size_base * 0.85)
        imgui.begin_child("code", imgui.ImVec2(0, 0), 0, imgui.WindowFlags_.horizontal_scrollbar)
        imgui.text_unformatted(kind.source() or "created from box2dpy.scenes")
        imgui.end_child()
        imgui.pop_font()


def widget(control: Any, value: Any) -> tuple[bool, Any]:
    """Shows the widget of a control. Returns whether the value changed, and the value."""
    if isinstance(control, Toggle):
        return imgui.checkbox(control.label, value)
    if isinstance(control, Choice):
        changed, number = imgui.combo(control.label, control.words.index(value), list(control.words))
        return changed, control.words[number]
    assert isinstance(control, Slider)
    unit = f" {control.unit}".replace("%", "%%") if control.unit else ""
    if control.whole:
        return imgui.slider_int(control.label, int(value), int(control.low), int(control.high), f"%d{unit}")
    flags = imgui.SliderFlags_.logarithmic if control.log else 0
    return imgui.slider_float(control.label, value, control.low, control.high, f"%.3g{unit}", flags)


def world(browser: Browser) -> None:
    session = browser.session
    run = session.run
    assert run is not None
    here = run.world

    def slider(name: str, value: Any, low: float, high: float, form: str, hint: str, flags: int = 0) -> None:
        whole = isinstance(value, int)
        kind = imgui.slider_int if whole else imgui.slider_float
        changed, value = kind(name.replace("_", " "), value, low, high, form, flags)  # type: ignore[operator]
        tip(hint)
        browser.mark(f"option {name}")
        if changed:
            session.set_option(name, value)

    slider("substeps", int(run.substeps), 1, 32, "%d", "substeps of a step; more make stacks and joints stiffer")
    slider("hertz", float(run.hertz), 15.0, 240.0, "%.0f Hz", "steps a second of simulated time")
    slider("workers", here.workers, 1, 8, "%d", "number of threads; does not change the result")
    slider(
        "contact_recycle",
        here.contact_recycle,
        0.0,
        0.2,
        "%.3f m",
        "contact points are kept below this motion; 0 turns it off",
    )
    for name, hint in (
        ("sleeping", "islands at rest fall asleep"),
        ("continuous", "fast bodies do not pass through walls"),
        ("warm_starting", "start the solver from the last impulses"),
    ):
        changed, value = imgui.checkbox(name.replace("_", " "), getattr(here, name))
        tip(hint)
        browser.mark(f"option {name}")
        if changed:
            session.set_option(name, value)
    changed, pull = imgui.slider_float("gravity y", here.gravity.y, -30.0, 30.0, "%.1f m/s2")
    browser.mark("option gravity")
    if changed:
        for each in run.worlds():
            each.gravity = here.gravity.x, pull
            for body in each.bodies:
                body.awake = True
    imgui.separator_text("these restart the scene")
    for name, values in session.choices.items():
        now = session.settings.overrides.get(name, run.kind.options.get(name, values[0]))
        number = values.index(now) if now in values else 0
        changed, number = imgui.combo(name, number, list(values))
        browser.mark(f"option {name}")
        if changed:
            session.set_option(name, values[number])
            return
    if imgui.collapsing_header("more"):
        for name, low, high in (
            ("contact_hertz", 1.0, 240.0),
            ("contact_damping_ratio", 0.0, 20.0),
            ("contact_push_speed", 0.0, 20.0),
            ("joint_hertz", 1.0, 240.0),
            ("joint_damping_ratio", 0.0, 10.0),
            ("restitution_threshold", 0.0, 10.0),
            ("hit_threshold", 0.0, 10.0),
            ("max_linear_speed", 1.0, 1000.0),
            ("sleep_time", 0.0, 5.0),
        ):
            changed, value = imgui.slider_float(name.replace("_", " "), getattr(here, name), low, high, "%.3g")
            if changed:
                for each in run.worlds():
                    setattr(each, name, value)
    if session.settings.overrides and imgui.button("as in the sample", imgui.ImVec2(-1, 0)):
        session.settings.overrides.clear()
        session.restart()


def drawing(browser: Browser) -> None:
    settings, run = browser.session.settings, browser.session.run
    assert run is not None
    ways = ("", "kind", "island", "body")
    labels = ["sample's own", "kind of shape", "island", "body"]
    number = ways.index(settings.color_by) if settings.color_by in ways else 0
    changed, number = imgui.combo("colour by", number, labels)
    browser.mark("draw color_by")
    if changed:
        settings.color_by = ways[number]
    _, settings.show_sleep = imgui.checkbox("dim sleeping bodies", settings.show_sleep)
    _, settings.show_fast = imgui.checkbox("fast bodies in red", settings.show_fast)
    _, settings.smooth = imgui.checkbox("smooth motion between steps", settings.smooth)
    imgui.separator()
    for flag, meaning in FLAGS.items():
        changed, on = imgui.checkbox(flag.replace("_", " "), flag in settings.flags)
        tip(meaning)
        browser.mark(f"draw {flag}")
        if changed:
            browser.toggle_flag(flag, on)
    _, settings.force_scale = imgui.slider_float(
        "force scale", settings.force_scale, 0.05, 20.0, "%.2f", imgui.SliderFlags_.logarithmic
    )
    changed, scale = imgui.slider_float("interface", settings.interface_scale, 0.75, 3.0, "%.2fx")
    if changed and not imgui.is_mouse_down(0):
        settings.interface_scale = scale
    if imgui.is_item_deactivated_after_edit():
        settings.interface_scale = scale


def help_window(browser: Browser) -> None:
    s = browser.ui_scale
    imgui.set_next_window_pos(imgui.ImVec2(0.5 * browser.width, 0.5 * browser.height), 0, imgui.ImVec2(0.5, 0.5))
    imgui.set_next_window_size(imgui.ImVec2(520 * s, 0))
    _, browser.show_help = imgui.begin(f"Keys and mouse   box2dpy {b2.__version__}", True, NO_MOVE)
    if imgui.begin_table("keys", 2, imgui.TableFlags_.row_bg):
        imgui.table_setup_column("key", imgui.TableColumnFlags_.width_fixed, 170 * s)
        for key, meaning in HELP:
            imgui.table_next_row()
            imgui.table_next_column()
            imgui.text_colored(imgui.ImVec4(0.5, 0.7, 0.96, 1), key)
            imgui.table_next_column()
            imgui.text_wrapped(meaning)
        imgui.end_table()
    imgui.end()
