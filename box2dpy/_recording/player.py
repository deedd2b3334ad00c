"""`Recording.save_html`: the data of a recording for the viewer of box2dpy/_page.

Poses are as in the file of the recording, in groups of frames that are compressed each by itself, and one compressed
JSON text has the shapes.
"""

from __future__ import annotations

import json
from typing import Any, TypeAlias

import numpy as np

from .._draw.camera import MARGIN
from .._draw.style import CHAIN, CIRCLE, POLYGON, SEGMENT, local_border
from .._page.page import RECORDED, packed, page_of
from .._world import record_format as file
from .._world.record_format import Poses

Recording: TypeAlias = Any  # the class uses this module, and modules must not import each other

_GROUP = 64  # frames that the page decodes at once
_TURN = 8  # angles are multiples of this part of a turn, 8e-4 rad
_FARTHEST = 2.0**50  # parts of the precision: changes of changes are exact in a float64
_ARC = 16  # points of a full turn of a rounded border


def page_of_recording(
    recording: Recording, fps: float, precision: float, camera: tuple[float, float, float, float] | None, title: str
) -> str:
    """The page as text."""
    frames = _chosen_frames(recording, fps)
    groups = [_group(recording, frames[k : k + _GROUP], precision) for k in range(0, len(frames), _GROUP)]
    data = {
        "frames": len(frames),
        "group_size": _GROUP,
        "precision": precision,
        "view": camera or _view(recording),
        "objects": packed(json.dumps(_objects(recording, frames), separators=(",", ":")).encode()),
        "groups": groups,
    }
    return page_of(RECORDED, data, title)


def _chosen_frames(recording: Recording, fps: float) -> list[int]:
    """Frames that are at least 1 / fps apart, and the last one."""
    chosen, due = [], -1.0
    for index, time in enumerate(recording.times.tolist()):
        if time >= due - 1e-6:
            chosen.append(index)
            due = max(due + 1 / fps, time + 0.5 / fps) if index else 1 / fps
    if chosen[-1] != len(recording) - 1:
        chosen.append(len(recording) - 1)
    return chosen


def _group(recording: Recording, frames: list[int], precision: float) -> str:
    parts = []
    last = Poses()
    for k, index in enumerate(frames):
        poses = recording._poses_at(index)
        x, y = (_whole(values, recording.precision, precision) for values in (poses.x, poses.y))
        angle = (poses.angle + _TURN // 2) // _TURN * _TURN
        angle[angle >= file.TURN // 2] -= file.TURN
        last, raw = last.encoded(x, y, angle, poses.flags)
        if k == 0:
            last = last.resting()
        parts.append(raw)
    return packed(b"".join(parts))


def _whole(values: Any, before: float, precision: float) -> Any:
    """The same coordinates in another precision, no farther away than a number of JavaScript holds with its changes."""
    if abs(values).max(initial=0) * (before / precision) < _FARTHEST:
        return np.rint(values * (before / precision)).astype(np.int64)
    with np.errstate(over="ignore"):
        scaled = file.to_lengths(values, before) / precision
    return np.rint(np.clip(scaled, -_FARTHEST, _FARTHEST)).astype(np.int64)


def _view(recording: Recording) -> tuple[float, float, float, float]:
    lower, upper = recording.bounds
    margin = MARGIN * max(upper.x - lower.x, upper.y - lower.y, 1.0)
    return lower.x - margin, lower.y - margin, upper.x + margin, upper.y + margin


def _objects(recording: Recording, frames: list[int]) -> dict[str, Any]:
    """Shapes, their borders and joints, each with the frames of the page in which they exist."""
    shapes, joints = recording._versions or recording._read_versions()
    geometries: dict[bytes, int] = {}
    borders: list[dict[str, Any]] = []
    since, until, rows = _range_in(shapes, frames)
    columns: dict[str, list[Any]] = {"geometry": [], "kind": [], "color": []}
    for row in rows:
        key = row["x"].tobytes() + row["y"].tobytes() + row["radius"].tobytes() + bytes([row["type"], row["count"]])
        if key not in geometries:
            geometries[key] = len(borders)
            borders.append(_border(row))
        columns["geometry"].append(geometries[key])
        columns["kind"].append(_kind(row))
        columns["color"].append(int(row["color"]) & 0xFFFFFF if row["color"] else -1)
    columns.update(since=since, until=until, body=rows["body"].tolist(), sensor=rows["sensor"].tolist())
    since, until, links = _range_in(joints, frames)
    anchors = np.concatenate([links["anchor_a"], links["anchor_b"]], axis=-1).astype(np.float64)
    return {
        "times": np.round(recording.times[frames], 6).tolist(),
        "geometries": borders,
        "shapes": columns,
        "joints": {
            "since": since,
            "until": until,
            "body_a": links["body_a"].tolist(),
            "body_b": links["body_b"].tolist(),
            "anchors": np.round(anchors, 4).tolist(),
        },
    }


def _range_in(versions: Any, frames: list[int]) -> tuple[list[int], list[int], Any]:
    """The versions that a chosen frame shows: the first of these frames, the one after the last, and the rows."""
    since, until = np.searchsorted(frames, versions.since), np.searchsorted(frames, versions.until)
    used = versions.living & (since < until)
    order = np.argsort(~_is_line(versions.rows[used]), kind="stable") if versions.key == "shape" else slice(None)
    return since[used][order].tolist(), until[used][order].tolist(), versions.rows[used][order]


def _is_line(rows: Any) -> Any:
    """Lines come first: what moves is drawn over them."""
    return (rows["type"] == SEGMENT) | (rows["type"] == CHAIN)


def _border(row: Any) -> dict[str, Any]:
    """Points x, y, ... in body coordinates; a circle has its centre and radius."""
    if row["type"] == CIRCLE:
        points, radius = [float(row["x"][0]), float(row["y"][0])], float(row["radius"])
    else:
        points, radius = local_border(row, _ARC).ravel().tolist(), 0.0
    return {"points": [round(value, 5) for value in points], "radius": round(radius, 5)}


def _kind(row: Any) -> int:
    """The kind of a shape, whose colour it has while it moves and is awake, as in all other pictures."""
    kind = int(row["type"])
    if kind == CHAIN:
        return SEGMENT
    return 4 if kind == POLYGON and (row["count"] != 4 or row["radius"] > 0) else kind
