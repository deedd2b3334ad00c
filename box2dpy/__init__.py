"""box2dpy: a fast, deterministic 2D physics engine.

```
import box2dpy as b2

with b2.World(gravity=(0, -10)) as world:
    ground = world.create_static_body(position=(0, -1))
    ground.create_shape(b2.Box(50, 1))
    box = world.create_dynamic_body(position=(0, 4))
    box.create_shape(b2.Box(0.5, 0.5), density=1.0)
    for _ in range(120):
        world.step(1 / 60, substeps=4)
    print(box.position, box.angle)
```

Units are metres, kilograms, seconds and radians. All public names are exported here. The package has these folders,
from the lowest to the highest; a folder imports only from folders above it in this list:

    _bridge     the compiled module: shared lists, arguments, errors, handles, WorldBase, Vec2, AABB
    _geometry   Circle, Capsule, Segment, ChainSegment, Polygon, Box, Filter, Categories; two geometries; outlines
    _buffers    the arrays of the public module buffers, which simulates without a world
    _objects    Body, BodyArray, Shape, Chain, Joint, Contact, Island, events, arrays; WorldObjects
    _joints     one file for each type of joint: its class, how it is created, how it is drawn
    _queries    rays, casts, overlaps, the nearest shape, queries of movers
    _draw       DrawList, cameras, colours and borders of shapes, debug drawing, SVG, matplotlib, pictures and films
    _page       the viewer of web pages, and the core compiled for WebAssembly
    _world      World: its step, and the parts that it is composed of
    _batch      WorldBatch: many worlds in one call, as arrays
    _recording  Recording: reads what World.record has written, simulates it again, the player
    _helpers    FixedStepper, MouseDrag and Mover: programs over the public API
    scenes      the scenes of tests, benchmarks and samples
    compat      programs for the Box2D 2.3 bindings run on the public interface
    envs        environments for reinforcement learning, on the public interface

The module `lab` has experiments; `arguments` and `rows` are for packages that build on this one. `_core` is the
compiled module, `_build` describes how it is compiled, and `_cli` is the program `box2dpy`. The modules
`pygame` and `pyglet` draw worlds with these libraries, and `buffers` simulates without a world; a program imports the
one that it needs.
"""

from __future__ import annotations

import sys as _sys
import typing as _typing
from importlib import import_module as _import

from ._bridge.body_type import BodyType
from ._bridge.errors import (
    Box2DError,
    DestroyedError,
    InvariantError,
    LevelError,
    RecordingError,
    SnapshotError,
    StaleViewWarning,
    WorldLockedError,
)
from ._bridge.vectors import AABB, Vec2
from ._geometry.categories import Categories, Filter
from ._geometry.geometry import Frame, Geometry, GeometryHit, MassData
from ._geometry.shapes import Box, Capsule, ChainSegment, Circle, Polygon, Segment
from ._joints.connection import ConnectionJoint
from ._joints.distance import DistanceJoint
from ._joints.filter import FilterJoint
from ._joints.gear import GearJoint
from ._joints.groove import GrooveJoint
from ._joints.motor import MotorJoint
from ._joints.mover import MoverJoint
from ._joints.pogo import PogoJoint
from ._joints.prismatic import PrismaticJoint
from ._joints.pulley import PulleyJoint
from ._joints.ratchet import RatchetJoint
from ._joints.revolute import RevoluteJoint
from ._joints.rotary_spring import RotarySpringJoint
from ._joints.weld import WeldJoint
from ._joints.wheel import WheelJoint
from ._objects.arrays import Arrays
from ._objects.body import Body
from ._objects.body_array import BodyArray
from ._objects.chain import Chain
from ._objects.collections import Contacts, Objects
from ._objects.contact import Contact, ContactPoint, Presolve

# generated: records to import, see tools/lists.py
from ._objects.events import (
    BodyInvalid,
    BodyMove,
    ContactBegin,
    ContactEnd,
    ContactHit,
    Event,
    EventList,
    Events,
    JointThreshold,
    SensorBegin,
    SensorEnd,
)

# end of generated
from ._objects.island import Island
from ._objects.joint import Joint
from ._objects.shape import Shape
from ._queries.hits import NearestHit, RayHit
from ._queries.planes import MoverPlane, clip_vector, solve_planes
from ._world.counters import Counters, Profile
from ._world.materials import MaterialPair
from ._world.scheduler import Scheduler, compiler, cpu_features
from ._world.state import State
from ._world.template import Template
from ._world.world import World

if _typing.TYPE_CHECKING:  # a program loads these when it first uses one of them, see _LATE
    from . import lab as lab
    from ._batch.batch import WorldBatch
    from ._batch.batch_world import BatchWorld
    from ._batch.columns import BatchColumn, BatchJoints
    from ._batch.entities import Entities
    from ._batch.numbers import BatchNumbers
    from ._batch.senses import BatchRayHits
    from ._draw.camera import FollowCamera, View
    from ._draw.draw_list import DrawList
    from ._draw.movie import MovieWriter
    from ._draw.render import render
    from ._geometry.collision import (
        Distance,
        ImpactState,
        Manifold,
        ManifoldPoint,
        TimeOfImpact,
        collide,
        distance,
        distances,
        manifolds,
        mass_data,
        shape_cast,
        shape_casts,
        time_of_impact,
        times_of_impact,
    )
    from ._geometry.outlines import ConvexPieces, bitmap_outlines, convex_pieces, hull, simplify
    from ._helpers.character import Mover
    from ._helpers.mouse_drag import MouseDrag
    from ._helpers.stepper import FixedStepper
    from ._page.page import HtmlPage
    from ._recording.frame import RecordedFrame
    from ._recording.read import Recording, Verification
    from ._world.record_write import Recorder
    from ._world.rube import rube_level
    from ._world.staged import StagedStep, new_contacts

