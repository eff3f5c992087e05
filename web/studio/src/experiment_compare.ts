// Two results, or two runs, beside one another: verdicts, differences in words, what cannot be compared, lanes.
import { element } from "./dom";
import { table } from "./experiment_result";
import { figure, told, type ComparedResults, type ComparedRuns, type Row, type Verdict } from "./experiment_shapes";

const ASKED = ["What was asked", "First", "Second"];

export function compareView(found: ComparedResults | ComparedRuns): HTMLElement {
  const [first, second] = found.names;
  const node = element("section", { class: "compare-view", "aria-label": "Comparison" },
    element("h2", {}, "Compared"),
    element("div", { class: "sides" }, side("First", first, found.made[0], found.verdicts[0]), side("Second", second, found.made[1], found.verdicts[1])));
  if (found.against.length) node.append(element("div", { class: "against", role: "note" }, element("strong", {}, "Not comparable"), element("ul", {}, ...found.against.map((text) => element("li", {}, text)))));
  if (found.kind === "results") results(node, found);
  else runs(node, found);
  if (found.asked.length) node.append(element("h3", {}, "Asked differently"), table(ASKED, found.asked.map((each) => [...each])));
  else node.append(element("p", { class: "hint" }, "Both were asked the same."));
  return node;
}

function side(title: string, name: string, made: string, verdict: Verdict): HTMLElement {
  const kind = verdict.good === null ? "" : verdict.good ? "met" : "missed";
  return element("div", { class: "side-of" }, element("h3", {}, title), element("p", { class: "which" }, name), element("p", { class: "hint" }, made),
    element("p", { class: `verdict ${kind}` }, verdict.verdict), element("ul", { class: "reasons" }, ...verdict.reasons.slice(0, 6).map((each) => element("li", {}, each))));
}

function results(node: HTMLElement, found: ComparedResults): void {
  if (found.outcome) node.append(element("p", { class: `verdict ${found.outcome === "worse" ? "missed" : found.outcome === "better" ? "met" : ""}` },
    `The second is ${found.outcome === "no difference" ? "no different" : found.outcome}: ${found.why}.`));
  node.append(element("p", {}, found.seeds + "."));
  if (found.differences.length) {
    node.append(element("h3", {}, "Differences, second minus first"), table(["Measure", "Pairs", "First", "Second", "Difference, 95 % interval", ""], found.differences.map((each) => {
      const name = each.group ? `${each.group}: ${each.measure}` : each.measure;
      const scale = each.unit ? 1 : 100;
      const unit = each.unit || "points";
      const side = (value: number | null) => (value === null ? "not known" : each.unit ? `${told(value)} ${each.unit}` : `${told(100 * value)} %`);
      const size = each.size === null ? "no pair tells it" : !each.interval ? `${signed(scale * each.size)} ${unit}, too few pairs for an interval` : `${signed(scale * each.size)} ${unit}, ${signed(scale * each.interval[0])} to ${signed(scale * each.interval[1])}`;
      const word = each.outcome === "no difference" ? "no difference" : element("strong", { class: each.outcome === "worse" ? "missed" : "met" }, each.outcome);
      return [name, String(each.n), side(each.first), side(each.second), size, word];
    })));
  }
  const cell = (row: Row | null) => (row === null ? "–" : `${figure(row)}${row.interval ? ` (${told(row.interval[0])} to ${told(row.interval[1])})` : ""}${row.ok === null ? "" : row.ok ? ", met" : ", missed"}`);
  node.append(element("h3", {}, "Figures of both"), table(["Figure", "First", "Second", "Asked"], found.rows.map(({ name, sides }) => [name, cell(sides[0]), cell(sides[1]), sides[0]?.asked || sides[1]?.asked || ""])));
}

function runs(node: HTMLElement, found: ComparedRuns): void {
  const lanes = element("div", { class: "compare-lanes" });
  node.append(element("h3", {}, "Lanes of both"), lanes);
  if (found.robot) {
    lanes.append(element("p", { class: "hint" }, "loading …"));
    void import("./experiment_lanes").then(({ comparedLanes }) => comparedLanes(found)).then((node) => lanes.replaceChildren(node),
      (error: Error) => lanes.replaceChildren(element("p", { class: "bad" }, `The lanes cannot be shown: ${error.message}`)));
  } else lanes.append(element("p", { class: "hint" }, found.no_lanes));
  node.append(element("h3", {}, "Numbers that differ"));
  if (found.numbers.length) node.append(table(["Number", "First", "Second", "Change"], found.numbers.map((each) => [...each])));
  else node.append(element("p", {}, found.same.length ? "None: all numbers are the same." : "None: neither folder tells numbers."));
  if (found.channels.length) node.append(element("h3", {}, "Rows"), element("ul", {}, ...found.channels.map((text) => element("li", {}, text))));
  if (found.events.length) node.append(element("h3", {}, "What only one did"), table(["Time", "Run", "What happened"], found.events.map(([time, which, text]) => [`${time.toFixed(2)} s`, which, text])));
}

const signed = (value: number): string => `${value > 0 ? "+" : ""}${told(value)}`;
