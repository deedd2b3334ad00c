"""The look of the interface: fonts, colours, icons, and sizes that follow one scale."""

from __future__ import annotations

from pathlib import Path

import imgui_bundle
from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

FONTS = Path(imgui_bundle.__file__).parent / "assets" / "fonts"
TEXT_SIZE = 15.0

ICONS = {
    "previous": fa.ICON_FA_ARROW_LEFT,
    "restart": fa.ICON_FA_ROTATE_LEFT,
    "play": fa.ICON_FA_PLAY,
    "pause": fa.ICON_FA_PAUSE,
    "step": fa.ICON_FA_FORWARD_STEP,
    "next": fa.ICON_FA_ARROW_RIGHT,
    "camera": fa.ICON_FA_CAMERA,
    "record": fa.ICON_FA_CIRCLE_DOT,
    "stop": fa.ICON_FA_STOP,
    "panel": fa.ICON_FA_CHART_AREA,
    "help": fa.ICON_FA_CIRCLE_QUESTION,
    "bomb": fa.ICON_FA_BOMB,
    "home": fa.ICON_FA_HOUSE,
    "search": fa.ICON_FA_MAGNIFYING_GLASS,
    "copy": fa.ICON_FA_COPY,
    "list": fa.ICON_FA_BARS,
    "sliders": fa.ICON_FA_SLIDERS,
    "theme": fa.ICON_FA_CIRCLE_HALF_STROKE,
}


def color(code: int, alpha: float = 1.0) -> imgui.ImVec4:
    return imgui.ImVec4((code >> 16 & 255) / 255, (code >> 8 & 255) / 255, (code & 255) / 255, alpha)


def u32(code: int, alpha: float = 1.0) -> int:
    return int(imgui.color_convert_float4_to_u32(color(code, alpha)))


PALETTES: dict[str, dict[str, tuple[int, float]]] = {}
PALETTES["dark"] = {
    "text": (0xE6E6E0, 1.0),
    "text_disabled": (0x8A929C, 1.0),
    "window_bg": (0x1D2129, 0.94),
    "popup_bg": (0x232832, 0.98),
    "border": (0x39414D, 0.8),
    "frame_bg": (0x2B313C, 1.0),
    "frame_bg_hovered": (0x363E4B, 1.0),
    "frame_bg_active": (0x3F4857, 1.0),
    "title_bg": (0x1D2129, 1.0),
    "title_bg_active": (0x262C36, 1.0),
    "button": (0x303845, 1.0),
    "button_hovered": (0x3E4A5C, 1.0),
    "button_active": (0x4C8FE5, 1.0),
    "header": (0x33507A, 0.9),
    "header_hovered": (0x3A4453, 1.0),
    "header_active": (0x4C8FE5, 1.0),
    "slider_grab": (0x4C8FE5, 1.0),
    "slider_grab_active": (0x7FB2F5, 1.0),
    "check_mark": (0x7FB2F5, 1.0),
    "checkbox_selected_bg": (0x2B313C, 1.0),
    "tab": (0x262C36, 1.0),
    "tab_hovered": (0x4C8FE5, 0.8),
    "tab_selected": (0x33507A, 1.0),
    "separator": (0x39414D, 1.0),
    "plot_histogram": (0xE2B35B, 1.0),
    "scrollbar_bg": (0x1D2129, 0.0),
    "scrollbar_grab": (0x3A4250, 1.0),
    "table_header_bg": (0x262C36, 1.0),
    "table_row_bg_alt": (0xFFFFFF, 0.03),
    "nav_cursor": (0x7FB2F5, 1.0),
    "text_selected_bg": (0x4C8FE5, 0.4),
}
PALETTES["light"] = {
    "text": (0x23272E, 1.0),
    "text_disabled": (0x6A727C, 1.0),
    "window_bg": (0xFBFAF7, 0.95),
    "popup_bg": (0xFFFFFF, 0.98),
    "border": (0xC9CCD1, 0.9),
    "frame_bg": (0xE7E8EA, 1.0),
    "frame_bg_hovered": (0xDADDE2, 1.0),
    "frame_bg_active": (0xCBD2DC, 1.0),
    "title_bg": (0xEDEDEA, 1.0),
    "title_bg_active": (0xE2E4E6, 1.0),
    "button": (0xE1E4E8, 1.0),
    "button_hovered": (0xCED6E0, 1.0),
    "button_active": (0x7FB2F5, 1.0),
    "header": (0xBFD5F2, 0.9),
    "header_hovered": (0xDCE3EC, 1.0),
    "header_active": (0x7FB2F5, 1.0),
    "slider_grab": (0x3F7FD0, 1.0),
    "slider_grab_active": (0x2C66B0, 1.0),
    "check_mark": (0x2C66B0, 1.0),
    "checkbox_selected_bg": (0xD6E3F5, 1.0),
    "tab": (0xE2E4E6, 1.0),
    "tab_hovered": (0xA9C8F0, 1.0),
    "tab_selected": (0xBFD5F2, 1.0),
    "separator": (0xC9CCD1, 1.0),
    "plot_histogram": (0xC28A1E, 1.0),
    "scrollbar_bg": (0xFBFAF7, 0.0),
    "scrollbar_grab": (0xC3C8CF, 1.0),
    "table_header_bg": (0xE2E4E6, 1.0),
    "table_row_bg_alt": (0x000000, 0.03),
    "nav_cursor": (0x2C66B0, 1.0),
    "text_selected_bg": (0x4C8FE5, 0.35),
}
CODE = {  # the colours of code by theme
    "dark": {"keyword": 0xE4876F, "string": 0x8FC57A, "comment": 0x8A929C, "number": 0xE2B35B, "name": 0x7FB2F5},
    "light": {"keyword": 0xA63D22, "string": 0x3C7A25, "comment": 0x7A828C, "number": 0x8A5A00, "name": 0x2C66B0},
}
ACCENTS = {"dark": {"key": 0x7FB2F5, "notice": 0xF2BF66}, "light": {"key": 0x2C66B0, "notice": 0x9A5B00}}
_now = {"theme": "dark"}
_fonts: dict[str, imgui.ImFont] = {}