__version__ = "0.1.0"

__all__ = [
    "AABB",
    "Arrays",
    "BatchColumn",
    "BatchJoints",
    "BatchNumbers",
    "BatchRayHits",
    "BatchWorld",
    "Body",
    "BodyArray",
    "BodyType",
    "Box",
    "Box2DError",
    "Capsule",
    "Categories",
    "Chain",
    "ChainSegment",
    "Circle",
    "ConnectionJoint",
    "Contact",
    "ContactPoint",
    "Contacts",
    "ConvexPieces",
    "Counters",
    "DestroyedError",
    "Distance",
    "DistanceJoint",
    "DrawList",
    "Entities",
    "Event",
    "EventList",
    "Events",
    "Filter",
    "FilterJoint",
    "FixedStepper",
    "FollowCamera",
    "Frame",
    "GearJoint",
    "Geometry",
    "GeometryHit",
    "GrooveJoint",
    "HtmlPage",
    "ImpactState",
    "InvariantError",
    "Island",
    "Joint",
    "LevelError",
    "Manifold",
    "ManifoldPoint",
    "MassData",
    "MaterialPair",
    "MotorJoint",
    "MouseDrag",
    "Mover",
    "MoverJoint",
    "MoverPlane",
    "MovieWriter",
    "NearestHit",
    "Objects",
    "PogoJoint",
    "Polygon",
    "Presolve",
    "PrismaticJoint",
    "Profile",
    "PulleyJoint",
    "RatchetJoint",
    "RayHit",
    "RecordedFrame",
    "Recorder",
    "Recording",
    "RecordingError",
    "RevoluteJoint",
    "RotarySpringJoint",
    "Scheduler",
    "Segment",
    "Shape",
    "SnapshotError",
    "StagedStep",
    "StaleViewWarning",
    "State",
    "Template",
    "TimeOfImpact",
    "Vec2",
    "Verification",
    "View",
    "WeldJoint",
    "WheelJoint",
    "World",
    "WorldBatch",
    "WorldLockedError",
    "__version__",
    "bitmap_outlines",
    "clip_vector",
    "collide",
    "compiler",
    "convex_pieces",
    "cpu_features",
    "distance",
    "distances",
    "hull",
    "manifolds",
    "mass_data",
    "new_contacts",
    "render",
    "rube_level",
    "shape_cast",
    "shape_casts",
    "simplify",
    "solve_planes",
    "time_of_impact",
    "times_of_impact",
]
__all__ += [
    # generated: records to export, see tools/lists.py
    "BodyInvalid",
    "BodyMove",
    "ContactBegin",
    "ContactEnd",
    "ContactHit",
    "JointThreshold",
    "SensorBegin",
    "SensorEnd",
    # end of generated
]

# What a program of one world does without: importing it takes a third of the time of importing all.
_LATE = {
    "_batch.batch": "BatchWorld WorldBatch",
    "_batch.columns": "BatchColumn BatchJoints",
    "_batch.entities": "Entities",
    "_batch.numbers": "BatchNumbers",
    "_batch.senses": "BatchRayHits",
    "_draw.camera": "FollowCamera View",
    "_draw.draw_list": "DrawList",
    "_draw.movie": "MovieWriter",
    "_draw.render": "render",
    "_geometry.collision": "Distance ImpactState Manifold ManifoldPoint TimeOfImpact collide distance distances "
    "manifolds mass_data shape_cast shape_casts time_of_impact times_of_impact",
    "_geometry.outlines": "ConvexPieces bitmap_outlines convex_pieces hull simplify",
    "_helpers.mouse_drag": "MouseDrag",
    "_helpers.character": "Mover",
    "_helpers.stepper": "FixedStepper",
    "_page.page": "HtmlPage",
    "_recording.read": "RecordedFrame Recording Verification",
    "_world.record_write": "Recorder",
    "_world.rube": "rube_level",
    "_world.staged": "StagedStep new_contacts",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - {"annotations"})


if not _typing.TYPE_CHECKING:  # a type checker would take every name for an attribute of this module

    def __getattr__(name: str) -> object:
        """Loads what is loaded late. Else it raises AttributeError; for the names of pymunk and Box2D the message has
        ours."""
        if name == "lab":
            return _import(f"{__name__}.lab")
        for module, names in _LATE.items():
            if name in names.split():
                _publish(_import(f"{__name__}.{module}"), names.split())
                return globals()[name]
        from ._bridge.other_names import MODULE_NAMES

        hint = f": use {MODULE_NAMES[name]}" if name in MODULE_NAMES else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def _publish(module: object, names: list[str]) -> None:
    """Makes the names attributes of the package. Users see `box2dpy.World`, not `box2dpy._world.World`."""
    for name in names:
        value = globals()[name] = getattr(module, name)
        if hasattr(value, "__module__"):
            value.__module__ = __name__


_publish(_sys.modules[__name__], [name for name in __all__ if name in globals()])
