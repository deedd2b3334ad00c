"""`World`: the container of all objects, and its step.

Its other methods are in the parts that it inherits from and in the modules of functions that it names below. What all
parts share is in `WorldBase` (the pointer to the C world, its tables) and `WorldObjects` (lists of objects, handles).

Threads: a step releases the GIL, unless it is brief. Meanwhile every call on that world from another thread raises
`WorldLockedError`. So do the fast reads of bodies, because the step takes the tables (`_pose`, `_pose32`, `_state`)
away from them until it is over. The C world is freed when it is closed and the last call on it has returned, because
each call holds a reference to `_ptr`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._bridge.arguments import integer, number, pair
from .._bridge.errors import Box2DError, InvariantError, WorldLockedError, raise_error, raise_if
from .._bridge.handles import INT_POINTER
from .._bridge.interrupts import INTERRUPTS, raise_interrupt
from .._bridge.library import ffi, lib
from .._bridge.other_names import add_other_names
from .._bridge.signatures import describe, refuse, shows, texts_of
from .._bridge.world_base import NO_GIL, NO_TABLES, closed_class
from .._draw import pictures
from .._joints.makers import JointMakers
from .._queries.queries import Queries
from . import forces, materials
from .check import check
from .counters import Reports
from .levels import Levels
from .options import gravity_component
from .pages import Pages
from .state import State
from .world_options import CREATION_DEFAULTS, MADE, CreationOptions, MakerOptions, fill

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._bridge.vectors import Vec2Like
    from .materials import MaterialPair
    from .staged import StagedStep

_step = lib.b2d_world_step_watched
# Without the GIL another thread could read the world meanwhile
_step_briefly = lib.b2d_world_step_at_rest if NO_GIL else lib.b2d_world_step_brief
_DEFINITION, _WORLD_OUT = ffi.typeof("b2d_world_def *"), ffi.typeof("b2d_world **")
_STANDARD = ffi.new(_DEFINITION)
lib.b2d_world_def_init(_STANDARD)
_PLAIN = 1  # as the stepper of a world
_BRIEF, _MOVED, _STATUS = lib.B2D_STEP_BRIEF, lib.B2D_STEP_MOVED_TABLES, lib.B2D_STEP_HOSTED - 1


class World(Levels, JointMakers, Queries, Pages, Reports):
    """A simulation: bodies with shapes, joints, contacts, and the step that moves them.

    Nothing is random: the same calls give the same bits for every number of workers, instruction set and broad phase.
    Any number of worlds may exist, each used from one thread at a time.

    Args:
        gravity: m/s^2.
        workers: 1 to 64 threads, the calling one included, or a `Scheduler` to share.
        simd: "auto" or an instruction set of `cpu_features()`.
        strategies: the algorithms of an experiment, as `box2dpy.lab.Strategies`. Its fields `broadphase`,
            `narrowphase`, `islands` and `schedule` may also be given as keywords: `World(broadphase="tree")`.

    Raises:
        ValueError: not finite, out of range, an unknown name, or instructions that this processor lacks.
        TypeError: a wrong type.
        MemoryError: no memory.

    >>> with World(gravity=(0, -10)) as world:
    ...     ground = world.create_static_body((0, -1))
    ...     shape = ground.create_shape(Box(50, 1))
    ...     box = world.create_dynamic_body((0, 4))
    ...     shape = box.create_shape(Box(0.5, 0.5))
    ...     for _ in range(120):
    ...         world.step(1 / 60, 4)
    ...     abs(box.position.y - 0.5) < 0.01
    True
    """

    __slots__ = ()

    def step(self, dt: float = 1 / 60, substeps: int = 4) -> None:
        """Advances the simulation by `dt` seconds in `substeps` equal parts.

        A step of more than a few bodies releases the GIL. One of a world of at most 32 bodies and shapes, 64 contacts
        and joints, 8 substeps, one worker and no callbacks or recording keeps it, and so does one of a world at rest:
        handing it over and back would take longer.

        `dt=0` only updates contacts. More substeps let stacks and joints be stiffer, with a larger `contact_hertz` and
        `joint_hertz`: in steps of 1/60 s up to 9 and 15 Hz for each substep. A step longer than 1/50 s has `substeps`
        parts for each 1/60 s, so that it is as stiff as shorter ones: steps may differ in length as the frames of a
        game do. A step is at most 1 s, because a body falls by metres in that time; `step(60)` is nearly always meant
        to be `step(1 / 60)`. A slow simulation takes several steps, or a longer unit of time than the second for all
        its velocities and accelerations.

        Raises:
            ValueError: dt is negative, over 1, or positive and under 1e-9; or substeps is not 1 to 64.
            TypeError: a wrong type.
            WorldLockedError: another thread is stepping this world.
            DestroyedError: the world is closed.
            MemoryError: there is too little memory. Bodies have not moved, or only fast bodies have stayed where they
                were; some events of the step may be missing. The next step does the rest, so contacts begin late.
            any exception: a callback raised it; it is raised again when the step is over. So is Ctrl-C in `submit` of
                an executor.
        """
        if type(dt) is not float:
            dt = number(dt, "dt")
        if type(substeps) is not int:
            substeps = integer(substeps, "substeps")
        pointer = self._ptr
        if self._brief:
            try:
                seen = _step_briefly(pointer, dt, substeps, self._version)  # no other thread can notice this
            except OverflowError:
                integer(substeps, "substeps")
                raise
            if not seen:
                return
            if seen > 0:
                if seen & _MOVED:
                    self._drop_tables()
                if seen & _STATUS:
                    raise_error(seen & _STATUS, self, dt=dt, substeps=substeps)
                return
            self._brief = False
        # Signal handlers run at calls, and with the GIL other threads too. So they find the world as it is before the
        # `try`, or `finally` unlocks it.
        me, error, seen = object() if NO_GIL else _PLAIN, None, -1
        if not NO_GIL:
            if self._stepper:
                self._claim(me)  # raises
            self._stepper = me
            self._pose, self._pose32, self._state = NO_TABLES
        try:
            if NO_GIL:
                self._claim(me)
            seen = _step(pointer, dt, substeps, self._version)
        except OverflowError:
            integer(substeps, "substeps")
            raise
        finally:
            if self._stepper is me:
                if not seen:
                    self._pose, self._pose32, self._state = self._tables
                self._stepper = 0
                if seen or self._hooked:
                    error, self._raised = self._raised, None  # or the next step would raise it if this one cannot
                    error = self._end_step(seen, error)
        if error is not None:
            raise error
        if seen:
            if INTERRUPTS:  # of the executor
                raise_interrupt()
            if seen & _STATUS:
                raise_error(seen & _STATUS, self, dt=dt, substeps=substeps)

    def _end_step(self, seen: int, error: BaseException | None) -> BaseException | None:
        """What follows most steps of large worlds. `seen` is what C has seen; -1: an exception was raised instead.
        `error` is that of a callback. Returns the first exception.

        Until this is over fast reads find no tables, and fetch those of now.
        """
        if seen > 0:
            self._brief = seen & _BRIEF != 0
            if seen & _MOVED:
                self._drop_tables()
            else:
                self._publish()
        return self._finish_step(error) if self._hooked else None

    @shows(CreationOptions.__annotations__, CREATION_DEFAULTS)
    def __init__(self, gravity: Vec2Like = (0.0, -10.0), **options: Unpack[MakerOptions]) -> None:
        if options:
            refuse("World", options, MakerOptions.__annotations__, ("gravity",))
        if hasattr(self, "_lock"):  # its handles would refer to other objects
            raise Box2DError("the world has been made already: __init__ is called once")
        definition = ffi.new(_DEFINITION, _STANDARD[0])
        numbers = definition.options
        x, y = pair(gravity, "gravity")
        numbers[lib.B2D_OPTION_GRAVITY_X] = gravity_component(x, gravity, "gravity_x")
        numbers[lib.B2D_OPTION_GRAVITY_Y] = gravity_component(y, gravity, "gravity_y")
        if not x and not y:
            numbers[lib.B2D_OPTION_RESTITUTION_THRESHOLD] = 0.0
        if options:  # most worlds are made without any
            fill(definition, None, options)
            for name, value in options.items():
                if name not in MADE and (value is not None or name != "restitution_threshold"):
                    option = getattr(World, name)
                    numbers[option.index] = option.encode(value)
        out = ffi.new(_WORLD_OUT)
        raise_if(lib.b2d_world_create(definition, out), self, **options)
        self._take(out[0])

    def close(self) -> None:
        """Destroys the world with all that is in it. Closing again does nothing; arrays taken from it stay valid.

        Raises:
            WorldLockedError: another thread is stepping the world.
        """
        with self._lock:
            if self.closed:
                return
            closed = closed_class(type(self))
            if self._recorder is not None and not self._stepper:
                self._recorder.close()
            if self._stepper:
                raise WorldLockedError("the world is being stepped by another thread")
            self._pose, self._pose32, self._state = self._tables = NO_TABLES
            self._table_rows = 0
            # The class first: otherwise another thread could find neither the pointer nor the property that raises.
            self.__class__ = closed
            self._drop_pointer()
            del self._keeper
        self._data.clear()
        self._late.clear()
        self._names.clear()

    def __enter__(self) -> World:
        self._ptr  # noqa: B018  raises when closed
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def validate(self) -> None:
        """Checks every invariant of the engine; slow, for tests.

        Raises:
            InvariantError: one is broken, which is a bug of box2dpy.
            MemoryError: there is too little memory to complete what an earlier call left undone.
        """
        message = ffi.new("char[]", 512)
        status = lib.b2d_world_validate(self._ptr, message, 512)
        if status & 0xFF == lib.B2D_INVARIANT:
            raise InvariantError(ffi.string(message).decode(errors="replace"))
        if status:
            raise_error(status, self)

    def state_hash(self) -> int:
        """A 64-bit hash over poses, velocities, sleep, contact and joint impulses, bit by bit: equal runs have equal
        hashes.

        >>> World().state_hash() == World().state_hash()
        True
        """
        out = ffi.new("uint64_t *")
        status = lib.b2d_world_hash(self._ptr, out)
        if status:
            raise_error(status, self)
        return int(out[0])

    @property
    def peak_counts(self) -> dict[str, int]:
        """The most bodies, shapes, contacts and joints that have existed at one time, as arguments for `reserve`.

        `contacts` counts all of `counters.contacts`, also those that do not touch.

        >>> world = World()
        >>> _ = world.create_dynamic_body().create_shape(Circle(0.5))
        >>> world.peak_counts
        {'bodies': 1, 'shapes': 1, 'contacts': 0, 'joints': 0}
        """
        out = ffi.new("int32_t[4]")
        status = lib.b2d_world_most(self._ptr, out)
        if status:
            raise_error(status, self)
        return dict(zip(("bodies", "shapes", "contacts", "joints"), map(int, out), strict=True))

    def reserve(self, bodies: int = 0, shapes: int = 0, contacts: int = 0, joints: int = 0) -> None:
        """Allocates the memory for these total numbers of bodies, shapes, contacts and joints now, so that no step has
        to while the world stays within them.

        Creating objects then moves no table, so views of `arrays` stay valid, and the first step of a large pile is
        faster, because it need not wait for memory. `counters.step_allocations`, the number of times that a step had to
        ask for more memory than was reserved, is 0 in all benchmark scenes. What the numbers do not determine (lists of
        colours, islands and events, the broad phase, sensors) comes from a reserve whose size is an estimate with a
        margin: a scene with unusually many sensor overlaps, hit events or directly solved joints may still need more.
        Memory that callbacks, recordings and Python objects need is not included.

        `peak_counts` of a finished run has the numbers: `world.reserve(**finished.peak_counts)`. Memory for the work of
        a step is reserved for the present number of `workers`, so set that first; a step that raises MemoryError loses
        it. Copies of the world and worlds read from bytes have no reserve. One contact needs about 1.3 KB, a body
        0.6 KB, a shape 0.5 KB, a joint 1.5 KB.

        Raises:
            ValueError: a number is negative or over 2**26.
            TypeError: a wrong type.
            MemoryError: no memory; what was already reserved stays.
            WorldLockedError: the world is being stepped.
        """
        numbers = {"bodies": bodies, "shapes": shapes, "contacts": contacts, "joints": joints}
        for name, value in numbers.items():
            numbers[name] = integer(value, name)
            if numbers[name] < 0:
                raise ValueError(f"{name}={value} is out of range: 0 or more")
        raise_if(lib.b2d_world_reserve(self._ptr, *numbers.values()), self, **numbers)
        self._refresh()

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy of all bodies, J; see `Body.kinetic_energy`."""
        arrays = self.arrays
        v, w = (column.astype(np.float64) for column in (arrays.linear_velocity, arrays.angular_velocity))
        return float(0.5 * (arrays.mass * (v * v).sum(axis=1) + arrays._gather(lib.B2D_BODY_INERTIA) * w * w).sum())

    @property
    def potential_energy(self) -> float:
        """Potential energy of all bodies, J: 0 for a body whose centre of mass is at the origin.

        >>> with World(gravity=(0, -10)) as world:
        ...     ball = world.create_dynamic_body((0, 5))
        ...     shape = ball.create_shape(Circle(0.5))
        ...     before = world.kinetic_energy + world.potential_energy
        ...     for _ in range(30):
        ...         world.step()
        ...     round((world.kinetic_energy + world.potential_energy) / before, 2)
        1.0
        """
        arrays = self.arrays
        weight = arrays.mass * arrays.gravity_scale
        return float(-(weight[:, None] * arrays.world_center * self.gravity).sum())

    def resolve_overlaps(self, iterations: int = 50) -> float:
        """Moves dynamic bodies out of what they overlap and changes no velocity, for bodies that were created or placed
        inside others. A step would throw them apart.

        A pair of shapes that collide and overlap by more than the linear slop, 5 mm times `length_unit`, is pushed
        apart along the shortest way, the lighter side farther; angles do not change. Static and kinematic bodies do not
        move. Bodies that joints connect move together, and not at all where a joint holds one to a body that does not
        move. Pairs of sleeping bodies are left as they are. Pairs that `on_filter` has refused are left out; it is not
        called.

        Args:
            iterations: the most times that all pairs are visited, 0 or more; 0 only measures.

        Returns:
            The deepest overlap of an awake body that is left, metres; at most the slop where all could be resolved.

        Raises:
            ValueError: out of range.
            TypeError: no integer.
            WorldLockedError: another thread uses the world, or a callback calls this.
            MemoryError: no memory; some bodies may have moved.

        >>> with World() as world:
        ...     ground = world.create_static_body((0, -1)).create_shape(Box(50, 1))
        ...     ball = world.create_dynamic_body((0, 0.2))
        ...     shape = ball.create_shape(Circle(0.5))
        ...     left = world.resolve_overlaps()
        ...     ball.position, ball.linear_velocity
        (Vec2(0.0, 0.5), Vec2(0.0, 0.0))
        """
        deepest = ffi.new("double *")
        status = lib.b2d_world_resolve_overlaps(self._ptr, integer(iterations, "iterations", 0, 1_000_000), deepest)
        if status:
            raise_error(status, self, iterations=iterations)
        self._refresh()
        return float(deepest[0])

    def split_islands(self) -> int:
        """Splits all islands that lost a contact or joint, instead of one in each step; returns the number of parts."""
        made = ffi.new(INT_POINTER)
        raise_if(lib.b2d_world_split_islands(self._ptr, made), self)
        return int(made[0])

    # -- a step in parts, see staged.py

    def staged_step(self, dt: float = 1 / 60, substeps: int = 4) -> StagedStep:
        """A step in parts, for constraints and contacts of the program's own: `with world.staged_step() as step`.

        See `StagedStep`. Without edits it does what `World.step` does, to the bit.

        Raises:
            ValueError: as `World.step`, when the block is entered.
            TypeError: a wrong type.
            WorldLockedError: the world is being stepped, when the block is entered.

        >>> with World(gravity=(0, 0)) as world:
        ...     body = world.create_dynamic_body((0, 0))
        ...     shape = body.create_shape(Circle(0.5))
        ...     with world.staged_step(0.02, substeps=2) as step:
        ...         for _ in step.substeps():
        ...             step.linear_velocity[body.index] = (1, 0)
        ...     body.position
        Vec2(0.019999999552965164, 0.0)
        """
        from .staged import StagedStep

        return StagedStep(self, dt, substeps)

    # -- forces, see forces.py

    apply_wind = forces.apply_wind
    apply_buoyancy = forces.apply_buoyancy
    explode = forces.explode

    # -- pairs of materials, see materials.py

    set_material_pair = materials.set_material_pair
    remove_material_pair = materials.remove_material_pair

    @property
    def material_pairs(self) -> dict[tuple[int, int], MaterialPair]:
        """The table of pairs of materials, a copy: `MaterialPair` by (smaller, larger) material, sorted.

        >>> with World() as world:
        ...     world.set_material_pair(7, 3, restitution=1.0)
        ...     world.material_pairs
        {(3, 7): MaterialPair(friction=None, restitution=1.0, rolling_resistance=None, tangent_speed=None)}
        """
        return materials.material_pairs(self)

    check = check

    # -- pictures, see _draw/pictures.py

    debug_draw = pictures.debug_draw
    to_svg = pictures.to_svg
    plot = pictures.plot
    save_picture = pictures.save_picture
    save_gif = pictures.save_gif

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        try:
            if not self.closed:
                return f"<World of {len(self.bodies)} bodies>"
        except Exception:
            return "<World, being stepped>"
        return "<World closed>"


add_other_names(World)


def _name_methods() -> None:
    """So that Python's own messages do not name the classes that World is put together from."""
    for base in World.__mro__:
        for name, member in vars(base).items():
            if hasattr(member, "__code__") and not name.startswith("_"):
                member.__qualname__ = f"World.{name}"


_name_methods()
describe(World, texts_of(CreationOptions.__annotations__, World))
State._WORLD = World
