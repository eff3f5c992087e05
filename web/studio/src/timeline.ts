// The dope sheet: the head with time, keyframes and what happened; below it a lane per joint and per group with their keys.
import type { TimeAxis } from "./axis";
import { NAMES } from "./axis";
import { Envelope } from "./envelope";
import type { Keyframe } from "./protocol";
import { organize } from "./organize";
import { type Lane, lanesOf } from "./lanes";
import { type Mark, marksOf, playedOf } from "./marks";
import { Pixels } from "./pixels";
import { Playhead } from "./playhead";
import type { Traces } from "./traces";
import type { KeyRef } from "./places";
import { CHANGED_ELSEWHERE, type Run, type Store } from "./store";
import { element, spoken, write } from "./dom";

const LANE = 15;
const KEYS_TOP = 16;
const MARKS_TOP = 34;
const MARKS = 12;
const BLOCKS_TOP = MARKS_TOP + MARKS;
const BLOCKS = 13;
const PLAYED_TOP = BLOCKS_TOP + BLOCKS + 1;
const PLAYED = 14;
const FOOT = 5;
const SQUARE = 7;
/** Lanes are drawn at most so often while a run goes on [ms]. */
const LIVE = 90;
/** Presses of a key so close together are one step [ms]. */
const IN_A_ROW = 700;
const MUTE = NAMES - 14;

/** A keyframe's joints that were picked, by `block\0index`. */
export type Picked = Map<string, Set<string>>;
const keyOf = ({ block, index }: KeyRef) => `${block}\0${index}`;

export class Timeline {
  readonly node = element("div", { class: "scroll" });
  private canvas = element("canvas", { tabindex: 0, "aria-label": "Timeline", role: "application", "aria-description": "Up and down choose a keyframe, Shift with arrows moves its end, left and right move the playhead; F1 has all keys" });
  private spacer = element("div");
  private said = element("p", { class: "said", role: "status" });
  private filterText = "";
  private closed = new Set<string>();
  private lanes: Lane[] = [];
  curves = true;
  /** Whether the lanes are shown; the head always is. */
  open = true;
  ripple = false;
  private dirty = true;
  private drag: { kind: "seek" | "key" | "box" | "pan"; x: number; y: number; at?: number; from: number; moved: boolean; add?: boolean } | null = null;
  private box: { x0: number; y0: number; x1: number; y1: number } | null = null;
  private drags = 0;
  private picked: Picked = new Map();
  private readonly playhead: Playhead;
  private frame = element("div", { class: "box", hidden: true });
  /** What the canvas shows. */
  private drawnOf = "";
  private drawnAt = 0;
  /** Time that drawing everything took last [ms]. */
  drawn = 0;
  private readonly marks = new Pixels();
  private readonly line = new Envelope();
  private shownMarks: Mark[] = [];

  constructor(private store: Store, readonly axis: TimeAxis) {
    this.playhead = new Playhead(store, axis);
    store.on(["chosen", "library"], () => this.say());
    this.node.append(element("div", { class: "stage" }, this.canvas, this.playhead.node, this.frame), this.spacer, this.said);
    store.on(["library", "shown", "chosen", "trajectory", "robot", "units", "view", "run", "checks", "channels", "evidence"], () => this.redraw());
    store.on(["robot", "document"], () => this.layOut());
    store.on("chosen", () => this.keepPicked());
    store.on("lanes", () => {
      if (performance.now() - this.drawnAt > LIVE) this.redraw();
    });
    axis.on(() => (this.dirty = true));
    new ResizeObserver(() => (this.dirty = true)).observe(this.node);
    this.node.addEventListener("scroll", () => (this.dirty = true));
    this.canvas.addEventListener("pointerdown", (event) => this.down(event));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    this.canvas.addEventListener("pointerup", (event) => this.up(event));
    this.canvas.addEventListener("dblclick", (event) => event.offsetX > NAMES && this.insertAt(this.time(event.offsetX)));
    this.canvas.addEventListener("wheel", (event) => axis.wheel(event, event.offsetY < this.head), { passive: false });
    const loop = () => {
      requestAnimationFrame(loop);
      if (this.dirty) this.draw();
    };
    loop();
  }

  redraw(): void {
    this.dirty = true;
    this.drawnOf = "";
  }

  // Lanes ---------------------------------------------------------------------------------------------------------

  set filter(text: string) {
    this.filterText = text;
    this.layOut();
  }

  private layOut(): void {
    this.lanes = this.store.robot ? lanesOf(this.store.robot, this.filterText, this.closed) : [];
    this.redraw();
  }

  /** Joints of the lanes that the filter leaves. */
  get filtered(): string[] {
    return this.lanes.filter((lane) => !lane.group).map((lane) => lane.name);
  }

  /** Height of what stands above the lanes [px]. */
  get head(): number {
    const run = this.shownRun;
    return PLAYED_TOP + 1 + (run ? PLAYED + FOOT * (this.store.robot?.feet.length ?? 0) + 3 : 0);
  }

