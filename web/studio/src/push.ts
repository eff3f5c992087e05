// A push by fields and a key, for who has no mouse: which body, where to, how strong, how long.
import { button, element, select } from "./dom";
import type { Store } from "./store";

type Direction = [number, number, number];
/** In the robot's own frame of heading: x ahead, y to its left, z up. */
const WAYS: Record<string, [string, Direction]> = {
  ahead: ["ahead, from behind", [1, 0, 0]],
  back: ["back, from the front", [-1, 0, 0]],
  left: ["to its left", [0, 1, 0]],
  right: ["to its right", [0, -1, 0]],
  up: ["up", [0, 0, 1]],
  down: ["down", [0, 0, -1]],
};
/** Share of the robot's weight with which it is pushed where nobody says. */
const USUAL = 0.5;

/** A direction of the robot's heading in the world; of a robot that lies, its left side leads. */
export function turned([x, y, z]: Direction, base: ArrayLike<number>): Direction {
  const [w, i, j, k] = [base[3], base[4], base[5], base[6]];
  const ahead = [1 - 2 * (j * j + k * k), 2 * (i * j + w * k), 2 * (i * k - w * j)];
  const left = [2 * (i * j - w * k), 1 - 2 * (i * i + k * k)];
  const yaw = Math.abs(ahead[2]) < 0.7 ? Math.atan2(ahead[1], ahead[0]) : Math.atan2(-left[0], left[1]);
  return [x * Math.cos(yaw) - y * Math.sin(yaw), x * Math.sin(yaw) + y * Math.cos(yaw), z];
}

export class PushPane {
  readonly node = element("fieldset", { class: "push" });
  private body = element("select", { "aria-label": "Body that is pushed", title: "It is pushed at its origin" });
  private way = select(Object.entries(WAYS).map(([name, [text]]): [string, string] => [name, text]), "ahead", () => undefined, { "aria-label": "Direction of the push", title: "As the robot heads" });
  private force = element("input", { type: "number", min: 0, step: "any", value: "", "aria-label": "Force of the push" });
  private duration = element("input", { type: "number", min: 0.01, max: 2, step: 0.01, value: 0.1, "aria-label": "Duration of the push", title: "0.01 to 2 s" });
  private go = button("Push (F)", "Push the robot while it runs; the run's scenario keeps it", () => this.push());
  private bodies = "";

  constructor(private store: Store) {
    const row = (text: string, ...parts: (Node | string)[]) => element("label", { class: "row" }, element("span", {}, text), ...parts);
    this.node.append(
      row("Body", this.body), row("Direction", this.way), row("Force", this.force, element("span", { class: "unit" }, "N")),
      row("Duration", this.duration, element("span", { class: "unit" }, "s"), this.go));
    store.on(["robot", "run", "connection"], () => this.update());
    this.update();
  }

  private update(): void {
    const { store } = this;
    const names = store.robot?.bodies.map(({ name }) => name) ?? [];
    const as = JSON.stringify(names);
    if (as !== this.bodies) {
      this.bodies = as;
      const base = store.robot ? names[store.robot.base] : "";
      this.body.replaceChildren(...names.map((name) => element("option", { value: name, selected: name === base }, name)));
      this.force.value = "";
    }
    const weight = store.run?.weight ?? 0;
    this.force.placeholder = weight ? String(Math.round(USUAL * weight)) : "half";
    this.force.title = weight ? `At most the robot's weight, ${weight.toFixed(1)} N` : "Half of the robot's weight where nothing is said; at most its weight";
    this.go.disabled = store.running !== "going" && store.running !== "paused";
    this.node.disabled = store.readonly;
  }

  push(): void {
    const { store } = this;
    const { run } = store;
    if (this.go.disabled || !run) return store.notice("A push needs a run in physics that goes on: ⚙ Physics (P).");
    const force = this.force.value.trim() ? Number(this.force.value) : Math.round(USUAL * run.weight);
    const duration = Number(this.duration.value);
    if (!(force > 0)) return store.notice("The force of a push is more than 0 N.");
    if (!(duration >= 0.01 && duration <= 2)) return store.notice("A push takes 0.01 to 2 s.");
    const base = store.runPose(Infinity)?.base ?? [0, 0, 0, 1, 0, 0, 0];
    const [x, y, z] = turned(WAYS[this.way.value][1], base);
    store.connection.ask({ do: "shove", body: this.body.value, force: [x * force, y * force, z * force], duration }).catch((error: Error) => store.notice(error.message));
  }
}
