// The page of experiments: what there is, one before it runs, its progress, its result, and any two compared.
import type { AskedOfExperiments } from "./asked";
import "./style.css";
import "./experiments.css";
import { Connection, type Without } from "./connection";
import { button, element } from "./dom";
import { compareView } from "./experiment_compare";
import { ExperimentForm } from "./experiment_form";
import { resultView } from "./experiment_result";
import { RunView } from "./experiment_run";
import type { ComparedResults, ComparedRuns, Experiment, Result, Run, Shelf } from "./experiment_shapes";
import type { Message } from "./protocol";
import { keepFocus } from "./keep_focus";
import { otherTheme, restoreTheme } from "./theme";

const connection = new Connection<AskedOfExperiments>("/experiments");
const state = { shelf: null as Shelf | null, run: null as Run | null, shown: "", busy: 0 };

const link = element("span", { class: "link", role: "status" });
const experiments = element("ul", { class: "choices", "aria-label": "Experiments" });
const results = element("ul", { class: "choices", "aria-label": "Results" });
const first = element("select", { "aria-label": "First result or run" });
const second = element("select", { "aria-label": "Second result or run" });
const compare = button("Compare", "Differences in words, verdicts side by side; of runs the lanes over one another", () => void compared(), { class: "compare-button" });
/** Whether somebody has chosen what is compared; until then it is the last two results. */
let chosen = false;
for (const each of [first, second]) each.addEventListener("change", () => (chosen = true));
const sheet = element("div", { class: "sheet" });
const problem = element("p", { class: "problem bad", role: "alert" });
const running = new RunView({
  cancel: () => void told({ do: "cancel_experiment" }),
  open: (result) => void showResult(result),
  resume: (result) => void told({ do: "resume_experiment", result }),
});

document.querySelector("#app")!.append(
  element("header", { class: "top" },
    element("h1", { class: "brand" }, "Andante studio"), element("a", { href: "./", title: "The page for motions" }, "Motions"),
    element("a", { href: "terrain.html", title: "Boards, footsteps, walks and steering" }, "Terrain"), element("strong", {}, "Experiments"),
    element("span", { class: "gap" }), link,
    button("◐", "Light or dark", otherTheme, { "aria-label": "Light or dark" })),
  element("main", { class: "experiments" },
    element("aside", { class: "panel", "aria-label": "What there is" },
      element("h2", {}, "Experiments"), experiments,
      element("h2", {}, "Results"), results,
      element("h2", {}, "Compare two"), element("div", { class: "pair" }, element("label", {}, "First", first), element("label", {}, "Second", second), compare),
      element("p", { class: "hint" }, "Two results of experiments, or two runs: those of the studio, walks that were kept, and folders that andante run has written into the workspace.")),
    element("div", { class: "paper", tabindex: 0, role: "region", "aria-label": "What is shown" }, running.node, problem, sheet)));

restoreTheme();
keepFocus();

/** Ask, and tell above the sheet what went wrong. */
async function told(message: Without<AskedOfExperiments, "request">): Promise<Message | null> {
  problem.textContent = "";
  state.busy++;
  link.textContent = "working …";
  try {
    return await connection.ask(message);
  } catch (error) {
    problem.textContent = (error as Error).message;
    return null;
  } finally {
    state.busy--;
    if (!state.busy) link.textContent = "";
  }
}

// What there is ---------------------------------------------------------------------------------------------------

async function list(): Promise<void> {
  const answer = await told({ do: "shelf" });
  if (!answer) return;
  state.shelf = answer as unknown as Shelf;
  show();
}

