"""A moon lander that is flown by a small controller; several throttles are tried from one saved state."""

import math

import box2dpy as b2

world = b2.World(gravity=(0, -1.62))
hills = [(x, 1.5 * math.sin(0.35 * x) if abs(x - 10) > 3 else 1.0) for x in range(40, -41, -1)]
ground = world.create_static_body()
ground.create_chain(hills, friction=0.9)
lander = world.create_dynamic_body((0, 25), linear_velocity=(4, 0))
lander.create_shape(b2.Polygon([(-0.8, 0), (0.8, 0), (0.5, 1), (-0.5, 1)]), density=400, hit_events=True)
legs = []
for side in (-1, 1):
    foot = world.create_dynamic_body((1.1 * side, 25 - 0.7))
    foot.create_shape(b2.Box(0.25, 0.06), density=200, friction=0.9, hit_events=True)
    legs.append(
        world.create_prismatic_joint(
            lander,
            foot,
            anchor=(1.1 * side, 25 - 0.7),
            axis=(0, 1),
            hertz=3,
            damping_ratio=0.9,
            lower_translation=-0.2,
            upper_translation=0.4,
        )
    )
    foot.linear_velocity = (4, 0)

start = world.save()
total = sum(body.mass for body in world.bodies)


def fly(gain):
    world.restore(start)
    fuel, worst = 100.0, 0.0
    for frame in range(60 * 40):
        below = world.ray_cast(lander.world_point((0, -1.0)), (0, -100))
        height = below.fraction * 100 if below else 100
        vx, vy = lander.linear_velocity
        wanted_vx = 0.35 * (10 - lander.position.x)
        wanted_vy = -max(0.4, gain * height)
        thrust = 0.0
        if fuel > 0 and height > 0.15:
            thrust = total * min(6.0, max(0, 1.62 + 2 * (wanted_vy - vy)))
            tilt = max(-0.4, min(0.4, -0.3 * (wanted_vx - vx)))
            lander.apply_torque(lander.inertia * (30 * (tilt - lander.angle) - 10 * lander.angular_velocity))
            up = lander.world_vector((0, 1))
            lander.apply_force(up * thrust)
            fuel -= thrust / total / 60
        world.step(1 / 60)
        for hit in world.events.contact_hit:
            worst = max(worst, hit.approach_speed)
        if not lander.awake:
            break
    return worst, fuel, lander.position.x, abs(lander.angle)


for gain in (0.1, 0.2, 0.3):
    worst, fuel, x, tilt = fly(gain)
    print(f"gain {gain}: hardest hit {worst:.2f} m/s, fuel left {fuel:.1f}, at x = {x:.1f}, tilt {tilt:.2f}")
    world.save_picture(f"lander{gain}.png", camera=(-5, -2, 25, 20))
