"use strict";
const kick = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const { look, world } = kick;
const end = kick.times[kick.times.length - 1];
$("title").textContent = kick.title;
$("summary").textContent = `${kick.summary}. Closest to the target: ${kick.distance.toFixed(4)} m at ${kick.time.toFixed(3)} s.`;
$("slider").max = end;
for (const row of kick.rows) {
  const line = $("rows").insertRow();
  if (!row.used) line.className = "dropped";
  const cells = [row.keyframe, row.duration, row.solution ?? "", ...row.angles.map((a) => a.toFixed(2)), row.use];
  for (const cell of cells) line.insertCell().textContent = cell;
}
for (const note of kick.notes) $("notes").appendChild(document.createElement("li")).textContent = note;

function last(times, moment) {
  let low = 0, high = times.length - 1;
  while (low < high) { const middle = (low + high + 1) >> 1; if (times[middle] <= moment + 1e-9) low = middle; else high = middle - 1; }
  return low;
}
function disc(name, [x, z], radius, color, opacity = 1) {
  const turns = [...Array(49).keys()].map((k) => (k * Math.PI) / 24);
  const outline = [turns.map((a) => x + radius * Math.cos(a)), turns.map((a) => z + radius * Math.sin(a))];
  return filled(name, outline, color, opacity);
}
function filled(name, [x, y], color, opacity = 1) {
  return { name, x, y, mode: "lines", fill: "toself", fillcolor: color, opacity, line: { width: 0 }, hoverinfo: "name" };
}
const ballTimes = kick.path.map((row) => row[0]);
const circle = (radius, fill) => ({
  type: "circle", line: { color: look.TARGET, width: 2 }, fillcolor: fill,
  x0: kick.target[0] - radius, x1: kick.target[0] + radius, y0: kick.target[1] - radius, y1: kick.target[1] + radius,
});
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
const style = dark ? { ...kick.style, ...kick.style.dark } : kick.style;
const axis = { gridcolor: style.grid, zeroline: false, fixedrange: true };
const layout = {
  margin: { l: 52, r: 12, t: 8, b: 40 }, showlegend: false, plot_bgcolor: dark ? "#161b22" : "#fcfdfe", paper_bgcolor: "rgba(0,0,0,0)", hovermode: "closest",
  font: { family: "system-ui, 'DejaVu Sans', sans-serif", color: style.ink },
  xaxis: { ...axis, range: [0, world.width], title: { text: "x [m]" }, constrain: "domain" },
  yaxis: { ...axis, range: [0, world.height], title: { text: "z [m]" }, scaleanchor: "x", constrain: "domain" },
  shapes: [
    { type: "rect", layer: "below", x0: 0, x1: world.width, y0: 0, y1: world.ground, fillcolor: look.GROUND, line: { width: 0 } },
    circle(world.target_radius, look.TARGET + "20"), circle(0.015, look.TARGET),
  ],
  annotations: [{ x: kick.target[0], y: kick.target[1] + world.target_radius, text: "target", showarrow: false, yshift: 10, font: { color: look.TARGET } }],
};
function draw(moment) {
  const now = last(ballTimes, moment), pose = last(kick.times, moment), way = kick.path.slice(0, now + 1);
  const names = ["thigh", "shank", "foot", "foot", "foot"];
  const traces = [
    { name: "way of the ball", x: way.map((row) => row[1]), y: way.map((row) => row[2]), mode: "lines", line: { color: look.WAY, width: 2.5 }, hoverinfo: "name+x+y" },
    disc("ball where it was nearest", kick.nearest, world.ball_radius, look.BALL, moment >= kick.time ? 0.35 : 0),
    ...kick.rods[pose].map((outline, i) => filled(names[i], outline, look.LEG[Math.min(i, 2)])),
    disc("ball", kick.path[now].slice(1), world.ball_radius, look.BALL),
  ];
  Plotly.react("scene", traces, layout, { displayModeBar: false, responsive: true });
  $("clock").textContent = `${moment.toFixed(2)} s`;
  $("slider").value = moment;
}
let moment = 0, playing = true, before = null;
$("play").onclick = () => { playing = !playing; before = null; $("play").textContent = playing ? "Pause" : "Play"; };
$("slider").oninput = () => { moment = Number($("slider").value); playing = false; $("play").textContent = "Play"; draw(moment); };
function step(stamp) {
  if (playing) {
    if (before !== null) moment = (moment + (stamp - before) / 1000) % (end + 0.5);
    before = stamp;
    draw(Math.min(moment, end));
  }
  requestAnimationFrame(step);
}
requestAnimationFrame(step);
