// The lanes of two runs over one another, on the time axis of the page of motions.
import { unpackedFloats } from "@andante/shared/packed";
import { Dock } from "./dock";
import { button, element, select } from "./dom";
import type { ComparedRuns } from "./experiment_shapes";
import { Plots } from "./plots";
import type { Robot } from "./protocol";
import { Store, type Run } from "./store";
import { Traces } from "./traces";

export async function comparedLanes(found: ComparedRuns): Promise<HTMLElement> {
  const store = new Store();
  const robot = found.robot as Robot;
  store.robot = robot;
  store.runs = await Promise.all(found.lanes.map(async ({ rows, width, events }, number): Promise<Run> => {
    const traces = new Traces(robot.joints.length, robot.feet.length);
    traces.add(await unpackedFloats(rows), width);
    return { number: number + 1, motion: "", seed: 0, start: "", poses: [], verdict: "", reasons: [], metrics: {}, events, traces, late: 0, revision: 0, weight: 0 };
  }));
  store.source = "run";
  store.shownRun = 1;
  store.compare = 2;
  const dock = new Dock(store, new Plots(store));
  dock.node.removeAttribute("aria-label");
  // Nothing can be edited here: its tools stay away, its curves are shown.
  dock.bar.hidden = true;
  dock.plots.node.hidden = true;
  dock.curves.node.hidden = false;
  const names = robot.joints.map(({ name }) => name);
  const moved = mostMoved(store.runs, names.length).map((joint) => names[joint]);
  store.channelsShown = moved;
  const joint = select(names, moved[0] ?? names[0], (name) => {
    store.channelsShown = [name];
    store.emit("channels");
  }, { "aria-label": "Joint of the curves" });
  const swap = button("Swap", "Draw the other run thick", () => {
    [store.shownRun, store.compare] = [store.compare, store.shownRun];
    which.textContent = told(store.shownRun);
    store.emit("run");
    store.emit("view");
  });
  const which = element("span", { class: "hint" }, told(1));
  const told0 = element("span", { class: "time" });
  store.on("playhead", () => (told0.textContent = `${store.playhead.toFixed(2)} s`));
  for (const topic of ["robot", "library", "run", "lanes", "view", "channels"] as const) store.emit(topic);
  const node = element("div", {}, element("div", { class: "line" }, element("label", { class: "check" }, "joint", joint), button("Most moved", "The joints that differ or move most", () => {
    store.channelsShown = moved;
    store.emit("channels");
  }), swap, told0, which), dock.node);
  const repaint = () => {
    dock.timeline.redraw();
    dock.curves.redraw();
  };
  addEventListener("themed", repaint);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  // Its canvases are as large as they are once they are on the page.
  requestAnimationFrame(() => {
    dock.axis.fit();
    store.seek(0);
    repaint();
  });
  Object.assign(window, { lanes: { store, dock } });
  return node;
}

const told = (number: number): string => `thick: the ${number === 1 ? "first" : "second"} run as measured, dashed as asked; dotted: the ${number === 1 ? "second" : "first"}`;

/** The joints whose measured ways lie furthest apart in the two runs, else those that move most. */
function mostMoved(runs: Run[], joints: number): number[] {
  const [one, other] = runs.map(({ traces }) => traces);
  const far = Array.from({ length: joints }, (_, joint) => {
    const column = one.column("measured", joint);
    let [most, low, high] = [0, Infinity, -Infinity];
    for (let row = 0; row < one.count; row += Math.max(Math.floor(one.count / 400), 1)) {
      const value = one.at(row, column);
      [low, high] = [Math.min(low, value), Math.max(high, value)];
      if (one.time(row) <= other.end && other.count) most = Math.max(most, Math.abs(value - other.at(other.row(one.time(row)), column)));
    }
    return { joint, most, span: high - low };
  });
  const apart = far.filter(({ most }) => most > 1e-4);
  return (apart.length ? apart.sort((a, b) => b.most - a.most) : far.sort((a, b) => b.span - a.span)).slice(0, 3).map(({ joint }) => joint);
}
