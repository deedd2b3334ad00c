"use strict";
// live.js - a world that goes on: the core in WebAssembly, opened on a snapshot.
//
// While the log of a program lasts, its calls are made again. When the visitor takes hold of something, or the log
// ends, the world goes on by itself, and a log of its own has all that happens. Both together are a recording that
// Python simulates to the same hash.
const EPOCH = 5; // steps that may be made for one picture before the world is slower than the clock
const BUDGET = 24; // ms that they may take

// ---- the core

// A function that makes a vector: without SIMD it is no valid module.
const SIMD = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11]);

// LZMA without a header, as `_packed_core` in page.py writes it: three bits of context, no bits of position.
function unlzma(input, size) {
  const LITERALS = 2048, out = new Uint8Array(size); // probabilities of the literals come last
  const p = new Uint16Array(LITERALS + (0x300 << 3)).fill(1024);
  const MATCH = 0, REP = 12, REP0 = 24, REP1 = 36, REP2 = 48, LONG = 60; // by state
  const SLOT = 72, SPECIAL = SLOT + 4 * 64, ALIGN = SPECIAL + 128, LENGTH = ALIGN + 16, REP_LENGTH = LENGTH + 2 + 16 + 256;
  let range = 0xffffffff, code = 0, at = 0;
  for (let k = 0; k < 5; k++) code = (code << 8 | input[at++]) >>> 0; // the first byte is 0
  const refill = () => {
    if (range < 0x1000000) [range, code] = [(range << 8) >>> 0, (code << 8 | input[at++]) >>> 0];
  };
  const bit = (k) => {
    const bound = (range >>> 11) * p[k];
    let found = 0;
    if (code < bound) {
      range = bound;
      p[k] += 2048 - p[k] >> 5;
    } else {
      range -= bound;
      code -= bound;
      p[k] -= p[k] >> 5;
      found = 1;
    }
    if (range < 0x1000000) {
      range = (range << 8) >>> 0;
      code = (code << 8 | input[at++]) >>> 0;
    }
    return found;
  };
  const tree = (from, bits) => {
    let k = 1;
    for (let n = 0; n < bits; n++) k = k << 1 | bit(from + k);
    return k - (1 << bits);
  };
  const reverse = (from, bits) => {
    let k = 1, found = 0;
    for (let n = 0; n < bits; n++) {
      const b = bit(from + k);
      k = k << 1 | b;
      found |= b << n;
    }
    return found;
  };
  const lengthOf = (from) => {
    if (!bit(from)) return 2 + tree(from + 2, 3);
    return bit(from + 1) ? 18 + tree(from + 18, 8) : 10 + tree(from + 10, 3);
  };
  const distanceOf = (length) => {
    const slot = tree(SLOT + 64 * Math.min(length - 2, 3), 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1, high = (2 | slot & 1) * 2 ** bits;
    if (slot < 14) return high + reverse(SPECIAL + high - slot, bits);
    let middle = 0;
    for (let n = 0; n < bits - 4; n++) {
      range >>>= 1;
      const b = code >= range ? 1 : 0;
      if (b) code -= range;
      middle = 2 * middle + b;
      refill();
    }
    return high + 16 * middle + reverse(ALIGN, 4);
  };
  let state = 0, reps = [0, 0, 0, 0];
  for (let n = 0; n < size;) {
    if (!bit(MATCH + state)) {
      const from = LITERALS + 0x300 * ((n ? out[n - 1] : 0) >> 5);
      let k = 1, match = state >= 7 ? out[n - reps[0] - 1] : -1;
      while (k < 256 && match >= 0) { // as long as the byte agrees with the one after the last match
        const wanted = match >> 7 & 1, found = bit(from + (1 + wanted << 8) + k);
        match <<= 1;
        k = k << 1 | found;
        if (wanted !== found) match = -1;
      }
      while (k < 256) k = k << 1 | bit(from + k);
      out[n++] = k;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let length;
    if (!bit(REP + state)) {
      length = lengthOf(LENGTH);
      reps = [distanceOf(length), reps[0], reps[1], reps[2]];
      state = state < 7 ? 7 : 10;
    } else {
      if (!bit(REP0 + state)) {
        if (!bit(LONG + state)) {
          if (reps[0] >= n) break;
          out[n] = out[n - reps[0] - 1];
          n++;
          state = state < 7 ? 9 : 11;
          continue;
        }
      } else {
        const which = !bit(REP1 + state) ? 1 : !bit(REP2 + state) ? 2 : 3;
        reps.unshift(...reps.splice(which, 1));
      }
      length = lengthOf(REP_LENGTH);
      state = state < 7 ? 8 : 11;
    }
    if (reps[0] >= n) break; // damaged
    for (let k = Math.min(length, size - n); k > 0; k--, n++) out[n] = out[n - reps[0] - 1];
  }
  return out;
}

let core, memory;
const HOST = { // what the C library wants of a system: a clock, and answers that there is nothing else
  environ_sizes_get: (count, size) => {
    const view = new DataView(memory.buffer);
    view.setUint32(count, 0, true);
    view.setUint32(size, 0, true);
    return 0;
  },
  environ_get: () => 0,
  clock_time_get: (id, precision, at) => {
    new DataView(memory.buffer).setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
    return 0;
  },
  proc_exit: (status) => { throw new Error(`the core has ended with ${status}`); },
};
async function openCore() {
  const { form, size, bytes } = data.core || window.box2dpyCore;
  const code = form === "lzma" ? unlzma(bytesOf(bytes), size) : await inflate(bytes);
  const host = new Proxy(HOST, { get: (all, name) => all[name] || (() => 8) }); // 8: there is no such file
  const made = await WebAssembly.instantiate(code, { wasi_snapshot_preview1: host });
  core = made.instance.exports;
  memory = core.memory;
  core._initialize();
}
function put(bytes) {
  const at = core.take(bytes.length + 1);
  if (at === 0) throw new Error("there is no memory");
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  return at;
}
function must(status, what) {
  if (status === 0) return;
  const text = new Uint8Array(memory.buffer, core.message(), 512);
  const said = new TextDecoder().decode(text.slice(0, text.indexOf(0)));
  throw new Error(`${what}: ${said || `status ${status & 255}`}`);
}
const hash = () => BigInt.asUintN(64, core.hash());
const hex = (number) => `0x${number.toString(16).padStart(16, "0")}`;

// ---- pictures

// Points of the border of a shape with a rounding radius
function border(type, x, y, radius) {
  const n = x.length, points = [];
  if (type === 0) return { points: [x[0], y[0]], radius };
  for (let k = 0; k < n; k++) {
    const before = (k + n - 1) % n, after = (k + 1) % n;
    if (radius <= 0 || n < 2) {
      points.push(x[k], y[k]);
      continue;
    }
    const from = Math.atan2(-(x[k] - x[before]), y[k] - y[before]); // of the outward normals of both edges
    let turn = Math.atan2(-(x[after] - x[k]), y[after] - y[k]) - from;
    turn -= 2 * Math.PI * Math.floor(turn / (2 * Math.PI));
    const steps = Math.max(1, Math.ceil(turn * 8 / Math.PI));
    for (let s = 0; s <= steps; s++) {
      const angle = from + turn * s / steps;
      points.push(x[k] + radius * Math.cos(angle), y[k] + radius * Math.sin(angle));
    }
  }
  return { points, radius: 0 };
}
const kindOf = (type, count, radius) => (type === 4 ? 2 : type === 3 && (count !== 4 || radius > 0) ? 4 : type);

const SHAPE = 104, JOINT = 176, POSE = 32; // bytes of a row; csrc/page/page.c has the places of the members
let objects = { shapes: [], joints: [] }, changes = [];
function refreshObjects(frame) {
  const now = [core.shape_changes(), core.joint_changes()];
  if (now[0] !== changes[0]) objects = { ...objects, shapes: readShapes() };
  if (now[1] !== changes[1]) objects = { ...objects, joints: readJoints(frame) };
  changes = now;
}
function readShapes() {
  const at = core.shapes(), n = core.count(), view = new DataView(memory.buffer), lines = [], others = [];
  for (let row = at; row < at + n * SHAPE; row += SHAPE) {
    const type = view.getInt32(row + 16, true), count = view.getInt32(row + 20, true), used = type === 4 ? 2 : Math.max(1, count);
    const numbers = (from) => Array.from({ length: used }, (_, k) => view.getFloat32(row + from + 4 * k, true));
    const radius = view.getFloat32(row + 88, true), color = view.getUint32(row + 92, true);
    (type === 2 || type === 4 ? lines : others).push({
      body: view.getInt32(row + 12, true), form: border(type, numbers(24), numbers(56), radius), kind: kindOf(type, count, radius),
      color: color ? color & 0xffffff : -1, sensor: view.getUint8(row + 100) !== 0, since: 0, until: Infinity,
    });
  }
  return [...lines, ...others];
}
function readJoints(frame) {
  const at = core.joints(), n = core.count(), view = new DataView(memory.buffer), out = [];
  for (let row = at; row < at + n * JOINT; row += JOINT) {
    const bodies = [view.getInt32(row + 160, true), view.getInt32(row + 164, true)];
    const anchors = bodies.flatMap((body, side) => {
      const dx = view.getFloat64(row + 8 + 16 * side, true) - frame.x[body], dy = view.getFloat64(row + 16 + 16 * side, true) - frame.y[body];
      return [frame.cos[body] * dx + frame.sin[body] * dy, frame.cos[body] * dy - frame.sin[body] * dx];
    });
    out.push({ body_a: bodies[0], body_b: bodies[1], anchors, since: 0, until: Infinity });
  }
  return out;
}
function readFrame() {
  const at = core.poses(), n = core.count(), frame = { flags: new Uint8Array(n) };
  const doubles = new Float64Array(memory.buffer, at, n * POSE / 8), floats = new Float32Array(memory.buffer, at, n * POSE / 4);
  for (const name of ["x", "y", "cos", "sin"]) frame[name] = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    frame.x[k] = doubles[4 * k];
    frame.y[k] = doubles[4 * k + 1];
    frame.cos[k] = floats[8 * k + 4];
    frame.sin[k] = floats[8 * k + 5];
  }
  const flags = core.flags(); // it may move the memory
  frame.flags.set(new Uint8Array(memory.buffer, flags, Math.min(n, core.count())));
  return frame;
}

// ---- the world

let parts = [], steps = 0, free = false, deeds = []; // the log of the program by step; what happened after it
let last = null, frame = null; // before and after the last step
let begin, snapshot; // the hash of the snapshot and its compressed bytes

function doStep() {
  if (!free && steps < parts.length) {
    const at = put(parts[steps]), status = core.replay(at, parts[steps].length);
    core.give(at);
    must(status, `step ${steps + 1} of the log`);
    if (!core.equal()) throw new Error(`step ${steps + 1} differs from the log`);
  } else {
    goFree();
    must(core.step(data.dt, data.substeps), "a step");
    takeLog();
  }
  steps++;
}
function goFree() {
  if (free) return;
  must(core.log_start(), "the log");
  free = true;
}
function takeLog() {
  const at = core.log_take(), size = core.count();
  if (core.log_lacks()) throw new Error("the log is incomplete");
  if (size > 0) deeds.push(new Uint8Array(memory.buffer, at, size).slice());
}
function advance(count) {
  for (let k = 0; k < count; k++) {
    last = k === count - 1 ? readFrame() : last;
    doStep();
  }
  frame = readFrame();
  refreshObjects(frame);
}
function reset() {
  must(core.reset(), "Reset");
  [steps, free, deeds, holding, clock, changes] = [0, false, [], false, 0, []];
  last = frame = readFrame();
  refreshObjects(frame);
  redraw();
}

// ---- what the visitor did, as a recording without pictures: box2dpy/_world/record_format.py has the format

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? n >>> 1 ^ 0xedb88320 : n >>> 1;
  return n >>> 0;
});
function crc32(...all) {
  let sum = 0xffffffff;
  for (const bytes of all) for (let k = 0; k < bytes.length; k++) sum = CRC[(sum ^ bytes[k]) & 255] ^ sum >>> 8;
  return (sum ^ 0xffffffff) >>> 0;
}
function chunk(tag, first, second = new Uint8Array(0), flags = 0, dt = 0, digest = 0n) {
  const head = new Uint8Array(40), view = new DataView(head.buffer);
  head.set(new TextEncoder().encode(tag));
  [first.length, second.length, flags].forEach((value, k) => view.setUint32(4 + 4 * k, value, true));
  view.setFloat64(16, dt, true);
  view.setBigUint64(24, digest, true);
  view.setUint32(32, crc32(first, second), true);
  view.setUint32(36, crc32(head.subarray(0, 36)), true);
  return [head, first, second];
}
async function save() {
  const deflate = (bytes) => through(bytes, new CompressionStream("deflate"));
  const text = new TextEncoder(), nobody = await deflate(new Uint8Array(8)); // poses of no body
  const whole = [...parts.slice(0, steps - deeds.length), ...deeds], frames = [];
  frames.push(chunk("FRAM", nobody, undefined, 1, 0, begin));
  if (steps > 0) {
    const log = await deflate(new Uint8Array(await new Blob(whole).arrayBuffer()));
    frames.push(chunk("FRAM", nobody, log, 1, steps * data.dt, hash()));
  }
  const chunks = [chunk("HEAD", text.encode(JSON.stringify(data.about))), chunk("STAT", snapshot), ...frames];
  return new Blob([text.encode("b2drec\r\n"), ...chunks.flat()], { type: "application/octet-stream" });
}
async function download() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await save());
  link.download = `${data.name || "world"}.b2d`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// ---- time

