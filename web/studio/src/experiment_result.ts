// A result: what was asked and is met, a picture of each figure with a bar for each cell, the table, what went wrong.
import { button, element } from "./dom";
import { figure, interval, told, type Result, type Row } from "./experiment_shapes";

/** Figures that are drawn at first. */
const DRAWN = 8;
const SVG = "http://www.w3.org/2000/svg";
const [NAMES, BARS, NUMBERS, TALL] = [130, 220, 100, 20];
/** Letters of a cell's name that have room. */
const LETTERS = 20;

export function resultView(result: Result, again: () => void, resume: () => void): HTMLElement {
  const node = element("section", { class: "result-view", "aria-label": "Result" }, element("h2", {}, result.result));
  if (!result.whole) {
    const of = result.trials === null ? "" : ` of ${result.trials}`;
    node.append(
      element("p", { class: "verdict missed" }, `Cut off: ${result.kept}${of} trials are kept.`),
      element("p", {}, "What was made is in the journal; nothing of it is made again."),
      element("div", { class: "line" }, button("Go on", "Make the trials that are missing", resume, { class: "primary resume" }), button("Ask again…", "Open the experiment with what was asked", again)));
    return node;
  }
  const asked = result.rows.filter((row) => row.ok !== null);
  const missed = asked.filter((row) => !row.ok);
  const verdict = !asked.length ? "Nothing was asked for; these are the figures." : missed.length ? `Missed: ${missed.map((row) => row.name).join("; ")}.` : "Every figure that was asked is met.";
  const known = result.saved !== "unknown" ? ` Made ${result.saved} by Andante ${result.andante}.` : "";
  const given = Object.entries(result.given).map(([name, value]) => `${name.replace(/_/g, " ")} ${Array.isArray(value) ? value.join(", ") : value}`);
  node.append(
    element("p", { class: `verdict ${!asked.length ? "" : missed.length ? "missed" : "met"}` }, verdict),
    element("p", { class: "hint" }, `${result.suite}, ${result.evidence === "simulation" ? "in simulation" : `evidence: ${result.evidence}`}. ${given.join("; ")}.${known}`),
    element("div", { class: "line" },
      button("Ask again…", "Open the experiment with what was asked", again),
      result.page ? element("a", { href: `experiment/page?result=${encodeURIComponent(result.result)}`, target: "_blank" }, "Page with film strips") : null));
  const figures = byFigure(result.rows);
  const drawn = [...figures].map(([name, rows]) => picture(name, rows));
  node.append(element("h3", {}, "Figures"), element("p", { class: "hint" }, "A bar for each cell; the thin line is the 95 % interval (Wilson), the dashed one what was asked."),
    element("div", { class: "pictures" }, ...drawn.slice(0, DRAWN)));
  if (drawn.length > DRAWN) node.append(element("details", {}, element("summary", {}, `${drawn.length - DRAWN} more figures`), element("div", { class: "pictures" }, ...drawn.slice(DRAWN))));
  node.append(element("h3", {}, "Table"), table(["Figure", "Value", "95 % interval", "Trials", "Asked", ""], result.rows.map((row) => [
    row.name, figure(row), interval(row), String(row.n), row.asked, row.ok === null ? "" : element("strong", { class: row.ok ? "met" : "missed" }, row.ok ? "met" : "missed")])));
  node.append(element("h3", {}, "Cells"), table(["Cell", "Trials", "Passed", "Did not pass", "Seeds"], result.cells.map((cell) => [
    cell.name || "all", String(cell.done), String(cell.passed), String(cell.failed), `${cell.seeds[0]} to ${cell.seeds[1]}`])));
  const bad = result.cells.flatMap((cell) => cell.bad.map((each) => element("li", {}, `${cell.name ? `${cell.name}, ` : ""}seed ${each.seed}: ${each.reasons.join("; ") || "did not pass"}`)));
  if (bad.length) node.append(element("h3", {}, "What went wrong"), element("ul", { class: "reasons" }, ...bad));
  return node;
}

