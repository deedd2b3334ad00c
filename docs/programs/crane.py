"""A crane with a magnet on a rope: it carries scrap into a bin.

Run it to write crane.gif. The magnet is a weld joint, made when the pad touches scrap, and destroyed over the bin.
"""

import box2dpy as b2

DT = 1 / 60


class Crane:
    def __init__(self):
        self.world = world = b2.World()
        ground = world.create_static_body()
        ground.create_shape(b2.Box(15, 1, center=(0, -1)))
        for x in (4.0, 8.0):  # the walls of the bin
            ground.create_shape(b2.Box(0.1, 1, center=(x, 1)))
        self.scrap = []
        for k in range(6):
            body = world.create_dynamic_body((-7 + 1.4 * k, 0.3), data="scrap")
            body.create_shape(b2.Box(0.3, 0.3), density=50)
            self.scrap.append(body)
        self.trolley = world.create_kinematic_body((0, 8))
        self.trolley.create_shape(b2.Box(0.5, 0.2))
        self.magnet = world.create_dynamic_body((0, 6), linear_damping=0.5, lock_rotation=True, can_sleep=False)
        self.pad = self.magnet.create_shape(b2.Box(0.5, 0.15), density=100)
        self.rope = world.create_rope_joint(
            self.trolley, self.magnet, local_anchor_a=(0, 0), local_anchor_b=(0, 0.15), max_length=2
        )
        self.grip, self.on = None, False
        self.frames, self.film = 0, None

    def step(self):
        self.world.step(DT)
        self.frames += 1
        if self.film and self.frames % 6 == 0:
            self.film.add(self.world)
        for event in self.world.events.contact_begin:
            for mine, other in ((event.shape_a, event.shape_b), (event.shape_b, event.shape_a)):
                if self.on and self.grip is None and mine == self.pad and other.body.data == "scrap":
                    self.grip = self.world.create_weld_joint(self.magnet, other.body, anchor=self.magnet.position)

    def drive(self, x, length, seconds):
        """Moves the trolley to x while the rope gets a new length, both with a soft start and a soft end."""
        steps, x0, length0 = round(seconds / DT), self.trolley.position.x, self.rope.max_length
        for k in range(1, steps + 1):
            t = k / steps
            t = t * t * (3 - 2 * t)
            self.trolley.set_target((x0 + (x - x0) * t, 8), 0, DT)
            self.rope.max_length = length0 + (length - length0) * t
            self.step()

    def carry(self, body):
        self.drive(body.position.x, 3, 3)
        self.on = True
        self.drive(body.position.x, 7.4, 2)
        self.drive(self.trolley.position.x, 4, 2)
        self.drive(6, 4, 4)
        self.drive(6, 5.5, 2)
        self.on = False
        if self.grip is not None:
            self.grip.destroy()
            self.grip = None
        self.drive(6, 3, 1)


def main(pieces=3, path="crane.gif"):
    crane = Crane()
    with b2.MovieWriter(path, camera=(-10, -2, 10, 9), size=(480, 264), fps=10) as crane.film:
        for body in crane.scrap[:pieces]:
            crane.carry(body)
    return sum(4 < body.position.x < 8 for body in crane.scrap)


if __name__ == "__main__":
    count = main()
    print(count, "pieces in the bin")
    assert count == 3
