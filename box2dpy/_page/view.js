"use strict";
// view.js - the viewer of both pages: camera, drawing, input. recorded.js and live.js give it frames and use its input.
//
// A frame has the columns x, y, cos, sin and flags by body. A shape has its body, its border in body coordinates, its
// colour and the numbers of the frames in which it exists. Up to MOST_ON_CANVAS bodies are drawn with paths of a
// canvas, more of them with WebGL, where the browser has it.
const data = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);
const canvas = element("scene"), context = canvas.getContext("2d");
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8];
const LIVING = 4, AWAKE = 8, ENABLED = 16, STATIC = 0, KINEMATIC = 1; // bits of the flags; the lowest two are a type
const MOST_ON_CANVAS = 2000;

// ---- bytes

const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const through = async (bytes, stream) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
const inflate = (text) => through(bytesOf(text), new DecompressionStream("deflate"));

function problem(text, film) {
  const box = element("problem");
  box.textContent = text;
  if (film) {
    const image = box.insertBefore(document.createElement("img"), box.firstChild);
    image.setAttribute("src", film);
    image.alt = document.title;
  }
  box.hidden = false;
}

// ---- the camera

const camera = { x: 0, y: 0, scale: 1 }; // centre in metres, pixels in a metre
let followed = -1, home = [-1, -1, 1, 1], nameOf = (body) => `body ${body}`;

function fit() {
  const [left, bottom, right, top] = home;
  camera.x = (left + right) / 2;
  camera.y = (bottom + top) / 2;
  camera.scale = Math.min(canvas.width / (right - left), canvas.height / (top - bottom));
  follow(-1);
}
function follow(body) {
  followed = body;
  element("following").textContent = body < 0 ? "" : `following ${nameOf(body)} (Esc ends it)`;
}
const metres = (event) => {
  const box = canvas.getBoundingClientRect(), ratio = canvas.width / box.width;
  return {
    x: camera.x + ((event.clientX - box.left) * ratio - canvas.width / 2) / camera.scale,
    y: camera.y - ((event.clientY - box.top) * ratio - canvas.height / 2) / camera.scale,
  };
};
function zoom(factor, point) {
  const before = camera.scale;
  camera.scale = Math.min(Math.max(camera.scale * factor, 1e-3), 1e6);
  const part = 1 - before / camera.scale;
  camera.x += (point.x - camera.x) * part;
  camera.y += (point.y - camera.y) * part;
}

// ---- colours

let theme;
const mix = (a, b, part) => {
  const channel = (shift) => Math.round((a >> shift & 255) * (1 - part) + (b >> shift & 255) * part) << shift;
  return channel(16) | channel(8) | channel(0);
};
const css = (color, alpha) => `rgba(${color >> 16 & 255},${color >> 8 & 255},${color & 255},${alpha})`;
const isNear = (a, b) => [16, 8, 0].every((shift) => Math.abs((a >> shift & 255) - (b >> shift & 255)) < 40);

function setTheme(name) {
  theme = data.themes[name];
  theme.name = name;
  document.documentElement.classList.toggle("light", name === "light");
  element("theme").textContent = name === "light" ? "Dark" : "Light";
  if (gl) gl.list = null;
}

// The colour of a shape while its body has these flags: shapes of one look are drawn together.
function lookOf(shape, flags) {
  const type = flags & 3;
  let color = shape.color;
  if (color >= 0 && isNear(color, theme.background)) color = theme.ink;
  if (color < 0) color = type === STATIC ? theme.static : type === KINEMATIC ? theme.kinematic : theme.kinds[shape.kind];
  if (type !== STATIC && !(flags & AWAKE)) color = mix(color, theme.asleep, 0.45);
  return color * 4 + (shape.sensor ? 2 : flags & ENABLED ? 0 : 1);
}
const ALPHA = [1, 0.35, 0.25];

// ---- frames

