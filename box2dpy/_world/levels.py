"""`Levels`: the part of `World` that writes and reads levels. What it needs is loaded when it is first used."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .make_body import BodyMakers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self, Unpack

    from .world_options import WorldOptions


class Levels(BodyMakers):
    """The part of `World` that writes and reads levels."""

    __slots__ = ()

    def to_dict(self, *, data: bool = True) -> dict[str, Any]:
        """The scene as a level: dictionaries, lists, texts and numbers, ready for JSON. `docs/guide/levels.md` lists
        every key.

        It has the options of the world, its categories and material pairs, and bodies with their poses, velocities,
        shapes and chains, and joints, as arguments of the methods that create them. Default values are left out, and
        numbers have as few digits as they can without changing a bit. A world that has not been stepped, and where
        nothing has been destroyed, has the same `state_hash()` after `World.from_dict`, and after each step that
        follows. Contacts, their impulses and sleep timers are not part of a level: `snapshot` keeps them.

        Args:
            data: whether `data` of the objects is written; it must be JSON then.

        Raises:
            TypeError: `data` of an object is no JSON.
            WorldLockedError: another thread is stepping the world.
            DestroyedError: the world is closed.

        >>> with World(gravity=(0, -9.81)) as world:
        ...     crate = world.create_dynamic_body((0, 4), name="crate")
        ...     shape = crate.create_shape(Box(0.5, 0.5), friction=0.3)
        ...     world.to_dict()["bodies"]
        [{'type': 'dynamic', 'name': 'crate', 'position': [0.0, 4.0], 'shapes': [{'type': 'box', 'hx': 0.5, 'hy': 0.5, \
'friction': 0.3}]}]
        """
        from .level_writer import written

        return written(self, data)

    @classmethod
    def from_dict(cls, level: Mapping[str, Any], **options: Unpack[WorldOptions]) -> Self:
        """A new world from a level, such as `to_dict` makes or a person writes.

        Args:
            level: the level; see `docs/guide/levels.md`.
            options: options of `World`; they replace those of the level.

        Raises:
            LevelError: something in the level is wrong; the message says where.
            ValueError: a wrong value of an option.
            TypeError: a wrong type, or an option that does not exist.
            MemoryError: no memory.

        >>> crate = {"type": "dynamic", "position": [0, 4], "shapes": [{"type": "box", "hx": 0.5, "hy": 0.5}]}
        >>> with World.from_dict({"version": 1, "bodies": [crate]}) as world:
        ...     list(world.bodies)
        [<Body 0 dynamic at (0, 4)>]
        """
        from .level_reader import world_of

        return world_of(cls, level, options)

    def add_dict(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """Adds the bodies and joints of a level to this world, which keeps its options.

        Returns:
            `{"bodies": [...], "joints": [...]}`: what has been created, in the order of the level.

        Raises:
            LevelError: something in the level is wrong; then nothing is added.
            WorldLockedError: the world is being stepped.
            DestroyedError: the world is closed.
            MemoryError: no memory.

        >>> ball = {"type": "dynamic", "shapes": [{"type": "circle", "radius": 0.5}]}
        >>> with World() as world:
        ...     world.add_dict({"bodies": [ball, {**ball, "position": [2, 0]}]})
        {'bodies': [<Body 0 dynamic at (0, 0)>, <Body 1 dynamic at (2, 0)>], 'joints': []}
        """
        from .level_reader import added

        return added(self, level)

    def save_level(self, path: str | os.PathLike[str], *, data: bool = True) -> None:
        """Writes `to_dict` to a JSON file, with one line for each shape and joint that fits in a line.

        Raises:
            TypeError: `data` of an object is no JSON, or `path` is no path.
            OSError: the file cannot be written.
        """
        from .level_text import save

        save(self.to_dict(data=data), path)

    @classmethod
    def load_level(cls, path: str | os.PathLike[str], **options: Unpack[WorldOptions]) -> Self:
        """A new world from a JSON file with a level: `from_dict` of its content.

        Raises:
            LevelError: it is no JSON, or something in the level is wrong; the message says where.
            OSError: the file cannot be read.
            ValueError, TypeError, MemoryError: as `from_dict`.
        """
        from .level_text import load

        return cls.from_dict(load(path), **options)
