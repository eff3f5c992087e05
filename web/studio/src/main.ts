// The page: panes around one store, keys, notices.
import "./style.css";
import type { ClassBar } from "./classroom";
import { Details } from "./details";
import { Dock } from "./dock";
import { button, element, toggle } from "./dom";
import { FindingsPane } from "./findings";
import { firstSteps } from "./first_steps";
import { help } from "./help";
import { keepFocus } from "./keep_focus";
import { keep, kept, restore } from "./layout";
import { RunPane, Transport } from "./play";
import { Plots } from "./plots";
import * as marks from "./marks";
import { PosePane } from "./pose";
import { Postures } from "./postures";
import { splitter } from "./splitter";
import { Store } from "./store";
import { byArrows, markTab } from "./tab_list";
import { TextHolder } from "./text_holder";
import { TopBar } from "./topbar";
import { View3d } from "./view3d";

// 2-D canvases on the processor: through software GL each of them costs more than the robot.
const context = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, options?: object) {
  return context.call(this, kind as "2d", kind === "2d" ? { ...options, willReadFrequently: true } : options);
} as typeof context;

/** So many ticks a keyframe goes at once. */
const COARSE = 10;
const store = new Store();
const studio: Record<string, unknown> = {};
const top = new TopBar(store);
const pose = new PosePane(store);
const view = new View3d(store);
const text = new TextHolder(store, (pane) => Object.assign(studio, { text: pane }));
const details = new Details(store);
const findings = new FindingsPane(store, text);
const runs = new RunPane(store);
const plots = new Plots(store);
const dock = new Dock(store, plots);
const { timeline } = dock;
const postures = new Postures(store);
const transport = new Transport(store);

const tabs: [string, string, { node: HTMLElement }][] = [
  ["Text", "The document", text],
  ["Keyframe", "What the chosen keyframe says; without one the motion, its blocks, balance and settings", details],
  ["Postures", "Postures of the robot and your own", postures],
  ["Checks", "Findings of the checks", findings],
  ["Run", "Verdict, faults, live parameters", runs],
  ["Plots", "Recorded variables while it runs", plots],
];
const heads = element("div", { class: "tabs", role: "tablist", "aria-label": "Beside the picture" });
byArrows(heads);
for (const [title, , { node }] of tabs) {
  node.id = `pane-${title}`;
  node.setAttribute("role", "tabpanel");
  node.setAttribute("aria-label", title);
}
const side = element("aside", { class: "side" }, firstSteps(), heads, ...tabs.map(([, , pane]) => pane.node));
let open = "";

function show(name: string): void {
  open = name;
  keep({ tab: name });
  for (const [title, , pane] of tabs) {
    pane.node.hidden = title !== name;
  }
  if (name === "Plots") plots.shown();
  if (name === "Postures") postures.ask();
  markTab(heads, (head) => head.dataset.tab === name);
}
for (const [title, hint] of tabs) heads.append(button(title, hint, () => show(title), { role: "tab", "data-tab": title, "aria-controls": `pane-${title}` }));
show(tabs.some(([title]) => title === kept().tab) ? kept().tab! : "Text");
restore();
dock.restore();

const viewTools = element("div", { class: "view-tools" },
  toggle("Onion", "Onion skin: the keyframes before (orange) and after (green), of a run what was measured (O)", false, (on) => {
    view.onion = on;
    view.updateGhosts();
  }, { class: "onion" }),
  toggle("Handles", "Drag hands, feet, head, trunk and the centre of mass on the ground (Shift: fine)", true, (on) => {
    view.showHandles = on;
    view.draw();
  }, { class: "moves" }),
  toggle("Hold feet", "Feet that are not dragged stay in their places", true, (on) => (view.holdFeet = on), { class: "moves" }),
  toggle("Limb first", "Move the dragged limb alone where that reaches; off: the whole body follows at once", true, (on) => (view.limbFirst = on), { class: "moves" }),
  toggle("Hold CoM", "The centre of mass stays over its place on the ground while a foot or hand is dragged: the body leans against it (H)", false, (on) => (view.holdCom = on), { class: "hold-com moves" }),
  toggle("Balance", "Support polygon, soles that stand (green: could carry alone) and centre of mass", true, (on) => {
    view.showBalance = on;
    view.draw();
  }),
  toggle("Upright", "Keep the trunk upright instead of the lowest sole flat", false, (on) => {
    view.upright = on;
    view.updateGhosts();
    view.draw();
  }),
  toggle("Turn", "Handles turn in their places, about the line of sight, instead of being dragged: Front, Side and Top choose the axis (T; Shift: fine)", false, (on) => (view.turning = on), { class: "turn moves" }),
  toggle("Collisions", "Show what touches in physics in place of what is drawn", false, (on) => (view.showCollisions = on)),
  button("Front", "Look from the front (1)", () => view.look([1, 0, 0.1])),
  button("Side", "Look from the robot's right (3)", () => view.look([0, -1, 0.1])),
  button("Top", "Look from above (7)", () => view.look([-0.01, 0, 1])),
  button("Fit", "See the whole robot (Home)", () => view.fit()));
view.node.append(viewTools);

