// The timeline: one lane per joint, keyframes as squares at their ends, drawn on a 2-D canvas.
import { button, check, element, select } from "./dom";
import type { Keyframe } from "./protocol";
import { organize } from "./organize";
import { Pixels } from "./pixels";
import type { KeyRef, Store } from "./store";

const LANE = 15;
const HEAD = 34;
const NAMES = 128;
const SQUARE = 7;

export class Timeline {
  readonly node = element("section", { class: "pane timeline" });
  readonly bar = element("div", { class: "tools" });
  private canvas = element("canvas", { tabindex: 0, "aria-label": "Timeline" });
  private scroller = element("div", { class: "scroll" });
  private spacer = element("div");
  private zoom = 0;
  private offset = 0;
  private curves = true;
  ripple = false;
  private dirty = true;
  private drag: { kind: "seek" | "key" | "box" | "pan"; x: number; y: number; at?: number; from: number; moved: boolean; add?: boolean } | null = null;
  private box: { x0: number; y0: number; x1: number; y1: number } | null = null;
  private drags = 0;
  /** Everything but the playhead, drawn once. */
  private layer = document.createElement("canvas");
  private layerOf = "";
  /** Time that drawing everything took last [ms]. */
  drawn = 0;
  private readonly marks = new Pixels();

  constructor(private store: Store) {
    this.scroller.append(this.canvas, this.spacer);
    this.node.append(this.bar, this.scroller);
    store.on(["playhead", "pose"], () => (this.dirty = true));
    store.on(["library", "shown", "chosen", "trajectory", "robot", "units", "view", "run"], () => this.redraw());
    store.on(["library", "shown", "robot"], () => this.buildBar());
    new ResizeObserver(() => (this.dirty = true)).observe(this.scroller);
    this.scroller.addEventListener("scroll", () => (this.dirty = true));
    this.canvas.addEventListener("pointerdown", (event) => this.down(event));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    this.canvas.addEventListener("pointerup", (event) => this.up(event));
    this.canvas.addEventListener("dblclick", (event) => this.insertAt(this.time(event.offsetX)));
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    const loop = () => {
      requestAnimationFrame(loop);
      if (this.dirty) this.draw();
    };
    loop();
    this.buildBar();
  }

  redraw(): void {
    this.dirty = true;
    this.layerOf = "";
  }

  private shownAs = "";

  private buildBar(): void {
    const { store } = this;
    const library = store.library;
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
    this.bar.replaceChildren(
      chooser,
      button("Motion…", "Make, rename or delete motions and blocks", () => this.organize()),
      button("+ Key", "Store the posture as a keyframe at the playhead (I)", () => this.insertAt(store.playhead)),
      button("Split", "Split the keyframe under the playhead; the way stays the same", () => this.split()),
      button("Duplicate", "Duplicate the chosen keyframes (Shift-D)", () => this.duplicate()),
      button("Copy", "Copy (Ctrl-C)", () => this.copy()),
      button("Paste", "Paste behind the chosen keyframe (Ctrl-V)", () => void this.paste(false)),
      button("Paste mirrored", "Paste the mirror image (Ctrl-Shift-V)", () => void this.paste(true)),
      button("◀", "Move the keyframe one place earlier", () => this.shift(-1)),
      button("▶", "Move the keyframe one place later", () => this.shift(1)),
      button("Delete", "Delete the chosen keyframes (Del or X)", () => this.remove()),
      check("ripple", "Dragging a keyframe moves all after it (E)", this.ripple, (on) => (this.ripple = on)),
      check("curves", "Show the joints' ways as they will be played", this.curves, (on) => {
        this.curves = on;
        this.redraw();
      }),
      button("Fit", "See the whole motion (Home)", () => this.fit()),
    );
  }

  // Drawing -------------------------------------------------------------------------------------------------------

  private get scale(): number {
    const width = this.canvas.clientWidth - NAMES - 48;
    const duration = Math.max(this.end, 0.2);
    return this.zoom || Math.max(width, 50) / duration;
  }

