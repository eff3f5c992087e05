// The tall curves: what the engine plays, exactly, and what a run did, with limits; values are dragged here.
import { NAMES, type TimeAxis } from "./axis";
import { AxisCanvas, type ColorOf } from "./axis_canvas";
import { button, check, element, select } from "./dom";
import { Envelope } from "./envelope";
import { rimmed } from "./pixels";
import type { Joint } from "./protocol";
import { SERIES, seriesColors, seriesStyle } from "./series";
import type { Run, Store } from "./store";
import type { Timeline } from "./timeline";
import type { Quantity } from "./traces";
import type { Way } from "./way";

const MOST = SERIES;
const PAD = 10;
const LIVE = 90;
type Shown = "angle" | "speed" | "torque";

/** A keyframe's value of a joint, as it is drawn. */
interface Knot {
  place: number;
  joint: number;
  x: number;
  y: number;
}

export class Curves extends AxisCanvas<Store> {
  private side = element("div", { class: "curve-side" });
  private legend = element("ul", { class: "curve-legend" });
  private shown: Shown = "angle";
  private limits = true;
  private range: [number, number] = [0, 1];
  private knots: Knot[] = [];
  private knot: { place: number; joint: number } | null = null;
  private drag: { place: number; joint: number; x: number; y: number; value: number; end: number; group: string; way: "" | "value" | "time" } | null = null;
  private drags = 0;

