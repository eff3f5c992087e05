// What a walk's joints and feet did, in lanes on one time axis; the playhead shows the robot at that moment.
import { NAMES, TimeAxis } from "./axis";
import { AxisCanvas, type ColorOf } from "./axis_canvas";
import { button, element, select } from "./dom";
import { rimmed } from "./pixels";
import type { Moments } from "./playhead";
import type { Robot } from "./protocol";
import { seriesColors } from "./series";
import { Traces } from "./traces";

const FEET = 13;
const LIVE = 200;
const MOST = 3;

/** The rows of one walk, and the moment of it that is shown. */
class Moment implements Moments {
  playhead = 0;
  private handlers: (() => void)[] = [];

  on(_: string | string[], handler: () => void): void {
    this.handlers.push(handler);
  }

  seek(time: number): void {
    this.playhead = time;
    for (const each of this.handlers) each();
  }
}

class Lanes extends AxisCanvas<Moment> {
  traces: Traces | null = null;
  robot: Robot | null = null;
  joints: number[] = [];

  constructor(moment: Moment, axis: TimeAxis, private colorOf: (foot: string) => number, seek: (time: number) => void) {
    super(moment, axis, "walk-lanes", { "aria-label": "Lanes of the walk", role: "img" }, LIVE);
    const at = (event: PointerEvent) => event.offsetX > NAMES && seek(axis.time(event.offsetX));
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      at(event);
    });
    this.canvas.addEventListener("pointermove", (event) => event.buttons & 1 && at(event));
  }

  more(): void {
    this.redrawLive();
  }

  protected drawLayer(context: CanvasRenderingContext2D, width: number, height: number, ratio: number, color: ColorOf): void {
    const { axis, pixels, traces, robot } = this;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    if (!traces?.count || !robot) {
      context.fillStyle = color("--faint");
      context.fillText("A walk fills the lanes; so does one that was saved.", NAMES + 10, height / 2);
      return;
    }
    const columns = this.columns(width, ratio);
    const [left, scale] = [axis.time(NAMES), axis.scale * ratio];
    pixels.begin(columns, height * ratio);
    const names: [string, number][] = [];
    const values: [string, number, number][] = [];
    robot.feet.forEach(({ name }, foot) => {
      const top = 3 + foot * FEET;
      names.push([`${name} on the ground`, top + FEET / 2]);
      const tone = `#${this.colorOf(name).toString(16).padStart(6, "0")}`;
      let begin = -1;
      for (let row = traces.row(left); row <= traces.count; row++) {
        const on = row < traces.count && traces.touches(row, foot);
        if (on && begin < 0) begin = traces.time(row);
        if (on || begin < 0) continue;
        const end = traces.time(Math.min(row, traces.count - 1));
        pixels.rect((begin - left) * scale, (top + 2) * ratio, Math.max((end - begin) * scale, 1), (FEET - 4) * ratio, tone);
        begin = -1;
      }
    });
    const from = 6 + robot.feet.length * FEET;
    const tall = (height - from) / (this.joints.length + 1);
    const colors = seriesColors();
    const lane = (number: number, name: string, unit: string, factor: number, parts: [number, boolean][], tone: string) => {
      const [top, bottom] = [from + number * tall + 3, from + (number + 1) * tall - 3];
      context.fillStyle = color("--line");
      context.fillRect(0, Math.round(from + number * tall), width, 1);
      const curves = parts.map(([column, dashed]) => {
        const curve = traces.into(this.curve.begin(columns), column, left, scale);
        return { low: curve.low.slice(), high: curve.high.slice(), range: curve.range(), dashed };
      });
      const found = curves.flatMap(({ range }) => range ?? []);
      if (!found.length) return;
      const [least, most] = [Math.min(...found), Math.max(...found)];
      const y = (value: number) => (bottom - ((value - least) / Math.max(most - least, 1e-6)) * (bottom - top)) * ratio;
      for (const { low, high, dashed } of curves) {
        this.curve.begin(columns);
        this.curve.low.set(low);
        this.curve.high.set(high);
        pixels.stroke(this.curve, y, top * ratio, bottom * ratio, tone, (dashed ? 1 : 1.6) * ratio, dashed ? 6 : 0);
      }
      names.push([name, (top + bottom) / 2]);
      values.push([`${(most * factor).toPrecision(3)} ${unit}`, top + 5, bottom - top], [`${(least * factor).toPrecision(3)} ${unit}`, bottom - 5, bottom - top]);
    };
    lane(0, "height of the base", "cm", 100, [[3, false]], colors[5]);
    this.joints.forEach((joint, number) => lane(number + 1, robot.joints[joint].name, "°", 180 / Math.PI, [[traces.column("asked", joint), true], [traces.column("measured", joint), false]], colors[number]));
    context.drawImage(pixels.end(), NAMES, 0, width - NAMES, height);
    context.fillStyle = color("--text");
    for (const [name, y] of names) context.fillText(fitted(context, name), 6, y);
    context.font = "10px system-ui, sans-serif";
    values.forEach(([text, y, room], at) => (at % 2 === 0 || room > 22) && rimmed(context, text, width - 4, y, color));
  }
}