function show(): void {
  const { shelf } = state;
  if (!shelf) return;
  const item = (name: string, key: string, hint: string, click: () => void) =>
    element("li", {}, button("", hint, click, { "aria-current": state.shown === key ? "true" : "false", "data-name": name }));
  experiments.replaceChildren(...shelf.experiments.map(({ name, what, where }) => {
    const node = item(name, `experiment ${name}`, what || name, () => void showExperiment(name));
    node.firstElementChild!.append(element("span", { class: "name" }, name), where === "workspace" ? element("span", { class: "hint" }, "of this workspace") : "");
    return node;
  }));
  if (!state.shown) sheet.replaceChildren(welcome(shelf));
  results.replaceChildren(...shelf.results.map(({ name, state: how, where, time }) => {
    const node = item(name, `result ${name}`, name, () => void showResult(name));
    const going = state.run?.result === name && (state.run.state === "going" || state.run.state === "starting");
    const when = new Date(1000 * time).toLocaleString();
    const words = [where === "history" ? "kept by --save" : where === "file" ? "made in the terminal" : "", going ? "runs" : how === "cut off" ? "cut off" : "", when];
    node.firstElementChild!.append(element("span", { class: "name" }, name.replace(/^experiments\//, "").replace(/^\.andante\/history\//, "")), element("span", { class: "hint" }, words.filter(Boolean).join(", ")));
    return node;
  }));
  if (!shelf.results.length) results.append(element("li", { class: "hint" }, "None yet: choose an experiment and run it."));
  const whole = shelf.results.filter(({ state: how }) => how === "whole").map(({ name }) => name);
  for (const [node, at] of [[first, 1], [second, 0]] as const) {
    const before = chosen ? node.value : "";
    const group = (label: string, names: string[]) => (names.length ? element("optgroup", { label }, ...names.map((name) => element("option", { value: name }, name))) : null);
    node.replaceChildren(...[group("Results", whole), group("Runs", shelf.runs)].filter((each) => each !== null));
    const names = [...node.options].map(({ value }) => value);
    node.value = names.includes(before) ? before : (names[at] ?? names[0] ?? "");
  }
  compare.disabled = whole.length + shelf.runs.length < 2;
}

/** What each experiment asks, until one or a result is chosen. */
function welcome(shelf: Shelf): HTMLElement {
  const rows = shelf.experiments.map(({ name, what }) =>
    element("tr", {}, element("th", { scope: "row" }, button(name, "What it runs, with which values and seeds", () => void showExperiment(name))), element("td", {}, what || "An experiment of this workspace.")));
  return element("section", {}, element("h2", {}, "What the experiments ask"), element("table", { class: "welcome" }, element("tbody", {}, ...rows)),
    element("p", { class: "hint" }, "Choose one to see what it runs and to run it; a result for its figures and the runs that failed; two of either to compare them."));
}

/** How often something was asked to be shown: an answer that comes after a later one was asked for is not shown. */
let asked = 0;

function put(key: string, node: HTMLElement): void {
  state.shown = key;
  sheet.replaceChildren(node);
  document.querySelector(".paper")!.scrollTop = 0;
  show();
}

async function showExperiment(name: string, given: Record<string, unknown> = {}): Promise<void> {
  const turn = ++asked;
  const answer = await told({ do: "look_at_experiment", experiment: name });
  if (!answer || !state.shelf || turn !== asked) return;
  put(`experiment ${name}`, new ExperimentForm(answer as unknown as Experiment, state.shelf, given, (message) => connection.ask(message)).node);
}

async function showResult(name: string): Promise<void> {
  const turn = ++asked;
  const answer = await told({ do: "look_at_result", result: name });
  // What is gone meanwhile goes from the list, too.
  if (!answer) return void connection.ask({ do: "shelf" }).then((found) => ((state.shelf = found as unknown as Shelf), show()));
  if (turn !== asked) return;
  const result = answer as unknown as Result;
  put(`result ${name}`, resultView(result, () => void showExperiment(result.experiment, result.given), () => void told({ do: "resume_experiment", result: name })));
}

async function compared(): Promise<void> {
  const turn = ++asked;
  const answer = await told({ do: "compare_results", first: first.value, second: second.value });
  if (answer && turn === asked) put("comparison", compareView(answer as unknown as ComparedResults | ComparedRuns));
}

connection.on("run", ({ run }) => {
  const before = state.run;
  state.run = run as Run | null;
  running.set(state.run);
  const over = (each: Run | null) => each !== null && each.state !== "going" && each.state !== "starting";
  if (before && state.run && (before.state !== state.run.state || before.result !== state.run.result)) {
    void list();
    if (over(state.run) && state.run.state === "done" && !over(before)) void showResult(state.run.result);
  }
});
connection.on("hello", () => {
  link.textContent = "";
  void list();
});
connection.onState = (open) => {
  document.querySelector("header")!.classList.toggle("lost", !open);
  if (!open) link.textContent = "The server is gone; trying again…";
};
connection.open();
const url = new URL(location.href);
if (url.searchParams.has("token")) {
  connection.on("hello", () => {
    url.searchParams.delete("token");
    history.replaceState(null, "", url);
  });
}
Object.assign(window, { experiments: { state, connection, showResult, showExperiment } });
