"""Rollouts on many machines: one Ray actor a node with one `WorldBatch` learns to balance a pole on a cart.

    python examples/ray_rollouts.py --on processes --actors 2        # multiprocessing, on this machine
    python examples/ray_rollouts.py --on ray --address auto          # a node of a running Ray cluster each
    python examples/ray_rollouts.py --compare 1 2 4                  # a table of speeds, and whether all bits are equal

Weights go out to the actors, rollouts come back. An actor tries each change of the weights in a world of its own, and
the learner follows the changes that balanced longer (evolution strategies: Salimans et al., arXiv:1703.03864). World
number i draws the numbers of seed i wherever it is, so every number of actors learns the same weights, bit for bit, on
processors of one kind (the logarithm and cosine of numpy may differ between kinds). An actor that dies is made again
and goes on with the episode that is asked for, so the weights are the same, too.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

import box2dpy as b2

STEPS = 250  # of a rollout: 5 s
FORCE = 40.0  # N for a weighted sum of 1
NOISE, RATE = 0.5, 0.5  # of the change of the weights
WEIGHTS = 4  # for the position and velocity of the cart, and the angle and angular velocity of the pole


def cart_and_pole() -> b2.World:
    """Body 1 is a cart on a rail, body 2 a pole that stands on it."""
    world = b2.World(sleeping=False)
    rail = world.create_static_body()
    cart = world.create_dynamic_body((0, 0))
    cart.create_shape(b2.Box(0.3, 0.15), density=10)
    pole = world.create_dynamic_body((0, 1))
    pole.create_shape(b2.Box(0.05, 1), density=1)
    world.create_prismatic_joint(rail, cart, anchor=(0, 0), axis=(1, 0))
    world.create_revolute_joint(cart, pole, anchor=(0, 0))
    return world


@dataclass
class Rollouts:
    """What comes back, one row a world: how it changed the weights, the share of the time that its pole stood, and the
    hash of its last state."""

    noise: np.ndarray
    returns: np.ndarray
    hashes: np.ndarray


class Actor:
    """Worlds `first` to `first + count` of all, and the rollouts in them."""

    def __init__(self, first: int, count: int) -> None:
        with cart_and_pole() as template:
            self.start = template.save()
            self.batch = b2.WorldBatch(template, count, dt=1 / 50, seed=first)
        self.seed, self.episode = first, 0  # of the random numbers

    def roll_out(self, weights: np.ndarray, episode: int) -> Rollouts:
        """Depends on nothing but its arguments, so an actor that was made again gives the same."""
        batch, cart, pole = self.batch, 1, 2
        if episode < self.episode:  # once more: the answer was lost
            batch.seed(self.seed)
            self.episode = 0
        for _ in range(episode - self.episode):
            batch.next_episode()
        batch.restore(self.start)  # and begins the next episode of the random numbers
        self.episode = episode + 1
        tilt = 0.2 * batch.random(1)[:, 0] - 0.1
        batch.set(pole, angle=tilt, position=np.stack([-np.sin(tilt), np.cos(tilt)], axis=1))
        noise = normal(batch.random(2 * WEIGHTS))
        policy = weights + NOISE * noise
        standing, total = np.ones(len(noise), bool), np.zeros(len(noise))
        for _ in range(STEPS):
            where = batch.position[:, cart, 0], batch.linear_velocity[:, cart, 0]
            turn = batch.angle[:, pole], batch.angular_velocity[:, pole]
            observed = np.stack([*where, *turn], axis=1, dtype=np.float64)
            batch.force[:, cart, 0] = FORCE * np.clip((observed * policy).sum(axis=1), -1, 1)
            batch.step()
            standing &= (np.abs(observed[:, 0]) < 2) & (np.abs(observed[:, 2]) < 0.5)
            total += standing
        return Rollouts(noise, total / STEPS, batch.state_hash())


def normal(uniform: np.ndarray) -> np.ndarray:
    """Standard normal numbers from twice as many that are uniform in [0, 1) (Box and Muller, 1958)."""
    a, b = np.split(uniform, 2, axis=1)
    return np.sqrt(-2 * np.log(1 - a)) * np.cos(2 * np.pi * b)


# -- where actors run: each of these gives a function from weights and an episode to rollouts, one for each actor

RollOut = Callable[[np.ndarray, int], list[Rollouts]]


@contextmanager
def in_this_process(parts: list[tuple[int, int]]) -> Iterator[RollOut]:
    actors = [Actor(*part) for part in parts]
    yield lambda weights, episode: [each.roll_out(weights, episode) for each in actors]


def serve(pipe: Any, first: int, count: int) -> None:
    """An actor in a process of its own. It ends when the pipe is closed."""
    actor = Actor(first, count)
    try:
        while True:
            pipe.send(actor.roll_out(*pipe.recv()))
    except EOFError:
        return


@contextmanager
def in_processes(parts: list[tuple[int, int]]) -> Iterator[RollOut]:
    context = multiprocessing.get_context("spawn")

    def start(part: tuple[int, int]) -> tuple[Any, Any]:
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs, *part), daemon=True)
        process.start()
        theirs.close()
        return ours, process

    def ask(k: int, weights: np.ndarray, episode: int) -> None:
        with suppress(OSError):  # it is dead, as `answer` will find
            actors[k][0].send((weights, episode))

    def answer(k: int, weights: np.ndarray, episode: int) -> Rollouts:
        for _ in range(3):
            try:
                return actors[k][0].recv()
            except (EOFError, OSError):
                print(f"actor {k} has died; it is made again")
                actors[k][0].close()
                actors[k] = start(parts[k])
                ask(k, weights, episode)
        raise RuntimeError(f"actor {k} dies again and again")

    def roll_out(weights: np.ndarray, episode: int) -> list[Rollouts]:
        for k in range(len(parts)):
            ask(k, weights, episode)
        return [answer(k, weights, episode) for k in range(len(parts))]

    actors = [start(part) for part in parts]
    try:
        yield roll_out
    finally:
        for pipe, process in actors:
            pipe.close()
            process.join()


@contextmanager
def on_ray(parts: list[tuple[int, int]]) -> Iterator[RollOut]:
    """One actor a node, in turn where there are more actors than nodes. Ray makes an actor again that dies, on another
    node if its own has gone, and repeats the call."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    nodes = sorted(node["NodeID"] for node in ray.nodes() if node["Alive"])
    remote = ray.remote(num_cpus=1, max_restarts=3, max_task_retries=3)(Actor)
    actors = []
    for k, part in enumerate(parts):
        node = NodeAffinitySchedulingStrategy(nodes[k % len(nodes)], soft=True)
        actors.append(remote.options(scheduling_strategy=node, name=f"worlds from {part[0]}").remote(*part))

    def roll_out(weights: np.ndarray, episode: int) -> list[Rollouts]:
        shared = ray.put(weights)
        return ray.get([each.roll_out.remote(shared, episode) for each in actors])

    yield roll_out
    for each in actors:
        ray.kill(each)


