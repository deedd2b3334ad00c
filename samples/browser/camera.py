"""The camera: it maps the world to the pixels of the window."""

from __future__ import annotations

import box2dpy as b2

MIN_ZOOM, MAX_ZOOM = 1e-3, 1e5  # pixels for each metre


class Camera:
    """A centre in metres and a zoom in pixels for each metre. Pixels are counted from the upper left, as for the
    mouse."""

    def __init__(self) -> None:
        self.x = self.y = 0.0
        self.zoom = 30.0
        self.width, self.height = 1280.0, 800.0

    def resize(self, width: float, height: float) -> None:
        self.width, self.height = max(width, 1.0), max(height, 1.0)

    def show(self, left: float, bottom: float, right: float, top: float) -> None:
        """Fits a part of the world into the window."""
        self.x, self.y = 0.5 * (left + right), 0.5 * (bottom + top)
        self.zoom = min(self.width / max(right - left, 1e-9), self.height / max(top - bottom, 1e-9))

    def to_world(self, px: float, py: float) -> b2.Vec2:
        return b2.Vec2(self.x + (px - 0.5 * self.width) / self.zoom, self.y - (py - 0.5 * self.height) / self.zoom)

    def to_screen(self, x: float, y: float) -> tuple[float, float]:
        return 0.5 * self.width + self.zoom * (x - self.x), 0.5 * self.height - self.zoom * (y - self.y)

    def pan(self, dx: float, dy: float) -> None:
        """Moves the view by a number of pixels."""
        self.x -= dx / self.zoom
        self.y += dy / self.zoom

    def zoom_at(self, px: float, py: float, factor: float) -> None:
        """Zooms in or out. The world point under the given pixel does not move."""
        before = self.to_world(px, py)
        self.zoom = min(max(self.zoom * factor, MIN_ZOOM), MAX_ZOOM)
        after = self.to_world(px, py)
        self.x += before.x - after.x
        self.y += before.y - after.y

    def view(self) -> tuple[float, float, float, float]:
        """Left, bottom, right and top of the visible part, in metres."""
        w, h = 0.5 * self.width / self.zoom, 0.5 * self.height / self.zoom
        return self.x - w, self.y - h, self.x + w, self.y + h
