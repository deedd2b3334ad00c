"""A platform game: a character that runs, jumps, rides a lift, pushes a crate and collects coins.

Run it to write platformer.gif; the keys of the player come from a list. `Game` does not depend on pictures and keys, so
a window can drive it in the same way: call `game.frame(direction, jump)` 60 times a second.
"""

import box2dpy as b2

DT = 1 / 60
GRAVITY, SPEED, JUMP = 25.0, 6.0, 13.0
LAYERS = b2.Categories("world", "coin")

# Frames, direction, jump: what the player does.
KEYS = (
    (30, 0, False),
    (60, 1, False),  # runs to the crate
    (1, 1, True),
    (70, 1, False),  # over it
    (1, 1, True),
    (30, 1, False),  # up through the platform
    (40, 0, False),
    (46, 1, False),  # to the lift
    (170, 0, False),  # up
    (70, 1, False),  # to the flag
)


class Game:
    def __init__(self):
        self.world = b2.World(gravity=(0, -GRAVITY))
        self.build()
        shape = b2.Capsule((0, 0.3), (0, 1.2), 0.3)
        self.hero = b2.Mover(self.world, shape, (0, 1), push_force=300, filter=b2.Filter(mask=LAYERS["world"]))
        self.coins, self.time, self.won = 0, 0.0, False

    def build(self):
        world, solid = self.world, {"filter": LAYERS.filter("world"), "friction": 0.8}
        level = world.create_static_body()
        level.create_shape(b2.Box(16, 1, center=(10, -1)), **solid)  # the ground
        level.create_shape(b2.Box(0.5, 2, center=(-4, 2)), **solid)  # a wall
        level.create_shape(b2.Box(3, 0.1, center=(16, 2.6)), one_way=(0, 1), **solid)  # from below one passes
        level.create_shape(b2.Box(3, 0.2, center=(24.5, 6)), **solid)  # the goal
        self.crate = world.create_dynamic_body((6, 0.5))
        self.crate.create_shape(b2.Box(0.5, 0.5), density=30, **solid)
        self.lift = world.create_kinematic_body((20.2, 2.5))
        self.lift.create_shape(b2.Box(1, 0.1), **solid)
        for x, y in ((3, 1), (10, 1), (16, 3.6), (20.2, 4.5)):
            coin = world.create_static_body((x, y), data="coin")
            coin.create_shape(b2.Circle(0.25), sensor=True, filter=LAYERS.filter("coin"), color=0xE8B020)
        self.flag = world.create_static_body((26, 7), data="flag")
        self.flag.create_shape(b2.Box(0.1, 0.8), sensor=True, filter=LAYERS.filter("coin"), color=0xC03030)

    def frame(self, direction, jump):
        """One frame: the lift, the world, the character, and what it touches."""
        self.time += DT
        height = min(max(1.5 * (self.time - 5.0), 0.0), 3.5)  # it waits, rises, and stays up
        self.lift.set_target((20.2, 2.5 + height), 0.0, DT)
        self.world.step(DT)

        vy = self.hero.velocity.y
        if self.hero.ground is not None:
            vy = JUMP if jump else 0.0
        self.hero.velocity = (SPEED * direction, vy - GRAVITY * DT)
        self.hero.move(DT)

        for body in list(self.world.bodies):  # a mover is no body, so sensors do not see it
            if body.data in ("coin", "flag") and self.near(body):
                if body.data == "coin":
                    self.coins += 1
                    body.destroy()
                else:
                    self.won = True

    def near(self, body):
        return (body.position - self.hero.position - (0, 0.75)).length < 0.9

    def draw(self, draw):
        draw.shape(self.hero.geometry, self.hero.position, 0.0, "red")
        draw.text(self.hero.position + (-6, 5), f"coins {self.coins}{'   you win' if self.won else ''}")

    def camera(self):
        x, y = self.hero.position
        return (x - 7, y - 3, x + 7, y + 6)


def main(path="platformer.gif"):
    game = Game()
    with b2.MovieWriter(path, camera=game.camera, size=(420, 270), fps=15) as film:
        frame = 0
        for frames, direction, jump in KEYS:
            for _ in range(frames):
                game.frame(direction, jump)
                frame += 1
                if frame % 4 == 0:
                    draw = b2.DrawList()
                    game.draw(draw)
                    film.add(game.world, draw=draw)
    return game


if __name__ == "__main__":
    game = main()
    print(f"{game.coins} coins, {'won' if game.won else 'not won'}, at {game.hero.position}")
