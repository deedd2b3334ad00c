"""Callbacks: functions of the user that a step calls, and what they create and destroy.

A step runs in C with the world locked. Between its stages C calls `b2d_call_python`, which finds the world and the
function. This happens on the thread that steps, never on a worker. While the function runs, its thread may read
everything. Creating something returns a handle at once; its object is created when the step is over. Objects are
destroyed then, too, in the order of the calls. Every other change of the world raises `WorldLockedError`.

`World.step` raises the exception of a function when the step is over. Until then no function is called any more, and
all pairs are allowed. What was requested before the exception is still created and destroyed.
"""

from __future__ import annotations

import threading
import warnings
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from .._bridge.arguments import function_or_none
from .._bridge.errors import raise_error
from .._bridge.library import ffi, lib
from .._bridge.world_base import NO_TABLES
from .._objects import events
from .._objects.collections import WorldObjects
from .._objects.contact import Presolve
from .._objects.shape import Shape
from .rebinding import rebound

if TYPE_CHECKING:
    from types import TracebackType

EVENT = ffi.typeof("b2d_contact_event *")
FILTER, PRESOLVE = lib.B2D_CALL_FILTER, lib.B2D_CALL_PRESOLVE
F = TypeVar("F", bound=Callable[..., Any])


class _Callback(Generic[F]):
    """A function of the user, or None."""

    def __init__(self, call: int, doc: str = "", record: type[events.Event] | None = None) -> None:
        self.call = call
        self.record = record
        self.__doc__ = doc

    def __set_name__(self, owner: type[Callbacks], name: str) -> None:
        self.name = name
        if self.record is not None:
            self.__doc__ = f"Called with each `{self.record.__name__}` {events.EVENT_TEXTS[name[3:]][2]}."
        owner._RECORDS[self.call] = self.record
        owner._NAMES[self.call] = name

    @overload
    def __get__(self, world: None, owner: Any = None) -> _Callback[F]: ...
    @overload
    def __get__(self, world: Callbacks, owner: Any = None) -> F | None: ...
    def __get__(self, world: Callbacks | None, owner: Any = None) -> Any:
        if world is None:
            return self
        world._ptr  # noqa: B018  raises when closed
        world._settle_functions()
        return world._functions.get(self.call)

    def __set__(self, world: Callbacks, function: F | None) -> None:
        function_or_none(function, self.name)
        world._settle_functions()
        functions = dict(world._functions)
        functions.pop(self.call, None)
        if function is not None:
            functions[self.call] = function
        if function is None and world._in_callback():  # C learns it when the step is over
            world._functions = functions
            world._defer(None, lambda: world._set_functions(world._functions, self.call))
        else:
            world._set_functions(functions, self.call)