// Poses between two frames; a body that only one of them has stays where it is.
function between(a, b, part) {
  if (!(part > 0)) return a;
  const n = a.flags.length, out = { flags: a.flags };
  for (const name of ["x", "y", "cos", "sin"]) out[name] = a[name].slice();
  for (let k = 0; k < Math.min(n, b.flags.length); k++) {
    if (!(a.flags[k] & b.flags[k] & LIVING)) continue;
    out.x[k] += part * (b.x[k] - a.x[k]);
    out.y[k] += part * (b.y[k] - a.y[k]);
    const cos = a.cos[k] + part * (b.cos[k] - a.cos[k]), sin = a.sin[k] + part * (b.sin[k] - a.sin[k]);
    const length = Math.hypot(cos, sin);
    if (length > 1e-6) [out.cos[k], out.sin[k]] = [cos / length, sin / length];
  }
  return out;
}

let shown = null, gl = null; // the frame on the screen; the painter for many bodies
const isAlive = (frame, body) => body < frame.flags.length && (frame.flags[body] & LIVING) !== 0;
const exists = (row, number) => number >= row.since && number < row.until;

// `objects` has shapes and joints; `number` says which of them exist.
function draw(frame, objects, number) {
  if (followed >= 0 && isAlive(frame, followed)) [camera.x, camera.y] = [frame.x[followed], frame.y[followed]];
  const many = frame.flags.length > MOST_ON_CANVAS;
  if (many && gl === null) gl = painter(element("shapes"));
  const useGl = many && gl;
  element("shapes").hidden = !useGl;
  context.setTransform(1, 0, 0, 1, 0, 0);
  if (useGl) {
    context.clearRect(0, 0, canvas.width, canvas.height);
    gl.draw(frame, objects.shapes, number);
  } else {
    context.fillStyle = css(theme.background, 1);
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  const s = camera.scale;
  context.setTransform(s, 0, 0, -s, canvas.width / 2 - s * camera.x, canvas.height / 2 + s * camera.y);
  context.lineWidth = 1.2 * (window.devicePixelRatio || 1) / s;
  if (!useGl) drawShapes(frame, objects.shapes, number);
  drawJoints(frame, objects.joints, number);
  shown = { number, frame };
}

function drawShapes(frame, shapes, number) {
  const paths = new Map();
  for (const shape of shapes) {
    const k = shape.body;
    if (!exists(shape, number) || !isAlive(frame, k)) continue;
    const key = lookOf(shape, frame.flags[k]), { points, radius } = shape.form;
    let path = paths.get(key);
    if (!path) paths.set(key, path = new Path2D());
    const x = frame.x[k], y = frame.y[k], cos = frame.cos[k], sin = frame.sin[k];
    for (let p = 0; p < points.length; p += 2) {
      const px = x + cos * points[p] - sin * points[p + 1], py = y + sin * points[p] + cos * points[p + 1];
      if (radius > 0) { // the spoke shows how it turns
        const turn = Math.atan2(sin, cos);
        path.moveTo(px + radius * cos, py + radius * sin);
        path.arc(px, py, radius, turn, turn + 2 * Math.PI);
        path.lineTo(px, py);
        path.lineTo(px + radius * cos, py + radius * sin);
      } else if (p === 0) path.moveTo(px, py);
      else path.lineTo(px, py);
    }
    if (points.length > 4) path.closePath();
  }
  for (const [key, path] of paths) {
    const color = key >> 2, alpha = ALPHA[key & 3];
    context.fillStyle = css(mix(0, color, theme.fill), alpha);
    context.fill(path);
    context.strokeStyle = css(mix(0, color, theme.edge), alpha);
    context.stroke(path);
  }
}

function drawJoints(frame, joints, number) {
  const path = new Path2D();
  for (const joint of joints) {
    const a = joint.body_a, b = joint.body_b, [ax, ay, bx, by] = joint.anchors;
    if (!exists(joint, number) || !isAlive(frame, a) || !isAlive(frame, b)) continue;
    path.moveTo(frame.x[a] + frame.cos[a] * ax - frame.sin[a] * ay, frame.y[a] + frame.sin[a] * ax + frame.cos[a] * ay);
    path.lineTo(frame.x[b] + frame.cos[b] * bx - frame.sin[b] * by, frame.y[b] + frame.sin[b] * bx + frame.cos[b] * by);
    path.lineTo(frame.x[b], frame.y[b]);
  }
  context.strokeStyle = css(theme.ink, 0.5);
  context.stroke(path);
}

// ---- many bodies: borders stay in the memory of the graphics card, only poses and flags go there for each picture

const VERTEX = `#version 300 es
in vec2 place;
in uvec2 paint; // body; colour, with its kind in the highest bits
uniform sampler2D poses;
uniform highp usampler2D flags;
uniform vec2 scale;
uniform vec3 fixedColor, drivenColor, asleepColor;
uniform float shade;
flat out vec4 color;
void main() {
  ivec2 at = ivec2(int(paint.x) & 1023, int(paint.x) >> 10);
  vec4 pose = texelFetch(poses, at, 0);
  uint flag = texelFetch(flags, at, 0).r, kind = paint.y >> 24;
  vec3 own = vec3(paint.y >> 16 & 255u, paint.y >> 8 & 255u, paint.y & 255u) / 255.0;
  if ((kind & 1u) == 0u && (flag & 3u) == 0u) own = fixedColor;
  if ((kind & 1u) == 0u && (flag & 3u) == 1u) own = drivenColor;
  if ((flag & 3u) != 0u && (flag & 8u) == 0u) own = mix(own, asleepColor, 0.45);
  float alpha = (kind & 2u) != 0u ? 0.25 : (flag & 16u) != 0u ? 1.0 : 0.35;
  color = vec4(own * shade * alpha, alpha);
  vec2 point = pose.xy + vec2(pose.z * place.x - pose.w * place.y, pose.w * place.x + pose.z * place.y);
  gl_Position = vec4((flag & 4u) == 0u ? vec2(3.0) : point * scale, 0.0, 1.0);
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
flat in vec4 color;
out vec4 pixel;
void main() { pixel = color; }`;
const ROW = 1024; // texels in a row of the textures

function painter(target) {
  const g = target.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
  if (!g) return undefined;
  const program = g.createProgram();
  for (const [kind, text] of [[g.VERTEX_SHADER, VERTEX], [g.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = g.createShader(kind);
    g.shaderSource(shader, text);
    g.compileShader(shader);
    g.attachShader(program, shader);
  }
  g.linkProgram(program);
  if (!g.getProgramParameter(program, g.LINK_STATUS)) return undefined;
  g.useProgram(program);
  const at = (name) => g.getUniformLocation(program, name), rgb = (c) => [c >> 16, c >> 8 & 255, c & 255].map((v) => v / 255);
  const lists = ["TRIANGLES", "LINES"].map((mode) => ({ mode: g[mode], array: g.createVertexArray(), buffer: g.createBuffer(), count: 0 }));
  for (const { array, buffer } of lists) {
    const place = g.getAttribLocation(program, "place"), paint = g.getAttribLocation(program, "paint");
    g.bindVertexArray(array);
    g.bindBuffer(g.ARRAY_BUFFER, buffer);
    g.enableVertexAttribArray(place);
    g.vertexAttribPointer(place, 2, g.FLOAT, false, 16, 0);
    g.enableVertexAttribArray(paint);
    g.vertexAttribIPointer(paint, 2, g.UNSIGNED_INT, 16, 8);
  }
  const textures = ["poses", "flags"].map((name, unit) => {
    g.activeTexture(g.TEXTURE0 + unit);
    g.bindTexture(g.TEXTURE_2D, g.createTexture());
    for (const side of [g.TEXTURE_MIN_FILTER, g.TEXTURE_MAG_FILTER]) g.texParameteri(g.TEXTURE_2D, side, g.NEAREST);
    g.uniform1i(at(name), unit);
    return unit;
  });
  g.pixelStorei(g.UNPACK_ALIGNMENT, 1);
  g.enable(g.BLEND);
  g.blendFunc(g.ONE, g.ONE_MINUS_SRC_ALPHA);

  function fill(shapes, number) {
    const corners = [[], []]; // of triangles, of lines
    const add = (list, points, k, shape) => list.push(points[k], points[k + 1], shape);
    for (const shape of shapes) {
      if (!exists(shape, number)) continue;
      const { radius } = shape.form;
      let { points } = shape.form;
      if (radius > 0) {
        const [x, y] = points;
        points = Array.from({ length: 32 }, (_, k) => (k % 2 ? y + radius * Math.sin((k >> 1) * Math.PI / 8) : x + radius * Math.cos((k >> 1) * Math.PI / 8)));
        add(corners[1], [x, y], 0, shape);
        add(corners[1], points, 0, shape);
      }
      const n = points.length;
      for (let k = 2; k + 2 < n; k += 2) for (const p of [0, k, k + 2]) add(corners[0], points, p, shape);
      for (let k = 0; k < (n > 4 ? n : n - 2); k += 2) for (const p of [k, (k + 2) % n]) add(corners[1], points, p, shape);
    }
    lists.forEach((list, which) => {
      const rows = corners[which], count = rows.length / 3;
      const floats = new Float32Array(4 * count), words = new Uint32Array(floats.buffer);
      for (let k = 0; k < count; k++) {
        const shape = rows[3 * k + 2], own = shape.color >= 0;
        const color = own ? (isNear(shape.color, theme.background) ? theme.ink : shape.color) : theme.kinds[shape.kind];
        floats[4 * k] = rows[3 * k];
        floats[4 * k + 1] = rows[3 * k + 1];
        words[4 * k + 2] = shape.body;
        words[4 * k + 3] = color | ((own ? 1 : 0) | (shape.sensor ? 2 : 0)) << 24;
      }
      g.bindBuffer(g.ARRAY_BUFFER, list.buffer);
      g.bufferData(g.ARRAY_BUFFER, floats, g.STATIC_DRAW);
      list.count = count;
    });
  }

  return {
    list: null, // the shapes in the buffers, and the moment that they are of
    draw(frame, shapes, number) {
      const moment = shapes.reduce((sum, s) => sum + (s.since <= number ? 1 : 0) + (s.until <= number ? 1 : 0), 0);
      if (this.list !== shapes || this.moment !== moment) fill(shapes, number);
      [this.list, this.moment] = [shapes, moment];
      const n = frame.flags.length, height = Math.max(1, Math.ceil(n / ROW));
      const rows = new Float32Array(4 * ROW * height), flags = new Uint8Array(ROW * height);
      flags.set(frame.flags);
      for (let k = 0; k < n; k++) {
        rows[4 * k] = frame.x[k] - camera.x;
        rows[4 * k + 1] = frame.y[k] - camera.y;
        rows[4 * k + 2] = frame.cos[k];
        rows[4 * k + 3] = frame.sin[k];
      }
      g.activeTexture(g.TEXTURE0 + textures[0]);
      g.texImage2D(g.TEXTURE_2D, 0, g.RGBA32F, ROW, height, 0, g.RGBA, g.FLOAT, rows);
      g.activeTexture(g.TEXTURE0 + textures[1]);
      g.texImage2D(g.TEXTURE_2D, 0, g.R8UI, ROW, height, 0, g.RED_INTEGER, g.UNSIGNED_BYTE, flags);
      [target.width, target.height] = [canvas.width, canvas.height];
      g.viewport(0, 0, target.width, target.height);
      g.clearColor(...rgb(theme.background), 1);
      g.clear(g.COLOR_BUFFER_BIT);
      g.uniform2f(at("scale"), 2 * camera.scale / target.width, 2 * camera.scale / target.height);
      for (const [name, color] of [["fixedColor", theme.static], ["drivenColor", theme.kinematic], ["asleepColor", theme.asleep]])
        g.uniform3f(at(name), ...rgb(color));
      lists.forEach((list, which) => {
        g.bindVertexArray(list.array);
        g.uniform1f(at("shade"), which ? theme.edge : theme.fill);
        g.drawArrays(list.mode, 0, list.count);
      });
    },
  };
}

// ---- input

// What a page does with it: `redraw`; `press(point, event)` says whether something is held, and then come `drag(point)`
// and `release(point)`; `keys` by name.
function listen(page) {
  const pointers = new Map();
  let holder = null; // the pointer that holds something
  const letGo = (event) => {
    if (holder === null) return;
    holder = null;
    page.release(metres(event));
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (pointers.size > 0) letGo(event);
    else if (page.press && event.button === 0 && page.press(metres(event), event)) holder = event.pointerId;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const ratio = canvas.width / canvas.clientWidth, others = [...pointers].filter(([id]) => id !== event.pointerId);
    if (others.length) { // two fingers zoom
      const other = others[0][1], span = (p) => Math.hypot(p.x - other.x, p.y - other.y);
      const now = { x: event.clientX, y: event.clientY };
      if (span(before) > 0) zoom(span(now) / span(before), metres(event));
    } else if (holder === event.pointerId) {
      page.drag(metres(event));
    } else {
      if (followed >= 0) follow(-1);
      camera.x -= (event.clientX - before.x) * ratio / camera.scale;
      camera.y += (event.clientY - before.y) * ratio / camera.scale;
    }
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    page.redraw();
  });
  for (const kind of ["pointerup", "pointercancel"])
    canvas.addEventListener(kind, (event) => {
      if (holder === event.pointerId) letGo(event);
      pointers.delete(event.pointerId);
    });
  canvas.addEventListener("wheel", (event) => {
    // In a frame of another page the wheel scrolls that page, until the visitor has pressed the scene
    if (window.parent !== window && document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 500), metres(event));
    page.redraw();
  }, { passive: false });
  canvas.addEventListener("dblclick", (event) => { follow(bodyAt(metres(event))); page.redraw(); });

  const changeSpeed = (step) => {
    const speed = element("speed");
    speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + step, 0), SPEEDS.length - 1);
  };
  const fitAll = () => { fit(); page.redraw(); };
  const switchTheme = () => { setTheme(theme.name === "light" ? "dark" : "light"); page.redraw(); };
  const keys = {
    ArrowUp: () => changeSpeed(1),
    ArrowDown: () => changeSpeed(-1),
    "+": () => { zoom(1.25, camera); page.redraw(); },
    "-": () => { zoom(0.8, camera); page.redraw(); },
    0: fitAll,
    t: switchTheme,
    f: () => { follow(nextBody()); page.redraw(); },
    Escape: () => follow(-1),
    ...page.keys,
  };
  window.addEventListener("keydown", (event) => {
    const own = event.target.closest && event.target.closest("button, select, input");
    if (own && (event.key === " " || (event.target.id !== "play" && event.key.startsWith("Arrow")))) return;
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key](event);
  });
  element("fit").onclick = fitAll;
  element("theme").onclick = switchTheme;
  new ResizeObserver(() => { resize(); page.redraw(); }).observe(canvas);
}

