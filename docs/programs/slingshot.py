"""A slingshot level in JSON: the best of 60 shots, each in a clone of the world, destroys the pigs."""

import json
import math

import box2dpy as b2

level = {
    "version": 1,
    "world": {"gravity": [0, -10]},
    "categories": ["bird", "pig", "block"],
    "bodies": [
        {"type": "static", "name": "ground", "shapes": [{"type": "box", "hx": 40, "hy": 1, "center": [0, -1]}]},
        {
            "type": "dynamic",
            "name": "bird",
            "position": [-15, 1],
            "enabled": False,
            "bullet": True,
            "shapes": [{"type": "circle", "radius": 0.4, "density": 8, "filter": {"category": ["bird"]}}],
        },
    ],
}
for x in (6, 9):
    for dx in (-1, 1):
        level["bodies"].append(
            {
                "type": "dynamic",
                "position": [x + dx, 1],
                "shapes": [{"type": "box", "hx": 0.2, "hy": 1, "color": "brown"}],
            }
        )
    level["bodies"].append(
        {"type": "dynamic", "position": [x, 2.2], "shapes": [{"type": "box", "hx": 1.3, "hy": 0.2, "color": "brown"}]}
    )
    for y in (0.3, 2.7):
        level["bodies"].append(
            {
                "type": "dynamic",
                "name": "pig",
                "data": {"strength": 3},
                "position": [x, y],
                "shapes": [
                    {
                        "type": "circle",
                        "radius": 0.3,
                        "color": "green",
                        "hit_events": True,
                        "filter": {"category": ["pig"]},
                    }
                ],
            }
        )
with open("level.json", "w") as f:
    json.dump(level, f)

world = b2.World.load_level("level.json")


def shoot(world, angle, speed, film=None):
    bird = next(body for body in world.bodies if body.name == "bird")
    bird.enabled = True
    bird.linear_velocity = speed * math.cos(angle), speed * math.sin(angle)
    dead = 0
    for frame in range(300):
        world.step(1 / 60)
        for hit in world.events.contact_hit:
            for shape in (hit.shape_a, hit.shape_b):
                if shape.alive and shape.body.name == "pig" and hit.impulse > shape.body.data["strength"]:
                    shape.body.destroy()
                    dead += 1
        if film and frame % 3 == 0:
            film.add(world)
    return dead


results = {}
for k in range(60):
    angle = 0.05 + 0.015 * k
    with world.clone() as trial:
        results[angle] = shoot(trial, angle, 20)
best = max(results, key=results.get)
print(f"best angle {best:.3f}: {results[best]} of 4 pigs")
with b2.MovieWriter("slingshot.gif", camera=(-17, -1, 17, 12), size=(400, 200), fps=20) as film:
    assert shoot(world, best, 20, film) == results[best]
