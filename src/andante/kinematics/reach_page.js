"use strict";
// Draws the surface triangle by triangle, the farthest first, on a plain canvas: no library is needed for some thousand.
const reach = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const canvas = $("scene"), pen = canvas.getContext("2d");
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
const look = dark ? { ...reach.style, ...reach.style.dark } : reach.style;
const { vertices, triangles, causes, limits, feet } = reach;
$("title").textContent = reach.title;
$("summary").textContent = reach.summary;
for (const { name, colour } of [...limits.map((l) => ({ ...l, name: `limit: ${l.name}` })), ...feet.map((f) => ({ ...f, name: `foot ${f.name}` }))]) {
  const line = $("legend").appendChild(document.createElement("li"));
  line.appendChild(document.createElement("i")).style.background = colour;
  line.append(name);
}

const places = [...vertices, ...feet.map((foot) => foot.place)];
const low = [0, 1, 2].map((k) => places.reduce((least, place) => Math.min(least, place[k]), Infinity));
const high = [0, 1, 2].map((k) => places.reduce((most, place) => Math.max(most, place[k]), -Infinity));
const middle = low.map((value, k) => 0.5 * (value + high[k]));
const size = Math.max(1, Math.hypot(...low.map((value, k) => high[k] - value)));
const view = { turn: -0.98, rise: 0.37, zoom: 1 };

// Unit vectors of the view: to the right, up, and toward the eye.
function axes() {
  const [st, ct, sr, cr] = [Math.sin(view.turn), Math.cos(view.turn), Math.sin(view.rise), Math.cos(view.rise)];
  return [[-st, ct, 0], [-sr * ct, -sr * st, cr], [cr * ct, cr * st, sr]];
}
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
function normal(a, b, c) {
  const u = b.map((value, k) => value - a[k]), v = c.map((value, k) => value - a[k]);
  const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const length = Math.hypot(...n) || 1;
  return n.map((value) => value / length);
}
const normals = triangles.map(([a, b, c]) => normal(vertices[a], vertices[b], vertices[c]));
const tones = limits.map(({ colour }) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));

function draw() {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  const [right, up, eye] = axes(), scale = (0.9 * view.zoom * Math.min(width, height)) / size;
  const shown = (place) => {
    const from = place.map((value, k) => value - middle[k]);
    return [0.5 * width + scale * dot(from, right), 0.5 * height - scale * dot(from, up), dot(from, eye)];
  };
  pen.font = "14px system-ui, 'DejaVu Sans', sans-serif";
  ground(shown);
  const corners = vertices.map(shown);
  const order = triangles.map((corner, i) => i).filter((i) => dot(normals[i], eye) > 0);
  const depth = order.reduce((found, i) => ((found[i] = triangles[i].reduce((sum, at) => sum + corners[at][2], 0)), found), {});
  order.sort((one, other) => depth[one] - depth[other]);
  for (const i of order) {
    const light = 0.55 + 0.45 * dot(normals[i], eye), [r, g, b] = tones[causes[i]].map((tone) => Math.round(tone * light));
    pen.fillStyle = pen.strokeStyle = `rgb(${r} ${g} ${b})`;
    pen.beginPath();
    triangles[i].forEach((at, k) => (k ? pen.lineTo(corners[at][0], corners[at][1]) : pen.moveTo(corners[at][0], corners[at][1])));
    pen.closePath();
    pen.fill();
    pen.stroke();
  }
  for (const { name, colour, place } of feet) {
    const [x, y] = shown(place);
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(x, y, 6, 0, 2 * Math.PI);
    pen.fill();
    pen.fillStyle = look.ink;
    pen.fillText(name, x + 9, y - 7);
  }
}
function ground(shown) {
  const step = 5, ends = [0, 1].map((k) => [Math.floor(low[k] / step) * step, Math.ceil(high[k] / step) * step]);
  const line = (from, to, color) => {
    pen.strokeStyle = color;
    pen.beginPath();
    pen.moveTo(...shown(from).slice(0, 2));
    pen.lineTo(...shown(to).slice(0, 2));
    pen.stroke();
  };
  const [[x0, x1], [y0, y1]] = ends;
  for (let x = x0; x <= x1; x += step) line([x, y0, 0], [x, y1, 0], look.grid);
  for (let y = y0; y <= y1; y += step) line([x0, y, 0], [x1, y, 0], look.grid);
  pen.fillStyle = look.soft;
  pen.fillText("x", ...shown([x1 + step, 0.5 * (y0 + y1), 0]).slice(0, 2));
  pen.fillText("y", ...shown([0.5 * (x0 + x1), y1 + step, 0]).slice(0, 2));
}

function turn(right, up) {
  view.turn -= right;
  view.rise = Math.min(1.55, Math.max(-1.55, view.rise + up));
  draw();
}
canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
canvas.addEventListener("pointermove", (event) => {
  if (event.buttons) turn(0.008 * event.movementX, 0.008 * event.movementY);
});
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  view.zoom = Math.min(8, Math.max(0.3, view.zoom * Math.exp(-0.001 * event.deltaY)));
  draw();
}, { passive: false });
const KEYS = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] };
canvas.addEventListener("keydown", (event) => {
  if (!KEYS[event.key]) return;
  event.preventDefault();
  turn(...KEYS[event.key]);
});
new ResizeObserver(draw).observe(canvas);
draw();