def accent(name: str) -> imgui.ImVec4:
    """A colour of texts that stand out: of a "key" or of a "notice"."""
    return color(ACCENTS[_now["theme"]][name])


def code_color(name: str) -> imgui.ImVec4:
    """The colour of a part of code."""
    found = CODE[_now["theme"]].get(name)
    return imgui.get_style_color_vec4(imgui.Col_.text) if found is None else color(found)


def mono() -> imgui.ImFont:
    """The monospaced font, or the usual one where its file is missing."""
    return _fonts.get("mono") or imgui.get_font()


def load_fonts() -> None:
    """Loads text and icons into one font, or the default font where the files are missing."""
    fonts = imgui.get_io().fonts
    text, icons = FONTS / "Roboto" / "Roboto-Regular.ttf", FONTS / "Font_Awesome_6_Free-Solid-900.otf"
    if not text.exists():
        fonts.add_font_default()
        return
    fonts.add_font_from_file_ttf(str(text), TEXT_SIZE)
    if icons.exists():
        merged = imgui.ImFontConfig()
        merged.merge_mode = True
        fonts.add_font_from_file_ttf(str(icons), TEXT_SIZE - 2, merged)
    mono_file = FONTS / "Inconsolata-Medium.ttf"
    if mono_file.exists():
        _fonts["mono"] = fonts.add_font_from_file_ttf(str(mono_file), TEXT_SIZE)


def apply(scale: float, theme: str) -> None:
    """Sets colours and sizes for a scale between 1 and 2, and a theme, "dark" or "light"."""
    style = imgui.Style()
    _now["theme"] = theme
    palette = PALETTES[theme]
    for name, (code, alpha) in palette.items():
        style.set_color_(getattr(imgui.Col_, name), color(code, alpha))
    style.window_rounding, style.frame_rounding, style.grab_rounding, style.popup_rounding, style.tab_rounding = (
        7,
        5,
        5,
        6,
        5,
    )
    style.window_padding, style.frame_padding, style.item_spacing = (
        imgui.ImVec2(10, 9),
        imgui.ImVec2(7, 4),
        imgui.ImVec2(7, 6),
    )
    style.scrollbar_size, style.grab_min_size, style.indent_spacing = 11, 10, 20
    style.window_border_size = 1
    style.font_size_base = TEXT_SIZE
    style.scale_all_sizes(scale)
    style.font_scale_main = scale
    current = imgui.get_style()
    for name in dir(style):
        if not name.startswith("_") and not callable(getattr(style, name)):
            setattr(current, name, getattr(style, name))
    for name in palette:
        place = getattr(imgui.Col_, name)
        current.set_color_(place, style.color_(place))