  private get end(): number {
    const { store } = this;
    return Math.max(store.duration, store.source === "run" ? store.runEnd() : 0);
  }

  private x(time: number): number {
    return NAMES + 10 + time * this.scale - this.offset;
  }

  time(x: number): number {
    return (x - NAMES - 10 + this.offset) / this.scale;
  }

  fit(): void {
    this.zoom = 0;
    this.offset = 0;
    this.dirty = true;
  }

  private draw(): void {
    this.dirty = false;
    const { store, canvas } = this;
    const width = this.scroller.clientWidth;
    const height = this.scroller.clientHeight;
    if (!width || !height) return;
    const ratio = devicePixelRatio;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const joints = store.robot?.joints ?? [];
    const full = HEAD + joints.length * LANE + 8;
    this.spacer.style.height = `${Math.max(full - height, 0)}px`;
    const context = canvas.getContext("2d")!;
    const of = [width, height, ratio, this.scroller.scrollTop, this.scale, this.offset, this.curves, store.source].join();
    if (of !== this.layerOf) {
      this.layerOf = of;
      const began = performance.now();
      this.drawLayer(width, height, ratio);
      this.drawn = performance.now() - began;
      this.node.dataset.drawn = this.drawn.toFixed(2);
    }
    const style = getComputedStyle(document.documentElement);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.layer, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.save();
    context.beginPath();
    context.rect(NAMES, 0, width - NAMES, height);
    context.clip();
    if (this.box) {
      const { x0, y0, x1, y1 } = this.box;
      context.fillStyle = style.getPropertyValue("--chosen").trim();
      context.globalAlpha = 0.2;
      context.fillRect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0));
      context.globalAlpha = 1;
    }
    const head = this.x(store.playhead);
    context.fillStyle = style.getPropertyValue("--playhead").trim();
    context.fillRect(Math.round(head), 0, 1.5, height);
    context.fillRect(head - 4, 0, 9, 6);
    context.restore();
  }

  private drawLayer(width: number, height: number, ratio: number): void {
    const { store, layer } = this;
    const joints = store.robot?.joints ?? [];
    if (layer.width !== this.canvas.width || layer.height !== this.canvas.height) {
      layer.width = this.canvas.width;
      layer.height = this.canvas.height;
    }
    const top = this.scroller.scrollTop;
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(name).trim();
    const [text, faint, accent, line, panel, key, curve, chosen] = ["--text", "--faint", "--accent", "--line", "--panel", "--key", "--curve", "--chosen"].map(color);
    const context = layer.getContext("2d", { willReadFrequently: true })!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = panel;
    context.fillRect(0, 0, width, height);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    const first = Math.max(0, Math.floor(top / LANE) - 1);
    const last = Math.min(joints.length, Math.ceil((top + height - HEAD) / LANE) + 1);
    const laneY = (index: number) => HEAD + index * LANE - top;
    // Lanes.
    context.save();
    context.beginPath();
    context.rect(0, HEAD, width, height - HEAD);
    context.clip();
    for (let index = first; index < last; index++) {
      const y = laneY(index);
      if (index % 2) {
        context.fillStyle = line;
        context.globalAlpha = 0.25;
        context.fillRect(0, y, width, LANE);
        context.globalAlpha = 1;
      }
      context.fillStyle = store.locked.has(joints[index].name) ? faint : text;
      context.fillText(joints[index].name, 8, y + LANE / 2);
    }
    context.restore();
    const places = store.places();
    const chosenSet = new Set(store.chosen.map(({ block, index }) => `${block}\0${index}`));
    // Curves.
    const trajectory = store.trajectory;
    const { marks } = this;
    marks.begin((width - NAMES) * ratio, (height - HEAD) * ratio);
    if (this.curves && trajectory && trajectory.joints === joints.length && trajectory.count > 1 && store.source === "motion") {
      const lanes = joints.slice(first, last).map(({ lower, upper }, at) => ({ index: first + at, lower, upper, bottom: (laneY(first + at) + LANE - 2 - HEAD) * ratio }));
      marks.curves(lanes, trajectory, this.time(NAMES), this.scale * ratio, (LANE - 4) * ratio, curve);
    }
    // Squares of the joints.
    const near = places
      .filter(({ end }) => this.x(end) > NAMES - SQUARE && this.x(end) < width + SQUARE)
      .map(({ ref, end }) => ({ x: this.x(end) - NAMES, joints: store.keyframe(ref)?.joints, mine: chosenSet.has(`${ref.block}\0${ref.index}`) }));
    for (const mine of [false, true]) {
      const color = mine ? chosen : key;
      for (let lane = first; lane < last; lane++) {
        const name = joints[lane].name;
        const y = laneY(lane) - HEAD + (LANE - SQUARE) / 2;
        // Squares that touch are one rectangle.
        let [from, to] = [0, -Infinity];
        const fill = () => to > from && marks.rect(from * ratio, y * ratio, (to - from) * ratio, SQUARE * ratio, color);
        for (const mark of near) {
          const target = mark.joints?.[name];
          if (target === undefined || mark.mine !== mine) continue;
          const half = (typeof target === "string" ? 2 : SQUARE) / 2;
          if (mark.x - half > to) {
            fill();
            from = mark.x - half;
          }
          to = mark.x + half;
        }
        fill();
      }
    }
    context.drawImage(marks.end(), NAMES, HEAD, width - NAMES, height - HEAD);
    // Head: time, blocks, keyframes.
    context.fillStyle = panel;
    context.fillRect(0, 0, width, HEAD);
    context.save();
    context.beginPath();
    context.rect(NAMES, 0, width - NAMES, height);
    context.clip();
    const every = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60].find((step) => step * this.scale >= 48) ?? 120;
    context.fillStyle = faint;
    context.strokeStyle = line;
    for (let tick = Math.max(0, Math.floor(this.time(NAMES) / every)); this.x(tick * every) < width; tick++) {
      const x = Math.round(this.x(tick * every)) + 0.5;
      context.fillText(`${Number((tick * every).toFixed(3))} s`, x + 3, 8);
      context.globalAlpha = 0.5;
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, height);
      context.stroke();
      context.globalAlpha = 1;
    }
    let block = -1;
    for (const { ref, occurrence, begin, end } of places) {
      const x = this.x(end);
      if (occurrence !== block) {
        block = occurrence;
        const at = this.x(begin);
        context.fillStyle = accent;
        context.fillRect(at, 16, 1, height - 16);
      }
      if (x < NAMES - 20 || this.x(begin) > width) continue;
      const mine = chosenSet.has(`${ref.block}\0${ref.index}`);
      context.fillStyle = mine ? chosen : accent;
      context.globalAlpha = mine ? 1 : 0.8;
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
    context.restore();
  }

  // Pointer -------------------------------------------------------------------------------------------------------

  private hit(x: number, y: number): number {
    const places = this.store.places();
    let best = -1;
    let distance = 8;
    places.forEach(({ end }, index) => {
      const away = Math.abs(this.x(end) - x);
      if (away < distance && (y >= 14 && y <= HEAD)) [best, distance] = [index, away];
      else if (away < Math.min(distance, 5) && y > HEAD) [best, distance] = [index, away];
    });
    return best;
  }

  private down(event: PointerEvent): void {
    if (event.button === 1 || event.altKey) {
      this.drag = { kind: "pan", x: event.offsetX, y: event.offsetY, from: this.offset, moved: false };
    } else if (event.button === 0) {
      this.canvas.focus();
      const { store } = this;
      const place = this.hit(event.offsetX, event.offsetY);
      const add = event.ctrlKey || event.metaKey;
      if (place >= 0) {
        const { ref, end } = store.places()[place];
        if (add) store.choose(store.isChosen(ref) ? store.chosen.filter((each) => each.block !== ref.block || each.index !== ref.index) : [...store.chosen, ref]);
        else if (!store.isChosen(ref)) store.choose([ref]);
        else if (store.chosen.length === 1) store.choose([ref]);
        this.drags++;
        this.drag = { kind: "key", x: event.offsetX, y: event.offsetY, at: place, from: end, moved: false, add };
      } else if (event.offsetY < HEAD) {
        if (store.chosen.length) store.choose([], false);
        this.drag = { kind: "seek", x: event.offsetX, y: event.offsetY, from: 0, moved: false };
        store.playing = false;
        store.seek(this.time(event.offsetX));
      } else {
        this.drag = { kind: "box", x: event.offsetX, y: event.offsetY, from: 0, moved: false, add };
      }
    }
    this.canvas.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    const { drag, store } = this;
    if (!drag) {
      this.canvas.style.cursor = this.hit(event.offsetX, event.offsetY) >= 0 ? "ew-resize" : event.offsetY < HEAD ? "col-resize" : "default";
      return;
    }
    drag.moved ||= Math.abs(event.offsetX - drag.x) > 3 || Math.abs(event.offsetY - drag.y) > 3;
    if (!drag.moved) return;
    if (drag.kind === "seek") store.seek(this.time(event.offsetX));
    else if (drag.kind === "pan") {
      this.offset = Math.max(0, drag.from - (event.offsetX - drag.x));
      this.dirty = true;
    } else if (drag.kind === "box") {
      this.box = { x0: drag.x, y0: drag.y, x1: event.offsetX, y1: event.offsetY };
      this.dirty = true;
    } else if (drag.kind === "key") {
      const slow = event.shiftKey ? 0.1 : 1;
      let end = drag.from + ((event.offsetX - drag.x) * slow) / this.scale;
      const tick = store.robot?.tick ?? 0.01;
      end = event.ctrlKey ? Math.round(end / 0.05) * 0.05 : Math.round(end / tick) * tick;
      this.stretch(drag.at!, end);
    }
  }

  private up(event: PointerEvent): void {
    const { drag, store } = this;
    this.drag = null;
    if (drag?.kind === "box") {
      const box = this.box;
      this.box = null;
      this.dirty = true;
      if (box && drag.moved) {
        const [low, high] = [Math.min(box.x0, box.x1), Math.max(box.x0, box.x1)].map((x) => this.time(x));
        const found = store.places().filter(({ end }) => end >= low && end <= high).map(({ ref }) => ref);
        store.choose(drag.add ? [...store.chosen, ...found.filter((ref) => !store.isChosen(ref))] : found);
      } else {
        store.choose([], false);
        store.seek(this.time(event.offsetX));
      }
    }
  }

  private wheel(event: WheelEvent): void {
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.offset = Math.max(0, this.offset + (event.deltaX || event.deltaY));
    } else if (event.ctrlKey || event.metaKey || event.offsetY < HEAD) {
      event.preventDefault();
      const time = this.time(event.offsetX);
      this.zoom = Math.min(Math.max(this.scale * Math.exp(-event.deltaY * 0.0015), 2), 20000);
      this.offset = Math.max(0, NAMES + 10 + time * this.zoom - event.offsetX);
    }
    this.dirty = true;
  }

  // Edits ---------------------------------------------------------------------------------------------------------

  /** Let a keyframe end at a time: its duration changes, and that of the one behind it where others stay in place. */
  private stretch(place: number, end: number): void {
    const { store } = this;
    const places = store.places();
    const { ref, begin, end: old } = places[place];
    const least = store.robot?.tick ?? 0.01;
    const behind = places[place + 1];
    let wanted = Math.max(end, begin + least);
    const alone = this.ripple || !behind || behind.ref.block !== ref.block || behind.occurrence !== places[place].occurrence;
    if (!alone) wanted = Math.min(wanted, behind.end - least);
    if (Math.abs(wanted - old) < 1e-9) return;
    const round = (value: number) => Number(value.toFixed(6));
    const fields: Record<number, unknown> = { [ref.index]: { duration: round(wanted - begin) } };
    if (!alone) fields[behind.ref.index] = { duration: round(behind.end - wanted) };
    const group = `time-${this.drags}`;
    store.stream("duration", () => store.edit({ do: "set", block: ref.block, fields, group }));
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

  remove(): void {
    const { store } = this;
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

  private organize(): void {
    organize(this.store);
  }
}

export { select };
