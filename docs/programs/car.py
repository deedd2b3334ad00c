"""A car that drives over hills: a chain as terrain, wheel joints, a trailer on a hinge, and a film.

Run it to write car.gif. The driver is a small controller: full throttle on the flat, brake when the car points to the
sky. The car has a motor on both axles and a low centre of mass, so that it does not stand up when it starts.
"""

import math

import box2dpy as b2

TOP_SPEED = 30.0  # rad/s of the wheels
TORQUE = 420.0  # N m on each axle
PARTS = b2.Filter(group=-1)  # the parts of the car do not collide with each other


def hill(x):
    return 0.0 if x < 8 else 1.1 * math.sin(0.45 * (x - 8)) * min((x - 8) / 20, 1.0)


def build_terrain(world):
    """A chain is solid on the right of its direction: a ground goes from right to left."""
    points = [(float(x), hill(x)) for x in range(140, -21, -1)]
    ground = world.create_static_body()
    ground.create_chain(points, friction=0.9)
    for x in (30, 31.1, 32.2):  # crates to drive into
        crate = world.create_dynamic_body((x, hill(x) + 1.0))
        crate.create_shape(b2.Box(0.4, 0.4), density=5)
    return ground


class Car:
    def __init__(self, world, x=0.0):
        self.chassis = world.create_dynamic_body((x, 1.0))
        outline = [(-1.6, -0.35), (1.6, -0.35), (1.6, 0.05), (0.1, 0.6), (-0.9, 0.6), (-1.6, 0.2)]
        self.chassis.create_shape(b2.Polygon(outline), density=60, filter=PARTS, color=0xC83C32)
        self.chassis.create_shape(b2.Box(1.2, 0.1, center=(0, -0.4)), density=500, filter=PARTS, color=0x802018)
        self.axles = [self.axle(world, x + side) for side in (-1.1, 1.1)]
        self.trailer = self.hitch(world, x)

    def wheel(self, world, x):
        wheel = world.create_dynamic_body((x, 0.45), allow_fast_rotation=True)
        wheel.create_shape(b2.Circle(0.42), density=60, friction=1.4, rolling_resistance=0.01, filter=PARTS)
        return wheel

    def axle(self, world, x):
        return world.create_wheel_joint(
            self.chassis, self.wheel(world, x), anchor=(x, 0.45), axis=(0, 1), hertz=4, damping_ratio=0.7,
            lower_translation=-0.2, upper_translation=0.2, motor_speed=0.0, max_motor_torque=TORQUE,
        )  # fmt: skip

    def hitch(self, world, x):
        trailer = world.create_dynamic_body((x - 3.4, 0.95))
        trailer.create_shape(b2.Box(1.0, 0.08), density=60, filter=PARTS)
        trailer.create_shape(b2.Box(0.7, 0.06, center=(0.9, -0.1)), density=60, filter=PARTS)  # the drawbar
        for side in (-0.95, 0.95):
            trailer.create_shape(b2.Box(0.05, 0.3, center=(side, 0.35)), density=60, friction=0.9)
        world.create_wheel_joint(
            trailer, self.wheel(world, x - 3.4), anchor=(x - 3.4, 0.45), axis=(0, 1), hertz=5, damping_ratio=0.7,
            lower_translation=-0.15, upper_translation=0.15,
        )  # fmt: skip
        world.create_revolute_joint(self.chassis, trailer, anchor=(x - 1.8, 0.85), lower_angle=-0.6, upper_angle=0.6)
        for k in range(3):
            cargo = world.create_dynamic_body((x - 3.9 + 0.5 * k, 1.3))
            cargo.create_shape(b2.Box(0.22, 0.22), density=30, friction=0.8)
        return trailer

    def drive(self, throttle):
        """From -1, backwards, to 1. A motor turns a wheel clockwise with a negative speed."""
        for axle in self.axles:
            axle.motor_speed = -TOP_SPEED * throttle

    @property
    def speed(self):
        return self.chassis.linear_velocity.x


def driver(car, step):
    """Starts slowly, and lets off when the nose rises."""
    gentle = min(step / 90, 1.0)
    return 0.0 if car.chassis.angle > 0.7 else gentle * (0.6 if car.speed > 9 else 1.0)


def main(path="car.gif", frames=120):
    world = b2.World(gravity=(0, -10))
    build_terrain(world)
    car = Car(world)
    camera = b2.FollowCamera(car.chassis, width=16, offset=(2, 1), smoothing=0.6)

    def before_step(step):
        car.drive(driver(car, step))

    def dashboard(draw):
        draw.text(car.chassis.position + (-5, 3.5), f"{3.6 * abs(car.speed):.0f} km/h")

    world.save_gif(path, frames, camera=camera, size=(480, 260), fps=15, before_step=before_step, draw=dashboard)
    return car


if __name__ == "__main__":
    car = main()
    print(f"drove {car.chassis.position.x:.0f} m, now {3.6 * car.speed:.0f} km/h, angle {car.chassis.angle:.2f} rad")
