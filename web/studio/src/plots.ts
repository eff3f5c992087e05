// Live plots: any recorded variable of the run, several per plot, pause and zoom.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { button, element } from "./dom";
import type { Message, Pose, Robot } from "./protocol";
import { SERIES, seriesColors } from "./series";

const MOST = 4;

/** Where the plots' values come from: the store of the motions page, or what stands for it on another page. */
export interface PlotSource {
  channels: Record<string, string[]>;
  /** SI units by channel and field. */
  units: Record<string, string>;
  degrees: boolean;
  robot: Robot | null;
  state: unknown;
  /** Somebody's work is looked at only: what is plotted is what its owner plots. */
  readonly?: boolean;
  /** What stands there before the first run; empty: the motions page's words. */
  empty?: string;
  connection: { tell(message: object): void; on(type: string, handler: (message: Message) => void): void };
  on(topic: PlotTopic | PlotTopic[], handler: (detail?: any) => void): void;
  notice(text: string): void;
}
type PlotTopic = "run" | "plots" | "connection" | "robot" | "document" | "units";

interface Plot {
  columns: string[];
  node: HTMLElement;
  chart: uPlot | null;
}

export class Plots {
  readonly node = element("section", { class: "pane plots" });
  private head = element("div", { class: "tools" });
  private body = element("div", { class: "charts" });
  private plots: Plot[] = [];
  private times: number[] = [];
  private values = new Map<string, number[]>();
  private asked: string[] = [];
  private run = 0;
  private paused = false;
  private dirty = false;
  private unitsKnown = 0;
  /** Updates that were applied; a test counts them. */
  updates = 0;
  private hint = element("p", { class: "hint" }, "⚙ Physics fills these while it runs. Drag to zoom, double-click to see all.");
  private names = element("datalist", { id: "channels" });
  private search = element("input", { list: "channels", placeholder: "variable", title: "Any recorded variable, such as truth.com.z: type a part of its name", "aria-label": "Variable to plot", spellcheck: "false" });

