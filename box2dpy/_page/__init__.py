"""Web pages with a world in them: the viewer, and the core compiled for WebAssembly."""
