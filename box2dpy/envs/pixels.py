"""Pictures of the shapes of many worlds at once, in numpy, as observations.

A row of pixels crosses a convex shape with a rounding in one interval. Its ends are among the places where the row
crosses the discs at the vertices and the edges that are shifted outwards by the radius. So the intervals of all shapes
of all worlds are computed together, and each shape is then filled in all worlds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .. import Entities

POLYGON = 3  # of `Entities.shape_kind`
TOGETHER = 64  # worlds whose intermediate arrays fit into the caches


def pixels(
    seen: Entities, colors: NDArray[np.uint8], view: tuple[float, float, float, float], size: tuple[int, int]
) -> NDArray[np.uint8]:
    """Pictures, uint8, shape (n, height, width, 3), black where no shape is.

    Args:
        seen: what there is in n worlds.
        colors: of each body, uint8, shape (n, bodies, 3).
        view: left, bottom, right, top, metres.
        size: width and height, pixels.
    """
    n = len(seen.shapes)
    out = np.zeros((n, size[1], size[0], 3), np.uint8)
    for first in range(0, n, TOGETHER):
        part = slice(first, first + TOGETHER)
        some: Any = [array[part] for array in seen]
        _fill(out[part], type(seen)(*some), colors[part], view)
    return out


def _fill(out: NDArray[np.uint8], seen: Entities, colors: NDArray[np.uint8], view: tuple[float, ...]) -> None:
    worlds = np.arange(len(out))[:, None]
    pixel = np.float32((view[2] - view[0]) / out.shape[2])
    x = np.float32(view[0]) + pixel * (np.arange(out.shape[2], dtype=np.float32) + np.float32(0.5))
    y = np.linspace(view[3], view[1], 2 * out.shape[1] + 1, dtype=np.float32)[1::2]  # middles of rows, from above
    left, right = _intervals(seen, y, pixel)
    shown = seen.shape_mask & (seen.bodies[worlds, seen.shape_body, 10] > 0)
    of_shape = colors[worlds, seen.shape_body]
    for shape in np.flatnonzero(shown.any(axis=0)).tolist():
        inside = (x >= left[:, shape, :, None]) & (x <= right[:, shape, :, None]) & shown[:, shape, None, None]
        np.copyto(out, of_shape[:, shape, None, None], where=inside[..., None])


def _intervals(seen: Entities, y: NDArray[np.float32], pixel: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """From where to where each row covers each shape, metres, shape (n, shapes, rows); empty where left > right."""
    worlds = np.arange(len(seen.shapes))[:, None]
    bodies = seen.bodies[worlds, seen.shape_body]
    ox, oy, cos, sin = (bodies[..., k, None] for k in range(4))
    corners = np.where(
        (np.arange(8) < seen.vertex_count[..., None])[..., None], seen.vertices, seen.vertices[..., :1, :]
    )
    vx = (ox + cos * corners[..., 0]) - sin * corners[..., 1]
    vy = (oy + sin * corners[..., 0]) + cos * corners[..., 1]
    radius = seen.shapes[..., 1]
    radius = np.where(seen.shape_kind == POLYGON, radius, np.maximum(radius, pixel / 2))[..., None]

    edge_x, edge_y = np.roll(vx, -1, axis=-1) - vx, np.roll(vy, -1, axis=-1) - vy
    length = np.maximum(np.sqrt(edge_x * edge_x + edge_y * edge_y), np.float32(1e-9))
    ax, ay = vx + radius * edge_y / length, vy - radius * edge_x / length  # vertices are in counter-clockwise order
    slope = edge_x / np.where(edge_y == 0, np.float32(1), edge_y)

    above = y[:, None] - vy[..., None, :]  # of each row over each vertex
    square = radius[..., None] ** 2 - above * above
    reach = np.sqrt(np.maximum(square, 0))
    on_disc = square >= 0
    along = y[:, None] - ay[..., None, :]
    crossing = ax[..., None, :] + slope[..., None, :] * along
    low, high = np.minimum(edge_y, 0)[..., None, :], np.maximum(edge_y, 0)[..., None, :]
    on_edge = (along >= low) & (along <= high) & (edge_y != 0)[..., None, :]
    vx = vx[..., None, :]
    left = np.where(on_disc, vx - reach, np.inf).min(axis=-1)
    left = np.minimum(left, np.where(on_edge, crossing, np.inf).min(axis=-1))
    right = np.where(on_disc, vx + reach, -np.inf).max(axis=-1)
    right = np.maximum(right, np.where(on_edge, crossing, -np.inf).max(axis=-1))
    return left, right
