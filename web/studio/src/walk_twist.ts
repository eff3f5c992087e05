// Speeds that are asked until they are changed: one slider per axis, in the units in which the robot goes.
import { button, element } from "./dom";

const AXES: [string, string, string, string][] = [
  ["Ahead", "m/s", "forward", "back"], ["Left", "m/s", "left", "right"], ["Turn", "rad/s", "left", "right"],
];

export class Twist {
  readonly node = element("div", { class: "twist" });
  private boxes: HTMLInputElement[] = [];
  private numbers: HTMLOutputElement[] = [];
  private fastest: number[] | null = null;

  constructor(private changed: () => void) {
    AXES.forEach(([name, unit, plus, minus], axis) => {
      const box = element("input", { type: "range", min: -1, max: 1, step: 0.01, value: 0, "aria-label": `${name} [${unit}]`, title: `Above 0: ${plus}, below: ${minus}`, input: () => this.moved(axis) });
      const number = element("output", {}, `0 ${unit}`);
      this.boxes.push(box);
      this.numbers.push(number);
      this.node.append(element("div", { class: "line" }, element("span", {}, name), box, number));
    });
    this.node.append(element("div", { class: "line" }, element("span", {}), button("Stand", "All sliders to 0 (X)", () => this.stand(), { class: "stand" })));
    this.allow(null);
  }

  /** How fast the robot can be asked to go; null: nobody knows before it walks. */
  allow(fastest: number[] | null): void {
    this.fastest = fastest;
    this.boxes.forEach((box, axis) => {
      const most = fastest?.[axis] ?? 0;
      const kept = Number(box.value);
      box.disabled = !(most > 0);
      // What cannot be moved stands in the middle.
      box.min = String(-(most || 1));
      box.max = String(most || 1);
      box.step = String(most ? most / 50 : 0.01);
      box.value = String(Math.max(-most, Math.min(most, kept)));
      this.write(axis);
    });
  }

  stand(): void {
    for (const box of this.boxes) box.value = "0";
    AXES.forEach((_, axis) => this.write(axis));
    this.changed();
  }

  private moved(axis: number): void {
    // The middle is found without looking.
    const box = this.boxes[axis];
    if (Math.abs(Number(box.value)) < 0.03 * Number(box.max)) box.value = "0";
    this.write(axis);
    this.changed();
  }

  private write(axis: number): void {
    // Never -0.
    const value = Number(this.boxes[axis].value) + 0;
    const text = `${value > 0 ? "+" : ""}${Math.abs(value) < 0.005 ? "0.00" : value.toFixed(2)} ${AXES[axis][1]}`;
    this.numbers[axis].value = text;
    this.boxes[axis].setAttribute("aria-valuetext", text);
  }

  /** Shares of the largest speeds, -1 to 1, in thousandths: the middle of a slider's steps is no exact 0. */
  get wish(): number[] {
    return this.boxes.map((box, axis) => (this.fastest?.[axis] ? Math.round((1000 * Number(box.value)) / this.fastest[axis]) / 1000 + 0 : 0));
  }
}