let playing = false, clock = 0, previous = null, visible = true;
function label() {
  const kind = free ? "" : steps < parts.length ? ", recorded" : "";
  const digest = playing ? "" : `, hash ${hex(hash())}`;
  element("label").textContent = `step ${steps}, ${(steps * data.dt).toFixed(2)} s${kind}${digest}`;
  element("play").textContent = playing ? "Pause" : "Play";
}
function redraw() {
  if (frame === null) return;
  draw(between(last, frame, playing ? Math.min(clock / data.dt, 1) : 1), objects, 0);
}
function setPlaying(on) {
  playing = on;
  previous = null;
  label();
  redraw();
  if (on) requestAnimationFrame(tick);
}
function guarded(action) {
  try {
    action();
  } catch (error) {
    playing = false;
    element("play").textContent = "Play";
    problem(error.message);
  }
}
function tick(now) {
  if (!playing) return;
  requestAnimationFrame(tick);
  if (previous === null || !visible) {
    previous = now;
    return;
  }
  clock += (now - previous) / 1000 * speed();
  previous = now;
  const start = performance.now(), most = Math.max(1, Math.round(EPOCH * Math.max(1, speed())));
  guarded(() => {
    for (let k = 0; clock >= data.dt; k++) {
      if (k === most || performance.now() - start > BUDGET) clock = 0; // slower than the clock
      else advance(1);
      clock -= clock === 0 ? 0 : data.dt;
    }
    redraw();
    label();
  });
}
const stepBy = (count) => guarded(() => {
  setPlaying(false);
  advance(count);
  redraw();
  label();
});

