"""Names that people bring from pymunk and the bindings of Box2D 2.3: using one raises an error that names ours.

`add_other_names` puts an attribute under each of them. The attributes raise `AttributeError` when they are read or
assigned, so `hasattr` is False, and `dir` does not list them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NoReturn

# Our name, or what to do in place of theirs: their names
_OURS = {
    "Body": {
        "linear_velocity": "velocity linearVelocity",
        "angular_velocity": "angularVelocity",
        "linear_damping": "linearDamping damping",
        "angular_damping": "angularDamping",
        "gravity_scale": "gravityScale",
        "inertia": "moment",
        "lock_rotation": "fixedRotation fixed_rotation",
        "type": "body_type",
        "local_center": "center_of_gravity localCenter",
        "world_center": "worldCenter",
        "rotation": "rotation_vector",
        "position and rotation": "transform",
        "world": "space",
        "shapes": "fixtures",
        "data": "userData user_data",
        "awake, its opposite": "is_sleeping",
        "awake = False": "sleep",
        "awake = True": "activate",
        "world_point(point)": "local_to_world GetWorldPoint",
        "local_point(point)": "world_to_local GetLocalPoint",
        "velocity_at(point)": "velocity_at_world_point",
        "apply_force(force, point)": "apply_force_at_world_point ApplyForce",
        "apply_force(body.world_vector(force), body.world_point(point))": "apply_force_at_local_point",
        "apply_force(force)": "apply_force_to_center ApplyForceToCenter",
        "apply_impulse(impulse, point)": "apply_impulse_at_world_point apply_linear_impulse ApplyLinearImpulse",
        "apply_impulse(body.world_vector(impulse), body.world_point(point))": "apply_impulse_at_local_point",
        "apply_torque(torque)": "ApplyTorque",
        "apply_angular_impulse(impulse)": "ApplyAngularImpulse",
        "create_shape(geometry)": "create_fixture add_shape CreateFixture",
        "create_shape(Box(half_width, half_height))": "create_box",
        "create_shape(Circle(radius))": "create_circle CreateCircleFixture",
        "create_shape(Polygon(vertices))": "create_polygon CreatePolygonFixture",
        "create_shape(Capsule(p1, p2, radius))": "create_capsule",
        "create_shape(Segment(p1, p2))": "create_segment CreateEdgeFixture",
        "shape.destroy()": "DestroyFixture",
    },
    "Shape": {
        "restitution": "elasticity",
        "tangent_speed, along the surface": "surface_velocity",
        "filter, or data": "collision_type",
        "sensor": "isSensor is_sensor",
        "data": "userData user_data",
        "filter": "filterData",
        "aabb": "bb",
        "density, or body.mass": "mass",
        "geometry.radius": "radius",
        "closest_point(point)": "point_query",
        "ray_cast(origin, translation)": "segment_query",
    },
    "World": {
        "create_dynamic_body(position) and body.create_shape(geometry)": "add create_shape",
        "destroy() of the body, shape or joint": "remove",
        "create_static_body()": "static_body",
        "on_contact_begin, on_filter and on_presolve": "add_collision_handler on_collision",
        "events after step(): changes inside of callbacks wait for its end by themselves": "add_post_step_callback",
        "on_contact_begin and world.events": "contactListener",
        "step(dt, substeps)": "iterations Step",
        "workers": "threads num_threads",
        "sleeping": "allow_sleep doSleep",
        "continuous": "continuousPhysics",
        "warm_starting": "warmStarting",
        "sleep_time": "sleep_time_threshold",
        "create_revolute_joint(body_a, body_b, anchor=point)": "create_pivot_joint create_hinge_joint",
        "create_distance_joint(body_a, body_b, local_anchor_a=..., local_anchor_b=...)": "create_pin_joint",
        "create_rope_joint(body_a, body_b, max_length=...)": "create_slide_joint",
        "create_distance_joint(body_a, body_b, ..., stiffness=..., damping=...)": (
            "create_spring_joint create_spring create_damped_spring"
        ),
        "create_weld_joint(body_a, body_b, anchor=point)": "create_fixed_joint",
        "create_revolute_joint(body_a, body_b, anchor=point, motor_speed=..., max_motor_torque=...)": "create_motor",
        "MouseDrag(world)": "create_mouse_joint",
        "create_dynamic_body(position) and body.create_shape(Circle(radius))": "create_circle",
        "create_dynamic_body(position) and body.create_shape(Box(half_width, half_height))": "create_box",
        "create_static_body() and body.create_chain(points)": "create_chain",
        "linear_damping of each body": "damping",
        "ray_cast_all(origin, translation)": "segment_query",
        "ray_cast(origin, translation)": "segment_query_first RayCast",
        "nearest(point, max_distance)": "point_query_nearest",
        "overlap_aabb(lower, upper)": "bb_query QueryAABB",
        "overlap_shape(geometry)": "shape_query",
        "nothing: forces last for one step": "ClearForces",
        "create_dynamic_body(position)": "add_body CreateBody CreateDynamicBody",
        "create_static_body(position)": "CreateStaticBody",
        "create_kinematic_body(position)": "CreateKinematicBody",
        "create_revolute_joint(body_a, body_b) or another create_..._joint": "CreateJoint",
        "create_revolute_joint(body_a, body_b)": "CreateRevoluteJoint",
        "body.destroy()": "DestroyBody",
        "joint.destroy()": "DestroyJoint",
    },
    "Joint": {
        "body_a": "a bodyA",
        "body_b": "b bodyB",
        "local_anchor_a": "anchor_a localAnchorA",
        "local_anchor_b": "anchor_b localAnchorB",
        "collide_connected": "collide_bodies collideConnected",
        "motor_speed": "rate motorSpeed",
        "max_motor_torque or max_motor_force": "max_force",
        "max_motor_torque": "maxMotorTorque",
        "max_motor_force": "maxMotorForce",
        "enable_motor": "enableMotor motorEnabled",
        "enable_limit": "enableLimit limitEnabled",
        "lower_angle": "lowerAngle",
        "upper_angle": "upperAngle",
        "lower_translation": "lowerTranslation",
        "upper_translation": "upperTranslation",
        "hertz": "frequency frequencyHz",
        "damping_ratio": "dampingRatio",
        "constraint_force": "impulse GetReactionForce",
        "constraint_torque": "GetReactionTorque",
        "motor_torque": "GetMotorTorque",
        "data": "userData user_data",
    },
    "Contact": {"shape_a": "fixtureA", "shape_b": "fixtureB", "shape_a and shape_b": "shapes"},
}
# Names of these packages themselves
_MODULES_OURS = {
    "World": "Space b2World",
    "Polygon, in Body.create_shape": "Poly",
    "Box(half_width, half_height)": "Rectangle Rect",
    "Segment": "Edge Line b2EdgeShape",
    "Filter": "ShapeFilter b2Filter",
    "Vec2": "Vec2d b2Vec2",
    "AABB": "BB b2AABB",
    "World.create_distance_joint": "PinJoint",
    "World.create_rope_joint": "SlideJoint",
    "World.create_revolute_joint": "PivotJoint",
    "World.create_distance_joint(..., stiffness=..., damping=...)": "DampedSpring",
    "World.create_rotary_spring_joint": "DampedRotarySpring",
    "the limits of World.create_revolute_joint": "RotaryLimitJoint",
    "the motor of World.create_revolute_joint": "SimpleMotor",
    "nothing: the inertia of a body follows from the density of its shapes": (
        "moment_for_box moment_for_circle moment_for_poly"
    ),
    "World.create_dynamic_body(position, ...)": "b2BodyDef",
    "Body.create_shape(geometry, ...)": "b2FixtureDef",
    "Polygon or Box": "b2PolygonShape",
    "Circle": "b2CircleShape",
    "Body.create_chain": "b2ChainShape",
    "World.events, or World.on_contact_begin": "b2ContactListener",
    "World.ray_cast": "b2RayCastCallback",
    "MouseDrag": "b2MouseJoint",
    "World.create_dynamic_body": "b2_dynamicBody",
    "World.create_static_body": "b2_staticBody",
    "World.create_kinematic_body": "b2_kinematicBody",
}


def _by_their_names(ours: dict[str, str]) -> dict[str, str]:
    return {name: new for new, names in ours.items() for name in names.split()}


OTHER_NAMES = {owner: _by_their_names(ours) for owner, ours in _OURS.items()}
MODULE_NAMES = _by_their_names(_MODULES_OURS)
_IN_FILTER = ("category", "mask", "group", "categoryBits", "maskBits", "groupIndex")
_OF_MASS = ("mass", "inertia", "moment")
_KEYWORDS = {old: new for names in OTHER_NAMES.values() for old, new in names.items() if new.isidentifier()}


class _OtherName:
    """The attribute under a name that is not ours."""

    def __init__(self, owner: str, name: str, ours: str) -> None:
        self.message = f"{owner!r} object has no attribute {name!r}: use {ours}"

    def __get__(self, instance: object, owner: type | None = None) -> NoReturn:
        raise AttributeError(self.message)

    def __set__(self, instance: object, value: object) -> NoReturn:
        raise AttributeError(self.message)


def add_other_names(owner: type) -> None:
    """Gives the class an attribute for each of the names that are not ours."""
    for name, ours in OTHER_NAMES[owner.__name__].items():
        if not any(name in base.__dict__ for base in owner.__mro__):
            setattr(owner, name, _OtherName(owner.__name__, name, ours))


class Tidy(type):
    """The type of the classes with such names: `dir` and `help` do not list them."""

    def __dir__(cls) -> list[str]:
        hidden = {name for base in cls.__mro__ for name, value in vars(base).items() if isinstance(value, _OtherName)}
        return [name for name in super().__dir__() if name not in hidden]


def unexpected(function: str, name: str, known: Collection[str]) -> TypeError:
    """The error for a keyword that the function does not have, with the one that is probably meant."""
    import difflib  # only for errors: importing it takes 2 ms

    if name in _IN_FILTER and "filter" in known:
        return TypeError(
            f"{function}() got an unexpected keyword argument {name!r}: use filter=Filter(category, mask, group)"
        )
    if name in _OF_MASS and function.endswith(("_body", "_shape", "_shapes")):
        return TypeError(
            f"{function}() got an unexpected keyword argument {name!r}: the mass follows from the density of the "
            f"shapes; assign body.{'mass' if name == 'mass' else 'inertia'} when they are there"
        )
    near = [_KEYWORDS[name]] if _KEYWORDS.get(name) in known else difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")
