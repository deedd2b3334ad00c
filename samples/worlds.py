"""Worlds: options compared side by side, and worlds far from the origin."""

from __future__ import annotations

import math
import random
import time

import box2dpy as b2

from ._parts import ring
from ._sample import Button, Choice, Sample, Slider


class SideBySide(Sample):
    """The same tower in two worlds that are stepped in the same way: on the left with the default options, on the right
    without warm starting. The impulses of the last step carry a stack."""

    name = "Side by side"
    category = "Worlds"
    camera = (-9, -1.5, 17, 14)
    frames = 60
    boxes = Slider(12, 2, 30, restart=True)

    def build(self, world: b2.World) -> None:
        self.tops = [self.tower(each) for each in (world, self.other_world((8, 0), warm_starting=False))]

    def tower(self, world: b2.World) -> b2.Body:
        self.ground(world, 3.5)
        for k in range(self.boxes):
            box = world.create_dynamic_body((0, 0.5 + k))
            box.create_shape(b2.Box(0.5, 0.5))
        return box

    def status(self) -> str:
        first, second = (1000 * (self.boxes - 0.5 - top.position.y) for top in self.tops)
        return f"the top sank by {first:.0f} mm, without warm starting by {second:.0f} mm"


class FarAway(Sample):
    """Positions are float64 and all calculations use differences, so a pile 100 km from the origin settles in the same
    way as a pile at the origin."""

    name = "Far away"
    category = "Worlds"
    frames = 150
    distance = Slider(1e5, 0.0, 1e6, unit="m", restart=True)

    def build(self, world: b2.World) -> None:
        x = self.distance
        world.create_static_body((x, -1)).create_shape(b2.Box(12, 1))
        for k in range(45):
            world.create_dynamic_body((x - 3 + 0.7 * (k % 9), 1 + 0.9 * (k // 9)), 0.3 * k).create_shape(
                b2.Box(0.3, 0.3)
            )

    def status(self) -> str:
        return f"{self.distance / 1000:.0f} km from the origin"


class Planets(Sample):
    """One scene in six worlds with the gravity of the Moon, Mars, the Earth, Neptune, Jupiter and none. A fall from
    height h takes sqrt(2 h / g). The worlds share nothing."""

    name = "Six planets"
    category = "Worlds"
    options = {"gravity": (0, -9.81)}
    camera = (-4, -2, 39, 20)
    frames = 100
    bounce = Slider(0.7, 0.0, 1.0, restart=True)

    def build(self, world: b2.World) -> None:
        kinds = (
            ("Earth", 9.81),
            ("Moon", 1.62),
            ("Mars", 3.71),
            ("Neptune", 11.15),
            ("Jupiter", 24.8),
            ("no gravity", 0.0),
        )
        self.places = []
        for k, (name, pull) in enumerate(kinds):
            each = world if k == 0 else self.other_world((7 * k, 0), gravity=(0, -pull))
            self.ground(each, 3)
            for n in range(3):
                ball = each.create_dynamic_body((-1.5 + 1.5 * n, 8 + 2 * n), angular_velocity=2)
                ball.create_shape(
                    (b2.Circle(0.5), b2.Box(0.45, 0.45), b2.Polygon(ring(5, 0.55)))[n], restitution=self.bounce
                )
            self.places.append((name, pull, 7.0 * k))

    def draw(self, draw: b2.DrawList) -> None:
        for name, pull, x in self.places:
            draw.text((x - 2.5, 15), name, "yellow")
            if pull:
                draw.text((x - 2.5, 14), f"{math.sqrt(15 / pull):.2f} s")


class ManyWorlds(Sample):
    """Twenty-five worlds with one random seed each, as in reinforcement learning; an empty world costs about 10
    microseconds. Each balances its pole by the same rule. The text counts the poles that still stand."""

    name = "Many worlds"
    category = "Worlds"
    camera = (-5, -4, 45, 27)
    frames = 150
    gain = Slider(60.0, 0.0, 200.0, unit="N/rad")
    noise = Slider(0.12, 0.0, 0.5, unit="rad", restart=True)

    def build(self, world: b2.World) -> None:
        rng = random.Random(1)
        self.poles = []
        for k in range(25):
            offset = 10.0 * (k % 5), 5.5 * (k // 5)
            each = world if k == 0 else self.other_world(offset)
            rail = each.create_static_body()
            rail.create_shape(b2.Box(4.5, 0.05), filter=b2.Filter(mask=0))
            cart = each.create_dynamic_body((0, 0), can_sleep=False)
            cart.create_shape(b2.Box(0.5, 0.2), filter=b2.Filter(mask=0))
            each.create_prismatic_joint(
                rail, cart, anchor=(0, 0), axis=(1, 0), enable_limit=True, lower_translation=-4, upper_translation=4
            )
            lean = rng.uniform(-self.noise, self.noise)
            pole = each.create_dynamic_body((0, 0), lean)
            pole.create_shape(b2.Box(0.06, 1.5, (0, 1.5)), filter=b2.Filter(mask=0), density=0.5)
            each.create_revolute_joint(cart, pole, anchor=(0, 0))
            self.poles.append((cart, pole, self.gain * rng.uniform(0.5, 1.5)))

    def step(self, world: b2.World) -> None:
        for cart, pole, gain in self.poles:
            if abs(pole.angle) < 1.2:
                push = (
                    -gain * pole.angle
                    - 0.2 * gain * pole.angular_velocity
                    + 1.5 * cart.position.x
                    + 2.5 * cart.linear_velocity.x
                )
                cart.apply_force((push, 0))

    def status(self) -> str:
        return f"{sum(abs(pole.angle) < 1.2 for _, pole, _ in self.poles)} of 25 poles stand"


class SameHash(Sample):
    """Four worlds with different broad phases, instruction sets and numbers of threads run the same scene.
    `state_hash()` is the same in all of them, bit for bit, in every step."""

    name = "One hash"
    category = "Worlds"
    camera = (-8, -16, 26, 14)
    frames = 150

    def build(self, world: b2.World) -> None:
        kinds: list[dict[str, object]] = [
            {},
            {"broadphase": "tree", "workers": 2},
            {"broadphase": "brute", "narrowphase": "per_pair"},
            {"simd": "scalar"},
        ]
        self.worlds, self.kinds = [], kinds
        for k, kind in enumerate(kinds):
            each = world if k == 0 else self.other_world((17.0 * (k % 2), -14.0 * (k // 2)), **kind)
            self.ground(each, 7)
            rng = random.Random(7)
            for n in range(60):
                body = each.create_dynamic_body((-4 + 1.3 * (n % 7), 1 + 1.2 * (n // 7)), rng.uniform(-3, 3))
                body.create_shape((b2.Box(0.4, 0.4), b2.Circle(0.45), b2.Polygon(ring(5, 0.5)))[n % 3])
            self.worlds.append(each)

    @Button
    def disturb_the_first(self) -> None:
        self.world.body(5).apply_impulse((0.001, 0))

    def draw(self, draw: b2.DrawList) -> None:
        for k, (each, kind) in enumerate(zip(self.worlds, self.kinds, strict=True)):
            at = 17.0 * (k % 2) - 7, 10.2 - 14.0 * (k // 2)
            draw.text(at, ", ".join(f"{value}" for value in kind.values()) or "default", "yellow")
            draw.text((at[0], at[1] - 1.1), f"{each.state_hash():016x}")

    def status(self) -> str:
        hashes = {each.state_hash() for each in self.worlds}
        return "all four agree" if len(hashes) == 1 else f"{len(hashes)} different states"


class ContactSoftness(Sample):
    """Contacts are springs: four worlds with `contact_hertz` of 5, 15, 30 and 60 under the same load. Softer contacts
    sink deeper. Hard ones need more substeps, because the rate is limited to 0.15 of the substep rate. A load of 2 or
    more has 4 times the mass of a box: the pile is then solved as a whole, and the rate does not matter."""

    name = "Contact softness"
    category = "Worlds"
    camera = (-5, -2, 29, 16)
    frames = 120
    load = Slider(1.0, 0.2, 10.0, restart=True)
    rates = 5.0, 15.0, 30.0, 60.0

    def build(self, world: b2.World) -> None:
        world.contact_hertz = self.rates[0]
        self.tops = []
        for k, rate in enumerate(self.rates):
            each = world if k == 0 else self.other_world((8.0 * k, 0), contact_hertz=rate)
            self.ground(each, 3)
            for n in range(6):
                each.create_dynamic_body((0, 0.5 + n)).create_shape(b2.Box(1, 0.5))
            top = each.create_dynamic_body((0, 7))
            top.create_shape(b2.Box(1, 1), density=self.load)
            self.tops.append(top)

    def draw(self, draw: b2.DrawList) -> None:
        for k, (top, rate) in enumerate(zip(self.tops, self.rates, strict=True)):
            draw.line((8 * k - 1.5, 8), (8 * k + 1.5, 8), "red")
            draw.text((8 * k - 2.5, 9.5), f"{rate:.0f} Hz: {1000 * (7 - top.position.y):.0f} mm")


class Options(Sample):
    """One option at a time: the left world has the default, the right one the option that you choose. The same boxes
    fall into both. Compare what sleeping, continuous collision, recycling and the restitution threshold do."""

    name = "With and without"
    category = "Worlds"
    camera = (-10, -1.5, 30, 22)
    frames = 150
    option = Choice(
        "sleeping", ("sleeping", "continuous", "warm_starting", "contact_recycle", "restitution"), restart=True
    )

    def build(self, world: b2.World) -> None:
        changes = {
            "sleeping": {"sleeping": False},
            "continuous": {"continuous": False},
            "warm_starting": {"warm_starting": False},
            "contact_recycle": {"contact_recycle": 0.0},
            "restitution": {"restitution_threshold": 20.0},
        }
        self.pair = [world, self.other_world((20, 0), **changes[self.option])]
        for each in self.pair:
            floor = each.create_static_body()
            floor.create_chain([(8, 14), (8, 0), (-8, 0), (-8, 14)])
            for k in range(80):
                body = each.create_dynamic_body(
                    (-6.5 + 1.45 * (k % 10), 2 + 1.6 * (k // 10)), 0.3 * k, linear_velocity=(0, -20)
                )
                body.create_shape(b2.Box(0.45, 0.45) if k % 2 else b2.Circle(0.5), restitution=0.3)

    def draw(self, draw: b2.DrawList) -> None:
        for k, each in enumerate(self.pair):
            counters = each.counters
            recycled, swept = counters.contacts_recycled, counters.continuous_bodies
            draw.text((-8 + 20 * k, 17), f"{counters.awake_bodies} awake, {recycled} recycled, {swept} swept")

    def status(self) -> str:
        return f"left default, right without {self.option.replace('_', ' ')}"


class Rollback(Sample):
    """A game over a network. The remote player's keys arrive 10 steps late, so the game guesses that he goes on as
    before, and plays ahead. When the truth arrives and differs, it restores the state of that step and replays."""

    name = "Rollback"
    category = "Worlds"
    camera = (-13, -1.5, 13, 12)
    delay = Slider(10, 0, 30, unit="steps")
    boxes = Slider(30, 0, 150, restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 12)
        for k in range(self.boxes):
            box = world.create_dynamic_body((-3.6 + 0.9 * (k % 9), 0.4 + 0.81 * (k // 9)))
            box.create_shape(b2.Box(0.4, 0.4), density=0.2)
        self.ball = world.create_dynamic_body((-9, 1))
        self.ball.create_shape(b2.Circle(0.8), density=1.0)
        self.states: dict[int, b2.State] = {}  # before each step that may have to be played again
        self.guesses: dict[int, int] = {}
        self.number = self.rollbacks = self.replayed = 0
        self.cost = 0.0

    def truth(self, step: int) -> int:
        """The keys of the remote player: left, nothing or right."""
        return random.Random(step // 45).choice((-1, 0, 1))

    def play(self, world: b2.World, step: int, keys: int) -> None:
        """One step with these keys: what a replay repeats."""
        self.states[step], self.guesses[step] = world.save(), keys
        self.ball.apply_force((25.0 * keys, 0))

    def step(self, world: b2.World) -> None:
        known = self.number - self.delay  # the newest step of which the keys have arrived
        wrong = [k for k in sorted(self.guesses) if k <= known and self.guesses[k] != self.truth(k)]
        if wrong:
            start = time.perf_counter()
            world.restore(self.states[wrong[0]])
            for k in range(wrong[0], self.number):
                self.play(world, k, self.truth(min(k, known)))
                world.step(1 / self.hertz, self.substeps)
            self.cost = time.perf_counter() - start
            self.rollbacks, self.replayed = self.rollbacks + 1, self.number - wrong[0]
        for table in (self.states, self.guesses):
            for k in [k for k in table if k < known]:
                del table[k]
        self.play(world, self.number, self.truth(max(min(known, self.number), 0)))
        self.number += 1

    def status(self) -> str:
        last = f", the last one of {self.replayed} steps in {1000 * self.cost:.2f} ms" if self.rollbacks else ""
        return f"rollbacks: {self.rollbacks}{last}; the remote player is {self.delay} steps late"
