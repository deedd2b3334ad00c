"""`StagedStep`: a step in parts, between which the program edits contacts and velocities.

The parts run in C (csrc/api/staged.c). Between them the world is as inside a callback of a step: the thread that steps
reads everything, what it creates and destroys is done when the step is over, and other changes raise
`WorldLockedError`.
"""

from __future__ import annotations

import warnings
from functools import cache
from threading import get_ident
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .._bridge.arguments import floats, integer, number, pinned
from .._bridge.errors import Box2DError, WorldLockedError, raise_error, short_repr
from .._bridge.handles import record_dtype, struct_dtype
from .._bridge.interrupts import INTERRUPTS, raise_interrupt
from .._bridge.library import ffi, lib
from .._bridge.world_base import NO_TABLES
from .._objects.contact import CONTACT_DTYPE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from .record import Recorders

_LOCKED = lib.B2D_LOCKED | lib.B2D_ARG_WORLD << 8
NEW, BEGUN, COLLIDED, PREPARED, OVER = range(5)
EDIT_DTYPE = struct_dtype("b2d_contact_edit")
EDITABLE = ("friction", "restitution", "tangent_speed", "enabled")
assert CONTACT_DTYPE.fields is not None
assert CONTACT_DTYPE.names is not None
STAGED_CONTACT = np.dtype(
    {
        "names": [*CONTACT_DTYPE.names, "enabled"],
        "formats": [*(CONTACT_DTYPE.fields[name][0] for name in CONTACT_DTYPE.names), "?"],
        "offsets": [*(CONTACT_DTYPE.fields[name][1] for name in CONTACT_DTYPE.names), CONTACT_DTYPE.itemsize],
        "itemsize": CONTACT_DTYPE.itemsize + 8,
    }
)
ADDED_CONTACT = record_dtype(
    "b2d_added_contact",
    body_a=("body_a", "i4"),
    body_b=("body_b", "i4"),
    point=("px", ("f8", (2,))),
    normal=("normal_x", ("f4", (2,))),
    separation=("separation", "f4"),
    friction=("friction", "f4"),
    restitution=("restitution", "f4"),
    rolling_resistance=("rolling_resistance", "f4"),
    tangent_speed=("tangent_speed", "f4"),
    radius_a=("radius_a", "f4"),
    radius_b=("radius_b", "f4"),
    normal_impulse=("normal_impulse", "f4"),
    tangent_impulse=("tangent_impulse", "f4"),
    rolling_impulse=("rolling_impulse", "f4"),
)
REQUIRED = {"body_a", "point", "normal", "separation"}


def _bytes_of(rows: NDArray[np.void]) -> NDArray[np.uint8]:
    return rows.view(np.uint8).reshape(len(rows), rows.dtype.itemsize)


def _editable_bytes() -> NDArray[np.bool_]:
    mask = np.zeros(STAGED_CONTACT.itemsize, np.bool_)
    fields = STAGED_CONTACT.fields
    assert fields is not None
    for name in EDITABLE:
        kind, offset = fields[name][:2]
        mask[offset : offset + kind.itemsize] = True
    return mask


_EDITABLE_BYTES = _editable_bytes()


