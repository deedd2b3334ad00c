"""`World.plot`: a world in matplotlib axes, in metres, for figures of papers and notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._bridge.arguments import instance
from .._bridge.errors import missing, short_repr
from .draw_list import DrawList
from .style import LIGHT, pieces

if TYPE_CHECKING:
    from .camera import DrawableWorld


def plot_into(world: DrawableWorld, axes: Any, draw: DrawList | None, by: str) -> Any:
    try:
        import matplotlib.pyplot as plt
        from matplotlib.collections import LineCollection, PolyCollection
    except ModuleNotFoundError:
        raise missing("World.plot", "matplotlib", "plot") from None
    draw = instance(draw, DrawList, "draw")
    if axes is not None and not hasattr(axes, "add_collection"):
        raise TypeError(f"axes={short_repr(axes)} must be axes of matplotlib or None")
    if axes is None:
        axes = plt.subplots()[1]
    corners, fills, edges, lines, tints = [], [], [], [], []
    for piece in pieces(world, LIGHT, by=by):
        edge = tuple(part / 255 for part in piece.edge)
        if len(piece.points) == 2:
            lines.append(piece.points)
            tints.append(edge)
            continue
        corners.append(piece.points)
        fills.append((*(part / 255 for part in piece.fill), piece.alpha / 255))
        edges.append(edge)
        if piece.spoke is not None:
            lines.append(piece.spoke)
            tints.append(edge)
    axes.add_collection(PolyCollection(corners, facecolors=fills, edgecolors=edges, linewidths=0.6))
    if draw is not None:
        lines += list(draw.line_ends.reshape(-1, 2, 2))
        tints += [tuple(part / 255 for part in (c >> 16, c >> 8 & 255, c & 255)) for c in draw.line_colors.tolist()]
        for label in draw.labels:
            axes.text(label.x, label.y, label.text, color=f"#{label.color:06x}")
        if len(draw.points):
            colors = [f"#{color:06x}" for color in draw.point_colors.tolist()]
            axes.scatter(draw.points[:, 0], draw.points[:, 1], s=np.square(0.8 * draw.points[:, 2]), c=colors, zorder=3)
    axes.add_collection(LineCollection(lines, colors=tints, linewidths=0.8))
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.set_xlabel("x / m")
    axes.set_ylabel("y / m")
    return axes
