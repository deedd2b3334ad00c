"""Pinball: flippers with motors, bumpers that give points, and a drain that takes the ball. It plays by itself."""

import box2dpy as b2

world = b2.World(gravity=(0, -6))
table = world.create_static_body()
table.create_chain(
    [(-4, 12), (-4, 2), (-1.6, 0.8), (-1.6, -2), (1.6, -2), (1.6, 0.8), (4, 2), (4, 12)], loop=True, front="inside"
)
drain = table.create_shape(b2.Box(1.5, 0.2, center=(0, -1.7)), sensor=True)
bumpers = [
    world.create_static_body((x, y), data={"points": 10 * k}).create_shape(
        b2.Circle(0.5), restitution=1.2, hit_events=True
    )
    for k, (x, y) in enumerate([(-1.5, 8), (1.5, 8), (0, 6)], 1)
]
flippers = []
for side in (-1, 1):
    flipper = world.create_dynamic_body((1.6 * side, 0.8))
    flipper.create_shape(b2.Capsule((0, 0), (-1.2 * side, -0.2), 0.15), density=5)
    low, high = (-0.2, 0.6) if side < 0 else (-0.6, 0.2)
    flippers.append(
        world.create_revolute_joint(
            table,
            flipper,
            anchor=(1.6 * side, 0.8),
            lower_angle=low,
            upper_angle=high,
            motor_speed=0,
            max_motor_torque=400,
        )
    )


def launch():
    ball = world.create_dynamic_body((0.4, 10.5), linear_velocity=(1, 0), bullet=True)
    return ball, ball.create_shape(b2.Circle(0.2), restitution=0.4, sensor_events=True, density=2)


ball, shape = launch()
score = lost = 0
for frame in range(60 * 40):
    up = ball.position.y < 1.6 and frame % 20 < 10
    for side, hinge in zip((-1, 1), flippers):
        hinge.motor_speed = -15 * side if up else 15 * side
    world.step(1 / 60)
    for hit in world.events.contact_hit:
        for touched in (hit.shape_a, hit.shape_b):
            if touched in bumpers:
                score += touched.body.data["points"]
    for sensor, visitor in world.events.sensor_begin:
        if sensor == drain:
            lost += 1
            visitor.body.destroy()
            ball, shape = launch()
print(f"{score} points, {lost} balls lost")
assert score > 0
world.save_picture("pinball.png")