PLACES = {"here": in_this_process, "processes": in_processes, "ray": on_ray}

# -- the learner


@dataclass
class Result:
    weights: np.ndarray
    returns: list[float]  # the mean of each generation
    hashes: np.ndarray  # of all worlds at the end
    speed: float  # steps of worlds a second, without the first generation, in which processes start


def learn(place: str, actors: int, worlds: int, generations: int) -> Result:
    """Learns on `actors` actors with `worlds` worlds in all."""
    edges = [worlds * k // actors for k in range(actors + 1)]
    parts = [(edges[k], edges[k + 1] - edges[k]) for k in range(actors)]
    weights, returns = np.zeros(WEIGHTS), []
    with PLACES[place](parts) as roll_out:
        for k in range(generations):
            if k == 1:
                start = time.perf_counter()
            rollouts = roll_out(weights, k)
            noise, got, hashes = (
                np.concatenate([getattr(each, name) for each in rollouts]) for name in ("noise", "returns", "hashes")
            )
            ranks = np.argsort(np.argsort(got)) / (worlds - 1) - 0.5
            weights = weights + RATE * (ranks[:, None] * noise).mean(axis=0) / NOISE
            returns.append(float(got.mean()))
    speed = worlds * STEPS * (generations - 1) / (time.perf_counter() - start)
    return Result(weights, returns, hashes, speed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--on", choices=PLACES, default="here", help="where the actors run")
    parser.add_argument("--actors", type=int, default=1)
    parser.add_argument("--worlds", type=int, default=512, help="of all actors together")
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--address", help="of a Ray cluster that runs; without it, Ray runs on this machine")
    parser.add_argument(
        "--compare", type=int, nargs="+", metavar="ACTORS", help="the speed for these numbers of actors"
    )
    options = parser.parse_args()
    if options.on == "ray":
        import ray

        ray.init(address=options.address)
    if options.compare:
        one = learn("here", 1, options.worlds, options.generations)
        print(f"{'actors':>20}  world steps/s  equal bits\n{'1, in this process':>20}  {one.speed:13,.0f}")
        for actors in options.compare:
            result = learn(options.on, actors, options.worlds, options.generations)
            equal = (result.hashes == one.hashes).all() and (result.weights == one.weights).all()
            print(f"{f'{actors}, {options.on}':>20}  {result.speed:13,.0f}  {'yes' if equal else 'NO'}")
    else:
        result = learn(options.on, options.actors, options.worlds, options.generations)
        for k, mean in enumerate(result.returns):
            print(f"generation {k:2}: the poles stand {mean:5.1%} of the time")
        print(f"weights {result.weights.round(2)}, {result.speed:,.0f} world steps/s")


if __name__ == "__main__":
    main()
