"""Files that are written whole: a full disk, and threads that write one file, leave a whole one."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import pytest

import box2dpy as b2

from ..patience import finished, in_threads

# In a process of its own: a file may have `limit` bytes, as on a disk that is full
PROGRAM = """
import os, resource, signal, sys
import box2dpy as b2
os.chdir(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with b2.World() as world:
    for k in range(40):
        world.create_dynamic_body((k, k % 7)).create_shape(b2.Circle(0.3))
    with world.record("recording.b2d"):
        for _ in range(20):
            world.step()
    recording = b2.Recording("recording.b2d")

    def film(path):
        with b2.MovieWriter(path, size=(64, 48)) as writer:
            for _ in range(5):
                writer.add(world)
                world.step()

    calls = {
        "page.html": recording.save_html,
        "level.json": world.save_level,
        "picture.png": lambda path: world.save_picture(path, size=(64, 48)),
        "film.gif": film,
        "last.png": film,
    }
    for name, call in calls.items():
        call(name)
    whole = {name: open(name, "rb").read() for name in calls}
    names = sorted(os.listdir())
    most = resource.getrlimit(resource.RLIMIT_FSIZE)  # which nobody may raise
    for limit in (0, 1, 20, 100):
        for name, call in calls.items():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most[1]))
            try:
                call(name)
            except OSError:
                pass
            else:
                print(name, "has room in", limit)
            resource.setrlimit(resource.RLIMIT_FSIZE, most)
            if open(name, "rb").read() != whole[name]:
                print(name, "is damaged with", limit)
    if sorted(os.listdir()) != names:
        print("left behind:", set(os.listdir()) - set(names))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of files")
def test_a_full_disk_leaves_the_old_files_whole_and_nothing_behind(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    done = finished([sys.executable, "-c", PROGRAM, str(tmp_path)])
    assert done.stdout == "", done.stdout
    assert done.returncode == 0, done.stderr


def test_threads_that_write_one_file_leave_a_whole_one(tmp_path: Path) -> None:
    path = tmp_path / "level.json"
    worlds = []
    for n in range(1, 5):
        worlds.append(world := b2.World())
        for k in range(30 * n):
            world.create_dynamic_body((k, 0)).create_shape(b2.Circle(0.3))

    def write(world: b2.World) -> None:
        for _ in range(20):
            world.save_level(path)

    in_threads([partial(write, world) for world in worlds])
    with b2.World.load_level(path) as world:
        assert len(world.bodies) in (30, 60, 90, 120)
    assert os.listdir(tmp_path) == ["level.json"]
