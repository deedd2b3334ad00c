"""`Session`: the behaviour of the browser without a window: which sample runs, how it is stepped, what the mouse holds
and what is selected."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

import box2dpy as b2

from .. import Run, Sample, load, slug
from .history import History
from .replay import Replay, continued_from, replay_of
from .settings import Settings

# Options that can change while a world exists
LIVE = ("workers", "sleeping", "continuous", "warm_starting", "contact_recycle")
REBUILT = {  # options that are set when a world is created, and their values
    "simd": ("auto", "avx512", "avx2", "sse2", "neon", "wasm", "scalar"),
    **b2.lab.NAMES,
}


def arguments(options: dict[str, Any], of_sample: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    """The options as `World` takes them: strategies are fields of one argument, which a sample may have set."""
    fields = {name: value for name, value in options.items() if name in b2.lab.NAMES}
    plain = {name: value for name, value in options.items() if name not in fields}
    base = of_sample.get("strategies", b2.lab.Strategies())
    return {**plain, "strategies": replace(base, **fields)} if fields else plain


MAX_STEPS = 4  # the most steps in one frame; a slow machine then runs in slow motion
HISTORY = 240


def choices(option: str) -> tuple[str, ...]:
    """The values of an option that this build and this processor support."""
    found = []
    for value in REBUILT[option]:
        try:
            b2.World(**arguments({option: value})).close()
        except (ValueError, TypeError):
            continue
        found.append(value)
    return tuple(found)


class Session:
    """One sample at a time, and the actions of the user on it."""

    def __init__(self, settings: Settings, name: str | None = None) -> None:
        self.settings = settings
        self.scale = 1.0  # fraction of large scenes to build; tests use less
        self.samples = load()
        self.names = list(self.samples)
        self.choices = {option: choices(option) for option in REBUILT}
        self.run: Run | None = None
        self.message = ""
        self.paused = False
        self.single = 0
        self.account = 0.0
        self.drag: b2.MouseDrag | None = None
        self.selected: Any = None
        self.joints_asked = False  # joints are shown in a sample that hides them
        self.checked: list[str] | None = None  # what World.check said of this scene
        self.before: dict[int, Any] = {}
        self.profile: deque[Any] = deque(maxlen=HISTORY)
        self.tracing: Run | None = None
        self.history = History()
        self.opened: type[Sample] | None = None  # a recording, instead of the sample of the name
        self.saved: Path | None = None  # the newest recording
        self.world_changed = True  # worlds that the painter must forget
        self.view_changed = True  # whether the camera must be set
        start = name or settings.sample
        self.open(start if start in self.samples else self.names[0])

    # -- the sample

    @property
    def name(self) -> str:
        return self.settings.sample

    def open(self, name: str) -> None:
        """Runs another sample."""
        self.settings.sample = name
        self.opened = None
        self.view_changed = True
        self.joints_asked = False
        self._build({})

    def restart(self) -> None:
        """Builds the same sample again, with the present values of its controls."""
        self._build(dict(self.run.sample.values) if self.run is not None else {})

    def go(self, step: int) -> None:
        """Opens the next or the previous sample."""
        self.open(self.names[(self.names.index(self.name) + step) % len(self.names)])

    def _build(self, values: dict[str, Any]) -> None:
        self.release()
        self.selected = self.checked = None
        self.before.clear()
        self.profile.clear()
        self.history.clear()
        self.account = 0.0
        self.world_changed = True
        if self.run is not None:
            self.run.close()
            self.run = None
        kind = self.opened or self.samples[self.name]
        options = {key: value for key, value in self.settings.overrides.items() if key in LIVE or key in REBUILT}
        self.message = ""
        try:
            self.run = Run(kind, scale=self.scale, options=arguments(options, kind.options), values=values, demo=True)
        except Exception as error:
            self.message = f"{type(error).__name__}: {error}"
            if options:  # the option comes from another machine, or this sample does not allow it
                self.message = f"{self.message}; options were reset"
                self.settings.overrides.clear()
            self.run = Run(kind, values={}, demo=True)
        self.run.hertz = self.settings.overrides.get("hertz", self.run.hertz)
        self.run.substeps = self.settings.overrides.get("substeps", self.run.substeps)
        self.history.add(self.run)

    def set_option(self, name: str, value: Any) -> None:
        """Sets an option for the user: immediately where a world allows it, otherwise by building the scene again."""
        assert self.run is not None
        self.settings.overrides[name] = value
        if name in ("hertz", "substeps"):
            setattr(self.run, name, value)
        elif name in LIVE:
            for world in self.run.worlds():
                setattr(world, name, value)
            self.tracing = None  # new workers start without tracing
        else:
            self.restart()

    def set_control(self, control: Any, value: Any) -> None:
        """Sets a control of the sample for the user."""
        assert self.run is not None
        try:
            self.run.set(control.name, value)
        except Exception as error:
            self.message = f"{type(error).__name__}: {error}"
        if control.restart:
            self.restart()

    def trace(self, on: bool) -> None:
        """Whether the workers record their work for the timeline."""
        if on == (self.tracing is self.run):
            return
        assert self.run is not None
        b2.lab.trace(self.run.world, 4096 if on else 0)
        self.tracing = self.run if on else None

    def check(self) -> None:
        """What is probably a mistake in the worlds of the sample, as `World.check` says it."""
        assert self.run is not None
        self.checked = [sentence for world in self.run.worlds() for sentence in world.check()]

    def flags(self) -> list[str]:
        """What is drawn besides the shapes. Some samples hide their joints until the user asks for them."""
        hidden = self.run is not None and self.run.kind.hide_joints and not self.joints_asked
        return [flag for flag in self.settings.flags if not (hidden and flag == "joints")]

    def toggle_flag(self, flag: str, on: bool | None = None) -> None:
        """Switches a layer on or off."""
        flags = self.settings.flags
        on = flag not in self.flags() if on is None else on
        if flag == "joints" and self.run is not None and self.run.kind.hide_joints:
            self.joints_asked = on
            if not on:
                return
        if on and flag not in flags:
            flags.append(flag)
        elif not on and flag in flags:
            flags.remove(flag)

    # -- time

    def update(self, elapsed: float) -> int:
        """Steps for the given real time in seconds. Returns the number of steps."""
        run = self.run
        assert run is not None
        if self.paused:
            steps, self.single = self.single, 0
        else:
            self.account += min(elapsed, 0.25) * self.settings.speed * run.hertz
            steps = min(int(self.account), MAX_STEPS)
            self.account = min(self.account - steps, 1.0)
        for k in range(steps):
            if k == steps - 1:
                self.before = {id(world): self._poses(world) for world in run.worlds()} if self.settings.smooth else {}
            try:
                run.step()
            except Exception as error:
                self.message = f"{type(error).__name__}: {error}"
                self.paused = True
                break
            self.history.add(run)
            self.profile.append(tuple(run.world.profile))
        return steps

    @staticmethod
    def _poses(world: b2.World) -> Any:
        return world.arrays.position.copy(), world.arrays.rotation.copy()

    def part(self) -> float:
        """How far the picture is between the states before and after the last step. The picture is one step late and
        therefore moves evenly."""
        return 1.0 if self.paused or not self.settings.smooth else min(self.account, 1.0)

    def step_once(self) -> None:
        self.paused = True
        self.single += 1

    # -- the timeline and recordings

    def time_range(self) -> tuple[int, int]:
        """The first and the last step that `scrub` can show."""
        assert self.run is not None
        if isinstance(self.run.sample, Replay):
            return 0, len(self.run.sample.recording) - 1
        return self.history.first, self.history.last

    def moment(self) -> int:
        """The step that is shown."""
        assert self.run is not None
        return self.run.sample.frame if isinstance(self.run.sample, Replay) else self.run.steps

    def scrub(self, step: int) -> None:
        """Pauses and shows a step of the last minute, or a frame of the opened recording. Whatever happens next goes on
        from there."""
        run = self.run
        assert run is not None
        self.paused, self.single = True, 0
        self.release()
        self.before.clear()
        try:
            if isinstance(run.sample, Replay):
                run.sample.show(step)
            else:
                self.history.show(run, step)
        except Exception as error:
            self.message = f"{type(error).__name__}: {error}"

    @property
    def recording(self) -> bool:
        """Whether the world of the sample is being recorded."""
        return self.run is not None and self.run.world.recorder is not None

    def record(self, path: Path) -> None:
        """Records the world from now on."""
        assert self.run is not None
        try:
            self.run.world.record(path)
            self.saved = path
        except OSError as error:
            self.message = str(error)

    def stop_recording(self) -> None:
        if self.run is not None and self.run.world.recorder is not None:
            self.run.world.recorder.close()

    def open_recording(self, path: Path) -> None:
        """Shows a recording in the place of the sample."""
        try:
            with b2.Recording(path):
                pass
        except (OSError, ValueError) as error:
            self.message = str(error)
            return
        self.stop_recording()
        self.opened, self.saved = replay_of(path), path
        self.view_changed = True
        self._build({})

    def continue_here(self) -> None:
        """Simulates on from the frame of the opened recording that is shown."""
        assert self.run is not None
        if isinstance(self.run.sample, Replay):
            self.opened = continued_from(self.run.sample.path, self.run.sample.frame)
            self._build({})

    def export(self) -> Path | None:
        """Writes the newest recording as an HTML page beside it; also while it is being written."""
        if self.saved is None:
            return None
        target = self.saved.with_suffix(".html")
        try:
            with b2.Recording(self.saved) as recording:
                recording.save_html(target, title=slug(self.saved.stem))
        except (OSError, ValueError) as error:
            self.message = str(error)
            return None
        return target

    # -- actions of the user

    def grab(self, point: b2.Vec2, reach: float) -> bool:
        """Takes hold of the body at a point."""
        assert self.run is not None
        self.release()
        drag = b2.MouseDrag(self.run.world, point, reach=reach)
        self.drag = drag if drag else None
        return self.drag is not None

    def release(self) -> None:
        if self.drag is not None and not self.drag.world.closed:
            self.drag.release()
        self.drag = None

    def pick(self, point: b2.Vec2, reach: float) -> None:
        """Selects the shape at a point, or else the nearest joint, or else nothing."""
        assert self.run is not None
        world = self.run.world
        joints = world.arrays.joints
        if len(joints) and "joints" in self.flags():
            away = np.minimum(
                np.hypot(joints["ax"] - point.x, joints["ay"] - point.y),
                np.hypot(joints["bx"] - point.x, joints["by"] - point.y),
            )
            best = int(np.argmin(away))
            if away[best] < reach:
                number = int(joints["joint"][best])
                self.selected = next(joint for joint in world.joints if joint.index == number)
                return
        found = world.point_query(point) or [shape for shape in world.shapes if shape.sensor and _inside(shape, point)]
        if not found:
            near = world.nearest(point, max_distance=reach)
            found = [near.shape] if near is not None else []
        self.selected = found[-1] if found else None

    def bomb(self, start: b2.Vec2, velocity: b2.Vec2) -> None:
        """Throws a heavy ball."""
        assert self.run is not None
        ball = self.run.world.create_dynamic_body(start, linear_velocity=velocity, bullet=True, name="bomb")
        ball.create_shape(b2.Circle(0.35), density=20.0, restitution=0.05, color=0xD9534F)

    def close(self) -> None:
        self.release()
        if self.run is not None:
            self.run.close()


def _inside(shape: b2.Shape, point: b2.Vec2) -> bool:
    return shape.geometry.contains(shape.body.local_point(point))
