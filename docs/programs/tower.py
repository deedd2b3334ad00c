"""A tower that breaks: bricks are glued by weld joints, and glue that carries too much gives way.

Run it to write tower.gif. A wrecking ball on a chain swings into the tower, and then a bomb goes off in the ruin. The
joints report that they are overloaded (`force_threshold`), and the program destroys those that do.
"""

import box2dpy as b2

WIDTH, HEIGHT = 5, 12  # bricks
BRICK = b2.Box(0.4, 0.25)
STRENGTH = 12000.0  # N that the glue between two bricks carries
BOMB_AT = 200  # steps


def build_tower(world, x=0.0):
    """Bricks in rows, each second row shifted by half a brick; returns bodies and the joints between them."""
    rows = []
    for row in range(HEIGHT):
        shift = 0.4 * (row % 2)
        bricks = []
        for column in range(WIDTH):
            brick = world.create_dynamic_body((x + 0.8 * column + shift, 0.25 + 0.5 * row))
            brick.create_shape(BRICK, density=100, friction=0.7, hit_events=True)
            bricks.append(brick)
        rows.append(bricks)
    glue = []
    for lower, upper in zip(rows, rows[1:]):
        for brick in upper:
            for other in lower:
                if abs(brick.position.x - other.position.x) < 0.5:
                    glue.append(glued(world, other, brick))
    for bricks in rows:
        glue += [glued(world, a, b) for a, b in zip(bricks, bricks[1:])]
    return [brick for bricks in rows for brick in bricks], glue


def glued(world, a, b):
    middle = 0.5 * (a.position + b.position)
    return world.create_weld_joint(a, b, anchor=middle, collide_connected=True, force_threshold=STRENGTH)


def build_wrecking_ball(world):
    """A heavy ball on ten links; a light chain that carries a heavy load is solved directly and does not stretch."""
    crane = world.create_static_body((-6, 11))
    crane.create_shape(b2.Box(0.5, 0.5))
    previous, links = crane, 10
    for k in range(links):
        link = world.create_dynamic_body((-6.4 - 0.7 * k, 11))
        link.create_shape(b2.Box(0.35, 0.06), density=100, filter=b2.Filter(mask=0))
        world.create_revolute_joint(previous, link, anchor=(-6 - 0.7 * k, 11))
        previous = link
    ball = world.create_dynamic_body((-6 - 0.7 * links - 0.9, 11))
    ball.create_shape(b2.Circle(0.9), density=900)
    world.create_revolute_joint(previous, ball, anchor=(-6 - 0.7 * links, 11))
    return ball


class Demolition:
    def __init__(self):
        self.world = b2.World(gravity=(0, -10))
        ground = self.world.create_static_body((0, -1))
        ground.create_shape(b2.Box(40, 1), friction=0.9)
        self.bricks, self.glue = build_tower(self.world, -1.5)
        self.ball = build_wrecking_ball(self.world)
        self.broken, self.hardest, self.steps = 0, 0.0, 0

    def step(self):
        self.world.step(1 / 60)
        self.steps += 1
        for joint, force, torque in self.world.events.joint_threshold:
            if joint in self.glue:
                joint.destroy()
                self.broken += 1
        for hit in self.world.events.contact_hit:
            self.hardest = max(self.hardest, hit.approach_speed)
        if self.steps == BOMB_AT:
            self.world.explode((0, 0.5), radius=3, falloff=3, impulse_per_length=400)

    def draw(self, draw):
        draw.text((-11, 9), f"{self.broken} of {len(self.glue)} joints broken\nhardest hit {self.hardest:.0f} m/s")
        if BOMB_AT <= self.steps < BOMB_AT + 10:
            draw.circle((0, 0.5), 0.6 * (self.steps - BOMB_AT + 1), "red")


def main(path="tower.gif", steps=300):
    scene = Demolition()
    with b2.MovieWriter(path, camera=(-14, -1, 14, 13), size=(480, 240), fps=15) as film:
        for step in range(steps):
            scene.step()
            if step % 4 == 0:
                draw = b2.DrawList()
                scene.draw(draw)
                film.add(scene.world, draw=draw)
    return scene


if __name__ == "__main__":
    scene = main()
    print(f"{scene.broken} of {len(scene.glue)} joints broken, hardest hit {scene.hardest:.1f} m/s")
