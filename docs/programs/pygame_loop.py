"""A sandbox in a window of pygame: the mouse pulls bodies, and keys create and destroy them.

    left button   pull a body        right button   create a box
    b             create ten balls   e              explosion under the mouse
    space         pause              r              start again
    Escape        quit

`main(frames)` ends after a number of frames; without it the loop runs until the window is closed.
"""

import random
import sys

import pygame

import box2dpy as b2
import box2dpy.pygame

CAMERA = (-12, -1, 12, 13)  # left, bottom, right, top in metres
SIZE = (960, 560)


def build():
    world = b2.World(gravity=(0, -10))
    room = world.create_static_body()
    walls = [(-12, -0.5), (-12, 13), (12, 13), (12, -0.5)]  # clockwise: solid inside
    room.create_chain(walls, loop=True, friction=0.7)
    for row in range(8):
        for column in range(8 - row):
            box = world.create_dynamic_body((1.1 * (column + 0.5 * row) - 4, 0.0 + 1.0 * row))
            box.create_shape(b2.Box(0.48, 0.48))
    return world


class Sandbox:
    def __init__(self):
        self.random = random.Random(1)
        self.paused = False
        self.restart()

    def restart(self):
        self.world = build()
        self.stepper = b2.FixedStepper(self.world, dt=1 / 60)
        self.view = b2.View(CAMERA, *SIZE)
        self.drag = None

    def handle(self, event):
        """One event; returns False to quit."""
        if event.type == pygame.QUIT:
            return False
        if event.type == pygame.KEYDOWN:
            return self.key(event.key)
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self.drag = b2.MouseDrag(self.world, self.view.to_world(event.pos), reach=0.2)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 3:
            self.create(b2.Box(0.5, 0.5), self.view.to_world(event.pos))
        elif event.type == pygame.MOUSEMOTION and self.drag:
            self.drag.move(self.view.to_world(event.pos))
        elif event.type == pygame.MOUSEBUTTONUP and self.drag:
            self.drag.release()
            self.drag = None
        return True

    def key(self, key):
        mouse = self.view.to_world(pygame.mouse.get_pos())
        if key == pygame.K_b:
            for _ in range(10):
                place = (self.random.uniform(-8, 8), self.random.uniform(9, 12))
                self.create(b2.Circle(self.random.uniform(0.2, 0.5)), place)
        elif key == pygame.K_e:
            self.world.explode(mouse, radius=2, falloff=3, impulse_per_length=10)
        elif key == pygame.K_SPACE:
            self.paused = not self.paused
        elif key == pygame.K_r:
            self.restart()
        return key != pygame.K_ESCAPE

    def create(self, geometry, place):
        body = self.world.create_dynamic_body(place)
        body.create_shape(geometry, restitution=0.2)

    def frame(self, surface, elapsed):
        """Steps and draws; bodies are drawn between two steps, so that they move evenly."""
        if not self.paused:
            self.stepper.advance(elapsed)
        surface.fill("white")
        draw = b2.DrawList()
        if self.drag and self.drag.body is not None:
            draw.line(self.drag.anchor, self.drag.point, "red")
        draw.text((-11.5, 12.2), f"{len(self.world.bodies)} bodies, {self.world.profile.step:.2f} ms a step")
        self.view = box2dpy.pygame.draw(surface, self.world, CAMERA, stepper=self.stepper, draw=draw)


def main(frames=None):
    pygame.init()
    screen = pygame.display.set_mode(SIZE)
    pygame.display.set_caption("box2dpy")
    clock, sandbox, shown, running = pygame.time.Clock(), Sandbox(), 0, True
    while running and shown != frames:
        for event in pygame.event.get():
            running = sandbox.handle(event) and running
        sandbox.frame(screen, clock.tick(60) / 1000)
        pygame.display.flip()
        shown += 1
    pygame.quit()
    return sandbox


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else None)
