// The dock: keys, curves and plots on one time axis and one playhead.
import { TimeAxis } from "./axis";
import { Curves } from "./curves";
import { button, check, editing, element } from "./dom";
import { keep, kept } from "./layout";
import { PlotLanes } from "./plot_lanes";
import type { Plots } from "./plots";
import type { Store } from "./store";
import { Timeline } from "./timeline";

/** Height of the dock with one view, and with more [px]. */
const MORE = 400;

export class Dock {
  readonly node = element("section", { class: "pane timeline", "aria-label": "Time axis" });
  readonly bar = element("div", { class: "tools" });
  readonly axis: TimeAxis;
  readonly timeline: Timeline;
  readonly curves: Curves;
  readonly plots: PlotLanes;
  private shownAs = "";
  private edits: HTMLFieldSetElement;
  private views = element("span", { class: "views", role: "group", "aria-label": "Views of the time axis" });

  constructor(private store: Store, plots: Plots) {
    this.axis = new TimeAxis(() => Math.max(store.duration, store.source === "run" ? store.runEnd() : 0));
    this.edits = editing(store);
    this.timeline = new Timeline(store, this.axis);
    this.curves = new Curves(store, this.axis, this.timeline);
    this.plots = new PlotLanes(store, this.axis, plots);
    this.curves.node.hidden = this.plots.node.hidden = true;
    this.node.append(this.bar, element("div", { class: "dock" }, this.timeline.node, this.curves.node, this.plots.node));
    store.on(["library", "shown", "robot"], () => this.buildBar());
    this.buildBar();
  }

  /** Show or hide a view. */
  toggle(view: "Keys" | "Curves" | "Plots", on: boolean): void {
    if (view === "Keys") {
      this.timeline.open = on;
      this.timeline.node.classList.toggle("shut", !on);
      this.timeline.node.style.setProperty("--head", `${this.timeline.head}px`);
    } else (view === "Curves" ? this.curves : this.plots).node.hidden = !on;
    const open = [this.timeline.open, !this.curves.node.hidden, !this.plots.node.hidden].filter(Boolean).length;
    const root = document.documentElement;
    const now = parseFloat(getComputedStyle(root).getPropertyValue("--bottom"));
    const wanted = Math.min(Math.max(MORE, innerHeight * (open > 2 ? 0.5 : 0.42)), innerHeight / 1.9);
    if (on && open > 1 && now < wanted) root.style.setProperty("--bottom", `${wanted}px`);
    this.timeline.redraw();
    this.curves.redraw();
    this.plots.redraw();
    for (const each of this.views.querySelectorAll("button")) if (each.textContent === view) each.setAttribute("aria-pressed", String(on));
    keep({ views: { ...kept().views, [view]: on } });
  }

  /** Show the views that were shown when the page was left. */
  restore(): void {
    const views = kept().views ?? {};
    for (const view of ["Keys", "Curves", "Plots"] as const) {
      const now = view === "Keys" ? this.timeline.open : view === "Curves" ? !this.curves.node.hidden : !this.plots.node.hidden;
      if (views[view] !== undefined && views[view] !== now) this.toggle(view, views[view]);
    }
  }

  private buildBar(): void {
    const { store, timeline } = this;
    const { library } = store;
    const motions = Object.keys(library?.motions ?? {});
    const blocks = Object.keys(library?.blocks ?? {});
    const as = JSON.stringify([motions, blocks, store.motion, store.block, store.blocks()]);
    if (as === this.shownAs) return;
    this.shownAs = as;
    const value = store.block ? `b:${store.block}` : `m:${store.motion}`;
    const chooser = element("select", { title: "Which motion or block is shown", "aria-label": "Motion or block", change: () => {
      const [kind, name] = [chooser.value[0], chooser.value.slice(2)];
      store.source = "motion";
      store.show(kind === "m" ? name : "", kind === "b" ? name : "");
    } },
      element("optgroup", { label: "Motions" }, ...motions.map((name) => element("option", { value: `m:${name}`, selected: value === `m:${name}` }, name))),
      element("optgroup", { label: "Blocks" }, ...blocks.map((name) => element("option", { value: `b:${name}`, selected: value === `b:${name}` }, name))));
    const filter = element("input", { type: "search", class: "filter", placeholder: "joints…", title: "Show only joints and groups whose names have this part; Enter shows their curves", "aria-label": "Filter of the joints", spellcheck: "false" });
    filter.addEventListener("input", () => (timeline.filter = filter.value));
    filter.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      store.channelsShown = timeline.filtered;
      store.emit("channels");
      this.toggle("Curves", true);
    });
    const view = (name: "Keys" | "Curves" | "Plots", hint: string, on: boolean) =>
      button(name, hint, (event) => this.toggle(name, (event.currentTarget as HTMLElement).getAttribute("aria-pressed") !== "true"), { "aria-pressed": String(on) });
    this.views.replaceChildren(
      view("Keys", "The keys of every joint and group", timeline.open),
      view("Curves", "Tall curves of the chosen joints; click names on the left to choose", !this.curves.node.hidden),
      view("Plots", "The recorded variables of the tab Plots, on this axis", !this.plots.node.hidden));
    this.edits.replaceChildren(
      button("Motion…", "Make, rename or delete motions and blocks", () => timeline.organize()),
      button("+ Key", "Store the posture as a keyframe at the playhead (I)", () => timeline.insertAt(store.playhead)),
      button("Split", "Split the keyframe under the playhead; the way stays the same", () => timeline.split()),
      button("Duplicate", "Duplicate the chosen keyframes (Shift-D)", () => timeline.duplicate()),
      button("Copy", "Copy (Ctrl-C)", () => timeline.copy()),
      button("Paste", "Paste behind the chosen keyframe (Ctrl-V)", () => void timeline.paste(false)),
      button("Paste mirrored", "Paste the mirror image (Ctrl-Shift-V)", () => void timeline.paste(true)),
      button("◀", "Move the keyframe one place earlier", () => timeline.shift(-1), { "aria-label": "Keyframe one place earlier" }),
      button("▶", "Move the keyframe one place later", () => timeline.shift(1), { "aria-label": "Keyframe one place later" }),
      button("Delete", "Delete the picked keys, or the chosen keyframes (Del or X)", () => timeline.remove()),
      check("ripple", "Dragging a keyframe moves all after it (E)", timeline.ripple, (on) => (timeline.ripple = on)));
    this.bar.replaceChildren(
      chooser,
      this.edits,
      check("ways", "Show the joints' ways in their lanes: as they will be played, and as they were measured (orange)", timeline.curves, (on) => {
        timeline.curves = on;
        timeline.redraw();
      }),
      button("Fit", "See the whole motion (Home)", () => this.axis.fit()),
      filter, this.views,
    );
  }
}
