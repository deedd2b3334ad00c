"""A ship shoots at rocks, which break in two, in a world without gravity that wraps around. An autopilot aims."""

import math
import random

import box2dpy as b2

W, H = 20, 15
rng = random.Random(4)
layers = b2.Categories("ship", "shot", "rock")
world = b2.World(gravity=(0, 0))
ship = world.create_dynamic_body((0, 0), angular_damping=4)
ship.create_shape(b2.Polygon([(0.6, 0), (-0.4, 0.35), (-0.4, -0.35)]), filter=layers.filter("ship", mask=["rock"]))
rocks, shots = [], []


def rock(position, radius, velocity):
    body = world.create_dynamic_body(
        position, linear_velocity=velocity, angular_velocity=rng.uniform(-2, 2), data=radius
    )
    n = 7
    body.create_shape(
        b2.Polygon(
            [(radius * math.cos(2 * math.pi * k / n), radius * math.sin(2 * math.pi * k / n)) for k in range(n)]
        ),
        restitution=1,
        friction=0.1,
        filter=layers.filter("rock"),
    )
    rocks.append(body)


for _ in range(6):
    a = rng.uniform(0, 2 * math.pi)
    rock((8 * math.cos(a), 6 * math.sin(a)), 1.2, (rng.uniform(-2, 2), rng.uniform(-2, 2)))

hits = 0
for frame in range(60 * 20):
    if rocks:
        target = min(rocks, key=lambda r: (r.position - ship.position).length)
        aim = target.position - ship.position
        error = math.remainder(math.atan2(aim.y, aim.x) - ship.angle, 2 * math.pi)
        ship.apply_torque(ship.inertia * (20 * error))
        if frame % 15 == 0 and abs(error) < 0.2:
            d = ship.world_vector((1, 0))
            muzzle = ship.world_point((0.7, 0))
            shot = world.create_dynamic_body(muzzle, linear_velocity=(25 * d.x, 25 * d.y), bullet=True, data=frame)
            shot.create_shape(b2.Circle(0.08), filter=layers.filter("shot", mask=["rock"]))
            shots.append(shot)
    world.step(1 / 60)
    for begin in world.events.contact_begin:
        a, b = begin.shape_a.body, begin.shape_b.body
        for shot, other in ((a, b), (b, a)):
            if shot.alive and other.alive and shot in shots and other in rocks:
                hits += 1
                position, velocity, radius = other.position, other.linear_velocity, other.data
                shots.remove(shot)
                rocks.remove(other)
                shot.destroy()
                other.destroy()
                if radius > 0.5:
                    for side in (-1, 1):
                        rock(position + (0.5 * side, 0), radius / 2, velocity + (2 * side, 1))
    for body in [ship, *rocks, *shots]:
        x, y = body.position
        if abs(x) > W / 2 or abs(y) > H / 2:
            if body in shots:
                shots.remove(body)
                body.destroy()
            else:
                body.position = ((x + W / 2) % W - W / 2, (y + H / 2) % H - H / 2)
print(hits, "hits", len(rocks), "rocks left")
assert hits > 6
world.save_picture("asteroids.png", camera=(-10, -7.5, 10, 7.5))
