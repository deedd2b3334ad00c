"""`World.to_svg`: a picture of a world as text, for notebooks and documents. No library is needed."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np

from .._bridge.arguments import instance, integer, pair
from .camera import View, camera_now, visible
from .draw_list import DrawList
from .style import LIGHT, pieces, readable

if TYPE_CHECKING:
    from .camera import CameraLike, DrawableWorld


def _hex(color: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)


def _code(color: int) -> str:
    return f"#{color:06x}"


def _points(points: Any) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in np.asarray(points).tolist())


def svg_of(world: DrawableWorld, camera: CameraLike, size: tuple[int, int], draw: DrawList | None, by: str) -> str:
    draw = instance(draw, DrawList, "draw")
    pair(size, "size")
    width, height = (integer(side, "size", 1, 1 << 15) for side in size)
    view = View(camera_now(camera, world), width, height)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f'<rect width="100%" height="100%" fill="{_code(LIGHT.background)}"/>',
        '<g stroke-width="1" stroke-linejoin="round">',
    ]
    for piece in pieces(world, LIGHT, by=by, view=view):
        corners = piece.points
        if len(corners) == 2:
            lines.append(f'<polyline points="{_points(corners)}" stroke="{_hex(piece.edge)}"/>')
            continue
        opacity = "" if piece.alpha == 255 else f' fill-opacity="{piece.alpha / 255:.2f}"'
        if piece.spoke is None:
            lines.append(
                f'<polygon points="{_points(corners)}" fill="{_hex(piece.fill)}"{opacity} stroke="{_hex(piece.edge)}"/>'
            )
            continue
        (x, y), rim = piece.spoke
        radius = float(np.hypot(*(rim - (x, y))))
        look = f'fill="{_hex(piece.fill)}"{opacity} stroke="{_hex(piece.edge)}"'
        lines.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:.2f}" {look}/>')
        lines.append(f'<polyline points="{_points(((x, y), rim))}" stroke="{_hex(piece.edge)}"/>')
    if draw is not None:
        lines += _list(draw, view)
    return "\n".join([*lines, "</g>", "</svg>", ""])


def _list(draw: DrawList, view: View) -> list[str]:
    shown = visible(draw, view)
    lines = [
        f'<polygon points="{_points(corners)}" fill="{_code(readable(fill.color, LIGHT))}" '
        f'fill-opacity="{fill.alpha:.2f}"/>'
        for corners, fill in shown.fills
    ]
    for line, color in zip(shown.lines, shown.line_colors, strict=True):
        lines.append(f'<polyline points="{_points(line.reshape(2, 2))}" stroke="{_code(readable(color, LIGHT))}"/>')
    for (x, y, diameter), color in zip(shown.dots.tolist(), shown.dot_colors, strict=True):
        lines.append(
            f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{0.5 * diameter:.2f}" fill="{_code(readable(color, LIGHT))}"/>'
        )
    for x, y, label in shown.labels:
        text = html.escape(label.text)
        lines.append(
            f'<text x="{x:.2f}" y="{y:.2f}" fill="{_code(readable(label.color, LIGHT))}" '
            f'font-family="sans-serif" font-size="12">{text}</text>'
        )
    return lines
