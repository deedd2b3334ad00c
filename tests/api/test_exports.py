"""The names of the package: what it exports, under which module name, and that it imports little."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import box2dpy as b2

from ..patience import finished

NAMES = """
    AABB Arrays BatchColumn BatchJoints BatchRayHits BatchWorld Body BodyArray BodyInvalid BodyMove BodyType Box
    Box2DError Capsule Categories Chain ChainSegment Circle ConnectionJoint Contact Contacts ConvexPieces ContactBegin
    ContactEnd ContactHit ContactPoint Counters DestroyedError Distance DistanceJoint DrawList Entities Event EventList
    Events Filter FixedStepper FilterJoint FollowCamera Frame GearJoint Geometry GeometryHit GrooveJoint HtmlPage
    MoverJoint PogoJoint RatchetJoint RotarySpringJoint ImpactState InvariantError Island Joint JointThreshold
    LevelError Manifold ManifoldPoint MassData MaterialPair NearestHit MotorJoint MouseDrag Objects Polygon Presolve
    PrismaticJoint Profile RayHit PulleyJoint RevoluteJoint Scheduler RecordedFrame Recorder Recording RecordingError
    Segment SensorBegin SensorEnd Shape SnapshotError StagedStep StaleViewWarning State Template TimeOfImpact Vec2
    Verification View WeldJoint WheelJoint World WorldBatch WorldLockedError __version__ collide compiler cpu_features
    distance distances BatchNumbers new_contacts render rube_level shape_cast shape_casts time_of_impact times_of_impact
    Mover MoverPlane MovieWriter bitmap_outlines clip_vector convex_pieces hull manifolds mass_data simplify
    solve_planes
""".split()


def test_the_package_exports_exactly_the_listed_names() -> None:
    assert sorted(b2.__all__) == sorted(NAMES)


def test_what_a_program_of_one_world_does_without_is_loaded_when_it_is_used() -> None:
    program = """
import sys
import box2dpy as b2
world = b2.World()
world.create_dynamic_body((0, 1)).create_shape(b2.Circle(1))
world.step()
late = {f"box2dpy.{name}" for name in b2._LATE}
assert not {f"box2dpy._world.level_{part}" for part in ("writer", "reader", "text")} & set(sys.modules)
assert len(late) > 8 and not late & set(sys.modules), late & set(sys.modules)
assert set(b2.__all__) <= set(dir(b2))
from box2dpy import *
assert MouseDrag is b2.MouseDrag and collide is b2.collide and late <= set(sys.modules)
try:
    b2.nothing
except AttributeError as error:
    assert "no attribute 'nothing'" in str(error)
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd="/")


def test_public_attributes_of_the_package_are_exported() -> None:
    public = {name for name in vars(b2) if not name.startswith("_") and not inspect.ismodule(getattr(b2, name))}
    assert public - set(b2.__all__) <= {"annotations"}


def test_experiments_stay_behind_the_lab() -> None:
    """A world offers what users need; box2dpy.lab has what measures and compares methods."""
    experiments = {"spans", "trace", "shape_version"}
    assert not experiments & set(dir(b2.World))
    assert not experiments & {name for name in dir(b2) if not name.startswith("_")}


