"use strict";
// recorded.js - the player of a recording: decodes its frames, and keeps the time.
const SECOND = 16; // in the head of a column: changes of changes
const KEPT_GROUPS = 6; // groups of decoded frames in memory

// ---- frames: changes of whole numbers, or changes of these changes, the lowest bytes of all numbers first

function column(bytes, at, rows, width) {
  const out = new Float64Array(rows);
  for (let byte = 0, unit = 1; byte < width; byte++, unit *= 256) {
    const top = byte === width - 1; // its highest bit is the sign
    for (let row = 0; row < rows; row++) {
      const value = bytes[at + byte * rows + row];
      out[row] += unit * (top && value > 127 ? value - 256 : value);
    }
  }
  return out;
}
const wrapped = (angle) => ((angle + 32768) & 65535) - 32768;
const padded = (old, rows, Kind) => {
  const out = new Kind(rows);
  if (old) out.set(old.subarray(0, rows));
  return out;
};

function decodeGroup(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset), frames = [];
  let last = null;
  for (let at = 0; at < bytes.length;) {
    const rows = view.getUint32(at, true), heads = bytes.subarray(at + 4, at + 8), changes = [];
    at += 8;
    for (const head of heads) {
      changes.push(column(bytes, at, rows, head & ~SECOND));
      at += rows * (head & ~SECOND);
    }
    const frame = { rate: [], value: [], flags: padded(last && last.flags, rows, Uint8Array) };
    for (let k = 0; k < 3; k++) {
      const rate = padded(last && last.rate[k], rows, Float64Array);
      const value = padded(last && last.value[k], rows, Float64Array);
      for (let row = 0; row < rows; row++) {
        rate[row] = changes[k][row] + (heads[k] & SECOND ? rate[row] : 0);
        if (k === 2) rate[row] = wrapped(rate[row]);
        value[row] += rate[row];
        if (k === 2) value[row] = wrapped(value[row]);
      }
      frame.rate.push(rate);
      frame.value.push(value);
    }
    for (let row = 0; row < rows; row++) frame.flags[row] ^= changes[3][row];
    if (!last) frame.rate.forEach((rate) => rate.fill(0)); // the first numbers are no velocities
    frames.push(frame);
    last = frame;
  }
  for (const frame of frames) {
    frame.x = frame.value[0].map((x) => x * data.precision);
    frame.y = frame.value[1].map((y) => y * data.precision);
    frame.cos = frame.value[2].map((angle) => Math.cos(angle * Math.PI / 32768));
    frame.sin = frame.value[2].map((angle) => Math.sin(angle * Math.PI / 32768));
    delete frame.rate;
    delete frame.value;
  }
  return frames;
}

const groups = new Map(); // number of the group: a promise of its frames, the latest one last
function groupOf(frame) {
  const number = Math.floor(frame / data.group_size);
  const found = groups.get(number) || inflate(data.groups[number]).then(decodeGroup);
  groups.delete(number);
  groups.set(number, found);
  if (groups.size > KEPT_GROUPS) groups.delete(groups.keys().next().value);
  return found;
}
async function frameAt(frame) {
  return (await groupOf(frame))[frame % data.group_size];
}

// ---- time

let times, objects, current = 0, playing = false, clock = 0;
const lastFrame = () => data.frames - 1;
function label() {
  element("time").value = current;
  element("label").textContent = `frame ${current} of ${lastFrame()}, ${times[current].toFixed(2)} s`;
  element("play").textContent = playing ? "Pause" : "Play";
}
let request = 0; // the latest request to draw; older ones are dropped
let previous = null, drawing = false; // the time of the last tick, and whether a picture is being made
async function show(frame, part = 0) {
  const mine = ++request;
  current = Math.min(Math.max(frame, 0), lastFrame());
  label();
  const a = await frameAt(current), b = part > 0 ? await frameAt(Math.min(current + 1, lastFrame())) : a;
  if (mine === request) draw(between(a, b, part), objects, current);
}
function setPlaying(on) {
  playing = on;
  if (on && current === lastFrame()) current = 0;
  clock = times[current];
  previous = null;
  label();
  if (on) requestAnimationFrame(tick);
  else show(current);
}
function tick(now) {
  if (!playing) return;
  requestAnimationFrame(tick);
  if (previous !== null) clock += (now - previous) / 1000 * speed();
  previous = now;
  if (drawing) return; // a slow machine leaves pictures out
  if (clock >= times[lastFrame()]) {
    current = lastFrame();
    setPlaying(false);
    return;
  }
  let frame = current;
  while (frame < lastFrame() && times[frame + 1] <= clock) frame++;
  drawing = true;
  const length = times[frame + 1] - times[frame];
  show(frame, length > 0 ? Math.max(0, (clock - times[frame]) / length) : 0).finally(() => { drawing = false; });
  if (frame % data.group_size > data.group_size / 2) groupOf(Math.min(frame + data.group_size, lastFrame()));
}
const jump = (frame) => { playing = false; return show(frame); };

async function start() {
  startView(["back", "time"]);
  const found = JSON.parse(new TextDecoder().decode(await inflate(data.objects)));
  times = found.times;
  const table = (rows) =>
    rows.since.map((_, k) => Object.fromEntries(Object.keys(rows).map((key) => [key, rows[key][k]])));
  objects = { shapes: table(found.shapes), joints: table(found.joints) };
  for (const shape of objects.shapes) shape.form = found.geometries[shape.geometry];
  element("time").max = lastFrame();
  home = data.view;
  fit();
  listen({
    redraw: () => { if (!playing) show(current); },
    keys: {
      " ": () => setPlaying(!playing),
      ArrowLeft: (event) => jump(current - (event.shiftKey ? 60 : 1)),
      ArrowRight: (event) => jump(current + (event.shiftKey ? 60 : 1)),
      Home: () => jump(0),
      End: () => jump(lastFrame()),
    },
  });
  element("play").onclick = () => setPlaying(!playing);
  element("back").onclick = () => jump(current - 1);
  element("forward").onclick = () => jump(current + 1);
  element("time").oninput = (event) => jump(Number(event.target.value));
  await show(0);
}
const ready = start();
ready.catch((error) => problem(`This recording cannot be shown: ${error.message}`));
// For tests and for programs that embed the player
window.player = {
  ready,
  show: jump,
  play: () => setPlaying(true),
  pause: () => setPlaying(false),
  follow,
  state: () => ({ frame: shown.number, poses: posesShown(), camera, playing, followed }),
};