class Callbacks(WorldObjects):
    """The part of `World` that calls functions of the user during a step.

    Assign a function, or None to remove it; a function may do so itself. Without functions a step has no extra cost.
    They run on the thread that steps, between stages, in an order that depends only on the calls made so far.

    >>> with World() as world:
    ...     floor = world.create_static_body((0, -1)).create_shape(Box(9, 1))
    ...     ball = world.create_dynamic_body((0, 0.6)).create_shape(Circle(0.5))
    ...     world.on_contact_begin = lambda event: event.shape_a.body.destroy()  # when the step is over
    ...     for _ in range(10):
    ...         world.step()
    ...     floor.alive, ball.alive, len(world.bodies)
    (False, True, 1)
    >>> with World() as world:
    ...     floor = world.create_static_body((0, -1)).create_shape(Box(9, 1))
    ...     ghost = world.create_dynamic_body((0, 0.6)).create_shape(Circle(0.5))
    ...     world.on_filter = lambda a, b: ghost not in (a, b)
    ...     for _ in range(60):
    ...         world.step()
    ...     ghost.body.position.y < -4
    True
    """

    __slots__ = ()

    _RECORDS: dict[int, type[events.Event] | None] = {}  # noqa: RUF012
    _NAMES: dict[int, str] = {}  # noqa: RUF012

    on_filter: _Callback[Callable[[Shape, Shape], bool | None]] = _Callback(
        FILTER,
        "Called as `f(shape_a, shape_b)` when the fat boxes of two shapes whose filters accept each other begin "
        "to overlap, and before a fast body is stopped by a shape without a contact with it. False lets them pass"
        " through each other until the boxes separate, the filter, type or geometry of one of them changes, or "
        "`on_filter` is assigned again. The calls are in the order of the shapes' indices. There are none for "
        "contacts that exist when it is assigned. For a sensor it is called as `f(sensor, visitor)` when the "
        "visitor enters (also when it only passes through in the step), when one of them was changed or moved by "
        "the user, and when `on_filter` is assigned. False refuses the visit until then.",
    )
    on_presolve: _Callback[Callable[[Presolve], bool | None]] = _Callback(
        PRESOLVE,
        "Called as `f(contact)` with a `Presolve` in every step for each contact of a shape with `presolve` that "
        "has points and an awake body. The calls are in the order of the contacts, when the points are known and "
        "before contacts begin, end or are solved. False lets the two shapes pass through each other in this "
        "step. Assigning friction, restitution or tangent_speed of the `Presolve` sets them for this step only. "
        "It is also called for shapes that would stop a fast body, in the order in which the body meets them. "
        "Assigning it, or `Shape.presolve`, wakes the bodies at contacts that were refused.",
    )
    # generated: callbacks of events, see tools/lists.py
    on_contact_end: _Callback[Callable[[events.ContactEnd], Any]] = _Callback(
        lib.B2D_EVENT_CONTACT_END, record=events.ContactEnd
    )
    on_contact_begin: _Callback[Callable[[events.ContactBegin], Any]] = _Callback(
        lib.B2D_EVENT_CONTACT_BEGIN, record=events.ContactBegin
    )
    on_contact_hit: _Callback[Callable[[events.ContactHit], Any]] = _Callback(
        lib.B2D_EVENT_CONTACT_HIT, record=events.ContactHit
    )
    on_sensor_end: _Callback[Callable[[events.SensorEnd], Any]] = _Callback(
        lib.B2D_EVENT_SENSOR_END, record=events.SensorEnd
    )
    on_sensor_begin: _Callback[Callable[[events.SensorBegin], Any]] = _Callback(
        lib.B2D_EVENT_SENSOR_BEGIN, record=events.SensorBegin
    )
    on_joint_threshold: _Callback[Callable[[events.JointThreshold], Any]] = _Callback(
        lib.B2D_EVENT_JOINT_THRESHOLD, record=events.JointThreshold
    )
    on_body_move: _Callback[Callable[[events.BodyMove], Any]] = _Callback(
        lib.B2D_EVENT_BODY_MOVE, record=events.BodyMove
    )
    on_body_invalid: _Callback[Callable[[events.BodyInvalid], Any]] = _Callback(
        lib.B2D_EVENT_BODY_INVALID, record=events.BodyInvalid
    )
    # end of generated

    def __init__(self, pointer: Any) -> None:
        super().__init__(pointer)
        self._functions: dict[int, Callable[..., Any]] = {}  # by B2D_CALL_* or B2D_EVENT_*
        self._callback_handle: Any = None
        # Of a deep copy, until its functions are known: the original and the memo, which is complete later
        self._moving: tuple[Callbacks, dict[int, Any]] | None = None

    def _set_functions(self, functions: dict[int, Callable[..., Any]], assigned: int) -> None:
        if self._callback_handle is None:
            self._callback_handle = ffi.new_handle(weakref.ref(self))
        calls = sum(1 << call for call in functions)
        status = lib.b2d_world_set_callback(self._ptr, lib.b2d_call_python, self._callback_handle, calls, assigned)
        if status:
            raise_error(status, self)
        self._functions = functions
        self._hooked = bool(functions or self._late) or self._recorder is not None

    def _settle_functions(self) -> None:
        """Gives a deep copy the functions of the copies of their owners."""
        if self._moving is None:
            return
        (original, memo), self._moving = self._moving, None
        functions = {call: rebound(function, original, memo) for call, function in self._functions.items()}
        self._functions = {call: function for call, function in functions.items() if function is not None}
        lost = [self._NAMES[call] for call in functions if call not in self._functions]
        if lost:  # C goes on to ask for them, and gets no answer
            warnings.warn(
                f"the copy {self!r} has no {', '.join(lost)}: the owner of the function has the original world and was "
                "not copied with it", UserWarning, stacklevel=3,
            )  # fmt: skip

    # -- inside a step

    def _call(self, call: int, rows: Any, count: int) -> int:
        """Called by C. Returns 1 unless the function of the user refuses."""
        try:
            self._callback_thread = threading.get_ident()
            self._refresh()
            return self._ask(call, rows, count)
        finally:  # without a call: see World.step
            self._pose, self._pose32, self._state = NO_TABLES
            self._callback_thread = 0

    def _ask(self, call: int, rows: Any, count: int) -> int:
        self._settle_functions()
        function = self._functions.get(call)
        if function is None:  # a callback of this step has removed it
            return 1
        if call == FILTER:
            row = ffi.cast(EVENT, rows)
            answer = function(self._shape(row.shape_a, row.generation_a), self._shape(row.shape_b, row.generation_b))
        elif call == PRESOLVE:
            contact = Presolve._made(self, rows)
            answer = function(contact)
            contact._give(rows)
        else:
            record = self._RECORDS[call]
            assert record is not None
            data = bytes(ffi.buffer(rows, count * record._DTYPE.itemsize))
            found: events.EventList[Any] = events.EventList._made(
                record, events._Rows(self, data, count, record._DTYPE)
            )
            for event in found:
                if self._functions.get(call) is function:
                    function(event)
            return 1
        return 1 if answer is None or answer else 0

    # -- what is done after the step

    def _finish_callbacks(self, first: BaseException | None) -> BaseException | None:
        """After a step: creates and destroys what callbacks requested. Returns the first exception, if there is one."""
        self._settle_functions()
        while self._deferred:
            handle, make = self._deferred.popleft()
            try:
                made = make()
                if handle is not None:
                    handle._take_identity_of(made)
            except BaseException as error:
                first = first or error
        return first


def _keep(_: object, error: BaseException, trace: TracebackType) -> None:
    """Called by cffi with each exception of `b2d_call_python`, also one that a signal handler raised at its start.

    Its world keeps the exception until the step is over, so that no other world can raise it.
    """
    world = ffi.from_handle(trace.tb_frame.f_locals["user"])()
    if world is not None:
        world._raised = error


@ffi.def_extern(error=-1, onerror=_keep)  # type: ignore[untyped-decorator]
def b2d_call_python(user: Any, call: int, rows: Any, count: int) -> int:
    world = ffi.from_handle(user)()
    return 1 if world is None else world._call(call, rows, count)