const notices = element("div", { class: "notices", role: "status", "aria-live": "polite" });
store.on("notice", ({ text, bad }) => {
  const node = element("div", { class: bad ? "notice bad" : "notice" }, text, button("×", "Close", () => node.remove(), { class: "plain" }));
  notices.append(node);
  while (notices.childElementCount > 4) notices.firstElementChild!.remove();
  setTimeout(() => node.remove(), bad ? 12000 : 4000);
});

document.querySelector("#app")!.append(
  top.node,
  element("main", {}, element("div", { class: "left" }, pose.node), element("div", { class: "middle" }, view.node, transport.evidence.node, transport.node), side, dock.node),
  notices);

document.querySelector("main")!.append(splitter("left"), splitter("side"), splitter("bottom"));

const repaint = () => {
  view.colors();
  timeline.redraw();
  dock.curves.redraw();
  dock.plots.redraw();
};
addEventListener("themed", repaint);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);

const stale = element("div", { class: "stale-note", role: "status", hidden: true });
view.node.append(stale);
store.on(["stale", "document", "connection"], () => {
  const why = store.connected ? store.stale : store.state ? "the server is gone" : "";
  stale.hidden = !why;
  stale.textContent = why ? `This is the last motion that could be shown, not the text of now: ${why.split("\n")[0]}` : "";
  for (const node of [view.node, dock.node]) node.classList.toggle("stale", Boolean(why));
});

store.on("run", () => {
  if (store.running === "starting" && open !== "Plots" && open !== "Run") show("Run");
});
store.on(["run", "checks"], () => {
  const run = store.run;
  const older = run && run.revision !== store.revision ? " (of an earlier text)" : "";
  view.setLabel(store.source === "run" && run ? (run.verdict ? `${run.motion}: ${run.verdict}${older}` : `${run.motion} in physics${older}`) : "", run?.verdict === "fail");
});
store.on("view", () => store.source === "motion" && view.setLabel(""));

addEventListener("keydown", (event) => {
  const target = event.target as HTMLElement;
  const control = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  const done = () => event.preventDefault();
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "F1") return done(), help();
  if (control && key === "s") return done(), void top.save();
  if (control && key === "o") return done(), void top.open();
  if (target.closest(".cm-editor")) return;
  const field = target.closest("textarea, select, input:not([type=range]):not([type=checkbox])");
  if (control && key === "z" && !field) return done(), event.shiftKey ? store.redo() : store.undo();
  if (control && key === "y" && !field) return done(), store.redo();
  if (field) return;
  if (control && key === "c") return timeline.copy();
  if (control && key === "v") return done(), void timeline.paste(event.shiftKey);
  if (control || event.altKey) return;
  if (event.key === " " && !target.closest("button")) return done(), transport.toggle();
  if (key === "p") return transport.run(event.shiftKey);
  if (key === "f") return done(), runs.push();
  if (target.closest("input[type=range]") && event.key.startsWith("Arrow")) return;
  if (event.shiftKey && event.key.startsWith("Arrow")) {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -COARSE, ArrowDown: COARSE }[event.key];
    return done(), timeline.nudge(by! * store.tick);
  }
  if (event.key === "ArrowLeft") return done(), transport.step(-1);
  if (event.key === "ArrowRight") return done(), transport.step(1);
  if (event.key === "ArrowUp") return done(), timeline.step(-1);
  if (event.key === "ArrowDown") return done(), timeline.step(1);
  if (key === "i" || key === "k") return timeline.insertAt(store.playhead);
  if (key === "d" && event.shiftKey) return timeline.duplicate();
  if (key === "x" || event.key === "Delete") return timeline.remove();
  if (key === "a") return done(), timeline.selectAll();
  if (key === "h") return viewTools.querySelector<HTMLButtonElement>(".hold-com")!.click();
  if (key === "t") return viewTools.querySelector<HTMLButtonElement>(".turn")!.click();
  if (event.key === "Escape") return store.backToEditing();
  if (key === "o") return viewTools.querySelector<HTMLButtonElement>(".onion")!.click();
  if (key === "e") {
    const box = dock.bar.querySelector<HTMLInputElement>("input[type=checkbox]")!;
    return box.click();
  }
  if (event.key === "Home") return timeline.fit(), view.fit();
  if (event.key === "1") return view.look([1, 0, 0.1]);
  if (event.key === "3") return view.look([0, -1, 0.1]);
  if (event.key === "7") return view.look([-0.01, 0, 1]);
});

store.on("connection", () => {
  for (const each of viewTools.querySelectorAll<HTMLButtonElement>(".moves")) each.disabled = store.readonly;
});

Object.assign(studio, { store, view, timeline, dock, plots, marks });
let lessonBar: Promise<ClassBar> | null = null;
store.connection.on("hello", ({ class: state }) => {
  if (!state) return;
  if (lessonBar) return void lessonBar.then((bar) => bar.heard(state));
  lessonBar = import("./classroom").then(({ ClassBar }) => {
    const bar = new ClassBar(store, state);
    top.node.after(bar.node);
    return bar;
  });
});
// The server keeps every edit that it has; of what it does not have yet a page that is closed says so.
addEventListener("beforeunload", (event) => {
  if (store.sending) event.preventDefault();
});
keepFocus();
store.begin();
Object.assign(window, { studio });
store.on("robot", () => requestAnimationFrame(() => requestAnimationFrame(() => void text.load())));