  private get shownRun(): Run | undefined {
    return this.store.source === "run" ? this.store.run : undefined;
  }

  private laneAt(y: number): Lane | undefined {
    const at = Math.floor((y - this.head + this.node.scrollTop) / LANE);
    return y > this.head && this.open ? this.lanes[at] : undefined;
  }

  x(time: number): number {
    return this.axis.x(time);
  }

  time(x: number): number {
    return this.axis.time(x);
  }

  fit(): void {
    this.axis.fit();
  }

  // Drawing -------------------------------------------------------------------------------------------------------

  private draw(): void {
    this.dirty = false;
    const { store, canvas, head } = this;
    const width = this.node.clientWidth;
    const height = this.node.clientHeight;
    if (!width || !height) return;
    this.axis.width = width;
    const ratio = devicePixelRatio;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      this.drawnOf = "";
    }
    const full = head + (this.open ? this.lanes.length * LANE + 8 : 0);
    this.spacer.style.height = `${Math.max(full - height, 0)}px`;
    const of = [width, height, ratio, this.node.scrollTop, this.axis.scale, this.axis.offset, this.curves, store.source, head, this.open].join();
    this.playhead.place();
    if (of === this.drawnOf) return;
    this.drawnOf = of;
    const began = performance.now();
    this.drawLayer(width, height, ratio);
    this.drawnAt = performance.now();
    this.drawn = this.drawnAt - began;
    this.node.dataset.drawn = this.drawn.toFixed(2);
  }

  /** The frame of the keys that a drag encloses. */
  private showBox(): void {
    const { box, frame } = this;
    frame.hidden = !box;
    if (!box) return;
    const { x0, y0, x1, y1 } = box;
    const [left, right, top, bottom] = [Math.max(Math.min(x0, x1), NAMES), Math.max(x0, x1), Math.min(y0, y1), Math.max(y0, y1)];
    Object.assign(frame.style, { left: `${left}px`, top: `${top}px`, width: `${Math.max(right - left, 0)}px`, height: `${bottom - top}px` });
  }

  private drawLayer(width: number, height: number, ratio: number): void {
    const { store, head, lanes } = this;
    const joints = store.robot?.joints ?? [];
    const top = this.node.scrollTop;
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(name).trim();
    const [text, faint, accent, line, panel, key, curve, chosen, measured] = ["--text", "--faint", "--accent", "--line", "--panel", "--key", "--curve", "--chosen", "--measured"].map(color);
    const context = this.canvas.getContext("2d", { willReadFrequently: true })!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = panel;
    context.fillRect(0, 0, width, height);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    const first = this.open ? Math.max(0, Math.floor(top / LANE) - 1) : 0;
    const last = this.open ? Math.min(lanes.length, Math.ceil((top + height - head) / LANE) + 1) : 0;
    const laneY = (index: number) => head + index * LANE - top;
    const shownChannels = new Set(store.channelsShown);
    // Lanes.
    context.save();
    context.beginPath();
    context.rect(0, head, width, height - head);
    context.clip();
    for (let index = first; index < last; index++) {
      const lane = lanes[index];
      const y = laneY(index);
      if (lane.group) {
        context.fillStyle = line;
        context.globalAlpha = 0.35;
        context.fillRect(0, y, width, LANE);
        context.globalAlpha = 1;
        context.fillStyle = faint;
        context.fillText(`${lane.closed ? "▸" : "▾"} ${clipped(context, spoken(lane.name), NAMES - 22)}`, 6, y + LANE / 2 + 0.5);
        continue;
      }
      const muted = store.muted.has(lane.name);
      if (shownChannels.has(lane.name)) {
        context.fillStyle = accent;
        context.fillRect(0, y + 1, 3, LANE - 2);
      }
      context.fillStyle = store.locked.has(lane.name) || muted ? faint : text;
      context.fillText(clipped(context, lane.name, MUTE - 20), 16, y + LANE / 2 + 0.5);
      context.fillStyle = muted ? chosen : faint;
      context.fillText("M", MUTE, y + LANE / 2 + 0.5);
    }
    context.restore();
    const places = store.places();
    const chosenSet = new Set(store.chosen.map(keyOf));
    const run = this.shownRun;
    const behind = run ?? (store.run?.motion === store.motion && store.run.revision === store.revision ? store.run : undefined);
    // Curves.
    const { trajectory } = store;
    const { marks } = this;
    marks.begin((width - NAMES) * ratio, (height - head) * ratio);
    if (this.curves) {
      const drawn = lanes.slice(first, last).flatMap((lane, at) => (lane.group || store.muted.has(lane.name) ? [] : [{ index: lane.joints[0], bottom: (laneY(first + at) + LANE - 2 - head) * ratio }]));
      const withLimits = drawn.map((each) => ({ ...each, ...span(joints[each.index].lower, joints[each.index].upper) }));
      if (trajectory && trajectory.joints === joints.length && trajectory.count > 1 && !run) {
        marks.curves(withLimits, trajectory, this.time(NAMES), this.axis.scale * ratio, (LANE - 4) * ratio, curve,
          store.duration, store.sampling());
      }
      if (behind) {
        for (const { index, lower, upper, bottom } of withLimits) {
          const y = (value: number) => bottom - ((value - lower) / Math.max(upper - lower, 1e-6)) * (LANE - 4) * ratio;
          if (run) this.trace(behind.traces, behind.traces.column("asked", index), y, ratio, curve);
          this.trace(behind.traces, behind.traces.column("measured", index), y, ratio, measured);
        }
      }
    }
    // Squares of the joints.
    if (!run) this.drawKeys(first, last, laneY, ratio, key, chosen, chosenSet);
    context.drawImage(marks.end(), NAMES, head, width - NAMES, height - head);
    // Head: time, blocks, keyframes.
    context.fillStyle = panel;
    context.fillRect(0, 0, width, head);
    context.fillStyle = faint;
    context.fillText("keyframes", 8, KEYS_TOP + 9);
    context.fillText("blocks", 8, BLOCKS_TOP + BLOCKS / 2 + 0.5);
    context.fillText("marks", 8, MARKS_TOP + MARKS / 2);
    this.markLegend(context);
    context.save();
    context.beginPath();
    context.rect(NAMES, 0, width - NAMES, height);
    context.clip();
    const { times } = this.axis.ticks();
    context.strokeStyle = line;
    for (const tick of times) {
      const x = Math.round(this.x(tick)) + 0.5;
      context.fillStyle = faint;
      // Clear of the playhead's flag, and never cut at the end.
      const told = `${Number(tick.toFixed(3))} s`;
      if (x + 6 + context.measureText(told).width <= width) context.fillText(told, x + 6, 8);
      context.globalAlpha = 0.5;
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, height);
      context.stroke();
      context.globalAlpha = 1;
    }
    this.drawBlocks(context, width, height, color);
    for (const { ref, begin, end } of places) {
      const x = this.x(end);
      if (x < NAMES - 20 || this.x(begin) > width) continue;
      const mine = chosenSet.has(keyOf(ref));
      context.fillStyle = mine ? chosen : accent;
      context.globalAlpha = mine ? 1 : run ? 0.45 : 0.8;
      const from = this.x(begin) + 1;
      context.fillRect(from, 27, Math.max(x - from - 1, 0.5), 2);
      context.fillRect(x - 5, 20, 10, 10);
      context.globalAlpha = 1;
      if (x - from > 26) {
        context.fillStyle = faint;
        context.textAlign = "center";
        context.fillText(String(ref.index + 1), x - (x - from) / 2, 22);
        context.textAlign = "left";
      }
    }
    if (run) this.drawPlayed(context, run, width, color);
    this.drawMarks(context, color);
    context.restore();
    if (behind) {
      // What the two colors in the lanes are.
      for (const [at, tone, word] of [[8, curve, run ? "asked" : "written"], [68, measured, "measured"]] as const) {
        context.fillStyle = tone;
        context.fillRect(at, 7, 12, 2);
        context.fillStyle = faint;
        context.fillText(word, at + 16, 8);
      }
    }
    if (run) {
      context.fillStyle = faint;
      context.fillText("played", 8, PLAYED_TOP + PLAYED / 2);
      context.font = "9px system-ui, sans-serif";
      const feet = store.robot?.feet.map(({ name }) => name).join(", ") ?? "";
      if (feet) context.fillText(clipped(context, `on ${feet}`, NAMES - 56), 52, PLAYED_TOP + PLAYED + 3);
      context.font = "11px system-ui, sans-serif";
    }
    context.fillStyle = line;
    context.fillRect(0, head - 1, width, 1);
  }

  /** The blocks with their names, below their keyframes, and a line where each begins. */
  private drawBlocks(context: CanvasRenderingContext2D, width: number, height: number, color: (name: string) => string): void {
    const [accent, text] = [color("--accent"), color("--text")];
    const spans: { name: string; occurrence: number; begin: number; end: number }[] = [];
    for (const { ref, occurrence, begin, end } of this.store.places()) {
      const last = spans.at(-1);
      if (last?.occurrence === occurrence) last.end = end;
      else spans.push({ name: ref.block, occurrence, begin, end });
    }
    spans.forEach(({ name, begin, end }, number) => {
      const [from, to] = [this.x(begin), this.x(end)];
      if (to < NAMES || from > width) return;
      context.fillStyle = accent;
      context.fillRect(from, KEYS_TOP, 1, height - KEYS_TOP);
      context.globalAlpha = number % 2 ? 0.14 : 0.24;
      context.fillRect(from + 1, BLOCKS_TOP, Math.max(to - from - 1, 1), BLOCKS);
      context.globalAlpha = 1;
      // The name stays in sight where its block begins left of what is shown.
      const left = Math.max(from, NAMES) + 5;
      if (to - left < 14) return;
      context.fillStyle = text;
      context.fillText(clipped(context, spoken(name), to - left - 4), left, BLOCKS_TOP + BLOCKS / 2 + 0.5);
    });
  }

  private trace(traces: Traces, column: number, y: (value: number) => number, ratio: number, color: string): void {
    const { marks } = this;
    const width = Math.round((this.axis.width - NAMES) * ratio);
    marks.stroke(traces.into(this.line.begin(width), column, this.time(NAMES), this.axis.scale * ratio), y, 0, Infinity, color);
  }

  private drawKeys(first: number, last: number, laneY: (index: number) => number, ratio: number, key: string, chosen: string, chosenSet: Set<string>): void {
    const { store, marks, lanes, picked, head } = this;
    const joints = store.robot?.joints ?? [];
    const width = this.axis.width;
    const near = store.places()
      .filter(({ end }) => this.x(end) > NAMES - SQUARE && this.x(end) < width + SQUARE)
      .map(({ ref, end }) => ({ x: this.x(end) - NAMES, joints: store.keyframe(ref)?.joints, id: keyOf(ref) }));
    for (const mine of [false, true]) {
      const color = mine ? chosen : key;
      for (let lane = first; lane < last; lane++) {
        const names = lanes[lane].joints.map((joint) => joints[joint].name);
        const y = laneY(lane) - head + (LANE - SQUARE) / 2;
        // Squares that touch are one rectangle.
        let [from, to] = [0, -Infinity];
        const fill = () => to > from && marks.rect(from * ratio, y * ratio, (to - from) * ratio, SQUARE * ratio, color);
        for (const mark of near) {
          const keyed = mark.joints ? names.filter((name) => mark.joints![name] !== undefined) : [];
          if (!keyed.length) continue;
          const picks = picked.get(mark.id);
          const isMine = picked.size ? Boolean(picks && keyed.some((name) => picks.has(name))) : chosenSet.has(mark.id);
          if (isMine !== mine) continue;
          const half = (keyed.every((name) => typeof mark.joints![name] === "string") ? 2 : SQUARE) / 2;
          if (mark.x - half > to) {
            fill();
            from = mark.x - half;
          }
          to = mark.x + half;
        }
        fill();
      }
    }
  }

  private drawPlayed(context: CanvasRenderingContext2D, run: Run, width: number, color: (name: string) => string): void {
    const { store } = this;
    const top = PLAYED_TOP;
    const tones = [color("--accent"), color("--good"), color("--warn"), color("--measured")];
    const blocks: string[] = [];
    for (const { block, keyframe, begin, end } of playedOf(run)) {
      if (!blocks.includes(block)) blocks.push(block);
      const [from, to] = [this.x(begin), this.x(end)];
      if (to < NAMES || from > width) continue;
      context.fillStyle = tones[blocks.indexOf(block) % tones.length];
      context.globalAlpha = keyframe % 2 ? 0.92 : 1;
      context.fillRect(from, top + 1, Math.max(to - from - 1, 1), PLAYED - 3);
      context.globalAlpha = 1;
      if (to - from > 18) {
        context.fillStyle = color("--panel");
        context.fillText(clipped(context, to - from > 90 ? `${spoken(block)} ${keyframe + 1}` : String(keyframe + 1), to - from - 6), from + 4, top + PLAYED / 2);
      }
    }
    const { traces } = run;
    const feet = store.robot?.feet ?? [];
    context.fillStyle = color("--good");
    feet.forEach((_, foot) => {
      const y = top + PLAYED + foot * FOOT;
      let from = -1;
      const step = Math.max(1, Math.floor(traces.count / (2 * width)));
      for (let row = 0; row <= traces.count; row += step) {
        const on = row < traces.count && traces.touches(row, foot);
        if (on && from < 0) from = row;
        if ((!on || row + step > traces.count) && from >= 0) {
          const [x0, x1] = [this.x(traces.time(from)), this.x(traces.time(Math.min(row, traces.count - 1)))];
          context.fillRect(x0, y, Math.max(x1 - x0, 1), FOOT - 2);
          from = -1;
        }
      }
    });
  }

  /** What the shapes of the marks that are there mean. */
  private markLegend(context: CanvasRenderingContext2D): void {
    const kinds = new Set(marksOf(this.store).map(({ kind }) => kind));
    const told = ([["finding", "▲ check"], ["event", "● run"], ["trial", "■ seed"]] as const).filter(([kind]) => kinds.has(kind)).map(([, text]) => text);
    const { font } = context;
    context.font = "9.5px system-ui, sans-serif";
    context.fillText(told.join(" "), 48, MARKS_TOP + MARKS / 2 + 0.5);
    context.font = font;
  }

  private drawMarks(context: CanvasRenderingContext2D, color: (name: string) => string): void {
    this.shownMarks = marksOf(this.store);
    const y = MARKS_TOP + MARKS / 2;
    for (const mark of this.shownMarks) {
      const x = this.x(mark.time);
      context.fillStyle = color(mark.bad ? "--bad" : mark.kind === "event" ? "--accent" : "--warn");
      context.beginPath();
      if (mark.kind === "finding") {
        context.moveTo(x, y - 5);
        context.lineTo(x + 5, y + 4);
        context.lineTo(x - 5, y + 4);
      } else if (mark.kind === "trial") {
        context.rect(x - 4, y - 4, 8, 8);
      } else {
        context.arc(x, y, 4, 0, 2 * Math.PI);
      }
      context.fill();
    }
  }

  // Pointer -------------------------------------------------------------------------------------------------------

  private hit(x: number, y: number): number {
    const places = this.store.places();
    const { head } = this;
    let best = -1;
    let distance = 8;
    if (this.store.source === "run" && y > MARKS_TOP) return -1;
    places.forEach(({ end }, index) => {
      const away = Math.abs(this.x(end) - x);
      if (away < distance && (y >= 14 && y <= MARKS_TOP)) [best, distance] = [index, away];
      else if (away < Math.min(distance, 5) && y > head) [best, distance] = [index, away];
    });
    return best;
  }

  private markAt(x: number, y: number): Mark | undefined {
    if (y < MARKS_TOP || y > MARKS_TOP + MARKS) return undefined;
    const near = this.shownMarks.filter((mark) => Math.abs(this.x(mark.time) - x) < 7);
    return near.sort((a, b) => Math.abs(this.x(a.time) - x) - Math.abs(this.x(b.time) - x))[0];
  }

  private down(event: PointerEvent): void {
    const { offsetX: x, offsetY: y } = event;
    if (event.button === 1 || event.altKey) {
      this.drag = { kind: "pan", x, y, from: this.axis.offset, moved: false };
    } else if (event.button === 0) {
      this.canvas.focus();
      const { store } = this;
      const add = event.ctrlKey || event.metaKey;
      if (x < NAMES) return this.name(x, y, add || event.shiftKey);
      const mark = this.markAt(x, y);
      if (mark) return this.jump(mark);
      const place = this.hit(x, y);
      if (place >= 0) {
        const { ref, end } = store.places()[place];
        const keyed = this.keysIn(ref, this.laneAt(y));
        if (add) store.choose(store.isChosen(ref) && !keyed.length ? store.chosen.filter((each) => each.block !== ref.block || each.index !== ref.index) : store.isChosen(ref) ? store.chosen : [...store.chosen, ref]);
        else if (!store.isChosen(ref)) store.choose([ref]);
        else if (store.chosen.length === 1) store.choose([ref]);
        this.pick(ref, keyed, add);
        this.beginDrag();
        this.drag = { kind: "key", x, y, at: place, from: end, moved: false, add };
      } else if (y < this.head) {
        if (store.chosen.length) store.choose([], false);
        this.drag = { kind: "seek", x, y, from: 0, moved: false };
        store.playing = false;
        store.seek(this.time(x));
      } else {
        this.drag = { kind: "box", x, y, from: 0, moved: false, add };
      }
    }
    this.canvas.setPointerCapture(event.pointerId);
  }

  /** Joints of a lane that a keyframe has a key for. */
  private keysIn(ref: KeyRef, lane: Lane | undefined): string[] {
    const { store } = this;
    const keyed = store.keyframe(ref)?.joints ?? {};
    return (lane?.joints ?? []).map((joint) => store.robot!.joints[joint].name).filter((name) => keyed[name] !== undefined);
  }

  private pick(ref: KeyRef, joints: string[], add: boolean): void {
    if (!add) this.picked.clear();
    if (joints.length) this.picked.set(keyOf(ref), new Set([...(this.picked.get(keyOf(ref)) ?? []), ...joints]));
    this.redraw();
  }

  /** Picked keys go with the keyframes that they belong to. */
  private keepPicked(): void {
    const chosen = new Set(this.store.chosen.map(keyOf));
    for (const id of this.picked.keys()) if (!chosen.has(id)) this.picked.delete(id);
  }

  /** A name left of the lanes was clicked. */
  private name(x: number, y: number, add: boolean): void {
    const { store } = this;
    const lane = this.laneAt(y);
    if (!lane) return;
    if (lane.group && x < 18) {
      if (!this.closed.delete(lane.name)) this.closed.add(lane.name);
      return this.layOut();
    }
    if (!lane.group && x >= MUTE - 4) {
      if (!store.muted.delete(lane.name)) store.muted.add(lane.name);
      return store.emit("channels");
    }
    const names = lane.joints.map((joint) => store.robot!.joints[joint].name);
    const all = names.every((name) => store.channelsShown.includes(name));
    if (add) store.channelsShown = all ? store.channelsShown.filter((name) => !names.includes(name)) : [...new Set([...store.channelsShown, ...names])];
    else store.channelsShown = all && store.channelsShown.length === names.length ? [] : names;
    store.emit("channels");
  }

  private jump(mark: Mark): void {
    const { store } = this;
    store.playing = false;
    store.seek(mark.time);
    if (mark.joint) {
      store.channelsShown = [mark.joint];
      store.emit("channels");
    }
    store.notice(mark.text, mark.bad);
  }

  private move(event: PointerEvent): void {
    const { drag, store } = this;
    const { offsetX: x, offsetY: y } = event;
    if (!drag) {
      const mark = this.markAt(x, y);
      this.canvas.title = mark ? mark.text : x < NAMES ? this.hint(x, y) : "";
      this.canvas.style.cursor = mark || x < NAMES ? "pointer" : this.hit(x, y) >= 0 ? "ew-resize" : y < this.head ? "col-resize" : "default";
      return;
    }
    drag.moved ||= Math.abs(x - drag.x) > 3 || Math.abs(y - drag.y) > 3;
    if (!drag.moved) return;
    if (drag.kind === "seek") store.seek(this.time(x));
    else if (drag.kind === "pan") this.axis.pan(drag.from - (x - drag.x));
    else if (drag.kind === "box") {
      this.box = { x0: drag.x, y0: drag.y, x1: x, y1: y };
      this.showBox();
    } else if (drag.kind === "key") {
      const slow = event.shiftKey ? 0.1 : 1;
      let end = drag.from + ((x - drag.x) * slow) / this.axis.scale;
      const tick = store.robot?.tick ?? 0.01;
      end = event.ctrlKey ? Math.round(end / 0.05) * 0.05 : Math.round(end / tick) * tick;
      this.stretch(drag.at!, end);
    }
  }

  private hint(x: number, y: number): string {
    if (y > BLOCKS_TOP && y < PLAYED_TOP) return "Which block the keyframes above belong to";
    if (y > MARKS_TOP && y < MARKS_TOP + MARKS) return "▲ finding of the checks, ● what happened in the run, ■ where a seed failed: a click goes there";
    const lane = this.laneAt(y);
    if (!lane) return "";
    if (lane.group) return x < 18 ? `Open or close ${lane.name}` : `Show the curves of ${lane.name}`;
    return x >= MUTE - 4 ? `Mute ${lane.name}: its way is not drawn` : `Show the curve of ${lane.name} (Ctrl: beside others)`;
  }

  private up(event: PointerEvent): void {
    const { drag, store } = this;
    this.drag = null;
    if (drag?.kind === "box") {
      const box = this.box;
      this.box = null;
      this.showBox();
      if (box && drag.moved) this.choose(box, Boolean(drag.add));
      else {
        store.choose([], false);
        store.seek(this.time(event.offsetX));
      }
    }
  }

  /** Choose what a box encloses: whole keyframes, or keys of some joints where it leaves others out. */
  private choose(box: { x0: number; y0: number; x1: number; y1: number }, add: boolean): void {
    const { store, head } = this;
    if (store.source === "run") return;
    const [low, high] = [Math.min(box.x0, box.x1), Math.max(box.x0, box.x1)].map((x) => this.time(x));
    const row = (y: number) => (y - head + this.node.scrollTop) / LANE - 0.5;
    const [top, bottom] = [row(Math.min(box.y0, box.y1)), row(Math.max(box.y0, box.y1))];
    const inside = new Set(this.lanes.filter((lane, index) => index >= top && index <= bottom && (!lane.group || lane.closed)).flatMap((lane) => lane.joints.map((joint) => store.robot!.joints[joint].name)));
    const found = store.places().filter(({ end }) => end >= low && end <= high).map(({ ref }) => ref);
    const keyed = found.map((ref) => ({ ref, all: Object.keys(store.keyframe(ref)?.joints ?? {}) }));
    const whole = keyed.every(({ all }) => all.every((name) => inside.has(name)) || !all.some((name) => inside.has(name)));
    store.choose(add ? [...store.chosen, ...found.filter((ref) => !store.isChosen(ref))] : found);
    if (!add) this.picked.clear();
    if (!whole) for (const { ref, all } of keyed) this.pick(ref, all.filter((name) => inside.has(name)), true);
  }

  // Edits ---------------------------------------------------------------------------------------------------------

  /** Edits of one drag are one step of undoing. */
  beginDrag(): void {
    this.drags++;
    this.placement = this.store.placement;
  }

  /** Of the keyframes when the drag began; empty: another page has changed it since, which was told. */
  private placement = "";

  /** Let a keyframe end at a time: its duration changes, and that of the one behind it where others stay in place. */
  stretch(place: number, end: number): number {
    const { store } = this;
    if (store.placement !== this.placement) {
      // What stands at this place now is not what was taken hold of.
      if (this.placement) store.notice(CHANGED_ELSEWHERE);
      this.placement = "";
      return end;
    }
    const places = store.places();
    const { ref, begin, end: old } = places[place];
    const least = store.tick;
    const behind = places[place + 1];
    let wanted = Math.max(end, begin + least);
    const alone = this.ripple || !behind || behind.ref.block !== ref.block || behind.occurrence !== places[place].occurrence;
    if (!alone) wanted = Math.min(wanted, behind.end - least);
    if (Math.abs(wanted - old) < 1e-9) return wanted;
    const round = (value: number) => Number(value.toFixed(6));
    const fields: Record<string, Record<string, unknown>> = { [ref.index]: { duration: round(wanted - begin) } };
    if (!alone) fields[behind.ref.index] = { duration: round(behind.end - wanted) };
    const group = `time-${this.drags}`;
    const since = store.revision;
    store.stream("duration", () => store.setFields(ref.block, fields, group, since));
    return wanted;
  }

  /** What keys have moved last: presses in a row are one step of undoing, and go on from one another. */
  private nudged = { key: "", end: 0, at: -Infinity };

  /** Let the chosen keyframe end so much later [s]. */
  nudge(by: number): void {
    const { store } = this;
    if (store.readonly || store.source === "run") return;
    if (store.chosen.length !== 1) return store.notice("Choose one keyframe to move it in time.");
    const place = store.places().findIndex(({ ref }) => store.isChosen(ref));
    if (place < 0) return;
    const key = keyOf(store.chosen[0]);
    const now = performance.now();
    const goesOn = key === this.nudged.key && now - this.nudged.at < IN_A_ROW;
    if (!goesOn) this.beginDrag();
    const end = this.stretch(place, (goesOn ? this.nudged.end : store.places()[place].end) + by);
    this.nudged = { key, end, at: now };
    store.seek(end, false);
  }

  /** Say what is chosen to whoever does not see it. */
  private say(): void {
    const { store } = this;
    const { chosen } = store;
    const place = chosen.length === 1 ? store.places().find(({ ref }) => store.isChosen(ref)) : undefined;
    const of = place && store.blockOf(place.ref.block)!.keyframes.length;
    write(this.said, place ? `Keyframe ${place.ref.index + 1} of ${of} of ${place.ref.block}, ${place.begin.toFixed(2)} to ${place.end.toFixed(2)} s`
      : chosen.length ? `${chosen.length} keyframes chosen` : "");
  }

  /** Block and index at which a new keyframe stands that ends at a time. */
  private spot(time: number): { block: string; at: number; begin: number; behind: { ref: KeyRef; end: number } | undefined } | null {
    const { store } = this;
    const blocks = store.blocks();
    if (!blocks.length) return null;
    const places = store.places();
    const behind = places.find(({ end }) => end > time + 1e-6);
    if (behind) return { block: behind.ref.block, at: behind.ref.index, begin: behind.begin, behind };
    const block = blocks.at(-1)!;
    return { block, at: store.blockOf(block)!.keyframes.length, begin: places.at(-1)?.end ?? 0, behind: undefined };
  }

  /** Store the posture that is shown as a keyframe that ends at a time. */
  insertAt(time: number): void {
    const { store } = this;
    if (!store.library || !store.robot) return;
    if (store.source === "run") {
      store.backToEditing();
      time = Math.min(time, store.duration);
    }
    const spot = this.spot(time);
    if (!spot) return store.notice("There is no block to put a keyframe into; make one with Motion…");
    const joints = store.loose || time === store.playhead ? store.shownJoints() : this.jointsAt(time);
    const { block, at, begin, behind } = spot;
    const round = (value: number) => Number(value.toFixed(6));
    const tick = store.robot.tick;
    const done = (index: number) => (good: boolean) => good && store.choose([{ block, index }]);
    if (behind && time - begin > tick) {
      const share = (time - begin) / (behind.end - begin);
      void store.edit({ do: "split", block, keyframe: at, share, joints }).then(done(at));
      return;
    }
    // At the end of the motion: a new keyframe, half a second long where the playhead does not say.
    const duration = time - begin > tick ? time - begin : 0.5;
    void store.edit({ do: "insert", block, at, keyframes: [{ duration: round(duration), joints }] }).then(done(at));
  }

  private jointsAt(time: number): Record<string, number> {
    const posture = this.store.postureAt(time);
    return Object.fromEntries(this.store.robot!.joints.map((joint, i) => [joint.name, this.store.tidy(posture?.[i] ?? 0)]));
  }

  split(): void {
    const { store } = this;
    const place = store.places().find(({ begin, end }) => store.playhead > begin + 1e-6 && store.playhead < end - 1e-6);
    if (!place) return store.notice("Put the playhead inside a keyframe's way to split it.");
    const share = (store.playhead - place.begin) / (place.end - place.begin);
    void store.edit({ do: "split", block: place.ref.block, keyframe: place.ref.index, share, joints: this.jointsAt(store.playhead) })
      .then((good) => good && store.choose([place.ref]));
  }

  private byBlock(): [string, number[]][] {
    const found = new Map<string, number[]>();
    for (const { block, index } of this.store.chosen) found.set(block, [...(found.get(block) ?? []), index].sort((a, b) => a - b));
    return [...found];
  }

  /** Delete the picked keys, or the chosen keyframes where single keys are not picked. */
  remove(): void {
    const { store } = this;
    if (this.picked.size) {
      for (const [block, keyframes] of this.byBlock()) {
        const fields: Record<string, Record<string, unknown>> = {};
        for (const index of keyframes) {
          const names = [...(this.picked.get(keyOf({ block, index })) ?? [])];
          if (names.length) fields[index] = { joints: Object.fromEntries(names.map((name) => [name, null])) };
        }
        if (Object.keys(fields).length) void store.edit({ do: "set", block, fields });
      }
      this.picked.clear();
      return this.redraw();
    }
    const chosen = this.byBlock();
    store.chosen = [];
    for (const [block, keyframes] of chosen) void store.edit({ do: "delete", block, keyframes });
    store.emit("chosen");
  }

  duplicate(): void {
    const { store } = this;
    for (const [block, keyframes] of this.byBlock()) {
      void store.edit({ do: "duplicate", block, keyframes }).then((good) => {
        if (good) store.choose(keyframes.map((_, i) => ({ block, index: keyframes.at(-1)! + 1 + i })));
      });
    }
  }

  shift(by: number): void {
    const { store } = this;
    if (store.chosen.length !== 1) return store.notice("Choose one keyframe to move it.");
    const { block, index } = store.chosen[0];
    const to = index + by;
    if (to < 0 || to >= store.blockOf(block)!.keyframes.length) return;
    void store.edit({ do: "move", block, keyframe: index, to }).then((good) => good && store.choose([{ block, index: to }]));
  }

  copy(): void {
    const { store } = this;
    const chosen = store.places().filter(({ ref }) => store.isChosen(ref)).map(({ ref }) => structuredClone(store.keyframe(ref)!) as Keyframe);
    if (!chosen.length) return;
    if (this.picked.size) {
      // Of a keyframe only the picked joints; one of which none is picked is but its time.
      store.places().filter(({ ref }) => store.isChosen(ref)).forEach(({ ref }, at) => {
        const picks = this.picked.get(keyOf(ref));
        chosen[at].joints = Object.fromEntries(Object.entries(chosen[at].joints ?? {}).filter(([name]) => picks?.has(name)));
      });
    }
    store.clipboard = chosen;
    void navigator.clipboard?.writeText(JSON.stringify({ andante: "keyframes", keyframes: chosen })).catch(() => undefined);
    store.notice(`${chosen.length} keyframe${chosen.length > 1 ? "s" : ""} copied`, false);
  }

  async paste(mirrored: boolean): Promise<void> {
    const { store } = this;
    let keyframes = store.clipboard;
    try {
      const data = JSON.parse(await navigator.clipboard.readText());
      if (data.andante === "keyframes") keyframes = data.keyframes;
    } catch {
      // What this page has copied itself is used.
    }
    if (!keyframes.length) return store.notice("Copy keyframes first (Ctrl-C).");
    const chosen = store.chosen.at(-1);
    const spot = chosen ? { block: chosen.block, at: chosen.index + 1 } : this.spot(store.playhead);
    if (!spot) return store.notice("There is no block to paste into.");
    const { block, at } = spot;
    if (await store.edit({ do: "insert", block, at, keyframes, mirrored })) {
      store.choose(keyframes.map((_, i) => ({ block, index: at + i })));
    }
  }

  selectAll(): void {
    this.store.choose(this.store.places().map(({ ref }) => ref));
  }

  step(by: number): void {
    const { store } = this;
    const places = store.places();
    if (!places.length) return;
    const now = store.chosen.length === 1
      ? places.findIndex(({ ref }) => store.isChosen(ref))
      : by > 0 ? places.findIndex(({ end }) => end > store.playhead + 1e-6) - by : places.findIndex(({ end }) => end >= store.playhead - 1e-6);
    const next = Math.min(Math.max(now + by, 0), places.length - 1);
    store.choose([places[next].ref]);
  }

  organize(): void {
    organize(this.store);
  }
}

/** Limits that a lane is drawn between; a joint without any turns round. */
function span(lower: number, upper: number): { lower: number; upper: number } {
  return Number.isFinite(lower) && Number.isFinite(upper) ? { lower, upper } : { lower: -Math.PI, upper: Math.PI };
}

/** A text that fits into some pixels. */
function clipped(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let kept = text.length;
  while (kept > 1 && context.measureText(`${text.slice(0, kept)}…`).width > width) kept--;
  return `${text.slice(0, kept)}…`;
}
