"""Every begin has its end: through destroy, disable, filters of both kinds, presolve, one-way shapes, types, teleports
and sleep."""

from __future__ import annotations

from typing import Any

import pytest

import box2dpy as b2

from .lockstep import FASTEST, REFERENCE, Mob

Key = tuple[int, ...]


class Ledger:
    """The touching pairs and the sensor visits, from the events alone."""

    def __init__(self, world: b2.World) -> None:
        self.world = world
        self.open: dict[str, set[Key]] = {"contact": set(), "sensor": set()}
        self.reported: list[Any] = []
        for name in ("contact_begin", "contact_end", "sensor_begin", "sensor_end"):
            setattr(world, f"on_{name}", self.reported.append)
        self.count = 0
        self.silent: set[Key] = set()  # contacts that touch and began without a report

    def book(self) -> None:
        listed: list[Any] = []
        for name, fields in (("contact", ("generation_contact", "generation_a", "generation_b")),
            ("sensor", ("generation_sensor", "generation_visitor"))):  # fmt: skip
            ends, begins = getattr(self.world.events, f"{name}_end"), getattr(self.world.events, f"{name}_begin")
            for event in ends.as_array():
                key = tuple(int(event[field]) for field in fields)
                assert key in self.open[name], f"{name} {key} ends and had not begun"
                self.open[name].remove(key)
            for event in begins.as_array():
                key = tuple(int(event[field]) for field in fields)
                assert key not in self.open[name], f"{name} {key} begins twice"
                self.open[name].add(key)
                self.count += 1
            listed += [*ends, *begins]
        assert self.reported == listed, "callbacks get what the lists have"
        self.reported.clear()
        rows = self.world.contacts.as_array(touching_only=True)
        assert rows["contact"].tolist() == sorted(rows["contact"].tolist())
        touching = {tuple(map(int, row)) for row in rows[["generation", "generation_a", "generation_b"]].tolist()}
        assert self.open["contact"] <= touching, "what has a begin and no end touches"
        reports = {shape._generation: shape.contact_events for shape in self.world.shapes}
        for key in touching - self.open["contact"] - self.silent:
            assert not reports[key[1]] and not reports[key[2]], f"{key} touches and no event said so"
        self.silent = touching - self.open["contact"]
        inside = {(s._generation, v._generation) for s in self.world.shapes if s.sensor for v in s.overlaps}
        assert inside == self.open["sensor"]


class Crowd(Mob):
    """A `Mob` that also changes filters."""

    OPERATIONS = Mob.OPERATIONS | {"refuse": 3, "let_pass": 2, "flag_presolve": 3}

    def refuse(self) -> None:
        salt, none = self.draw.randrange(9), self.draw.random() < 0.3

        def allow(a: b2.Shape, b: b2.Shape) -> bool:
            return (5 * a.index + 3 * b.index + salt) % 4 != 0

        self.note(f"on_filter {salt} {none}")
        for world in self.worlds:
            world.on_filter = None if none else allow

    def let_pass(self) -> None:
        salt, none = self.draw.randrange(9), self.draw.random() < 0.3
        self.note(f"on_presolve {salt} {none}")
        for world in self.worlds:

            def keep(contact: b2.Presolve, world: b2.World = world) -> bool:
                kind = (contact.shape_a.index + 2 * contact.shape_b.index + salt) % 5
                if kind < 3:
                    setattr(contact, ("friction", "restitution", "tangent_speed")[kind], 0.5)
                return (contact.shape_a.index + contact.shape_b.index + world.counters.steps // 3 + salt) % 3 != 0

            world.on_presolve = None if none else keep

    def flag_presolve(self) -> None:
        self.assign(self.draw.choice(self.shapes), "presolve", self.draw.random() < 0.7)


@pytest.mark.parametrize("seed", range(8))
def test_contact_and_sensor_begins_and_ends_balance_after_random_calls(seed: int) -> None:
    crowd = Crowd(seed, [REFERENCE, FASTEST], sleep_time=0.15)
    ledgers = [Ledger(world) for world in crowd.worlds]
    for _ in range(140):
        for _ in range(crowd.draw.choice((0, 1, 1, 3))):
            crowd.act()
        crowd.step()
        crowd.check()
        for ledger in ledgers:
            ledger.book()
    assert ledgers[0].count > 20
    for body in list(crowd.worlds[0].bodies):
        body.destroy()
    crowd.worlds[0].step()
    ledgers[0].book()
    assert ledgers[0].open == {"contact": set(), "sensor": set()}
    crowd.close()
