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

Units are metres, kilograms, seconds and radians. Which module has what (all are private, everything is exported here):

    _world      World and its step; its other methods are mixed in from the parts below
    _options    part of World: numbers and switches
    _counters   part of World: counters, profile, bounds; Counters, Profile
    _objects    part of World: what is in it, and handles; Objects
    _make_body  part of World: the create_..._body methods and create_bodies
    _make_joint part of World: the create_..._joint methods of joints that an anchor places
    _make_special_joint  the others
    _queries    part of World: rays, casts, the nearest shape, explosions
    _overlaps   part of World: what overlaps boxes, geometries and points
    _fluids     part of World: wind and water
    _mover      part of World: cast_mover, collide_mover; Mover, MoverPlane, solve_planes, clip_vector
    _drawings   part of World: debug_draw, to_svg, plot
    _tables     part of World: the tables of C as fast reads see them
    _body       Body, BodyType
    _body_array BodyArray
    _shape      Shape
    _chain      Chain
    _geometry   Circle, Capsule, Segment, ChainSegment, Polygon, Box; Filter, Frame
    _joint      Joint
    _joint_types         its classes, one a type that an anchor places
    _special_joint       the others
    _contact    Contact, ContactPoint, Presolve
    _callbacks  functions of the user that a step calls
    _categories Categories: names for the bits of filters
    _island     Island
    _events     Events, EventList and the records
    _hits       RayHit, NearestHit; what queries take
    _collision  distance, collide, shape_cast, time_of_impact of two geometries; of many pairs; their records
    _arrays     Arrays: numpy views of the tables, records in bulk
    _draw       DrawList: lines, points and texts to draw
    _debug_draw what World.debug_draw adds to one
    _look       colours and borders of shapes, for every renderer
    _svg        World.to_svg
    _plot       World.plot, with matplotlib
    _materials  MaterialPair; mixing and the table of pairs
    _scheduler  Scheduler, compiler, cpu_features
    _stepper    FixedStepper
    _mouse_drag MouseDrag
    _outlines   hull, simplify, convex_pieces, bitmap_outlines
    _vec2       Vec2, AABB
    _errors     the exceptions, and the one place where C's answers become them
    _definition keyword options into the C structs that say what to create
    _stock      C structs, kept for the next call
    _handle     what the handles have in common; attributes that C knows by number
    _values     arguments in
    _lists      the lists that C and Python share
    _core       the compiled module
    _cli        box2dpy info, samples, render
    scenes      the registry of scenes
"""

from __future__ import annotations

from ._bridge.errors import Box2DError, DestroyedError, InvariantError, StaleViewWarning, WorldLockedError
from ._bridge.vectors import AABB, Vec2
from ._draw.draw_list import DrawList
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
    shape_cast,
    shape_casts,
    time_of_impact,
    times_of_impact,
)
from ._geometry.outlines import bitmap_outlines, convex_pieces, hull, simplify
from ._geometry.shapes import (
    Box,
    Capsule,
    ChainSegment,
    Circle,
    Filter,
    Frame,
    Geometry,
    GeometryHit,
    MassData,
    Polygon,
    Segment,
)
from ._helpers.mouse_drag import MouseDrag
from ._helpers.mover import Mover, MoverPlane, clip_vector, solve_planes
from ._helpers.stepper import FixedStepper
from ._joints.joint import Joint
from ._joints.joint_types import DistanceJoint, MotorJoint, PrismaticJoint, RevoluteJoint, WeldJoint, WheelJoint
from ._joints.special_joint import (
    FilterJoint,
    GearJoint,
    GrooveJoint,
    MoverJoint,
    PogoJoint,
    PulleyJoint,
    RatchetJoint,
    RotarySpringJoint,
)
from ._objects.arrays import Arrays
from ._objects.body import Body, BodyType
from ._objects.body_array import BodyArray
from ._objects.chain import Chain
from ._objects.collections import Contacts, Objects
from ._objects.contact import Contact, ContactPoint, Presolve
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
from ._objects.island import Island
from ._objects.shape import Shape
from ._queries.hits import NearestHit, RayHit
from ._world.categories import Categories
from ._world.counters import Counters, Profile
from ._world.materials import MaterialPair
from ._world.scheduler import Scheduler, compiler, cpu_features
from ._world.world import World

__version__ = "0.1.0"

__all__ = [
    "AABB",
    "Arrays",
    "Body",
    "BodyArray",
    "BodyInvalid",
    "BodyMove",
    "BodyType",
    "Box",
    "Box2DError",
    "Capsule",
    "Categories",
    "Chain",
    "ChainSegment",
    "Circle",
    "Contact",
    "ContactBegin",
    "ContactEnd",
    "ContactHit",
    "ContactPoint",
    "Contacts",
    "Counters",
    "DestroyedError",
    "Distance",
    "DistanceJoint",
    "DrawList",
    "Event",
    "EventList",
    "Events",
    "Filter",
    "FilterJoint",
    "FixedStepper",
    "Frame",
    "GearJoint",
    "Geometry",
    "GeometryHit",
    "GrooveJoint",
    "ImpactState",
    "InvariantError",
    "Island",
    "Joint",
    "JointThreshold",
    "Manifold",
    "ManifoldPoint",
    "MassData",
    "MaterialPair",
    "MotorJoint",
    "MouseDrag",
    "Mover",
    "MoverJoint",
    "MoverPlane",
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
    "RevoluteJoint",
    "RotarySpringJoint",
    "Scheduler",
    "Segment",
    "SensorBegin",
    "SensorEnd",
    "Shape",
    "StaleViewWarning",
    "TimeOfImpact",
    "Vec2",
    "WeldJoint",
    "WheelJoint",
    "World",
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
    "shape_cast",
    "shape_casts",
    "simplify",
    "solve_planes",
    "time_of_impact",
    "times_of_impact",
]

# Users see `box2dpy.World`, not `box2dpy._world.World`.
for _name in __all__:
    if hasattr(globals()[_name], "__module__"):
        globals()[_name].__module__ = __name__
del _name
