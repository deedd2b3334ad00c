"""Box2D's own benchmark program as a peer: `--peer box2d=PATH`, where PATH is its `benchmark`, built in release mode.

It is called as `PATH -t=WORKERS -w=WORKERS -b=SCENE -r=1 -s` in an empty folder, once per pass, so that its passes
alternate with those of the other engines. The output is parsed: `benchmark: NAME, steps = N`, `thread count: W`, `run 0
: MS (ms)` (steps 1 to N - 1 with the scene's own step function, as for the other engines) and `body B / shape S /
contact C / joint J / ...`. With `-s` the program writes NAME_tW.dat, one line per step, beginning with step 0; the
first column is the time of the step in milliseconds. Some versions of the program accept only the number of a scene:
its place among the ten scenes in alphabetical order. The results are refused when the program ran another scene than
the requested one.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from box2dpy.scenes import Scene

NAMES = (
    "compounds", "joint_grid", "junkyard", "large_pyramid", "many_pyramids", "rain", "smash", "spinner", "tumbler",
    "washer",
)  # fmt: skip


class ProgramError(ValueError):
    """The program cannot be started, or what it prints is not understood."""


@dataclass
class Output:
    """One run of the program."""

    scene: str
    steps: int
    workers: int
    total_ms: float
    counters: dict[str, int]
    step_ms: list[float] = field(default_factory=list)  # with step 0; empty when the program leaves no file


def parse(text: str) -> Output:
    """Reads what the program printed for one scene and one worker count.

    Raises:
        ProgramError: a part is missing.
    """

    def find(pattern: str) -> re.Match[str]:
        found = re.search(pattern, text)
        if found is None:
            raise ProgramError(f"Box2D's program printed no {pattern!r} but {text[-200:]!r}")
        return found

    head = find(r"benchmark: (\w+), steps = (\d+)")
    runs = [float(ms) for ms in re.findall(r"run \d+ : ([\d.e+]+) \(ms\)", text)]
    if not runs:
        find(r"run \d+ : ")
    counts = find(r"body (\d+) / shape (\d+) / contact (\d+) / joint (\d+)")
    names = ("bodies", "shapes", "contacts", "joints")
    return Output(
        scene=head[1],
        steps=int(head[2]),
        workers=int(find(r"thread count: (\d+)")[1]),
        total_ms=min(runs),
        counters={name: int(count) for name, count in zip(names, counts.groups(), strict=True)},
    )


def call(path: str, scene: str, workers: int) -> Output:
    """Runs the program over one scene; its name or number is `scene`.

    Raises:
        ProgramError: it does not start, fails, or prints something else.
    """
    command = [str(Path(path).resolve()), f"-t={workers}", f"-w={workers}", f"-b={scene}", "-r=1", "-s"]
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        except OSError as error:
            raise ProgramError(f"cannot run {path!r}: {error.strerror}") from None
        if done.returncode != 0:
            raise ProgramError(f"{path} ended with status {done.returncode}: {(done.stdout + done.stderr)[-200:]!r}")
        output = parse(done.stdout)
        recorded = Path(folder) / f"{output.scene}_t{workers}.dat"
        if recorded.exists():
            lines = recorded.read_text(encoding="utf-8").split("\n")
            output.step_ms = [float(line.split()[0]) for line in lines if line.strip()]
    if len(output.step_ms) != output.steps:
        output.step_ms = []
    return output


def run(path: str, scene: Scene, workers: int, steps: int, scale: float) -> Output:
    """One pass of Box2D over a scene.

    Raises:
        ProgramError: it cannot run this scene, or not with as many steps or workers.
    """
    if scene.name not in NAMES:
        raise ProgramError("Box2D's program does not have this scene")
    if steps != scene.steps or scale != 1.0:
        raise ProgramError("Box2D's program runs whole scenes only")
    output = call(path, scene.name, workers)
    if output.scene != scene.name:  # it took the name for the number 0
        output = call(path, str(NAMES.index(scene.name)), workers)
    if output.scene != scene.name:
        raise ProgramError(f"asked for {scene.name}, Box2D's program ran {output.scene}")
    if output.steps != steps:
        raise ProgramError(f"Box2D's program ran {output.steps} steps, not {steps}: is it a debug build?")
    if output.workers != workers:
        raise ProgramError(f"Box2D's program ran with {output.workers} workers, not {workers}")
    return output