  constructor(private store: PlotSource) {
    if (store.empty) this.hint.textContent = store.empty;
    this.head.append(
      this.search, this.names,
      button("New plot", "Plot it by itself", () => this.add(this.search.value, true)),
      button("Add", "Add it to the last plot", () => this.add(this.search.value, false)),
      button("Pause", "Stand still while the run goes on", (event) => {
        this.paused = !this.paused;
        (event.target as HTMLElement).textContent = this.paused ? "Go on" : "Pause";
        this.dirty = true;
      }));
    this.node.append(this.head, this.hint, this.body);
    store.on("run", () => {
      this.channels();
      // Units come with the first run.
      const units = Object.keys(store.units).length;
      if (units !== this.unitsKnown) this.rebuild();
      this.unitsKnown = units;
    });
    store.on("plots", (pose: Pose) => this.take(pose));
    store.on("connection", (open) => open && this.subscribe());
    store.on("robot", () => this.begin());
    store.on("document", () => {
      this.asked = [];
      this.subscribe();
    });
    store.connection.on("plots", (message) => this.agreed(message.columns));
    store.on("units", () => this.rebuild());
    addEventListener("themed", () => this.rebuild());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.rebuild());
    new ResizeObserver(() => this.resize()).observe(this.body);
    const loop = () => {
      requestAnimationFrame(loop);
      if (this.dirty && !this.paused && this.node.offsetParent) this.draw();
    };
    loop();
  }

  /** What most people want to see first. */
  private begin(): void {
    if (this.plots.length || !this.store.robot) return;
    const knee = this.store.robot.joints.find((joint) => /knee/i.test(joint.name))?.name ?? this.store.robot.joints[0]?.name;
    this.plots = [["truth.com.z"], ["truth.pitch", "truth.roll"], [`command.position.${knee}`, `sensors.position.${knee}`], [`sensors.effort.${knee}`]].map((columns) => ({ columns, node: element("div"), chart: null }));
    this.rebuild();
    this.subscribe();
  }

  private channels(): void {
    const names = Object.entries(this.store.channels).flatMap(([channel, columns]) => columns.map((column) => `${channel}.${column}`));
    if (this.names.childElementCount !== names.length) this.names.replaceChildren(...names.map((value) => element("option", { value })));
  }

  private add(column: string, alone: boolean): void {
    const name = column.trim();
    if (!name) return;
    const [channel, ...rest] = name.split(".");
    const known = this.store.channels[channel];
    if (known && !known.includes(rest.join("."))) return this.store.notice(`No recorded variable is called ${name}.`);
    if (alone || !this.plots.length) {
      if (this.plots.length >= MOST) return this.store.notice(`${MOST} plots at most; close one first.`);
      this.plots.push({ columns: [name], node: element("div"), chart: null });
    } else {
      const plot = this.plots.at(-1)!;
      if (!plot.columns.includes(name)) plot.columns.push(name);
    }
    this.rebuild();
    this.subscribe();
  }

  private subscribe(): void {
    const columns = [...new Set(this.plots.flatMap((plot) => plot.columns))];
    if (!this.store.state || this.store.readonly || columns.join() === this.asked.join()) return;
    this.asked = columns;
    this.times = [];
    this.values = new Map(columns.map((column) => [column, []]));
    this.store.connection.tell({ do: "plots", columns });
  }

  /** The columns that come from now on; another tab may have asked for others, and all are wanted. */
  private agreed(columns: string[]): void {
    const own = this.plots.flatMap((plot) => plot.columns).filter((column) => !columns.includes(column));
    if (columns.join() !== this.asked.join()) {
      this.asked = columns;
      this.times = [];
      this.values = new Map(columns.map((column) => [column, []]));
    }
    if (own.length && !this.store.readonly) this.store.connection.tell({ do: "plots", columns: [...new Set([...columns, ...own])] });
  }

  private take(pose: Pose): void {
    if (pose.width !== this.asked.length + 1) return;
    if (pose.run !== this.run) {
      this.run = pose.run;
      this.times = [];
      for (const column of this.asked) this.values.set(column, []);
    }
    for (let at = 0; at < pose.rows.length; at += pose.width) {
      const time = pose.rows[at];
      if (this.times.length && time <= this.times.at(-1)!) continue;
      this.times.push(time);
      this.asked.forEach((column, index) => this.values.get(column)!.push(pose.rows[at + 1 + index]));
    }
    this.hint.hidden = true;
    this.updates++;
    this.node.dataset.updates = String(this.updates);
    this.dirty = true;
  }

  /** SI unit of a variable; empty: a pure number, or nothing has run. */
  private si(column: string): string {
    const { units } = this.store;
    return units[column] ?? units[column.split(".").slice(0, 2).join(".")] ?? "";
  }

  private scaled(column: string): boolean {
    return this.store.degrees && this.si(column).startsWith("rad");
  }

  /** The unit in which a variable is shown. */
  private unit(column: string): string {
    const unit = this.si(column).replace(/\*\*2|\^2/, "²").replace("*", " ");
    return this.scaled(column) ? unit.replace("rad", "°") : unit;
  }

  private rebuild(): void {
    for (const plot of this.plots) plot.chart?.destroy();
    this.body.replaceChildren();
    const style = getComputedStyle(document.documentElement);
    const stroke = style.getPropertyValue("--faint").trim();
    const line = style.getPropertyValue("--line").trim();
    const tones = seriesColors();
    for (const plot of this.plots) {
      plot.node = element("div", { class: "chart" }, button("×", "Close this plot", () => {
        this.plots.splice(this.plots.indexOf(plot), 1);
        this.rebuild();
        this.subscribe();
      }, { class: "plain close" }));
      this.body.append(plot.node);
      const axis = { stroke, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: "10px system-ui", labelFont: "10px system-ui" };
      plot.chart = new uPlot({
        width: Math.max(this.body.clientWidth - 12, 160), height: 128, legend: { show: true, live: false }, cursor: { drag: { x: true, y: false } },
        scales: { x: { time: false } },
        axes: [{ ...axis, size: 26, values: (_: uPlot, ticks: number[]) => ticks.map((tick, at) => (at === ticks.length - 1 ? `${tick} s` : String(tick))) }, { ...axis, size: 46, space: 22 }],
        series: [{ label: "time [s]" }, ...plot.columns.map((column, index) => ({ label: column + (this.unit(column) ? ` [${this.unit(column)}]` : ""), stroke: tones[index % SERIES], width: 1.3, points: { show: false } }))],
      }, this.data(plot), plot.node);
    }
  }

  private data(plot: Plot): uPlot.AlignedData {
    const step = Math.max(1, Math.floor(this.times.length / 1200));
    const thin = (values: number[]) => (step === 1 ? values : values.filter((_, index) => index % step === 0));
    return [
      thin(this.times),
      ...plot.columns.map((column) => {
        const values = thin(this.values.get(column) ?? []);
        return this.scaled(column) ? values.map((value) => (value * 180) / Math.PI) : values.slice(0, this.times.length);
      }),
    ] as uPlot.AlignedData;
  }

  /** What the plots show, whole, for the dock's time axis. */
  recorded(): { times: number[]; series: { name: string; unit: string; values: number[] }[] }[] {
    return this.plots.map((plot) => ({
      times: this.times,
      series: plot.columns.map((column) => {
        const values = this.values.get(column) ?? [];
        return { name: column, unit: this.unit(column), values: this.scaled(column) ? values.map((value) => (value * 180) / Math.PI) : values };
      }),
    }));
  }

  private draw(): void {
    this.dirty = false;
    for (const plot of this.plots) {
      if (plot.columns.every((column) => (this.values.get(column)?.length ?? 0) === this.times.length)) plot.chart?.setData(this.data(plot));
    }
  }

  private resize(): void {
    const width = Math.max(this.body.clientWidth - 12, 160);
    for (const plot of this.plots) if (plot.chart && plot.chart.width !== width) plot.chart.setSize({ width, height: 128 });
  }

  shown(): void {
    this.resize();
    this.dirty = true;
  }
}
