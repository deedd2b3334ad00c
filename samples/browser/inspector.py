"""The inspector: every property of the selected object, editable where the engine allows it. It reads the classes, so
it shows a new property of the engine without a change here."""

from __future__ import annotations

import inspect
from functools import cache
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

import box2dpy as b2

if TYPE_CHECKING:
    from .window import Browser

HIDDEN = {
    "data",
    "index",
    "alive",
    "world",
    "name",
    "body",
    "body_a",
    "body_b",
    "shapes",
    "joints",
    "contacts",
    "chains",
    "chain",
    "overlaps",
}


@cache
def attributes(kind: type) -> tuple[tuple[str, bool, str], ...]:
    """Name, whether it can be set, and first line of the documentation, for each property of a handle."""
    found = []
    for name in dir(kind):
        if name.startswith("_") or name in HIDDEN:
            continue
        attribute = inspect.getattr_static(kind, name)
        if not hasattr(type(attribute), "__get__") or inspect.isroutine(attribute):
            continue
        settable = (
            attribute.fset is not None if isinstance(attribute, property) else hasattr(type(attribute), "__set__")
        )
        found.append((name, settable, (inspect.getdoc(attribute) or "").split("\n")[0]))
    return tuple(sorted(found, key=lambda row: (not row[1], row[0])))


def panel(browser: Browser) -> None:
    session = browser.session
    chosen = session.selected
    if chosen is None or not chosen.alive:
        session.selected = None
        imgui.text_wrapped("Click a body, a shape or, with joints drawn, a joint.")
        return
    if isinstance(chosen, b2.Shape):
        shape_panel(browser, chosen)
    elif isinstance(chosen, b2.Body):
        body_panel(browser, chosen)
    else:
        joint_panel(browser, chosen)


def shape_panel(browser: Browser, shape: b2.Shape) -> None:
    body_panel(browser, shape.body, shape)


def body_panel(browser: Browser, body: b2.Body, shape: b2.Shape | None = None) -> None:
    session = browser.session
    imgui.text(f"body {body.index}" + (f"  {body.name}" if body.name else ""))
    browser.mark("inspect body")
    properties(browser, body)
    imgui.separator_text("shapes")
    for each in body.shapes[:20]:
        if each == shape:
            imgui.set_next_item_open(True, imgui.Cond_.appearing)
        if imgui.tree_node(f"{type(each.geometry).__name__.lower()} {each.index}"):
            imgui.text_wrapped(repr(each.geometry).replace("%", "%%"))
            properties(browser, each)
            imgui.tree_pop()
    joints = body.joints
    if joints:
        imgui.separator_text("joints")
        for joint in joints[:30]:
            if imgui.selectable(f"{type(joint).__name__} {joint.index}", False)[0]:
                session.selected = joint
    touching = sum(contact.touching for each in body.shapes[:20] for contact in each.contacts)
    imgui.separator()
    imgui.text(f"{touching} touching contacts")
    if imgui.button("destroy body", imgui.ImVec2(-1, 0)):
        session.release()
        body.destroy()


def joint_panel(browser: Browser, joint: b2.Joint) -> None:
    imgui.text(f"{type(joint).__name__} {joint.index}")
    for name in ("body_a", "body_b"):
        body = getattr(joint, name)
        if imgui.selectable(f"{name}: {body.index}", False)[0]:
            browser.session.selected = body
    properties(browser, joint)
    if imgui.button("destroy joint", imgui.ImVec2(-1, 0)):
        browser.session.release()
        joint.destroy()


def properties(browser: Browser, handle: Any) -> None:
    """Shows a widget for each property."""
    imgui.push_id(f"{type(handle).__name__}{handle.index}")
    separated = False
    for name, settable, meaning in attributes(type(handle)):
        if not settable and not separated:
            separated = True
            imgui.spacing()
        try:
            value = getattr(handle, name)
        except Exception:  # this type of joint does not have the property
            continue
        changed, new = widget(name, value, settable)
        browser.mark(f"inspect {type(handle).__name__} {name}")
        if meaning and imgui.is_item_hovered(imgui.HoveredFlags_.delay_normal):
            imgui.set_item_tooltip(meaning.replace("%", "%%"))
        if changed:
            try:
                setattr(handle, name, new)
            except (ValueError, TypeError, b2.Box2DError) as error:
                browser.session.message = str(error)
        if not handle.alive:
            break
    imgui.pop_id()


def widget(name: str, value: Any, settable: bool) -> tuple[bool, Any]:
    label = name.replace("_", " ")
    if isinstance(value, b2.BodyType):
        names = [kind.name.lower() for kind in b2.BodyType]
        changed, number = imgui.combo(label, names.index(value.name.lower()), names)
        return changed, names[number]
    if not settable:
        imgui.text_disabled(f"{label}: {short(value)}")
        return False, value
    if isinstance(value, bool):
        return imgui.checkbox(label, value)
    if name == "color":
        parts = [(value >> shift & 255) / 255 for shift in (16, 8, 0)]
        changed, parts = imgui.color_edit3(label, parts, imgui.ColorEditFlags_.no_inputs)
        return changed, sum(round(255 * part) << shift for part, shift in zip(parts, (16, 8, 0), strict=True))
    if isinstance(value, int):
        return imgui.drag_int(label, value)
    if isinstance(value, float):
        return imgui.drag_float(label, value, max(0.005 * abs(value), 0.005), 0, 0, "%.6g")
    if isinstance(value, b2.Vec2):
        changed, pair = imgui.drag_float2(label, list(value), 0.02, 0, 0, "%.6g")
        return changed, tuple(pair)
    imgui.text_disabled(f"{label}: {short(value)}")
    return False, value


def short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.5g}"
    if isinstance(value, tuple) and all(isinstance(part, float) for part in value):
        return "(" + ", ".join(f"{part:.6g}" for part in value) + ")"
    text = str(value)
    return text if len(text) < 60 else text[:57] + "..."