/** Rows by the name of their figure, which stands behind that of their cell. */
function byFigure(rows: Row[]): Map<string, [string, Row][]> {
  const found = new Map<string, [string, Row][]>();
  for (const row of rows) {
    const at = row.name.lastIndexOf(": ");
    const [cell, name] = at < 0 ? ["", row.name] : [row.name.slice(0, at), row.name.slice(at + 2)];
    found.set(name, [...(found.get(name) ?? []), [cell, row]]);
  }
  return found;
}

export function table(heads: string[], rows: (Node | string)[][]): HTMLElement {
  const [first, ...others] = heads;
  return element("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "Table" }, element("table", {},
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, first), ...others.map((head) => (head ? element("th", { scope: "col" }, head) : element("td", {}))))),
    element("tbody", {}, ...rows.map(([name, ...cells]) => element("tr", {}, element("th", { scope: "row" }, name), ...cells.map((cell) => element("td", {}, cell)))))));
}

function draw(tag: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  if (text) node.textContent = text;
  return node;
}

/** The bars of one figure. */
function picture(name: string, cells: [string, Row][]): HTMLElement {
  const unit = cells[0][1].unit;
  const bars = cells.map(([, row]) => Number(row.asked.replace(/^[<>]= /, ""))).map((value, at) => (cells[at][1].asked ? value : NaN));
  const values = cells.flatMap(([, row], at) => [row.value, ...(row.interval ?? []), ...(Number.isFinite(bars[at]) ? [bars[at]] : [])]);
  const [low, high] = unit === "share" ? [0, 1] : [Math.min(0, ...values), Math.max(0, ...values)];
  const span = high - low || 1;
  const x = (value: number) => NAMES + ((value - low) / span) * BARS;
  const height = cells.length * TALL + 22;
  const words = `${name}: ${cells.map(([cell, row]) => `${cell ? `${cell} ` : ""}${figure(row)}`).join("; ")}`;
  const svg = draw("svg", { viewBox: `0 0 ${NAMES + BARS + NUMBERS} ${height}`, role: "img", "aria-label": words });
  cells.forEach(([cell, row], at) => {
    const [top, middle] = [at * TALL + 3, at * TALL + TALL / 2];
    const kind = row.ok === null ? "plain" : row.ok ? "met" : "missed";
    const shown = cell.length > LETTERS ? `…${cell.slice(1 - LETTERS)}` : cell || "all";
    const label = draw("text", { x: NAMES - 8, y: middle, class: "cell", "text-anchor": "end", "dominant-baseline": "central" }, shown);
    label.append(draw("title", {}, cell));
    svg.append(label, draw("rect", { x: Math.min(x(0), x(row.value)), y: top, width: Math.max(Math.abs(x(row.value) - x(0)), 1), height: TALL - 6, class: `bar ${kind}` }));
    if (row.interval) svg.append(draw("line", { x1: x(row.interval[0]), x2: x(row.interval[1]), y1: middle, y2: middle, class: "interval" }));
    if (Number.isFinite(bars[at])) svg.append(draw("line", { x1: x(bars[at]), x2: x(bars[at]), y1: at * TALL, y2: (at + 1) * TALL, class: "asked" }));
    svg.append(draw("text", { x: NAMES + BARS + 8, y: middle, class: kind, "dominant-baseline": "central" }, figure(row)));
  });
  const bottom = cells.length * TALL + 12;
  svg.append(draw("line", { x1: NAMES, x2: NAMES + BARS, y1: cells.length * TALL + 1, y2: cells.length * TALL + 1, class: "axis" }),
    draw("text", { x: NAMES, y: bottom, class: "tick" }, told(low)),
    draw("text", { x: NAMES + BARS, y: bottom, class: "tick", "text-anchor": "end" }, `${told(high)} ${unit}`.trim()));
  return element("figure", {}, element("figcaption", {}, unit ? `${name} [${unit}]` : name), svg as unknown as HTMLElement);
}