// ---- what the visitor does

let holding = false, slung = null;
const unit = () => (data.about ? data.about.length_unit : 1);
function grab(point, reach) {
  goFree();
  holding = core.grab(point.x, point.y, reach, 5, 1, 100) >= 0;
  return holding;
}
function throwBox(point, vx, vy) {
  guarded(() => {
    goFree();
    must(core.throw(point.x, point.y, vx, vy, 0.3 * unit()), "a box");
    if (!playing) stepBy(1);
  });
}
// Whether a body that could be held is there; asking must not make the world go its own way.
const hits = (point, reach) => core.hits(point.x, point.y, reach) !== 0;
const hands = {
  redraw,
  press(point, event) {
    const reach = Math.max(0.05 * unit(), (event.pointerType === "touch" ? 22 : 6) * (window.devicePixelRatio || 1) / camera.scale);
    if (hits(point, reach)) return grab(point, reach);
    slung = data.throws ? point : null;
    return slung !== null;
  },
  drag(point) {
    if (holding) core.drag(point.x, point.y);
  },
  release(point) {
    if (holding) core.release();
    else if (slung !== null) throwBox(slung, 4 * (point.x - slung.x), 4 * (point.y - slung.y));
    [holding, slung] = [false, null];
  },
  keys: {
    " ": () => setPlaying(!playing),
    ArrowRight: (event) => stepBy(event.shiftKey ? 60 : 1),
    Home: () => guarded(() => { reset(); label(); }),
    s: () => download(),
    b: () => throwBox({ x: camera.x, y: camera.y + 0.4 * canvas.height / camera.scale }, 2, 0),
  },
};
if (!data.throws) delete hands.keys.b;