def test_exported_objects_have_a_docstring_and_name_the_package_as_module() -> None:
    for name in NAMES:
        thing = getattr(b2, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__module__ == "box2dpy"
            assert thing.__doc__, name


@pytest.mark.parametrize("kind", [
    b2.World, b2.Body, b2.Shape, b2.Chain, b2.RevoluteJoint, b2.Contact, b2.Island, b2.Arrays, b2.Events, b2.BodyArray,
])  # fmt: skip
def test_public_attributes_have_a_docstring(kind: type) -> None:
    for name in dir(kind):
        if not name.startswith("_") and name not in ("index", "count"):
            assert inspect.getattr_static(kind, name).__doc__, f"{kind.__name__}.{name}"


def parameters(function: object) -> dict[str, object]:
    return {name: p.default for name, p in inspect.signature(function).parameters.items() if name != "self"}


def test_signatures_have_the_documented_defaults() -> None:
    assert parameters(b2.World) == {
        "gravity": (0, -10), "workers": 1, "simd": "auto", "sleeping": True, "continuous": True,
        "warm_starting": True, "contact_recycle": 0.05, "restitution_threshold": None, "hit_threshold": 1.0,
        "contact_hertz": 36.0,
        "contact_damping_ratio": 9.0, "contact_push_speed": 3.0, "joint_hertz": 60.0, "joint_damping_ratio": 2.0,
        "joint_solver": "auto",
        "max_linear_speed": 400.0, "sleep_time": 0.5, "length_unit": 1.0, "friction_mixing": "geometric",
        "restitution_mixing": "max", "contact_events": "shapes", "profiling": "full",
        "strategies": None,
    }  # fmt: skip
    assert parameters(b2.World.step) == {"dt": 1 / 60, "substeps": 4}
    body = {
        "position": (0, 0), "angle": 0.0, "linear_velocity": (0, 0), "angular_velocity": 0.0, "linear_damping": 0.0,
        "angular_damping": 0.0, "gravity_scale": 1.0, "sleep_threshold": 0.05, "can_sleep": True, "awake": True,
        "enabled": True, "bullet": False, "allow_fast_rotation": False, "safety_factor": 0.5, "lock_x": False,
        "lock_y": False, "lock_rotation": False, "name": "", "data": None,
    }  # fmt: skip
    for maker in (b2.World.create_kinematic_body, b2.World.create_dynamic_body):
        assert parameters(maker) == body
    static = {name: body[name] for name in ("position", "angle", "enabled", "name", "data")}
    assert parameters(b2.World.create_static_body) == static
    shape = parameters(b2.Body.create_shape)
    assert shape.pop("geometry") is inspect.Parameter.empty
    assert shape == {
        "density": 1.0, "friction": 0.6, "restitution": 0.0, "rolling_resistance": 0.0, "tangent_speed": 0.0,
        "one_way": None,
        "filter": b2.Filter(), "sensor": False, "contact_events": True, "hit_events": False, "sensor_events": False,
        "presolve": False, "material": 0, "color": 0, "update_mass": True, "data": None,
    }  # fmt: skip
    assert parameters(b2.Filter) == {"category": 1, "mask": 2**64 - 1, "group": 0}
    assert parameters(b2.Frame) == {"point": (0, 0), "angle": 0.0}


def test_defaults_of_python_and_c_are_equal() -> None:
    world = b2.World()
    for name, value in parameters(b2.World).items():
        if name in ("sleeping", "continuous") or isinstance(value, float):
            assert getattr(world, name) == value, name
    assert world.gravity == (0, -10)
    assert world.warm_starting
    body = world.create_dynamic_body()
    for name, value in parameters(b2.World.create_dynamic_body).items():
        if name != "data":
            assert getattr(body, name) == pytest.approx(value), name
    shape = body.create_shape(b2.Circle(1))
    for name, value in parameters(b2.Body.create_shape).items():
        if name not in ("geometry", "update_mass", "data"):
            assert getattr(shape, name) == (pytest.approx(value) if isinstance(value, float) else value), name


def test_importing_the_package_does_not_import_optional_modules() -> None:
    code = (
        "import sys, numpy, box2dpy;"
        "print(*[m for m in ('matplotlib', 'pyglet', 'cffi.api', 'setuptools', 'box2dpy.scenes') if m in sys.modules])"
    )
    root = Path(b2.__file__).resolve().parent.parent
    done = finished([sys.executable, "-c", code], cwd=root, check=True)
    assert done.stdout.strip() == ""


def test_the_bench_command_runs_the_benchmarks() -> None:
    root = Path(b2.__file__).resolve().parent.parent
    command = [sys.executable, "-m", "box2dpy", "bench", "--scene", "falling_hinges", "--scale", "0.2", "--steps", "3"]
    done = finished(command, cwd=root)
    assert done.returncode == 0, done.stderr
    assert "falling_hinges" in done.stdout


def test_the_info_command_prints_version_and_cpu_features() -> None:
    root = Path(b2.__file__).resolve().parent.parent
    done = finished([sys.executable, "-m", "box2dpy", "info"], cwd=root, check=True)
    assert b2.__version__ in done.stdout
    for name in b2.cpu_features():
        assert name in done.stdout