function resize() {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
}
function bodyAt(point) {
  let best = -1, least = (20 / camera.scale) ** 2;
  const { frame } = shown;
  for (let body = 0; body < frame.flags.length; body++) {
    const away = (frame.x[body] - point.x) ** 2 + (frame.y[body] - point.y) ** 2;
    if (isAlive(frame, body) && away < least) [best, least] = [body, away];
  }
  return best;
}
function nextBody() { // that moves, after the one that is followed
  const { frame } = shown, n = frame.flags.length;
  for (let k = 1; k <= n; k++) {
    const body = (Math.max(followed, -1) + k) % n;
    if (isAlive(frame, body) && (frame.flags[body] & 3) !== STATIC) return body;
  }
  return -1;
}

// For tests and programs
const posesShown = () => Array.from(shown.frame.flags, (flag, k) => (flag & LIVING
  ? { x: shown.frame.x[k], y: shown.frame.y[k], cos: shown.frame.cos[k], sin: shown.frame.sin[k] } : null));
const speed = () => SPEEDS[element("speed").selectedIndex];

function startView(ids) { // of the elements that the page has
  for (const id of ["back", "reset", "time", "save"]) element(id).hidden = !ids.includes(id);
  SPEEDS.forEach((value) => element("speed").add(new Option(`${value}x`)));
  element("speed").selectedIndex = SPEEDS.indexOf(1);
  setTheme(data.theme || (window.matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark"));
  resize();
}
