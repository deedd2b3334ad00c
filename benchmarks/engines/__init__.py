"""The engines: box2dpy, the peers, Box2D's own program; runs of scenes on them, and the comparison of the results."""
