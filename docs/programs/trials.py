"""5,000 throws at a basket in one world: which angle and speed hits it, as arrays.

All balls start at the same place and must not see each other, so they share a negative group. Each step moves all of
them; numpy finds the balls that go down through the ring. Run it to print the best throws, and to write trials.png, a
picture of the throws that hit.
"""

import numpy as np

import box2dpy as b2

TRIALS = 5000
START = (0.0, 2.0)
RING, RADIUS = (6.0, 3.05), 0.23  # centre and radius, metres
BALL = 0.12
GHOSTS = b2.Filter(group=-1)  # balls that pass through each other
DT, STEPS = 1 / 120, 300


def build():
    """The basket: a board and the two ends of the ring."""
    world = b2.World(gravity=(0, -9.81))
    world.create_static_body((0, -0.5)).create_shape(b2.Box(20, 0.5), restitution=0.5)
    board = world.create_static_body((RING[0] + RADIUS + 0.15, RING[1] + 0.45))
    board.create_shape(b2.Box(0.03, 0.55), restitution=0.6)
    for side in (-1, 1):
        world.create_static_body((RING[0] + side * RADIUS, RING[1])).create_shape(b2.Circle(0.01), restitution=0.4)
    return world


def throw(world, rng):
    """All balls at once, with random angles and speeds."""
    angle = rng.uniform(0.5, 1.35, TRIALS)
    speed = rng.uniform(6.0, 13.0, TRIALS)
    balls = world.create_bodies(
        np.tile(START, (TRIALS, 1)),
        geometry=b2.Circle(BALL),
        linear_velocities=speed[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]),
        restitution=0.7,
        filter=GHOSTS,
        contact_events=False,
        can_sleep=False,
    )
    return balls, angle, speed


def simulate(world, balls):
    """For each ball whether it went down through the ring; and the paths of all balls, every fourth step."""
    rows = balls.indices
    scored = np.zeros(TRIALS, bool)
    paths = []
    position = world.arrays.position  # a view of the engine's memory: it follows the simulation
    before = position[rows].copy()
    for step in range(STEPS):
        world.step(DT)
        now = position[rows]
        crossed = (before[:, 1] > RING[1]) & (now[:, 1] <= RING[1])
        scored |= crossed & (np.abs(now[:, 0] - RING[0]) < RADIUS)
        before = now.copy()
        if step % 4 == 0:
            paths.append(before)
    return scored, np.stack(paths, axis=1)


def best_throws(angle, speed, scored, bins=16):
    """The share of hits by angle: how forgiving each angle is."""
    edges = np.linspace(0.5, 1.35, bins + 1)
    which = np.clip(np.digitize(angle, edges) - 1, 0, bins - 1)
    tried = np.bincount(which, minlength=bins)
    hit = np.bincount(which, weights=scored, minlength=bins)
    return 0.5 * (edges[:-1] + edges[1:]), hit / np.maximum(tried, 1)


def main(path="trials.png", seed=1):
    world = build()
    balls, angle, speed = throw(world, np.random.default_rng(seed))
    scored, paths = simulate(world, balls)
    draw = b2.DrawList()
    for row in np.nonzero(scored)[0][:60]:
        draw.path(paths[row], "green")
    balls.destroy()
    world.save_picture(path, camera=(-1, -0.2, 9, 8), size=(500, 410), draw=draw)
    return angle, speed, scored


if __name__ == "__main__":
    angle, speed, scored = main()
    print(f"{scored.sum()} of {TRIALS} throws hit")
    for middle, share in zip(*best_throws(angle, speed, scored)):
        print(f"{np.degrees(middle):5.1f} degrees  {100 * share:5.1f} %  {'#' * int(200 * share)}")