async function start() {
  startView(["reset", "save"]);
  if (!window.WebAssembly || !WebAssembly.validate(SIMD)) throw new Error("this browser has no WebAssembly SIMD");
  await openCore();
  snapshot = bytesOf(data.snapshot);
  const whole = await inflate(data.snapshot), view = new DataView(whole.buffer);
  if (whole.length < 24) throw new Error("the snapshot is damaged");
  const end = Number(view.getBigUint64(16, true)), at = put(whole.subarray(0, end));
  must(core.open(at, Math.min(end, whole.length)), "the snapshot");
  core.give(at);
  const names = new Map(JSON.parse(new TextDecoder().decode(whole.subarray(end + 8))).names.map(([index, , name]) => [index, name]));
  nameOf = (body) => (names.has(body) ? `${names.get(body)} (body ${body})` : `body ${body}`);
  begin = hash();
  if (data.log) {
    const log = await inflate(data.log.bytes);
    let from = 0;
    parts = data.log.sizes.map((size) => log.subarray(from, from += size));
  }
  last = frame = readFrame();
  refreshObjects(frame);
  const box = Array.from(new Float64Array(memory.buffer, core.bounds(), 4));
  const margin = 0.04 * Math.max(box[2] - box[0], box[3] - box[1], 1);
  home = data.view || [box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin];
  fit();
  listen(hands);
  element("play").onclick = () => setPlaying(!playing);
  element("forward").onclick = () => stepBy(1);
  element("reset").onclick = hands.keys.Home;
  element("save").onclick = () => download();
  new IntersectionObserver(([entry]) => { visible = entry.isIntersecting; }).observe(canvas);
  redraw();
  label();
  if (data.plays && !window.matchMedia("(prefers-reduced-motion: reduce)").matches) setPlaying(true);
}
const ready = start();
ready.catch((error) => {
  problem(data.film && /SIMD/.test(error.message)
    ? `${error.message[0].toUpperCase()}${error.message.slice(1)}: this is a film.`
    : `This world cannot be simulated: ${error.message}.`, data.film);
  if (data.film) element("bar").hidden = true;
});
// For tests and for programs that embed the page
window.player = {
  ready,
  step: stepBy,
  play: () => setPlaying(true),
  pause: () => setPlaying(false),
  reset: () => { reset(); label(); },
  hash: () => hex(hash()),
  grab: (x, y) => grab({ x, y }, 0.05 * unit()),
  drag: (x, y) => core.drag(x, y),
  release: () => hands.release({}),
  throw: (x, y, vx, vy) => throwBox({ x, y }, vx, vy),
  save: async () => btoa(Array.from(new Uint8Array(await (await save()).arrayBuffer()), (byte) => String.fromCharCode(byte)).join("")),
  follow,
  state: () => ({ steps, free, playing, poses: posesShown(), camera, followed, holding }),
};
