import box2dpy as b2

world = b2.World()
ground = world.create_static_body((0, -1))
ground.create_shape(b2.Box(15, 1), friction=0.8)
ground.create_shape(b2.Box(0.3, 3, center=(14.7, 4)))
for row in range(9):
    for column in range(9 - row):
        box = world.create_dynamic_body((2 + 1.02 * (column + 0.5 * row), 0.5 + row))
        box.create_shape(b2.Box(0.5, 0.5))
for k in range(4):
    world.create_dynamic_body((-8 + 1.5 * k, 0.5)).create_shape(b2.Circle(0.5), restitution=0.5)
world.step()
