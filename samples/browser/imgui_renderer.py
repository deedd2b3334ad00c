"""The pyglet backend of imgui-bundle with a faster `render`: it uses raw calls and does not save the GL state, because
every frame sets it anew."""

from __future__ import annotations

import ctypes
from typing import Any

from imgui_bundle import imgui
from imgui_bundle.python_backends.pyglet_backend import PygletProgrammablePipelineRenderer
from pyglet import gl


class Renderer(PygletProgrammablePipelineRenderer):  # type: ignore[misc]
    """Draws the interface. Events, fonts and textures are handled by the backend."""

    def render(self, draw_data: Any) -> None:
        self._update_textures()
        io = self.io
        wide, high = io.display_size
        across, down = io.display_framebuffer_scale
        width, height = int(wide * across), int(high * down)
        if not width or not height:
            return
        draw_data.scale_clip_rects(io.display_framebuffer_scale)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glEnable(gl.GL_SCISSOR_TEST)
        gl.glActiveTexture(gl.GL_TEXTURE0)
        gl.glViewport(0, 0, width, height)
        flat = (ctypes.c_float * 16)(2 / wide, 0, 0, 0, 0, -2 / high, 0, 0, 0, 0, -1, 0, -1, 1, 0, 1)
        gl.glUseProgram(self._shader_handle)
        gl.glUniform1i(self._attrib_location_tex, 0)
        gl.glUniformMatrix4fv(self._attrib_proj_mtx, 1, gl.GL_FALSE, flat)
        gl.glBindVertexArray(self._vao_handle)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._vbo_handle)
        gl.glBindBuffer(gl.GL_ELEMENT_ARRAY_BUFFER, self._elements_handle)
        kind = gl.GL_UNSIGNED_SHORT if imgui.INDEX_SIZE == 2 else gl.GL_UNSIGNED_INT
        for part in draw_data.cmd_lists:
            for target, buffer, size in (
                (gl.GL_ARRAY_BUFFER, part.vtx_buffer, imgui.VERTEX_SIZE),
                (gl.GL_ELEMENT_ARRAY_BUFFER, part.idx_buffer, imgui.INDEX_SIZE),
            ):
                gl.glBufferData(target, buffer.size() * size, ctypes.c_void_p(buffer.data_address()), gl.GL_STREAM_DRAW)
            for command in part.cmd_buffer:
                left, top, right, bottom = command.clip_rect
                if right <= left or bottom <= top:
                    continue
                gl.glBindTexture(gl.GL_TEXTURE_2D, command.tex_ref.get_tex_id())
                gl.glScissor(int(left), int(height - bottom), int(right - left), int(bottom - top))
                gl.glDrawElements(
                    gl.GL_TRIANGLES, command.elem_count, kind, ctypes.c_void_p(command.idx_offset * imgui.INDEX_SIZE)
                )
        gl.glDisable(gl.GL_SCISSOR_TEST)
        self._handle_mouse_cursor()
