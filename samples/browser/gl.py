"""The part of OpenGL 3.3 that the browser needs, over the raw calls of pyglet: programs, and buffers for numpy
arrays."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from pyglet import gl

Error = RuntimeError


def _compile(kind: int, source: str) -> int:
    shader = gl.glCreateShader(kind)
    text = source.encode()
    pointer = ctypes.cast(ctypes.pointer(ctypes.c_char_p(text)), ctypes.POINTER(ctypes.POINTER(ctypes.c_char)))
    gl.glShaderSource(shader, 1, pointer, ctypes.byref(ctypes.c_int(len(text))))
    gl.glCompileShader(shader)
    done = ctypes.c_int()
    gl.glGetShaderiv(shader, gl.GL_COMPILE_STATUS, ctypes.byref(done))
    if not done.value:
        log = ctypes.create_string_buffer(4096)
        gl.glGetShaderInfoLog(shader, 4096, None, log)
        raise Error(f"a shader does not compile: {log.value.decode(errors='replace')}")
    return int(shader)


class Program:
    """A linked shader program. Uniforms are set by name."""

    def __init__(self, vertex: str, fragment: str) -> None:
        self.id = gl.glCreateProgram()
        for kind, source in ((gl.GL_VERTEX_SHADER, vertex), (gl.GL_FRAGMENT_SHADER, fragment)):
            shader = _compile(kind, source)
            gl.glAttachShader(self.id, shader)
            gl.glDeleteShader(shader)
        gl.glLinkProgram(self.id)
        done = ctypes.c_int()
        gl.glGetProgramiv(self.id, gl.GL_LINK_STATUS, ctypes.byref(done))
        if not done.value:
            raise Error("a program does not link")
        self.places: dict[str, int] = {}

    def use(self, **uniforms: Any) -> None:
        """Makes the program current and sets uniforms: floats, pairs and integers."""
        gl.glUseProgram(self.id)
        for name, value in uniforms.items():
            place = self.places.get(name)
            if place is None:
                place = self.places[name] = gl.glGetUniformLocation(self.id, name.encode())
            if isinstance(value, tuple):
                gl.glUniform2f(place, *value)
            elif isinstance(value, int):
                gl.glUniform1i(place, value)
            else:
                gl.glUniform1f(place, value)

    def delete(self) -> None:
        gl.glDeleteProgram(self.id)


class Buffer:
    """GL memory that arrays are copied into. It grows when needed and is orphaned before each upload, so an upload
    never waits for the last picture."""

    def __init__(self, target: int = gl.GL_ARRAY_BUFFER) -> None:
        self.target, self.room = target, 0
        name = ctypes.c_uint()
        gl.glGenBuffers(1, ctypes.byref(name))
        self.id = name.value

    def set(self, data: np.ndarray) -> None:
        """Copies a C-contiguous array into the buffer."""
        size = data.nbytes
        gl.glBindBuffer(self.target, self.id)
        if size > self.room:
            self.room = size + size // 4
        gl.glBufferData(self.target, max(self.room, 16), None, gl.GL_STREAM_DRAW)
        if size:
            gl.glBufferSubData(self.target, 0, size, data.ctypes.data_as(ctypes.c_void_p))

    def delete(self) -> None:
        gl.glDeleteBuffers(1, ctypes.byref(ctypes.c_uint(self.id)))


class Layout:
    """A vertex array: it assigns a buffer to each attribute. `divisor` 1 advances once for each instance."""

    def __init__(self) -> None:
        name = ctypes.c_uint()
        gl.glGenVertexArrays(1, ctypes.byref(name))
        self.id = name.value

    def attribute(
        self,
        place: int,
        buffer: Buffer,
        size: int,
        kind: int,
        stride: int,
        offset: int = 0,
        *,
        divisor: int = 1,
        normal: bool = False,
    ) -> None:
        gl.glBindVertexArray(self.id)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, buffer.id)
        gl.glEnableVertexAttribArray(place)
        start = ctypes.c_void_p(offset)
        if kind == gl.GL_INT:
            gl.glVertexAttribIPointer(place, size, kind, stride, start)
        else:
            gl.glVertexAttribPointer(place, size, kind, gl.GL_TRUE if normal else gl.GL_FALSE, stride, start)
        gl.glVertexAttribDivisor(place, divisor)

    def draw(self, instances: int) -> None:
        """Draws one quad for each instance."""
        gl.glBindVertexArray(self.id)
        gl.glDrawArraysInstanced(gl.GL_TRIANGLE_STRIP, 0, 4, instances)

    def triangles(self, count: int) -> None:
        gl.glBindVertexArray(self.id)
        gl.glDrawArrays(gl.GL_TRIANGLES, 0, count)

    def delete(self) -> None:
        gl.glDeleteVertexArrays(1, ctypes.byref(ctypes.c_uint(self.id)))


class Rows:
    """A buffer texture that shaders read by index: four floats in each row."""

    def __init__(self) -> None:
        self.buffer = Buffer(gl.GL_TEXTURE_BUFFER)
        name = ctypes.c_uint()
        gl.glGenTextures(1, ctypes.byref(name))
        self.id = name.value

    def set(self, data: np.ndarray) -> None:
        self.buffer.set(data)
        gl.glActiveTexture(gl.GL_TEXTURE0)
        gl.glBindTexture(gl.GL_TEXTURE_BUFFER, self.id)
        gl.glTexBuffer(gl.GL_TEXTURE_BUFFER, gl.GL_RGBA32F, self.buffer.id)

    def delete(self) -> None:
        gl.glDeleteTextures(1, ctypes.byref(ctypes.c_uint(self.id)))
        self.buffer.delete()


def blend() -> None:
    """The blending state for everything that is drawn here."""
    gl.glEnable(gl.GL_BLEND)
    gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
    gl.glDisable(gl.GL_DEPTH_TEST)
    gl.glDisable(gl.GL_CULL_FACE)
