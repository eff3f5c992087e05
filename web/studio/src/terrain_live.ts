// Live data of a walk: plots of what is recorded, parameters on sliders, faults that begin and end while it walks.
import type { AskedOfTerrain, Fault } from "./asked";
import type { Connection } from "./connection";
import { button, element, select } from "./dom";
import { parameterRow } from "./parameter_row";
import { Plots, type PlotSource } from "./plots";
import type { Message, Parameter, Pose, Robot } from "./protocol";

const FAULTS: [string, string][] = [["weak", "half as strong"], ["dead", "no torque"], ["stuck", "stuck where it is"], ["sticky", "sticky"], ["offset", "encoder off by 5°"], ["noisy", "noisy encoder"], ["dropped", "not measured"], ["imu_dropped", "IMU lost"]];
const STRENGTH: Record<string, object> = { weak: { factor: 0.5 }, sticky: { torque: 1 }, offset: { angle: 0.0873 }, noisy: { angle: 0.01 } };

export class Live implements PlotSource {
  readonly node = element("aside", { class: "live", hidden: true });
  channels: Record<string, string[]> = {};
  units: Record<string, string> = {};
  degrees = true;
  robot: Robot | null = null;
  state: unknown = {};
  empty = "A walk fills these. Drag to zoom, double-click to see all.";
  parameters: Parameter[] = [];
  readonly faults = new Map<string, boolean>();
  private handlers = new Map<string, ((detail?: any) => void)[]>();
  private slots = new Map<string, { busy: boolean; next: (() => Promise<unknown>) | null }>();
  private walking = false;
  private began = 0;
  private filter = element("input", { placeholder: "part of a name", "aria-label": "Show parameters with", spellcheck: "false", input: () => this.showParameters() });
  private rows = element("div", { class: "parameters" });
  private faultRows = element("div", { class: "faults" });
  private kind = select(FAULTS, "weak", () => undefined, { "aria-label": "Kind of fault" });
  private joint = element("select", { "aria-label": "Joint of the fault" });
  private begin = button("Begin", "The fault begins now", () => this.fault());
  private plots: Plots;

  constructor(readonly connection: Connection<AskedOfTerrain>, readonly notice: (text: string) => void) {
    this.plots = new Plots(this);
    this.node.append(
      element("h3", {}, "Plots"), this.plots.node,
      element("h3", { title: "They begin and end while the robot walks; the log tells them" }, "Faults"),
      element("div", { class: "line" }, this.kind, this.joint, this.begin), this.faultRows,
      element("h3", { title: "Each change is an event of the log at the next tick; a replay repeats it" }, "Live parameters (SI)"), this.filter, this.rows);
    connection.on("faulty", (message) => {
      this.faults.set(message.name, message.on);
      this.showFaults();
    });
    connection.on("changed", (message) => {
      const parameter = this.parameters.find(({ name }) => name === message.parameter);
      if (parameter) parameter.value = message.value;
    });
    this.showParameters();
    this.showFaults();
  }

  on(topic: string | string[], handler: (detail?: any) => void): void {
    for (const each of [topic].flat()) this.handlers.set(each, [...(this.handlers.get(each) ?? []), handler]);
  }

  private emit(topic: string, detail?: unknown): void {
    for (const handler of this.handlers.get(topic) ?? []) handler(detail);
  }

  open(shown: boolean): void {
    this.node.hidden = !shown;
    if (shown) this.plots.shown();
  }

  connected(): void {
    this.emit("document");
  }

  setRobot(robot: Robot): void {
    const other = this.robot?.name !== robot.name;
    this.robot = robot;
    this.joint.replaceChildren(...robot.joints.map(({ name }) => element("option", { value: name }, name)));
    if (other) this.parameters = [];
    this.emit("robot");
    this.showParameters();
  }

  started(message: Message): void {
    this.channels = message.channels;
    this.units = message.units ?? {};
    this.parameters = message.parameters;
    this.faults.clear();
    this.began = 0;
    this.walking = true;
    this.emit("run");
    this.showParameters();
    this.showFaults();
  }

  ended(): void {
    this.walking = false;
    this.showFaults();
    for (const input of this.rows.querySelectorAll("input")) input.disabled = true;
  }

  pose(pose: Pose): void {
    if (pose.rows.length) this.emit("plots", pose);
  }

  theme(): void {
    this.emit("units");
  }

  /** The newest of some values is sent once the one before has gone. */
  private stream(name: string, work: () => Promise<unknown>): void {
    const slot = this.slots.get(name) ?? { busy: false, next: null };
    this.slots.set(name, slot);
    if (slot.busy) {
      slot.next = work;
      return;
    }
    slot.busy = true;
    void work().finally(() => {
      slot.busy = false;
      const next = slot.next;
      slot.next = null;
      if (next) this.stream(name, next);
    });
  }

  private showParameters(): void {
    const part = this.filter.value.trim().toLowerCase();
    const found = this.parameters.filter(({ name }) => name.toLowerCase().includes(part));
    this.filter.hidden = !this.parameters.length;
    this.rows.replaceChildren(...found.map((each) => parameterRow(each, (value) => {
      this.connection.ask({ do: "change", parameter: each.name, value }).catch((error: Error) => this.notice(error.message));
    }, (name, work) => this.stream(name, work))));
    if (!this.parameters.length) this.rows.append(element("p", { class: "hint" }, "Shown once the robot walks."));
    else if (!found.length) this.rows.append(element("p", { class: "hint" }, "No parameter is called so."));
    for (const input of this.rows.querySelectorAll("input")) input.disabled = !this.walking;
  }

  private fault(): void {
    const kind = this.kind.value;
    const imu = kind.startsWith("imu_");
    const name = `${imu ? "imu" : this.joint.value} ${this.kind.selectedOptions[0].textContent} #${++this.began}`;
    this.connection.ask({ do: "fault", fault: { type: kind as Fault["type"], name, joints: imu ? [] : [this.joint.value], ...STRENGTH[kind] } }).catch((error: Error) => this.notice(error.message));
  }

  private showFaults(): void {
    this.begin.disabled = !this.walking;
    this.faultRows.replaceChildren(...[...this.faults].map(([name, on]) => element("div", { class: "fault" }, name,
      on && this.walking ? button("End", "The fault ends now", () => this.connection.tell({ do: "mend", name })) : element("span", { class: "hint" }, "over"))));
  }
}