class StagedStep:
    """One step of a world in parts; `World.staged_step` makes it. It is used once, as a context manager.

    The parts are `collide`, `prepare`, the `substeps` and `finish`. Each part first runs the earlier parts that have
    not been run, and leaving the block runs the rest of the step, also when an exception leaves it. If nothing is
    edited, the result is that of `World.step`, to the bit; callbacks and events are those of `World.step`.

    * Between `collide` and `prepare`, `contacts` can be edited, and `add_contacts` adds others.
    * Inside the loop over `substeps`, `linear_velocity` and `angular_velocity` can be changed.

    Inside the block the program may read everything. What it creates or destroys is created or destroyed when the step
    is over, as in a callback; other changes raise `WorldLockedError`, and so do the calls of other threads. An
    exception of a callback is raised when the block is left. A step that was entered without `with` and never left is
    finished, with a `ResourceWarning`, when the program drops it; until then the world is locked.

    >>> with World() as world:
    ...     belt = world.create_static_body((0, -1)).create_shape(Box(50, 1))
    ...     crate = world.create_dynamic_body((0, 0.5))
    ...     shape = crate.create_shape(Box(0.5, 0.5))
    ...     for _ in range(120):
    ...         with world.staged_step() as step:
    ...             step.collide()
    ...             step.contacts["tangent_speed"] = 2.0
    ...     round(abs(crate.linear_velocity.x), 2)
    2.0
    """

    __slots__ = (
        "__weakref__", "_added", "_contacts", "_count", "_done", "_dt", "_original", "_running", "_stage",
        "_velocities", "_wanted", "_world",
    )  # fmt: skip

    def __init__(self, world: Recorders, dt: float, substeps: int) -> None:
        if hasattr(self, "_stage"):
            raise Box2DError("a staged step is used once: __init__ has been called already")
        self._stage = OVER  # until the arguments have been accepted
        self._world = world
        self._dt, self._wanted = number(dt, "dt"), integer(substeps, "substeps")
        status = lib.b2d_check_step(self._dt, self._wanted)
        if status:
            raise_error(status, world, dt=self._dt, substeps=self._wanted)
        self._count: int = lib.b2d_substeps(self._dt, self._wanted)
        self._stage = NEW
        self._running = False  # a part runs, maybe around a callback
        self._contacts: NDArray[np.void] | None = None
        self._original = np.zeros((0, STAGED_CONTACT.itemsize), np.uint8)  # the bytes of the contacts, not edited
        self._added = new_contacts(0)
        self._velocities: NDArray[np.float32] | None = None  # of all bodies, while they may be changed
        self._done = 0  # halves of substeps

    # -- the parts

    def __enter__(self) -> StagedStep:
        world, thread = self._world, get_ident()
        if self._stage != NEW:
            raise Box2DError("a staged step is used once")
        if world._stepper == thread:
            raise WorldLockedError("the world is being stepped, around this call")
        pointer, status, entered = world._ptr, None, False
        entered_class = _entered_class(type(self))  # type: ignore[arg-type]  # classes are hashable
        try:  # signal handlers: see World.step
            world._claim(thread)
            status = lib.b2d_staged_begin(pointer, self._dt, self._wanted)
            if not status:
                self._stage, self.__class__ = BEGUN, entered_class
                world._callback_thread = thread  # between two parts the thread that steps may read
                world._refresh()
                entered = True
        finally:
            if not entered and world._stepper == thread:
                try:
                    if not status:  # it may have begun
                        lib.b2d_staged_finish(pointer)
                finally:
                    if BEGUN <= self._stage < OVER:
                        self.__class__ = self.__class__.__base__  # type: ignore[assignment]
                    self._stage = NEW if status else OVER
                    self._running = False
                    world._callback_thread = world._stepper = 0
                    self._settle()
        if status:
            raise_error(status, world, dt=self._dt, substeps=self._wanted)
        return self

    def __exit__(self, _: object, error: object, trace: object) -> None:
        if self._stage == OVER:
            return
        try:
            if error is None:
                self._commit()
        finally:
            try:
                self._finish()
            finally:
                if self._stage != OVER and not self._running:  # a signal handler raised before it began
                    self._finish()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a staged step cannot be copied or pickled")

    def collide(self) -> None:
        """Finds the contacts of this step. Contacts end and begin here; their callbacks and `on_presolve` run.

        Raises:
            Box2DError: it has been done, or the step is over.
        """
        if self._stage > BEGUN:
            raise Box2DError("collide() comes once, at the beginning of a step")
        self._reach(COLLIDED)

    def prepare(self) -> None:
        """Takes over the edits of contacts, and prepares all constraints for the substeps.

        Raises:
            Box2DError: it has been done, or the step is over.
            ValueError: an edited value is not finite or out of range, or a field was edited that cannot be. Nothing in
                the world has changed; the values may be corrected.
            MemoryError: no memory; nothing has changed.
        """
        if self._stage > COLLIDED:
            raise Box2DError("prepare() comes once, before the substeps")
        self._reach(PREPARED)

    def substeps(self) -> Iterator[int]:
        """Runs the substeps and stops in each of them; yields the numbers of the substeps.

        It stops when forces have acted and the constraints of the world are solved, and before the bodies move by
        their velocities, which the program may change now. With `dt=0` there are no substeps.

        Raises:
            ValueError: a velocity is not finite or out of range, or that of a body that is not awake was changed. No
                velocity has changed.
        """
        self._reach(PREPARED)
        if self._done % 2 == 1:  # another loop has been left in the middle of a substep
            self._commit()
            self._advance()
        while self._advance() % 2 == 1:
            done = self._done
            yield done // 2
            if self._stage == OVER or self._done != done:  # or another loop has gone on
                return
            self._commit()
            self._advance()

    def finish(self) -> None:
        """Runs the rest of the step. The block may continue, but the world is no longer locked.

        Raises:
            any exception: a callback raised it.
            MemoryError: as `World.step`.
        """
        self._check_stage()
        try:
            self._commit()
        finally:
            self._finish()

    # -- contacts

    @property
    def contacts(self) -> NDArray[np.void]:
        """The touching contacts that this step will solve, in the order of their indices: a record array.

        `friction`, `restitution`, `tangent_speed` (m/s) and `enabled` can be edited between `collide` and `prepare`,
        for this step only. A contact that is not enabled lets its shapes pass through each other, also when they are
        fast. The other fields are those of `Arrays.contacts`. It is the same array each time.

        Raises:
            Box2DError: the contacts have been prepared and were not read before.
        """
        if self._contacts is None:
            if self._stage >= PREPARED:
                raise Box2DError("contacts are read and edited before prepare()")
            self._reach(COLLIDED)
            count = ffi.new("int32_t *")
            self._part(lib.b2d_staged_contacts, ffi.NULL, 0, count)
            raw = np.zeros(count[0], CONTACT_DTYPE)
            self._part(lib.b2d_staged_contacts, self._pointer("b2d_contact_data[]", raw), len(raw), count)
            rows = np.zeros(len(raw), STAGED_CONTACT)
            _bytes_of(rows)[:, : CONTACT_DTYPE.itemsize] = _bytes_of(raw)
            rows["enabled"] = True
            self._contacts, self._original = rows, _bytes_of(rows).copy()
        return self._contacts

    def add_contacts(self, rows: NDArray[np.void]) -> None:
        """Adds contacts of one point to this step, for geometry that the engine does not know.

        The engine solves them like its own, and does nothing else with them: they have no events, keep no island
        together (`World.connect` does), and do not stop fast bodies. A row of an awake and a sleeping dynamic body
        wakes the latter; rows without an awake dynamic body have no effect, so rows of sleeping bodies are allowed. To
        start from the impulses of the step before, copy them from its `added_contacts` into the new rows.

        Args:
            rows: a record array like that of `new_contacts`, shape (n,). The fields `body_a`, `point`, `normal` and
                `separation` must be there, the others have the defaults of `new_contacts`.

        Raises:
            ValueError: a value is not finite, out of range or no unit vector; a field is missing or unknown; the same
                body twice.
            DestroyedError: there is no such body.
            TypeError: no record array.
            Box2DError: after `prepare`.
        """
        if not isinstance(rows, np.ndarray) or rows.dtype.names is None or rows.ndim != 1:
            raise TypeError(f"rows={short_repr(rows)} must be a record array like that of new_contacts(n)")
        known, given = ADDED_CONTACT.names or (), set(rows.dtype.names)
        if not REQUIRED <= given <= set(known):
            raise ValueError(
                f"rows has the fields {sorted(given)}: needed are {sorted(REQUIRED)}, known {sorted(known)}"
            )
        if self._stage >= PREPARED:
            raise Box2DError("contacts are added before prepare()")
        self._check_stage()
        own = new_contacts(len(rows))
        for name in rows.dtype.names:
            try:
                own[name] = rows[name]
            except ValueError:
                raise ValueError(f"rows[{name!r}] has the shape {rows[name].shape}, not {own[name].shape}") from None
        row = ffi.new("int32_t *")
        self._part(lib.b2d_staged_check, len(own), self._pointer("b2d_added_contact[]", own), row, rows=own, row=row)
        before, self._added = self._added, new_contacts(len(self._added) + len(own))
        self._added[: len(before)], self._added[len(before) :] = before, own

    @property
    def added_contacts(self) -> NDArray[np.void]:
        """The rows that were added, with the impulses of the last substep so far (N s): a copy.

        Rows without an awake dynamic body keep the impulses that they were given. When the step is over, the rows stay
        as they were at its end.
        """
        if self._stage == PREPARED:
            self._read_added()
        rows: NDArray[np.void] = self._added.copy()
        return rows

    # -- velocities

    @property
    def linear_velocity(self) -> NDArray[np.float32]:
        """Velocities of the centres of mass by body index, m/s, shape (n, 2), to be changed in the loop over substeps.

        Rows of bodies that are static, asleep or destroyed are zero and must stay so.

        Raises:
            Box2DError: outside of the loop.
        """
        return self._velocity_rows()[:, :2]

    @linear_velocity.setter
    def linear_velocity(self, value: Any) -> None:
        self._velocity_rows()[:, :2] = floats(value, "linear_velocity")

    @property
    def angular_velocity(self) -> NDArray[np.float32]:
        """Rates of rotation by body index, rad/s, shape (n,), to be changed in the loop over substeps."""
        return self._velocity_rows()[:, 2]

    @angular_velocity.setter
    def angular_velocity(self, value: Any) -> None:
        self._velocity_rows()[:, 2] = floats(value, "angular_velocity")

    @property
    def world_center(self) -> NDArray[np.float64]:
        """Where the centres of mass are now in the step, by body index, metres: copy, shape (n, 2)."""
        out = np.zeros((self._rows(), 2))
        self._part(lib.b2d_staged_placement, self._pointer("double[]", out), ffi.NULL, len(out))
        return out

    @property
    def rotation(self) -> NDArray[np.float32]:
        """(cos, sin) of the angles now in the step, by body index: copy, float32, shape (n, 2)."""
        out = np.zeros((self._rows(), 2), np.float32)
        self._part(lib.b2d_staged_placement, ffi.NULL, self._pointer("float[]", out), len(out))
        return out

    @property
    def inverse_mass(self) -> NDArray[np.float32]:
        """1/kg by body index, 0 for bodies that nothing can push now (static, kinematic, asleep): copy, shape (n,)."""
        return self._inverse_masses()[:, 0]

    @property
    def inverse_inertia(self) -> NDArray[np.float32]:
        """1/(kg m^2) about the centre of mass, like `inverse_mass`: copy, shape (n,)."""
        return self._inverse_masses()[:, 1]

    @property
    def substep_dt(self) -> float:
        """The length of a substep, seconds."""
        return self._dt / self._count

    def __repr__(self) -> str:
        names = ("new", "begun", "collided", "prepared", "over")
        return f"<StagedStep of {self._dt:g} s in {self._count} substeps, {names[self._stage]}>"

    # -- helpers

    def _pointer(self, kind: str, rows: NDArray[Any]) -> Any:
        return ffi.from_buffer(kind, rows) if rows.size else ffi.NULL

    def _rows(self) -> int:
        self._check_stage()
        count = ffi.new("int32_t *")
        lib.b2d_world_generations(self._world._ptr, lib.B2D_KIND_BODY, count)
        return int(count[0])

    def _inverse_masses(self) -> NDArray[np.float32]:
        out = np.zeros((self._rows(), 2), np.float32)
        self._part(lib.b2d_staged_inverse_masses, self._pointer("float[]", out), len(out))
        return out

    def _check_stage(self) -> None:
        if self._stage == OVER:
            raise Box2DError("the step is over")
        if self._stage == NEW:
            raise Box2DError("a staged step is used as a context manager: with world.staged_step() as step")

    def _part(self, function: Any, *arguments: Any, rows: Any = None, row: Any = None) -> None:
        """Calls a part in C. `row` is where it writes the number of a wrong row of `rows`."""
        self._check_stage()
        world = self._world
        if self._running or world._stepper != get_ident():
            raise WorldLockedError("the step belongs to another thread, or it runs around this call")
        self._running = True
        world._callback_thread = 0
        world._pose, world._pose32, world._state = NO_TABLES
        try:
            status = function(world._ptr, *arguments)
        finally:
            self._running = False
            world._callback_thread = world._stepper
            world._refresh()
        if INTERRUPTS:  # of the executor
            raise_interrupt()
        if status:
            self._fail(status, rows, row)

    def _fail(self, status: int, rows: Any, row: Any) -> None:
        if rows is None or row[0] >= len(rows):
            raise_error(status, self._world)
        values = {name: rows[row[0]][name].tolist() for name in rows.dtype.names}
        try:
            raise_error(status, self._world, **values, radius=max(values.get("radius_a", 0), values.get("radius_b", 0)),
                        impulse=values.get("normal_impulse"))  # fmt: skip
        except (ValueError, Box2DError) as error:
            raise type(error)(f"{error}; row {row[0]}") from None

    def _reach(self, stage: int) -> None:
        """Does the parts up to this one."""
        self._check_stage()
        if self._stage < COLLIDED <= stage:
            self._part(lib.b2d_staged_collide)
            self._stage = COLLIDED
        if self._stage < PREPARED <= stage:
            edits, row = self._edits(), ffi.new("int32_t *")
            added = self._pointer("b2d_added_contact[]", self._added)
            edited = self._pointer("b2d_contact_edit[]", edits)
            self._part(lib.b2d_staged_prepare, len(edits), edited, len(self._added), added, row, rows=edits, row=row)
            self._stage = PREPARED
            if self._contacts is not None:
                self._contacts.setflags(write=False)

    def _edits(self) -> NDArray[np.void]:
        """The contacts that differ from what they were."""
        if self._contacts is None:
            return np.zeros(0, EDIT_DTYPE)
        differs = _bytes_of(self._contacts) != self._original
        rows = np.flatnonzero(differs.any(axis=1))
        wrong = np.flatnonzero((differs & ~_EDITABLE_BYTES).any(axis=1))
        if wrong.size:
            raise ValueError(f"contacts: only {', '.join(EDITABLE)} can be edited; row {wrong[0]} has another change")
        edits = np.zeros(len(rows), EDIT_DTYPE)
        for name in EDIT_DTYPE.names or ():
            edits[name] = self._contacts[name][rows]
        return edits

    def _advance(self) -> int:
        """Runs the next half substep; returns how many are left."""
        left = ffi.new("int32_t *")
        self._part(lib.b2d_staged_advance, left)
        self._done = 2 * self._count - left[0]
        return int(left[0])

    def _velocity_rows(self) -> NDArray[np.float32]:
        self._check_stage()
        if self._stage != PREPARED or self._done % 2 == 0:
            raise Box2DError("velocities are changed in the loop over substeps()")
        if self._velocities is None:
            rows = pinned((self._rows(), 3), np.float32)
            self._part(lib.b2d_staged_get_velocities, self._pointer("float[]", rows), len(rows))
            self._velocities = rows
        return self._velocities

    def _commit(self) -> None:
        """Takes over the edits that are pending: of contacts before `prepare`, of velocities after it."""
        if self._stage < PREPARED:
            self._reach(PREPARED)
        edited, self._velocities = self._velocities, None
        if edited is None:
            return
        rows = edited.copy()  # other threads may go on to edit what the program has
        row = ffi.new("int32_t *")
        try:
            self._part(lib.b2d_staged_set_velocities, self._pointer("float[]", rows), rows.size // 3, row)
        except ValueError as error:
            velocity = rows[row[0]].tolist()
            raise ValueError(
                f"{error}: body {row[0]} was given the velocity {velocity[:2]} and {velocity[2]}"
            ) from None

    def _read_added(self) -> None:
        if len(self._added):
            count = ffi.new("int32_t *")
            self._part(lib.b2d_staged_added, self._pointer("b2d_added_contact[]", self._added), len(self._added), count)

    def _finish(self) -> None:
        """Does the rest of the step and unlocks the world; any thread may do it."""
        world = self._world
        if self._running:
            raise WorldLockedError("the step runs around this call")
        error = status = None
        try:
            if self._stage == PREPARED and len(self._added) and world._stepper == get_ident():
                while self._advance() > 0:
                    pass
                self._read_added()
            self._running = True
            world._callback_thread = 0
            world._pose, world._pose32, world._state = NO_TABLES
            status = lib.b2d_staged_finish(world._ptr)
        finally:
            try:
                if status is None:  # something raised above, or a signal handler did when the step was over
                    lib.b2d_staged_finish(world._ptr)
            finally:
                self._running = False
                if status != _LOCKED:
                    if BEGUN <= self._stage < OVER:
                        self.__class__ = self.__class__.__base__  # type: ignore[assignment]
                    self._stage = OVER
                    world._callback_thread = world._stepper = 0
                    error = self._settle()
        if error is not None:
            raise error
        if INTERRUPTS:
            raise_interrupt()
        if status:
            raise_error(status, world)

    def _settle(self) -> BaseException | None:
        """What Python does when the world is no longer locked. Returns the first exception of a callback."""
        error, self._world._raised = self._world._raised, None
        self._world._refresh()
        return self._world._finish_step(error)


def _finish_dropped(step: StagedStep) -> None:
    """Otherwise the world would stay locked."""
    warnings.warn("a staged step was entered and never left; its block ends the step", ResourceWarning, 1, step)
    step._finish()


@cache
def _entered_class(kind: type) -> type[StagedStep]:
    """The class of steps that have been entered and not left. The others need no finalizer: an exception that a signal
    handler raises in one is lost."""
    return type(
        kind.__name__, (kind,), {"__slots__": (), "__module__": kind.__module__, "__doc__": kind.__doc__,
                                 "__del__": _finish_dropped}
    )  # fmt: skip


def new_contacts(n: int) -> NDArray[np.void]:
    """`n` rows for `StagedStep.add_contacts`, to be filled in: a record array.

    Fields: `body_a`, `body_b` (indices; -1 for the fixed ground, the default of b), `point` (world coordinates, m,
    midway between the two surfaces), `normal` (unit vector from a to b), `separation` (m, negative where they overlap),
    `friction` (0.6), `restitution`, `rolling_resistance` (0), `tangent_speed` (0, m/s), `radius_a`, `radius_b` (0, m:
    the radius of a round surface, which keeps its distance while it rolls, and which rolling resistance acts on), and
    the impulses to start from: `normal_impulse`, `tangent_impulse` (0, N s), `rolling_impulse` (0, N m s).

    Raises:
        ValueError: n is negative.
        TypeError: n is no integer.

    >>> rows = new_contacts(2)
    >>> rows["body_b"].tolist(), rows["friction"].round(3).tolist()
    ([-1, -1], [0.6000000238418579, 0.6000000238418579])
    """
    rows = np.zeros(integer(n, "n", 0), ADDED_CONTACT)
    rows["body_b"] = -1
    rows["friction"] = 0.6
    return rows
