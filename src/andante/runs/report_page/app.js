"use strict";
const report = JSON.parse(document.getElementById("data").textContent);
const { style } = report;
const degree = 180 / Math.PI;
const byId = (id) => document.getElementById(id);
const element = (tag, text = "", name = "") => {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name) made.className = name;
  return made;
};

// Variables: "channel.column" -> where its values lie.
const variables = new Map();
function bytes(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out.buffer;
}
for (const channel of report.channels) {
  channel.time = new Float64Array(bytes(channel.times));
  channel.values = new Float32Array(bytes(channel.data));
  channel.columns.forEach((column, index) => variables.set(`${channel.name}.${column}`, { channel, index, unit: channel.units[index] }));
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
const base = {
  margin: { l: 62, r: 16, t: 8, b: 44 },
  font: { family: "system-ui, 'DejaVu Sans', sans-serif", size: 12, color: style.ink },
  paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "#fcfdfe", hovermode: "x unified", showlegend: false,
};
const axis = { gridcolor: style.grid, zerolinecolor: "#cbd2d9", linecolor: "#cbd2d9" };
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
    const foot = name.split(".").map((part) => report.legs[part]).find(Boolean);
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
  if (cursor !== null)
    shapes.push({ type: "line", xref: "x", yref: "paper", x0: cursor, x1: cursor, y0: 0, y1: 1, line: { color: style.ink, width: 1.2 } });
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
  for (const row of byId("events").children) row.classList.toggle("chosen", Number(row.dataset.time) === time);
  show(null);
}

// Panels: any number of plots, each with any variables.
const panels = [];
function addPanel(title, names) {
  const box = element("div", "", "panel");
  const chips = element("div", "", "chips");
  const plot = element("div");
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
    if (name.startsWith("command.") || name.startsWith("request.")) lines[i].dash = "dot";
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
    traces.push({ x, y, mode: "lines", line: { color: band.colour, width: 13 }, name: band.name, hoverinfo: "name+x" });
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
    traces.push({ x: margin.x, y: margin.y.map((v) => v * 1000), yaxis: "y2", mode: "lines", name: "support margin", line: { color: style.ink, width: 1.4 }, fill: "tozeroy", fillcolor: "rgba(31,41,51,.08)", hovertemplate: "%{y:.1f} mm" });
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
  const passed = report.verdict === "pass";
  const badge = byId("badge");
  badge.textContent = passed ? "PASS" : "FAIL";
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
  byId("scenario").textContent = report.scenario;
  byId("footer").textContent = report.footer;
}
head();
timeline();
for (const [title, names] of report.panels) addPanel(title, names);
byId("target").value = "new";
document.body.dataset.ready = "true";
