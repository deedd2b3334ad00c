"""The window: it owns the GL context, passes the input of mouse and keys to the session, and draws each frame.

In each frame the scheduled `tick` steps the world, then `on_draw` draws shapes, lists and the interface. The time of
`on_draw` is measured.
"""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path
from typing import Any

import pyglet
from imgui_bundle import imgui, implot
from pyglet import gl
from pyglet.window import key, mouse

import box2dpy as b2
from box2dpy._draw.style import THEMES, readable

from .. import slug
from . import figures, look, panels, state_file
from .camera import Camera
from .capture import Recorder, grab, new_path
from .imgui_renderer import Renderer
from .painter import Painter
from .session import Session
from .settings import Settings

CLICK = 4.0  # the most that the mouse may move during a click, pixels
FLAG_KEYS = {
    key.J: "joints", key.X: "boxes", key.C: "contacts", key.N: "normals", key.F: "forces", key.I: "islands",
    key.M: "mass",
}  # fmt: skip
NAMES = {
    **{getattr(key, name.upper()): name for name in ("left", "right", "up", "down", "space")},
    **dict.fromkeys((key.LSHIFT, key.RSHIFT), "shift"),
    **dict.fromkeys((key.LCTRL, key.RCTRL), "ctrl"),
    key.RETURN: "enter",
    **{getattr(key, letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
    **{getattr(key, f"_{digit}"): str(digit) for digit in range(10)},
}


class Browser(pyglet.window.Window):
    """The sample browser. `state` is a file that describes its content, for tests and for scripts."""

    def __init__(self, name: str | None, settings_path: Path, state: Path | None = None) -> None:
        self.settings_path, self.state = settings_path, state
        settings = Settings.load(settings_path)
        config = gl.Config(double_buffer=True, major_version=3, minor_version=3, forward_compatible=True)
        super().__init__(
            settings.width, settings.height, "box2dpy samples", resizable=True, config=config, vsync=state is None
        )
        self.set_minimum_size(640, 400)
        imgui.create_context()
        implot.create_context()
        io = imgui.get_io()
        io.set_ini_filename("")
        look.load_fonts()
        self.renderer = Renderer(self)
        self.camera, self.painter, self.recorder = Camera(), Painter(), Recorder()
        self.session = Session(settings, name)
        self.query, self.focus_search = "", False
        self.searched_at = -100  # the frame of the last call of search()
        self.reveal = self.scroll = True  # open the tree at the present sample, and scroll to it
        self.panels_have_keys = False
        self.folded_before = False
        self.unfolded = ""  # in a narrow window: "left", "right" or no panel
        self.shown_theme = ""
        self.copied = ""
        self.frame_times: deque[float] = deque(maxlen=60)
        self.tab, self.wanted_tab = "Sample", ""
        self.figure, self.wanted_figure = "Profile", ""
        self.show_help, self.wants_screenshot = False, False
        self.code_open = False
        self.closes_lists = False  # Escape was pressed while a drop-down list was open
        self.pressed_free = False  # the button was pressed on the scene, not on the interface
        self.sling: b2.Vec2 | None = None
        self.pointer = (0.0, 0.0)
        self.moved = 0.0
        self.frames, self.python_ms = 0, deque([0.0], maxlen=120)
        self.marks: dict[str, tuple[float, float]] = {}
        self.said: tuple[str, float] = ("", 0.0)
        self.ui_scale = 0.0
        self.last = time.perf_counter()
        pyglet.clock.schedule(self.tick)

    # -- layout

    @property
    def settings(self) -> Settings:
        return self.session.settings

    def folded(self) -> bool:
        """Whether the window is too narrow for the panels beside the scene. They then lie over it when they are asked
        for."""
        return self.width < panels.NARROW * self.ui_scale

    def left_width(self) -> float:
        """The width of the tree of samples."""
        return min(panels.LEFT * self.ui_scale, 0.6 * self.width)

    def right_width(self) -> float:
        """The width of the panel on the right: wide enough for a line of code while the code is shown."""
        code = self.code_open and self.tab == "Sample"
        return min((panels.CODE if code else panels.RIGHT) * self.ui_scale, (0.45 if code else 0.7) * self.width)

    def scene_left(self) -> float:
        beside = self.settings.show_interface and not self.folded()
        return self.left_width() + 2 * panels.GAP * self.ui_scale if beside else 0.0

    def scene_right(self) -> float:
        beside = self.settings.show_interface and not self.folded()
        return self.width - (self.right_width() + 2 * panels.GAP * self.ui_scale if beside else 0.0)

    def panel_span(self) -> tuple[float, float]:
        """Where the panels at the sides begin and end: in a narrow window below the buttons and above the timeline."""
        gap = panels.GAP * self.ui_scale
        if not self.folded():
            return gap, self.height - gap
        return (panels.BAR + 14) * self.ui_scale, self.height - self.bottom_height() - gap

    def figures_height(self) -> float:
        shown = self.settings.show_interface and self.settings.show_panel
        return (figures.HEIGHT + panels.GAP) * self.ui_scale if shown else 0.0

    def bottom_height(self) -> float:
        """The height of what is under the scene: the figures and the timeline."""
        timeline = (panels.TIMELINE + panels.GAP) * self.ui_scale if self.settings.show_interface else 0.0
        return self.figures_height() + timeline

    def show_all(self) -> None:
        """Moves the camera so that the scene fits between the panels."""
        assert self.session.run is not None
        left, right = self.scene_left(), self.scene_right()
        top = (panels.BAR + panels.GAP) * self.ui_scale if self.settings.show_interface else 0.0
        top += self.status_height()  # the scene begins under the figures
        low = self.bottom_height()
        wide, high = max(right - left, 50.0), max(self.height - top - low, 50.0)
        self.camera.resize(wide, high)
        self.camera.show(*self.session.run.camera())
        self.camera.x -= (0.5 * (left + right) - 0.5 * self.width) / self.camera.zoom
        self.camera.y += (0.5 * (top + self.height - low) - 0.5 * self.height) / self.camera.zoom
        self.camera.resize(self.width, self.height)

    def mark(self, name: str) -> None:
        """Records the position of the last widget for the state file."""
        if self.state is not None:
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            self.marks[name] = (0.5 * (low.x + high.x), 0.5 * (low.y + high.y))

    def say(self, text: str) -> None:
        self.said = text, time.perf_counter() + 5.0

    def notice(self) -> str:
        """The present message: an error, or the name of a saved file."""
        if self.session.message:
            return self.session.message
        return self.said[0] if time.perf_counter() < self.said[1] else ""

    def choose(self, name: str) -> None:
        """Opens a sample from the list, shows it there, and gives the keys to the scene."""
        self.session.open(name)
        self.query, self.scroll, self.unfolded = "", True, ""
        self.give_keys_to_panels(False)

    def give_keys_to_panels(self, on: bool) -> None:
        """The keys belong to the scene, unless the user gives them to the panels (F6)."""
        self.panels_have_keys = on
        io = imgui.get_io()
        flag = imgui.ConfigFlags_.nav_enable_keyboard
        io.config_flags = io.config_flags | flag if on else io.config_flags & ~flag
        if not on:
            imgui.set_window_focus(None)

    def copy(self, text: str) -> None:
        self.set_clipboard_text(text)
        self.copied = text
        self.say("copied; save it as a file and run it")

    def toggle_theme(self) -> None:
        self.settings.theme = "dark" if self.settings.theme == "light" else "light"

    # -- frames

    def tick(self, elapsed: float) -> None:
        """Steps the world for the time that has passed."""
        session = self.session
        assert session.run is not None
        sample = session.run.sample
        if not (session.run.demo and sample.demo_path and not sample.taken_over):
            sample.pointer = self.camera.to_world(*self.pointer)
        if session.drag is not None:
            if session.drag.body is None:
                session.release()
            else:
                session.drag.move(self.camera.to_world(*self.pointer))
        session.update(elapsed)
        for arrow, dx, dy in (("left", 1, 0), ("right", -1, 0), ("up", 0, 1), ("down", 0, -1)):
            if arrow in sample.held and not self.sample_uses(arrow):
                self.camera.pan(600 * elapsed * dx, 600 * elapsed * dy)

    def on_draw(self) -> None:
        self.frame_times.append(time.perf_counter())
        start = time.thread_time()  # time of this thread alone, without waiting for the graphics card or other programs
        settings, session = self.settings, self.session
        if (settings.interface_scale, settings.theme) != (self.ui_scale, self.shown_theme):
            self.ui_scale, self.shown_theme = settings.interface_scale, settings.theme
            look.apply(self.ui_scale, self.shown_theme)
            self.painter.theme = THEMES[self.shown_theme]  # type: ignore[index]
        run = session.run
        assert run is not None
        self.camera.resize(self.width, self.height)
        if session.world_changed:
            self.painter.forget()
            session.world_changed = False
        if session.view_changed:
            self.show_all()
            session.view_changed, self.reveal = False, True
        target = run.sample.look_at()
        if target is not None and session.drag is None:
            middle = 0.5 * (self.scene_left() + self.scene_right()) - 0.5 * self.width
            self.camera.x, self.camera.y = target.x - middle / self.camera.zoom, target.y

        self.painter.clear(*self.get_framebuffer_size())
        by = settings.color_by or run.kind.color_by
        lists = []
        for world, offset in [(run.world, (0.0, 0.0)), *run.sample.others]:
            self.painter.world(
                world,
                self.camera,
                offset=offset,
                before=session.before.get(id(world)),
                part=session.part(),
                by=by,
                sleep=settings.show_sleep,
                fast=settings.show_fast,
                zoom=self.ui_scale,
            )
            known = [flag for flag in session.flags() if flag in panels.FLAGS]
            if known:
                view = self.camera.view()
                lists.append(world.debug_draw(None, *known, view=view, offset=offset, scale=settings.force_scale))
        own = b2.DrawList()
        try:
            run.sample.draw(own)
        except Exception as error:
            session.message = f"{type(error).__name__}: {error}"
        self.hand(own)
        lists.append(own)
        for each in lists:
            if each:
                self.painter.draw(each, self.camera, zoom=self.ui_scale)
        self.interface(lists)
        self.python_ms.append(1000 * (time.thread_time() - start))
        self.frames += 1
        self.after_drawing()

    def hand(self, draw: b2.DrawList) -> None:
        """Draws the actions of the mouse: the line to the body that is pulled, the sling, the selection."""
        session = self.session
        if session.drag is not None and session.drag.body is not None:
            draw.line(session.drag.anchor, self.camera.to_world(*self.pointer), "yellow")
            draw.dot(session.drag.anchor, "yellow", 7)
        if self.sling is not None:
            draw.arrow(self.camera.to_world(*self.pointer), self.sling, "red")
        chosen = session.selected
        if chosen is not None and chosen.alive:
            if isinstance(chosen, b2.Joint):
                for body in (chosen.body_a, chosen.body_b):
                    draw.dot(body.world_center, "white", 9)
                return
            for shape in chosen.shapes if isinstance(chosen, b2.Body) else [chosen]:
                body = shape.body
                draw.shape(shape.geometry, body.position, body.angle, "white")

    def interface(self, lists: list[b2.DrawList]) -> None:
        """One frame of Dear ImGui."""
        now = time.perf_counter()
        io = imgui.get_io()
        io.delta_time, self.last = max(now - self.last, 1e-4), now
        imgui.new_frame()
        if self.closes_lists:
            imgui.internal.close_popup_to_level(0, True)
            self.closes_lists = False
        self.marks.clear()
        pen = imgui.get_background_draw_list()
        for each in lists:
            for label in each.labels:
                x, y = self.camera.to_screen(label.x, label.y)
                ink = readable(label.color, self.painter.theme)
                pen.add_text(imgui.ImVec2(x, y - imgui.get_text_line_height()), look.u32(ink), label.text)
        if self.settings.show_interface:
            if self.folded():
                panels.folds(self)
            if not self.folded() or self.unfolded == "left":
                panels.samples(self)
            if not self.folded() or self.unfolded == "right":
                panels.side(self)
            panels.bar(self)
            panels.timeline(self)
            if self.settings.show_panel:
                figures.panel(self)
            else:
                self.session.trace(False)
        self.heads_up(pen)
        if self.show_help:
            panels.help_window(self)
        imgui.render()
        self.renderer.render(imgui.get_draw_data())

    def heads_up(self, pen: Any) -> None:
        """Shows figures of the sample and of the frame over the scene."""
        run, s = self.session.run, self.ui_scale
        assert run is not None
        x = self.scene_left() + 8 * s
        y = (panels.BAR + 14) * s if self.settings.show_interface else 8 * s
        if self.settings.show_interface:
            y += (50 * s if self.folded() else 0.0) + (imgui.get_text_line_height() + 8 * s if self.notice() else 0.0)
        status = self.status()
        if status:
            size, gap = imgui.calc_text_size(status), 4 * s
            ground = look.u32(THEMES[self.shown_theme].background, 0.75)  # a plate, where the scene is under the text
            corner = imgui.ImVec2(x + size.x + gap, y + size.y + gap)
            pen.add_rect_filled(imgui.ImVec2(x - gap, y - gap), corner, ground, gap)
            pen.add_text(imgui.ImVec2(x, y), panels.ink(), status)
        state = "paused   " if self.session.paused else ""
        figured = f"step {run.steps}   {run.world.profile.step:.2f} ms   {run.world.counters.bodies} bodies"
        text = f"{state}{figured}   {self.python_ms[-1]:.1f} ms to draw   {self.frames_per_second():.0f} frames/s"
        low = self.height - 8 * s - imgui.get_text_line_height() - self.bottom_height()
        pen.add_text(imgui.ImVec2(x, low), int(imgui.get_color_u32(imgui.Col_.text_disabled)), text)

    def status(self) -> str:
        """The figures of the sample, or what went wrong in it."""
        assert self.session.run is not None
        try:
            return self.session.run.status()
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    def status_height(self) -> float:
        lines = self.status().split("\n") if self.status() else []
        return (18 * len(lines) + 6) * self.ui_scale if lines else 0.0

    def frames_per_second(self) -> float:
        """Of the last 60 frames."""
        times = self.frame_times
        return (len(times) - 1) / max(times[-1] - times[0], 1e-6) if len(times) > 1 else 0.0

    def after_drawing(self) -> None:
        """Saves pictures of the frame, and the state file."""
        size = self.get_framebuffer_size()
        stem = slug(self.session.name)
        if self.wants_screenshot:
            self.wants_screenshot = False
            try:
                path = new_path(self.settings.folder, stem, ".png")
                grab(*size).save(path)
                self.say(f"saved {path.resolve()}")
            except (OSError, ImportError) as error:
                self.say(str(error))
        try:
            self.recorder.frame(*size, self.settings.folder, stem)
        except (ImportError, OSError) as error:
            self.recorder.recording = False
            self.say(str(error))
        if self.recorder.message:
            self.say(self.recorder.message)
            self.recorder.message = ""
        if self.state is not None and self.frames % 3 == 0:
            state_file.write(self, self.state)

    # -- mouse

    def on_mouse_motion(self, x: int, y: int, dx: int, dy: int) -> None:
        self.pointer = (x, self.height - y)
        run = self.session.run
        if run is not None and run.kind.demo_path and not imgui.get_io().want_capture_mouse:
            run.take_over()

    def on_mouse_press(self, x: int, y: int, button: int, modifiers: int) -> None:
        self.pointer = (x, self.height - y)
        self.pressed_free = not imgui.get_io().want_capture_mouse
        self.moved = 0.0
        if self.pressed_free and self.panels_have_keys:
            self.give_keys_to_panels(False)
        if not self.pressed_free or button != mouse.LEFT:
            return
        point = self.camera.to_world(*self.pointer)
        session = self.session
        assert session.run is not None
        if modifiers & key.MOD_SHIFT:
            self.sling = point
        elif session.run.sample.click(point):
            session.run.take_over()
        else:
            session.grab(point, 6 * self.ui_scale / self.camera.zoom)

    def on_mouse_drag(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        self.pointer = (x, self.height - y)
        self.moved += abs(dx) + abs(dy)
        if self.pressed_free and buttons & (mouse.RIGHT | mouse.MIDDLE):
            self.camera.pan(dx, -dy)

    def on_mouse_release(self, x: int, y: int, button: int, modifiers: int) -> None:
        self.pointer = (x, self.height - y)
        session = self.session
        if button != mouse.LEFT:
            return
        point = self.camera.to_world(*self.pointer)
        if self.sling is not None:
            session.bomb(self.sling, 6 * (self.sling - point))
            self.sling = None
        session.release()
        if self.pressed_free and self.moved <= CLICK:
            session.pick(point, 6 * self.ui_scale / self.camera.zoom)
            if session.selected is not None:
                self.wanted_tab = "Inspect"
        self.pressed_free = False

    def on_mouse_scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> None:
        if not imgui.get_io().want_capture_mouse:
            self.camera.zoom_at(x, self.height - y, 1.15**scroll_y)

    def throw_bomb(self) -> None:
        """Throws a bomb from the upper left of the view towards the mouse, or towards the middle when the mouse is on
        the interface."""
        left, bottom, right, top = self.camera.view()
        high = top - bottom
        aim = self.camera.to_world(*self.pointer)
        if imgui.get_io().want_capture_mouse:
            aim = b2.Vec2(0.5 * (left + right), 0.5 * (bottom + top))
        start = self.camera.to_world(self.scene_left() + 20, 0.25 * self.height)
        way = aim - start
        speed = 1.5 * high
        self.session.bomb(start, way * (speed / max(way.length, 1e-6)))

    # -- keys

    def sample_uses(self, name: str) -> bool:
        run = self.session.run
        return run is not None and any(name in keys.lower().replace(",", " ").split() for keys in run.kind.keys)

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        if symbol == key.ESCAPE and imgui.is_popup_open("", imgui.PopupFlags_.any_popup):
            self.closes_lists = True
            return
        typing = imgui.get_io().want_text_input or self.frames - self.searched_at < 4  # the field gets its focus late
        if typing and not key.F1 <= symbol <= key.F12:
            if symbol == key.ESCAPE:
                self.query = ""
            return
        if symbol == key.F6 or (self.panels_have_keys and symbol == key.ESCAPE):
            self.give_keys_to_panels(not self.panels_have_keys)
            return
        if self.panels_have_keys and not key.F1 <= symbol <= key.F12:
            return
        name = NAMES.get(symbol, "")
        session = self.session
        run = session.run
        assert run is not None
        control = modifiers & (key.MOD_CTRL | key.MOD_COMMAND)
        if name and not control:
            if self.sample_uses(name):
                run.take_over()
                run.sample.held.add(name)
                run.sample.key(name)
                return
            run.sample.held.add(name)
        if control:
            if symbol == key.F:
                self.search()
            elif symbol == key.Q:
                self.close()
            return
        actions = {
            key.P: lambda: setattr(session, "paused", not session.paused),
            key.SPACE: lambda: setattr(session, "paused", not session.paused),
            key.O: session.step_once,
            key.R: session.restart,
            key.BRACKETLEFT: lambda: session.go(-1),
            key.PAGEUP: lambda: session.go(-1),
            key.BRACKETRIGHT: lambda: session.go(1),
            key.PAGEDOWN: lambda: session.go(1),
            key.SLASH: self.search,
            key.B: self.throw_bomb,
            key.HOME: lambda: setattr(session, "view_changed", True),
            key.TAB: self.toggle_interface,
            key.F1: lambda: setattr(self, "show_help", not self.show_help),
            key.F2: self.toggle_figures,
            key.F7: self.toggle_theme,
            key.F3: lambda: self.rescale(-0.25),
            key.F4: lambda: self.rescale(0.25),
            key.COMMA: lambda: session.scrub(session.moment() - 1),
            key.PERIOD: lambda: session.scrub(session.moment() + 1),
            key.F9: self.toggle_recording,
            key.F10: self.export_recording,
            key.F11: self.toggle_film,
            key.F12: lambda: setattr(self, "wants_screenshot", True),
            key.PLUS: lambda: self.zoom(1.2),
            key.EQUAL: lambda: self.zoom(1.2),
            key.NUM_ADD: lambda: self.zoom(1.2),
            key.MINUS: lambda: self.zoom(1 / 1.2),
            key.NUM_SUBTRACT: lambda: self.zoom(1 / 1.2),
            key.ESCAPE: lambda: (
                setattr(session, "selected", None),
                setattr(session, "message", ""),
                setattr(self, "show_help", False),
            ),
        }
        if symbol in actions:
            actions[symbol]()
        elif symbol in FLAG_KEYS:
            session.toggle_flag(FLAG_KEYS[symbol])

    def on_key_release(self, symbol: int, modifiers: int) -> None:
        if self.session.run is not None:
            self.session.run.sample.held.discard(NAMES.get(symbol, ""))

    def on_deactivate(self) -> None:
        if self.session.run is not None:
            self.session.run.sample.held.clear()
        self.session.release()

    def search(self) -> None:
        self.settings.show_interface, self.focus_search, self.query, self.unfolded = True, True, "", "left"
        self.searched_at = self.frames

    def toggle_interface(self) -> None:
        self.settings.show_interface = not self.settings.show_interface
        self.session.view_changed = True

    def toggle_figures(self) -> None:
        self.settings.show_panel = not self.settings.show_panel
        self.session.view_changed = True

    def toggle_recording(self) -> None:
        session = self.session
        if session.recording:
            session.stop_recording()
            self.say(f"saved {session.saved.resolve()}")
        else:
            try:
                session.record(new_path(self.settings.folder, slug(session.name), ".b2d"))
            except OSError as error:
                self.say(str(error))

    def toggle_film(self) -> None:
        try:
            self.recorder.toggle(self.settings.folder, slug(self.session.name))
        except OSError as error:
            self.say(str(error))

    def export_recording(self) -> None:
        path = self.session.export()
        if path is not None:
            self.say(f"saved {path.resolve()}")

    def rescale(self, change: float) -> None:
        self.settings.interface_scale = min(max(self.settings.interface_scale + change, 0.75), 3.0)
        self.session.view_changed = True

    def zoom(self, factor: float) -> None:
        self.camera.zoom_at(0.5 * self.width, 0.5 * self.height, factor)

    # -- closing

    def on_resize(self, width: int, height: int) -> None:
        if hasattr(self, "session"):
            x, y, folded = self.camera.x, self.camera.y, self.folded_before
            self.camera.resize(width, height)
            self.camera.x, self.camera.y = x, y
            self.settings.width, self.settings.height = width, height
            self.folded_before = self.folded()
            if folded != self.folded_before:  # the scene has another place now
                self.session.view_changed = True

    def on_close(self) -> None:
        self.close()

    def close(self) -> None:
        if self.recorder.recording:
            self.toggle_film()
        self.settings.save(self.settings_path)
        pyglet.clock.unschedule(self.tick)
        self.session.close()
        super().close()
        pyglet.app.exit()
