// The recorded variables of the tab Plots once more, on the time axis of the dock: one lane per plot.
import { lastRow } from "@andante/shared/rows";
import { NAMES, type TimeAxis } from "./axis";
import { AxisCanvas, type ColorOf } from "./axis_canvas";
import { rimmed } from "./pixels";
import type { Plots } from "./plots";
import { SERIES, seriesColors } from "./series";
import type { Store } from "./store";

const LIVE = 120;

export class PlotLanes extends AxisCanvas<Store> {
  constructor(store: Store, axis: TimeAxis, private plots: Plots) {
    super(store, axis, "plot-lanes", { "aria-label": "Plots on the time axis", role: "img" }, LIVE);
    store.on(["run", "view", "units", "robot"], () => this.redraw());
    store.on("plots", () => this.redrawLive());
    this.canvas.addEventListener("pointerdown", (event) => {
      store.playing = false;
      if (event.offsetX > NAMES) store.seek(axis.time(event.offsetX));
    });
    this.canvas.addEventListener("pointermove", (event) => (this.canvas.title = event.offsetX < NAMES ? this.names(event.offsetY) : ""));
  }

  /** Full names of the variables of the lane at a height. */
  private names(y: number): string {
    const lanes = this.plots.recorded();
    const lane = lanes[Math.floor((y / Math.max(this.node.clientHeight, 1)) * lanes.length)];
    return lane?.series.map(({ name, unit }) => (unit ? `${name} [${unit}]` : name)).join("\n") ?? "";
  }

  protected drawLayer(context: CanvasRenderingContext2D, width: number, height: number, ratio: number, color: ColorOf): void {
    const { axis, pixels, plots } = this;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    const lanes = plots.recorded();
    if (!lanes.some((lane) => lane.times.length)) {
      context.fillStyle = color("--faint");
      context.fillText("A run (⚙ Physics) fills the plots.", NAMES + 10, height / 2);
      return;
    }
    const tones = seriesColors();
    const tall = height / lanes.length;
    const columns = this.columns(width, ratio);
    pixels.begin(columns, height * ratio);
    const ranges: { top: number; bottom: number; least: number; most: number; unit: string }[] = [];
    lanes.forEach(({ series, times }, number) => {
      const [top, bottom] = [number * tall + 3, (number + 1) * tall - 3];
      context.fillStyle = color("--line");
      context.fillRect(0, Math.round(bottom + 2), width, 1);
      const curves = series.map(({ values }) => {
        const row = (time: number) => lastRow(times.length, (at) => times[at], time);
        const curve = this.curve.begin(columns).series({ count: Math.min(values.length, times.length), time: (at) => times[at], value: (at) => values[at], row }, axis.time(NAMES), axis.scale * ratio);
        return { low: curve.low.slice(), high: curve.high.slice(), range: curve.range() };
      });
      const found = curves.flatMap(({ range }) => range ?? []);
      const [least, most] = found.length ? [Math.min(...found), Math.max(...found)] : [0, 1];
      const y = (value: number) => (bottom - ((value - least) / Math.max(most - least, 1e-9)) * (bottom - top)) * ratio;
      curves.forEach(({ low, high }, index) => {
        this.curve.begin(columns);
        this.curve.low.set(low);
        this.curve.high.set(high);
        pixels.stroke(this.curve, y, top * ratio, bottom * ratio, tones[index % SERIES], 1.3 * ratio);
      });
      const apart = Math.min(12, (bottom - top) / series.length);
      context.font = `${Math.max(9, Math.min(11, apart))}px system-ui, sans-serif`;
      series.forEach(({ name }, index) => {
        context.fillStyle = tones[index % SERIES];
        context.fillText(short(context, name), 6, top + apart * (index + 0.5));
      });
      ranges.push({ top, bottom, least, most, unit: series[0]?.unit ?? "" });
    });
    context.drawImage(pixels.end(), NAMES, 0, width - NAMES, height);
    context.font = "10px system-ui, sans-serif";
    const shown = (value: number) => `${Number(value.toPrecision(3))}`;
    for (const { top, bottom, least, most, unit } of ranges) {
      rimmed(context, `${shown(most)} ${unit}`.trim(), width - 4, top + 5, color);
      if (bottom - top > 20 && least < most) rimmed(context, `${shown(least)} ${unit}`.trim(), width - 4, bottom - 4, color);
    }
  }
}

/** What a variable is, in few letters: the joint or axis first, then what of it and whose. */
function short(context: CanvasRenderingContext2D, name: string): string {
  const fits = (text: string) => context.measureText(text).width <= NAMES - 10;
  const [channel, ...rest] = name.split(".");
  const whose = channel === "command" ? "asked" : channel === "sensors" ? "measured" : channel;
  const [what, label] = [rest[0] ?? "", rest.slice(1).join(".")];
  for (const text of [name, `${label} ${what}, ${whose}`, label && what === "position" ? `${label} ${whose}` : "", label && `${label} ${what}`]) if (text.trim() && fits(text)) return text;
  let text = label || name;
  while (!fits(`${text}…`) && text.length > 2) text = text.slice(0, -1);
  return `${text}…`;
}
