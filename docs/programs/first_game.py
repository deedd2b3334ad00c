import box2dpy as b2

world = b2.World(gravity=(0, -10))
ground = world.create_static_body((0, -1))
ground.create_shape(b2.Box(15, 1), friction=0.8)

for row in range(8):
    for column in range(3):
        box = world.create_dynamic_body((3 + 1.05 * column, 0.5 + row))
        box.create_shape(b2.Box(0.5, 0.5))


def shoot(step):
    if step % 60 == 20:
        ball = world.create_dynamic_body((-9, 2), linear_velocity=(20, 5))
        ball.create_shape(b2.Circle(0.5), density=3, restitution=0.3)


world.save_gif("first_game.gif", 90, camera=(-10, -1, 10, 10), fps=15, size=(480, 264), before_step=shoot)
