"use strict";
(async () => {
const report = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
const style = dark ? { ...report.style, ...report.style.dark } : report.style;
const degree = 180 / Math.PI;
const byId = (id) => document.getElementById(id);
const element = (tag, text = "", name = "") => {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name) made.className = name;
  return made;
};

// What is packed (andante.pictures.packing): base64 of deflated bytes; those of numbers are sorted by significance.
async function unpacked(text) {
  const raw = await fetch(`data:application/octet-stream;base64,${text}`);
  return new Uint8Array(await new Response(raw.body.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer());
}
async function numbers(text, kind) {
  const planes = await unpacked(text), width = kind.BYTES_PER_ELEMENT, count = planes.length / width;
  const bytes = new Uint8Array(planes.length);
  for (let k = 0; k < width; k++) for (let i = 0, at = k; i < count; i++, at += width) bytes[at] = planes[k * count + i];
  return new kind(bytes.buffer);
}
async function library(id) {
  const script = document.createElement("script");
  script.textContent = new TextDecoder().decode(await unpacked(byId(id).textContent));
  document.head.append(script);
}
if (!window.DecompressionStream) {
  byId("name").textContent = "This page needs a browser of 2023 or later.";
  return;
}
// Variables: "channel.column" -> where its values lie.
const variables = new Map();
async function readChannels() {
  for (const channel of report.channels) {
    [channel.time, channel.values] = await Promise.all([numbers(channel.times, Float64Array), numbers(channel.data, Float32Array)]);
    channel.columns.forEach((column, index) => variables.set(`${channel.name}.${column}`, { channel, index, unit: channel.units[index] }));
  }
}
// Angles are shown in degrees.
function shown(unit) { return unit.startsWith("rad") ? unit.replace("rad", "deg") : unit; }
function samples(name) {
  const { channel, index, unit } = variables.get(name);
  const n = channel.time.length;
  const values = channel.values.subarray(index * n, (index + 1) * n);
  return { x: channel.time, y: unit.startsWith("rad") ? values.map((v) => v * degree) : values, unit: shown(unit) };
}

// Plots share one time axis and one cursor.
const plots = [];
let cursor = null;
let range = null;
let syncing = false;
let replay = null;
const base = {
  margin: { l: 62, r: 16, t: 8, b: 44 },
  font: { family: "system-ui, 'DejaVu Sans', sans-serif", size: 12, color: style.ink },
  paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: dark ? "#161b22" : "#fcfdfe", hovermode: "x unified", showlegend: false, hoverlabel: { bgcolor: style.paper, font: { color: style.ink } },
};
const axis = { gridcolor: style.grid, zerolinecolor: dark ? "#3b4652" : "#cbd2d9", linecolor: dark ? "#3b4652" : "#cbd2d9" };
const timeAxis = { ...axis, title: { text: "time [s]", standoff: 6 } };
const lone = (unit) => (unit ? `[${unit}]` : "");
// What belongs to one foot has its colour; a command has that of what was measured. Where colours come again, dashes differ.
const dashes = ["solid", "dash", "dashdot"];
const crowd = 8;
function looks(names) {
  const chosen = new Map();
  const key = (name) => name.slice(name.indexOf(".") + 1);
  for (const name of names) {
    if (chosen.has(key(name))) continue;
    const taken = [...chosen.values()].map((look) => look.color);
    const foot = style.feet[name.split(".").map((part) => report.legs[part]).find((row) => row !== undefined) % style.feet.length];
    const turn = Math.floor(taken.length / style.series.length);
    const rest = taken.slice(turn * style.series.length);
    const color = foot && !taken.includes(foot) ? foot : style.series.find((each) => !rest.includes(each));
    chosen.set(key(name), { color, dash: dashes[turn % dashes.length] });
  }
  return names.map((name) => ({ ...chosen.get(key(name)) }));
}
const config = { displayModeBar: false, responsive: true };
function marks() {
  const shapes = [];
  if (report.metrics.fall_time !== null && report.metrics.fall_time !== undefined)
    shapes.push({ type: "line", xref: "x", yref: "paper", x0: report.metrics.fall_time, x1: report.metrics.fall_time, y0: 0, y1: 1, line: { color: style.bad, width: 1.5, dash: "dash" } });
  return shapes;
}
function watch(plot) {
  plots.push(plot);
  plot.on("plotly_relayout", (change) => {
    if (syncing) return;
    const from = change["xaxis.range[0]"], to = change["xaxis.range[1]"];
    if (from === undefined && !change["xaxis.autorange"]) return;
    range = from === undefined ? null : [from, to];
    show(plot);
  });
  plot.on("plotly_click", (event) => setCursor(event.points[0].x));
  plot.on("plotly_hover", (event) => { if (!replay?.playing) look(event.points[0].x); });
  plot.on("plotly_unhover", () => { if (!replay?.playing) look(cursor); });
  plot.on("plotly_afterplot", () => mark(plot));
}
// The line at the moment that is looked at lies over a plot: moving it draws nothing anew.
let now = null;
function mark(plot) {
  const { xaxis, _size: size } = plot._fullLayout;
  plot.line ??= plot.appendChild(element("div", "", "now"));
  const at = now === null ? NaN : xaxis.l2p(now);
  plot.line.hidden = !(at >= 0 && at <= xaxis._length);
  if (plot.line.hidden) return;
  plot.line.style.height = `${size.h}px`;
  plot.line.style.transform = `translate(${xaxis._offset + at}px, ${size.t}px)`;
}
function look(time, told = true) {
  now = time;
  for (const plot of plots) mark(plot);
  if (told && time !== null) replay?.setTime(time);
}
async function show(except) {
  syncing = true;
  const change = { shapes: null };
  for (const plot of plots) {
    change.shapes = (plot.bands || []).concat(marks());
    const update = { shapes: change.shapes };
    if (plot !== except) Object.assign(update, range ? { "xaxis.range": range, "xaxis.autorange": false } : { "xaxis.autorange": true });
    await Plotly.relayout(plot, update);
  }
  syncing = false;
}
function setCursor(time) {
  cursor = time;
  replay?.pause();
  for (const row of byId("events").children) row.classList.toggle("chosen", Number(row.dataset.time) === time);
  look(time);
}

// Panels: any number of plots, each with any variables.
const panels = [];
function addPanel(title, names) {
  const box = element("div", "", "panel");
  const chips = element("div", "", "chips");
  const plot = element("div", "", "plot");
  box.append(chips, plot);
  byId("plots").append(box);
  const panel = { title, names: names.filter((name) => variables.has(name)), chips, plot, box, drawn: false };
  panels.push(panel);
  draw(panel);
  targets();
  return panel;
}
function draw(panel) {
  panel.chips.replaceChildren(element("strong", panel.title));
  const traces = [], units = [], lines = looks(panel.names);
  panel.names.forEach((name, i) => {
    const { x, y, unit } = samples(name);
    let side = units.indexOf(unit);
    if (side < 0) side = units.push(unit) - 1;
    if (/^(B )?(command|request)\./.test(name)) lines[i].dash = "dot";
    else if (name.startsWith("B ")) lines[i].dash = "dash";
    traces.push({ x, y, name, mode: "lines", line: { ...lines[i], width: 1.6 }, yaxis: side > 0 ? "y2" : "y", hovertemplate: `%{y:.4g} ${unit}<extra>${name}</extra>` });
    const chip = element("span", "", "chip");
    const dot = element("i");
    dot.style.background = lines[i].color;
    const remove = element("button", "×");
    remove.title = "Remove";
    const fade = (others) => Plotly.restyle(panel.plot, { opacity: panel.names.map((_, k) => (k === i ? 1 : others)) });
    chip.onmouseenter = () => fade(0.12);
    chip.onmouseleave = () => fade(1);
    remove.onclick = () => { panel.names.splice(panel.names.indexOf(name), 1); draw(panel); };
    chip.append(dot, element("span", unit ? `${name} [${unit}]` : name), remove);
    panel.chips.append(chip);
  });
  if (!panel.names.length) panel.chips.append(element("span", "empty: choose variables above", "kind"));
  const layout = {
    ...base, height: panel.names.length > crowd ? 340 : 230, hovermode: panel.names.length > crowd ? "closest" : "x unified", shapes: marks(),
    xaxis: { ...timeAxis, ...(range ? { range } : { range: [0, report.duration], autorange: false }) },
    yaxis: { ...axis, automargin: true, title: { text: lone(units[0]), standoff: 8 } },
  };
  if (units.length > 1) Object.assign(layout, { yaxis2: { overlaying: "y", side: "right", showgrid: false, zeroline: false, tickmode: "auto", title: { text: units.slice(1).map(lone).join(", ") } }, margin: { ...base.margin, r: 62 } });
  Plotly.react(panel.plot, traces, layout, config);
  if (!panel.drawn) { watch(panel.plot); panel.drawn = true; }
}
function targets() {
  const select = byId("target");
  const before = select.value;
  select.replaceChildren(...panels.map((panel, i) => new Option(`into: ${panel.title}`, i)), new Option("into: a new plot", "new"));
  select.value = before || "new";
}
function choose(name) {
  const where = byId("target").value;
  if (where === "new") {
    addPanel(name.split(".").slice(0, 2).join(" "), [name]);
    byId("target").value = String(panels.length - 1);
  } else if (!panels[where].names.includes(name)) {
    panels[where].names.push(name);
    draw(panels[where]);
  }
}
const search = byId("search"), found = byId("found");
function matches() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  return [...variables.keys()].filter((name) => words.every((word) => name.toLowerCase().includes(word)));
}
function list() {
  const names = matches();
  found.replaceChildren(...names.slice(0, 200).map((name, i) => {
    const item = element("li", name, i === 0 && search.value ? "first" : "");
    const unit = shown(variables.get(name).unit);
    if (unit) item.append(" ", element("small", unit));
    item.onmousedown = (event) => { event.preventDefault(); choose(name); };
    return item;
  }));
  if (names.length > 200) found.append(element("li", `${names.length - 200} more: type to narrow down`));
  found.hidden = false;
}
search.oninput = list;
search.onfocus = list;
search.onblur = () => { found.hidden = true; };
search.onkeydown = (event) => {
  if (event.key === "Enter" && matches().length) choose(matches()[0]);
  if (event.key === "Escape") search.blur();
};

// Timeline: bands of contact, load per foot, margin of balance.
function timeline() {
  const plot = byId("timeline");
  const traces = [];
  report.bands.forEach((band, row) => {
    const x = [], y = [];
    for (const [from, to] of band.spans) { x.push(from, to, null); y.push(row, row, null); }
    traces.push({ x, y, mode: "lines", line: { color: band.foot === null ? style.bad : style.feet[band.foot % style.feet.length], width: 13 }, name: band.name, hoverinfo: "name+x" });
  });
  const balance = report.channels.find((channel) => channel.name === "balance");
  const rows = report.bands.length;
  const layout = {
    ...base, height: 90 + 34 * rows + (balance ? 230 : 0), hovermode: "closest",
    xaxis: { ...timeAxis, range: [0, report.duration], anchor: balance ? "y3" : "y" },
    yaxis: { ...axis, domain: [balance ? 0.62 : 0, 1], tickvals: report.bands.map((_, i) => i), ticktext: report.bands.map((b) => b.name), range: [-0.7, rows - 0.3], zeroline: false, showgrid: false, fixedrange: true },
    margin: { ...base.margin, l: 132 },
  };
  if (balance) {
    const margin = samples("balance.margin");
    traces.push({ x: margin.x, y: margin.y.map((v) => v * 1000), yaxis: "y2", mode: "lines", name: "support margin", line: { color: style.ink, width: 1.4 }, fill: "tozeroy", fillcolor: dark ? "rgba(230,233,238,.08)" : "rgba(31,41,51,.08)", hovertemplate: "%{y:.1f} mm" });
    layout.yaxis2 = { ...axis, domain: [0.31, 0.56], automargin: true, title: { text: "CoM inside<br>support [mm]", standoff: 12 } };
    const loads = balance.columns.filter((name) => name.startsWith("load"));
    const lines = looks(loads.map((name) => `balance.${name}`));
    loads.forEach((name, i) => {
      const load = samples(`balance.${name}`);
      traces.push({ x: load.x, y: load.y, yaxis: "y3", mode: "lines", name, line: { ...lines[i], width: 1.4 }, hovertemplate: `%{y:.1f} N` });
    });
    layout.yaxis3 = { ...axis, domain: [0, 0.25], automargin: true, title: { text: "foot load<br>[N]", standoff: 12 } };
  }
  layout.shapes = marks();
  Plotly.newPlot(plot, traces, layout, config).then(() => watch(plot));
}

function head() {
  const badge = byId("badge");
  badge.textContent = report.verdict.toUpperCase();
  badge.classList.add(report.verdict);
  byId("name").textContent = report.name;
  byId("summary").textContent = report.summary;
  byId("reasons").append(...report.reasons.map((reason) => element("li", reason)));
  byId("metrics").append(...report.cards.map(([label, value]) => {
    const card = element("div", "", "card");
    card.append(element("b", value), element("span", label));
    return card;
  }));
  byId("pictures").append(...report.pictures.map(([title, data]) => {
    const sheet = element("section", "", "sheet");
    const image = element("img");
    image.src = `data:image/png;base64,${data}`;
    image.alt = title;
    sheet.append(element("h2", title), image);
    return sheet;
  }));
  byId("tables").append(...report.tables.map(([title, heads, rows]) => {
    const sheet = element("section", "", "sheet"), table = element("table", "", "compared");
    const line = (tag, texts) => {
      const row = element("tr");
      row.append(...texts.map((text) => element(tag, text)));
      return row;
    };
    table.append(line("th", heads), ...rows.map((texts) => line("td", texts)));
    sheet.append(element("h2", title), table);
    return sheet;
  }));
  byId("events").append(...report.events.map(([time, kind, text]) => {
    const row = element("tr");
    row.dataset.time = time;
    row.append(element("td", `${time.toFixed(3)} s`), element("td", kind, "kind"), element("td", text));
    row.onclick = () => setCursor(time);
    return row;
  }));
  byId("all-metrics").append(...Object.entries(report.metrics).map(([name, value]) => {
    const row = element("tr");
    row.append(element("td", name), element("td", value === null ? "not known" : String(value)));
    return row;
  }));
  const span = Math.max(...report.channels.map((channel) => channel.span), 1);
  if (span > 1) byId("thinned").textContent = ` Of each ${span} rows the plots have the smallest and the largest value; the log has all.`;
  byId("scenario-part").hidden = !report.scenario;
  byId("events-sheet").hidden = !report.events.length;
  byId("scenario").textContent = report.scenario;
  byId("footer").textContent = report.footer;
}
async function startReplay() {
  const said = (text) => { byId("replay-hint").textContent = text; };
  if (!report.replays.length) { byId("replay-sheet").hidden = true; return; }
  await library("replay-code");
  const kinds = { times: Float32Array, poses: Int16Array };
  const runs = await Promise.all(report.replays.map(async (run) => {
    const made = { ...run };
    for (const [name, kind] of Object.entries(kinds)) made[name] = await numbers(run[name], kind);
    made.fields = await Promise.all(run.fields.map(async (field) => ({ ...field, heights: await numbers(field.heights, Uint16Array) })));
    made.meshes = await Promise.all(run.meshes.map(async (mesh) => ({ ...mesh, points: await numbers(mesh.points, Uint16Array), faces: await numbers(mesh.faces, Uint32Array) })));
    return made;
  }));
  try {
    replay = AndanteReplay.create(byId("replay"), runs, { dark, onTime: (time) => look(time, false) });
  } catch (error) {
    replay = null;
  }
  if (!replay) { said("This browser shows no 3-D pictures (WebGL is off)."); return; }
  said(`Drag to turn, wheel to zoom, space to play, arrow keys for single pictures.${runs.length > 1 ? " Run B is drawn pale." : ""}`);
}
// The verdict is seen at once, then the replay; plots follow one by one, so that the page answers meanwhile.
const breath = () => new Promise((go) => setTimeout(go));
head();
await breath();
const replayed = startReplay();
await readChannels();
await library("plotly");
await breath();
if (report.bands.length) timeline();
else byId("timeline-sheet").hidden = true;
for (const [title, names] of report.panels) {
  await breath();
  addPanel(title, names);
}
byId("target").value = "new";
// For whoever looks at a page from outside: a test, or the browser's console.
window.andanteReport = { looks, samples, byId, setCursor, plots, get cursor() { return cursor; }, get now() { return now; }, get replay() { return replay; } };
document.body.dataset.ready = "true";
await replayed;
document.body.dataset.replay = replay ? "ready" : "none";
})();
