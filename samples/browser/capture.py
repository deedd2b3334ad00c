"""Pictures of the window: one as PNG, or many as a GIF that a thread encodes while the samples continue."""

from __future__ import annotations

import ctypes
import threading
import time
from pathlib import Path
from typing import Any

from pyglet import gl

GIF_WIDTH = 640
GIF_MS = 50
MAX_FRAMES = 600  # 30 seconds


def grab(width: int, height: int) -> Any:
    """A pillow image of what has been drawn."""
    from PIL import Image

    data = (ctypes.c_ubyte * (3 * width * height))()
    gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
    gl.glReadPixels(0, 0, width, height, gl.GL_RGB, gl.GL_UNSIGNED_BYTE, data)
    return Image.frombytes("RGB", (width, height), bytes(data)).transpose(Image.Transpose.FLIP_TOP_BOTTOM)


def new_path(folder: str, stem: str, ending: str) -> Path:
    """A file name in the folder that does not exist yet. The folder is made.

    Raises:
        OSError: the folder cannot be made.
    """
    where = Path(folder)
    where.mkdir(parents=True, exist_ok=True)
    for number in range(1, 10_000):
        path = where / f"{stem}-{number}{ending}"
        if not path.exists():
            return path
    return where / f"{stem}{ending}"


class Recorder:
    """Collects pictures, then writes them to a GIF."""

    def __init__(self) -> None:
        self.frames: list[Any] = []
        self.recording = False
        self.last = 0.0
        self.done, self.total = 0, 0
        self.path: Path | None = None
        self.message = ""  # how the last file ended; the window takes it
        self.thread: threading.Thread | None = None

    def toggle(self, folder: str, stem: str) -> None:
        if self.recording:
            self.stop(folder, stem)
        elif self.thread is None or not self.thread.is_alive():
            self.frames, self.recording, self.last = [], True, 0.0

    def frame(self, width: int, height: int, folder: str, stem: str) -> None:
        """Takes a picture if it is time for the next one."""
        now = time.perf_counter()
        if not self.recording or now - self.last < 0.001 * GIF_MS:
            return
        self.last = now
        image = grab(width, height)
        self.frames.append(image.resize((GIF_WIDTH, round(GIF_WIDTH * height / width))))
        if len(self.frames) >= MAX_FRAMES:
            self.stop(folder, stem)

    def stop(self, folder: str, stem: str) -> None:
        self.recording = False
        frames, self.frames = self.frames, []
        if not frames:
            return
        self.path, self.done, self.total = new_path(folder, stem, ".gif"), 0, len(frames)
        self.thread = threading.Thread(target=self._encode, args=(frames, self.path), daemon=False)
        self.thread.start()

    def _encode(self, frames: list[Any], path: Path) -> None:
        try:
            small = []
            for frame in frames:
                small.append(frame.quantize(96))
                self.done += 1
            small[0].save(path, save_all=True, append_images=small[1:], duration=GIF_MS, loop=0)
            self.message = f"saved {path.resolve()}"
        except OSError as error:
            self.message = str(error)

    @property
    def busy(self) -> bool:
        """Whether a file is being written."""
        return self.thread is not None and self.thread.is_alive()