  constructor(store: Store, axis: TimeAxis, private timeline: Timeline) {
    super(store, axis, "curves", { tabindex: 0, "aria-label": "Curves", role: "application" }, LIVE);
    this.side.append(
      select([["angle", "angle"], ["speed", "speed"], ["torque", "torque"]], "angle", (value) => {
        this.shown = value as Shown;
        this.redraw();
      }, { title: "What the curves show; torques are of runs", "aria-label": "Quantity of the curves" }),
      check("limits", "Show the limits of the first joint: what lies beyond them has its colour", true, (on) => {
        this.limits = on;
        this.redraw();
      }),
      this.legend);
    this.node.prepend(this.side);
    store.on(["playhead", "pose"], () => this.tellSoon());
    store.on(["library", "shown", "chosen", "trajectory", "units", "view", "run", "evidence"], () => this.redraw());
    store.on(["channels", "robot"], () => this.redraw());
    store.on("lanes", () => this.redrawLive());
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", () => (this.drag = null));
    canvas.addEventListener("pointercancel", () => (this.drag = null));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  /** Places of the shown joints among the robot's: those that were chosen, else the three that move most. */
  get joints(): number[] {
    const { store } = this;
    const joints = store.robot?.joints ?? [];
    const wanted = store.channelsShown.map((name) => joints.findIndex((joint) => joint.name === name)).filter((index) => index >= 0);
    if (wanted.length) return wanted.slice(0, MOST);
    const { trajectory } = store;
    if (!trajectory || trajectory.joints !== joints.length) return joints.slice(0, 3).map((_, index) => index);
    const way = joints.map((_, joint) => {
      let [low, high] = [Infinity, -Infinity];
      for (let at = joint; at < trajectory.targets.length; at += trajectory.joints) {
        low = Math.min(low, trajectory.targets[at]);
        high = Math.max(high, trajectory.targets[at]);
      }
      return { joint, span: high - low };
    });
    return way.filter(({ joint }) => !store.muted.has(joints[joint].name)).sort((a, b) => b.span - a.span).slice(0, 3).map(({ joint }) => joint);
  }

  private get factor(): number {
    return this.shown === "torque" || !this.store.degrees ? 1 : 180 / Math.PI;
  }

  private get unit(): string {
    if (this.shown === "torque") return "N m";
    return (this.store.degrees ? "°" : "rad") + (this.shown === "speed" ? "/s" : "");
  }

  // Drawing -------------------------------------------------------------------------------------------------------

  private y(value: number, height: number): number {
    const [low, high] = this.range;
    return height - PAD - ((value - low) / (high - low)) * (height - 2 * PAD);
  }

  private value(y: number, height: number): number {
    const [low, high] = this.range;
    return low + ((height - PAD - y) / (height - 2 * PAD)) * (high - low);
  }

  private plan(way: Way, joint: number, columns: number, left: number, scale: number): Envelope {
    const { curve, store } = this;
    curve.begin(columns);
    if (this.shown === "torque") return curve;
    const value = (time: number) => (this.shown === "speed" ? way.speed(time, joint) : way.at(time, joint));
    const end = way.duration;
    const first = Math.max(0, Math.floor(-left * scale));
    const last = Math.min(columns, Math.ceil((end - left) * scale));
    let time = left + first / scale;
    let before = value(time);
    let number = way.segment(Math.max(time, 0));
    const places = store.places();
    for (let x = first; x < last; x++) {
      const next = Math.min(left + (x + 1) / scale, end);
      let from = x;
      // Every keyframe that ends inside the column counts, however narrow.
      while (number < places.length && places[number].end < next) {
        const at = (places[number].end - left) * scale;
        const there = value(places[number].end);
        if (at >= x) {
          curve.line(from, before, at, there);
          [from, before] = [at, this.shown === "speed" ? value(places[number].end + 1e-9) : there];
        }
        number++;
      }
      const after = value(next);
      curve.line(from, before, x + 1, after);
      before = after;
      time = next;
    }
    return curve;
  }

  private ran(run: Run, what: Quantity, joint: number, columns: number, left: number, scale: number): Envelope {
    const { traces } = run;
    const curve = this.curve.begin(columns);
    const column = traces.column(this.shown === "torque" ? "effort" : what, joint);
    if (this.shown !== "speed") return traces.into(curve, column, left, scale);
    const value = (row: number) => traces.slope(row, column);
    return curve.series({ count: traces.count, time: (row) => traces.time(row), value, row: (time) => traces.row(time) }, left, scale);
  }

  /** From the smallest to the largest of what the seeds of the evidence measured. */
  private band(joint: number, columns: number, left: number, scale: number): Envelope {
    const curve = this.curve.begin(columns);
    const joints = this.store.robot?.joints.length ?? 0;
    if (this.shown !== "angle") return curve;
    for (const { trace } of this.store.evidence?.trials ?? []) {
      const width = joints + 1;
      if (!trace || trace.length % width) continue;
      const count = trace.length / width;
      const row = (time: number) => {
        let at = 0;
        while (at + 1 < count && trace[(at + 1) * width] <= time) at++;
        return at;
      };
      curve.series({ count, time: (at) => trace[at * width], value: (at) => trace[at * width + 1 + joint], row }, left, scale);
    }
    return curve;
  }

  protected drawLayer(context: CanvasRenderingContext2D, width: number, height: number, ratio: number, color: ColorOf): void {
    const { store, axis, pixels } = this;
    this.tellSoon();
    const robot = store.robot;
    this.knots = [];
    if (!robot) return;
    const columns = this.columns(width, ratio);
    const left = axis.time(NAMES);
    const scale = axis.scale * ratio;
    const { joints } = this;
    const way = store.way();
    const run = store.source === "run" ? store.run : undefined;
    const behind = run ?? (store.run && store.run.motion === store.motion && store.run.revision === store.revision ? store.run : undefined);
    const beside = store.runsBeside();
    // What is drawn decides the range.
    const curves: { curve: [Float32Array, Float32Array]; color: string; kind: "plan" | "asked" | "measured" | "other" | "band"; thick: number }[] = [];
    let [low, high] = [Infinity, -Infinity];
    const add = (curve: Envelope, tone: string, kind: (typeof curves)[number]["kind"], thick = 1) => {
      const found = curve.range();
      if (!found) return;
      [low, high] = [Math.min(low, found[0]), Math.max(high, found[1])];
      curves.push({ curve: [curve.low.slice(), curve.high.slice()], color: tone, kind, thick });
    };
    const tones = seriesColors();
    joints.forEach((joint, number) => {
      const tone = tones[number];
      if (!run) add(this.band(joint, columns, left, scale), tone, "band");
      for (const each of beside) add(this.ran(each, "measured", joint, columns, left, scale), tone, "other");
      // Joints that go the same way are seen beside one another: those below are wider.
      if (way && !run) add(this.plan(way, joint, columns, left, scale), tone, "plan", 1.5 + 3 * (joints.length - 1 - number));
      if (run && this.shown !== "torque") add(this.ran(run, "asked", joint, columns, left, scale), tone, "asked");
      if (behind) add(this.ran(behind, "measured", joint, columns, left, scale), tone, "measured");
    });
    if (!(high >= low)) [low, high] = [-1, 1];
    const limit = this.limits && joints.length ? limitsOf(robot.joints[joints[0]], this.shown) : null;
    // Limits that are far from what is drawn would flatten it.
    if (limit) {
      const far = Math.max(high - low, 1e-3);
      if (Number.isFinite(limit[0]) && low - limit[0] < far) low = Math.min(low, limit[0]);
      if (Number.isFinite(limit[1]) && limit[1] - high < far) high = Math.max(high, limit[1]);
    }
    const room = Math.max(0.06 * (high - low), 0.01);
    this.range = [low - room, high + room];
    const values = this.grid(context, width, height, color);
    pixels.begin(columns, height * ratio);
    const y = (value: number) => this.y(value, height) * ratio;
    if (limit) {
      const wash = new Envelope().begin(columns);
      const [bottom, top] = [this.value(height, height), this.value(0, height)];
      for (const [from, to] of [[bottom, limit[0]], [limit[1], top]]) {
        if (!(Number.isFinite(from) && Number.isFinite(to)) || to <= from) continue;
        wash.low.fill(from);
        wash.high.fill(to);
        pixels.fill(wash, y, 0, height * ratio, tones[0], 0.16);
      }
    }
    const drawn = new Envelope();
    for (const { curve, color: tone, kind, thick } of curves) {
      drawn.begin(columns);
      drawn.low.set(curve[0]);
      drawn.high.set(curve[1]);
      if (kind === "band") {
        pixels.fill(drawn, y, 0, height * ratio, tone, 0.34);
        // Its edges, as it is narrow where seeds agree.
        for (const edge of [curve[0], curve[1]]) {
          drawn.low.set(edge);
          drawn.high.set(edge);
          pixels.stroke(drawn, y, 0, height * ratio, tone, ratio);
        }
      }
      else if (kind === "other") pixels.stroke(drawn, y, 0, height * ratio, tone, ratio, 2);
      else if (kind === "asked") pixels.stroke(drawn, y, 0, height * ratio, tone, ratio, 6);
      else pixels.stroke(drawn, y, 0, height * ratio, tone, (kind === "measured" ? 2 : thick) * ratio);
    }
    context.drawImage(pixels.end(), NAMES, 0, width - NAMES, height);
    if (way && !run && this.shown === "angle") this.drawKnots(context, way, joints, width, height, color);
    context.textBaseline = "middle";
    for (const { y: at, text } of values) rimmed(context, text, width - 4, Math.min(Math.max(at, 7), height - 7), color);
    this.drawLegend(joints, new Set(curves.map(({ kind }) => kind)));
  }

  /** Lines at round times and values; gives the texts of the latter. */
  private grid(context: CanvasRenderingContext2D, width: number, height: number, color: ColorOf): { y: number; text: string }[] {
    const { axis, factor } = this;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.strokeStyle = color("--line");
    context.save();
    context.beginPath();
    context.rect(NAMES, 0, width - NAMES, height);
    context.clip();
    context.globalAlpha = 0.5;
    context.beginPath();
    for (const tick of axis.ticks().times) {
      const x = Math.round(axis.x(tick)) + 0.5;
      context.moveTo(x, 0);
      context.lineTo(x, height);
    }
    const [low, high] = [this.range[0] * factor, this.range[1] * factor];
    const lines = Math.max(2, Math.floor(height / 34));
    const raw = (high - low) / lines;
    const power = 10 ** Math.floor(Math.log10(raw));
    const every = [10, 5, 2, 1].map((step) => step * power).find((step) => step <= 1.5 * raw)!;
    const values: number[] = [];
    for (let value = Math.ceil(low / every) * every; value <= high; value += every) values.push(value);
    for (const value of values) {
      const y = Math.round(this.y(value / factor, height)) + 0.5;
      context.moveTo(NAMES, y);
      context.lineTo(width, y);
    }
    context.stroke();
    context.restore();
    const digits = Math.max(0, -Math.floor(Math.log10(every) + 1e-9));
    return values.map((value) => ({ y: this.y(value / factor, height), text: `${(value + 0).toFixed(digits)} ${this.unit}` }));
  }

  private drawKnots(context: CanvasRenderingContext2D, way: Way, joints: number[], width: number, height: number, color: ColorOf): void {
    const { store, axis } = this;
    const names = joints.map((joint) => store.robot!.joints[joint].name);
    const tones = seriesColors();
    store.places().forEach(({ ref, end }, place) => {
      const x = axis.x(end);
      if (x < NAMES || x > width) return;
      const keyed = store.keyframe(ref)?.joints ?? {};
      joints.forEach((joint, number) => {
        if (typeof keyed[names[number]] !== "number") return;
        const y = this.y(way.target(place, joint), height);
        const mine = store.isChosen(ref);
        context.fillStyle = mine ? color("--chosen") : tones[number];
        const under = joints.length - 1 - number;
        const half = (this.knot?.place === place && this.knot.joint === joint ? 5 : 3.5) + under;
        context.fillRect(x - half, y - half, 2 * half, 2 * half);
        this.knots.push({ place, joint, x, y });
      });
    });
  }

  private shownLegend = "";

  private drawLegend(joints: number[], kinds: Set<string>): void {
    const { store } = this;
    const names = joints.map((joint) => store.robot!.joints[joint].name);
    const band = store.source === "motion" && (store.evidence?.trials.length ?? 0) > 1;
    const as = JSON.stringify([names, [...kinds].sort(), store.source, band, store.channelsShown.length, this.limits]);
    if (as === this.shownLegend) return;
    this.shownLegend = as;
    const lines: [string, string][] = [];
    if (kinds.has("plan") && kinds.has("measured")) lines.push(["plan", "as written"]);
    if (kinds.has("asked")) lines.push(["asked", "asked"]);
    if (kinds.has("measured")) lines.push(["measured", "measured"]);
    if (kinds.has("other")) lines.push(["other", "other runs"]);
    if (kinds.has("band") && band) lines.push(["band", "between all seeds"]);
    this.legend.replaceChildren(
      ...names.map((name, number) => element("li", {},
        element("span", { class: "swatch", style: `background:${seriesStyle(number)}` }), element("span", { class: "name", title: name }, name),
        store.channelsShown.length ? button("×", `Show ${name} no more`, () => {
          store.channelsShown = store.channelsShown.filter((each) => each !== name);
          store.emit("channels");
        }, { class: "plain", "aria-label": `Show ${name} no more` }) : null)),
      ...lines.map(([kind, text]) => element("li", { class: "hint" }, element("span", { class: `stroke ${kind}` }), element("span", {}, text))),
      ...(this.limits && names.length ? [element("li", { class: "hint" },
        element("span", { class: "swatch", style: `background:${seriesStyle(0)};opacity:.35` }), element("span", {}, `beyond the limits of ${names[0]}`))] : []));
  }

  private telling = 0;

  /** Nobody hears values that change with every frame. */
  private tellSoon(): void {
    this.telling ||= window.setTimeout(() => {
      this.telling = 0;
      if (!this.node.hidden) this.tell();
    }, 150);
  }

  /** Values under the playhead, for people who cannot see the curve. */
  private tell(): void {
    const { store, factor } = this;
    const way = store.source === "motion" ? store.way() : null;
    const words = this.joints.map((joint) => {
      const name = store.robot!.joints[joint].name;
      return way && this.shown === "angle" ? `${name} ${(way.at(store.playhead, joint) * factor).toFixed(1)} ${this.unit}` : name;
    });
    this.canvas.setAttribute("aria-label", `Curves: ${words.join(", ")}`);
  }

  // Pointer and keys ----------------------------------------------------------------------------------------------

  private knotAt(x: number, y: number): Knot | undefined {
    const near = this.knots.filter((knot) => Math.hypot(knot.x - x, knot.y - y) < 9);
    return near.sort((a, b) => Math.hypot(a.x - x, a.y - y) - Math.hypot(b.x - x, b.y - y))[0];
  }

  private down(event: PointerEvent): void {
    const { store } = this;
    const { offsetX: x, offsetY: y } = event;
    if (event.button !== 0 || x < NAMES) return;
    this.canvas.focus();
    const knot = this.knotAt(x, y);
    if (!knot) {
      store.playing = false;
      store.seek(this.axis.time(x));
      return;
    }
    this.canvas.setPointerCapture(event.pointerId);
    this.take(knot.place, knot.joint);
    this.timeline.beginDrag();
    this.drags++;
    const { end } = store.places()[knot.place];
    this.drag = { ...knot, value: store.way()!.target(knot.place, knot.joint), end, group: `curve-${this.drags}`, way: "" };
  }

  private take(place: number, joint: number): void {
    this.knot = { place, joint };
    this.store.choose([this.store.places()[place].ref]);
    this.redraw();
  }

  private move(event: PointerEvent): void {
    const { drag, store } = this;
    const { offsetX: x, offsetY: y } = event;
    if (!drag) {
      const knot = this.knotAt(x, y);
      this.canvas.style.cursor = knot ? "grab" : x < NAMES ? "default" : "col-resize";
      this.canvas.title = knot ? `${store.robot!.joints[knot.joint].name}, keyframe ${store.places()[knot.place].ref.index + 1}: drag up or down for the value, sideways for the time (Shift: fine)` : "";
      return;
    }
    const [right, up] = [x - drag.x, y - drag.y];
    if (!drag.way && Math.hypot(right, up) > 4) drag.way = Math.abs(right) > Math.abs(up) ? "time" : "value";
    const slow = event.shiftKey ? 0.1 : 1;
    if (drag.way === "value") {
      const height = this.node.clientHeight;
      const way = this.value(drag.y + up * slow, height) - this.value(drag.y, height);
      this.set(drag.place, drag.joint, drag.value + way, drag.group);
    } else if (drag.way === "time") {
      const tick = store.robot?.tick ?? 0.01;
      this.timeline.stretch(drag.place, Math.round((drag.end + (right * slow) / this.axis.scale) / tick) * tick);
    }
  }

  private set(place: number, joint: number, value: number, group: string): void {
    const { store } = this;
    const { ref } = store.places()[place];
    const { name, lower, upper } = store.robot!.joints[joint];
    const inside = Math.min(Math.max(value, Number.isFinite(lower) ? lower : -Infinity), Number.isFinite(upper) ? upper : Infinity);
    if (store.isChosen(ref) && store.chosen.length === 1) store.setJoints({ [name]: inside }, group);
  }

  private key(event: KeyboardEvent): void {
    const { store, knot } = this;
    const way = store.way();
    const step = ((event.shiftKey ? 0.1 : 1) * Math.PI) / 180;
    const turn = event.key === "+" || event.key === "PageUp" ? 1 : event.key === "-" || event.key === "PageDown" ? -1 : 0;
    if (!turn || !way || store.source === "run") return;
    event.preventDefault();
    event.stopPropagation();
    const place = store.places().findIndex(({ ref }) => store.isChosen(ref));
    if (place < 0) return store.notice("Choose a keyframe first (↑ ↓).");
    const joint = knot?.place === place ? knot.joint : this.joints[0];
    this.drags++;
    this.set(place, joint, way.target(place, joint) + turn * step, `curve-${this.drags}`);
  }
}

function limitsOf(joint: Joint, shown: Shown): [number, number] {
  if (shown === "angle") return [joint.lower, joint.upper];
  const most = shown === "speed" ? joint.speed : joint.effort;
  return [-most, most];
}