function fitted(context: CanvasRenderingContext2D, text: string): string {
  if (context.measureText(text).width <= NAMES - 10) return text;
  let short = text;
  while (short.length > 2 && context.measureText(`${short}…`).width > NAMES - 10) short = short.slice(0, -1);
  return `${short}…`;
}

export class WalkLanes {
  readonly node = element("section", { class: "walk-dock", hidden: true, "aria-label": "Lanes of the walk" });
  private moment = new Moment();
  private axis = new TimeAxis(() => this.traces?.end ?? 1);
  private lanes: Lanes;
  private traces: Traces | null = null;
  private robot: Robot | null = null;
  private run = 0;
  private chosen = "";
  private joint = select([["", "joints that move most"]], "", (name) => {
    this.chosen = name;
    this.choose();
  }, { "aria-label": "Joint of the lanes" });
  private play = button("▶ Play", "Show the walk again in real time", () => this.toggle());
  private time = element("output", { class: "time" }, "0.00 s");
  private playing = 0;
  /** Whether a walk goes on, whose poses come by themselves. */
  live = false;

  constructor(colorOf: (foot: string) => number, private show: (base: ArrayLike<number>, joints: ArrayLike<number>) => void) {
    this.lanes = new Lanes(this.moment, this.axis, colorOf, (time) => {
      this.stop();
      this.seek(time);
    });
    this.node.append(
      element("div", { class: "tools" }, this.play, this.time, this.joint, button("Fit", "See the whole walk", () => this.axis.fit()), element("span", { class: "hint" }, "━ measured, - - asked. Drag to look at a moment; wheel to zoom.")),
      this.lanes.node);
    new ResizeObserver(() => {
      this.axis.width = this.lanes.node.clientWidth;
      this.lanes.redraw();
    }).observe(this.lanes.node);
  }

  get count(): number {
    return this.traces?.count ?? 0;
  }

  /** The theme is another one. */
  theme(): void {
    this.lanes.redraw();
  }

  get shown(): number {
    return this.moment.playhead;
  }

  begin(robot: Robot, run: number, live: boolean): void {
    this.stop();
    this.robot = this.lanes.robot = robot;
    this.run = run;
    this.live = live;
    this.traces = this.lanes.traces = new Traces(robot.joints.length, robot.feet.length);
    this.chosen = "";
    this.joint.replaceChildren(element("option", { value: "" }, "joints that move most"), ...robot.joints.map(({ name }) => element("option", { value: name }, name)));
    this.choose();
    this.axis.fit();
    this.moment.seek(0);
  }

  take({ run, rows, width }: { run: number; rows: Float32Array; width: number }): void {
    if (run !== this.run || !this.traces) return;
    this.traces.add(rows, width);
    if (!this.chosen) this.choose();
    if (this.live) this.moment.seek(this.traces.end);
    else this.lanes.redraw();
    this.write();
    this.lanes.more();
  }

  ended(): void {
    this.live = false;
    this.choose();
    this.lanes.redraw();
  }

  private choose(): void {
    const { robot, traces } = this;
    if (!robot || !traces) return;
    const wanted = robot.joints.findIndex(({ name }) => name === this.chosen);
    const spans = robot.joints.map((_, joint) => {
      let [low, high] = [Infinity, -Infinity];
      const every = Math.max(1, Math.floor(traces.count / 200));
      for (let row = 0; row < traces.count; row += every) {
        const value = traces.at(row, traces.column("measured", joint));
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
      return { joint, span: high - low };
    });
    this.lanes.joints = wanted >= 0 ? [wanted] : spans.sort((a, b) => b.span - a.span).slice(0, MOST).map(({ joint }) => joint);
    this.lanes.redraw();
  }

  seek(time: number): void {
    const { traces } = this;
    if (!traces?.count || this.live) return;
    const at = Math.max(0, Math.min(time, traces.end));
    const row = traces.row(at);
    this.moment.seek(at);
    this.show(traces.base(row), traces.measured(row));
    this.write();
  }

  private write(): void {
    this.time.value = `${this.moment.playhead.toFixed(2)} s`;
  }

  private toggle(): void {
    if (this.playing) return this.stop();
    if (!this.traces?.count || this.live) return;
    let before = performance.now();
    const from = this.moment.playhead >= this.traces.end - 0.01 ? 0 : this.moment.playhead;
    let now = from;
    this.play.textContent = "❚❚ Pause";
    const step = (moment: number) => {
      now += (moment - before) / 1000;
      before = moment;
      this.seek(now);
      if (now >= this.traces!.end) return this.stop();
      this.playing = requestAnimationFrame(step);
    };
    this.playing = requestAnimationFrame(step);
  }

  private stop(): void {
    cancelAnimationFrame(this.playing);
    this.playing = 0;
    this.play.textContent = "▶ Play";
  }
}
