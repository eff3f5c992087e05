// The robot picker: robots by name, models and packs of the workspace and of packages; what was guessed, corrected into a pack.
import { button, element, select } from "./dom";
import type { Store } from "./store";

interface RobotFile {
  source: string;
  title: string;
  where: string;
}

interface Told {
  name: string;
  title: string;
  mass: number;
  joints: { name: string; lower: number; upper: number; speed: number; effort: number }[];
  feet: { name: string; body: string; radius: number }[];
  groups: Record<string, string[]>;
  pairs: string[][];
  postures: string[];
  sources: Record<string, string>;
  doubts: Record<string, string>;
  guessed: boolean;
}

const WHERE: Record<string, string> = { "": "By name", chosen: "Chosen", program: "Of this program", shipped: "Come with Andante", given: "Of the command line", workspace: "Files of this workspace" };

/** A list of robots, and below it what is known of the chosen one. */
export class RobotPicker {
  readonly node = element("div", { class: "robot-picker" });
  private list = element("select", { "aria-label": "Robot", title: "A name, a model (MJCF, URDF) or a pack" });
  private about = element("div", { class: "robot-about", role: "status" });
  private part = element("input", { type: "search", placeholder: "part of the name", "aria-label": "Part of the robot's name", spellcheck: "false", hidden: true });
  private note = element("p", { class: "hint", role: "status", hidden: true });
  private filled = 0;
  private told: Told | null = null;
  private asked = 0;

  constructor(private store: Store, private changed: (source: string) => void = () => undefined) {
    this.list.addEventListener("change", () => this.choose());
    this.part.addEventListener("input", () => void this.fill(this.list.value));
    this.node.append(this.list, this.part, this.note, this.about);
    this.offer(store.robots.map((name) => ({ source: name, title: name, where: "" })), store.robotGiven || (store.robots.includes("nao") ? "nao" : store.robots[0]));
    void this.fill(this.list.value);
  }

  get value(): string {
    return this.list.value;
  }

  set disabled(off: boolean) {
    this.list.disabled = off;
    this.about.hidden = off;
  }

  private offer(files: RobotFile[], wanted: string): void {
    const groups = new Map<string, RobotFile[]>();
    for (const file of files) groups.set(file.where, [...(groups.get(file.where) ?? []), file]);
    this.list.replaceChildren(...[...groups].map(([where, members]) =>
      element("optgroup", { label: WHERE[where] ?? `Of the package ${where}` }, ...members.map(({ source, title }) => element("option", { value: source, selected: source === wanted }, title)))));
  }

  /** Ask for all files, which takes a moment. */
  private async fill(wanted: string): Promise<void> {
    const part = this.part.value.trim();
    const number = ++this.filled;
    const answer = await this.store.connection.ask({ do: "robots", part }).catch((error: Error) => (this.store.notice(error.message), null));
    if (!answer || number !== this.filled) return;
    // Somebody may have chosen one meanwhile.
    const chosen = this.value || wanted;
    const files = answer.robots as RobotFile[];
    const among = files.some(({ source }) => source === chosen);
    this.offer(among ? files : [{ source: chosen, title: chosen, where: "chosen" }, ...files], chosen);
    this.note.textContent = String(answer.note ?? "");
    this.note.hidden = !answer.note;
    // Where all are listed nobody has to look for one.
    this.part.hidden = !answer.note && !part;
  }

  private choose(): void {
    this.changed(this.value);
    this.told = null;
    if (this.store.robots.includes(this.value)) return this.about.replaceChildren();
    const number = ++this.asked;
    this.about.replaceChildren(element("p", { class: "hint" }, "Being read…"));
    this.store.connection.ask({ do: "look_at_robot", robot: this.value }).then(
      (answer) => {
        if (number !== this.asked) return;
        this.told = answer as unknown as Told;
        this.show();
      },
      (error: Error) => number === this.asked && this.about.replaceChildren(element("p", { class: "bad" }, error.message)));
  }

  private show(): void {
    const { told } = this;
    if (!told) return;
    const doubts = Object.entries(told.doubts);
    const unlimited = told.joints.filter(({ lower, upper }) => lower === null || upper === null || upper - lower > 20).map(({ name }) => name);
    this.about.replaceChildren(
      element("p", {}, `${told.title}: ${told.joints.length} joints, ${told.mass.toFixed(1)} kg, feet: ${told.feet.map(({ name }) => name).join(", ") || "none"}; postures: ${told.postures.join(", ") || "none"}`),
      ...doubts.map(([topic, text]) => element("p", { class: "bad" }, `Unsure of ${topic}: ${text}`)),
      ...(unlimited.length ? [element("p", { class: "bad" }, `No limits of: ${unlimited.slice(0, 6).join(", ")}${unlimited.length > 6 ? ` and ${unlimited.length - 6} more` : ""}`)] : []),
      ...(told.guessed ? [this.form(told)] : []));
  }

  private form(told: Told): HTMLElement {
    const folder = element("input", { value: `robots/${told.name.replace(/[^A-Za-z0-9_-]+/g, "-") || "robot"}`, "aria-label": "Folder of the pack", spellcheck: "false" });
    const name = element("input", { value: told.name, "aria-label": "Name of the robot" });
    const joints = new Map<string, { speed: HTMLInputElement; effort: HTMLInputElement }>();
    const feet = new Map<string, HTMLInputElement>();
    const number = (value: number, label: string) => element("input", { type: "number", step: "any", min: 0, value: Number(value.toPrecision(5)), "aria-label": label });
    const rows = told.joints.map((joint) => {
      const inputs = { speed: number(joint.speed, `Speed of ${joint.name}`), effort: number(joint.effort, `Torque of ${joint.name}`) };
      joints.set(joint.name, inputs);
      const angle = (value: number | null) => (value === null ? "none" : `${((value * 180) / Math.PI).toFixed(0)}°`);
      return element("tr", {}, element("th", { scope: "row" }, joint.name), element("td", {}, `${angle(joint.lower)} to ${angle(joint.upper)}`), element("td", {}, inputs.speed), element("td", {}, inputs.effort));
    });
    const footRows = told.feet.map((foot) => {
      const input = number(foot.radius * 1000, `Radius of ${foot.name}`);
      feet.set(foot.name, input);
      return element("div", { class: "row" }, element("span", {}, foot.name), `on ${foot.body}, ball of radius`, input, "mm (0: a sole)");
    });
    const problem = element("p", { class: "bad" });
    const write = async () => {
      const changed = (input: HTMLInputElement) => input.value !== input.defaultValue;
      const corrected = Object.fromEntries([...joints].filter(([, { speed, effort }]) => changed(speed) || changed(effort)).map(([joint, { speed, effort }]) => [joint, {
        ...(changed(speed) ? { speed: Number(speed.value) } : {}), ...(changed(effort) ? { effort: Number(effort.value) } : {}),
      }]));
      const balls = Object.fromEntries([...feet].filter(([, input]) => changed(input)).map(([foot, input]) => [foot, Number(input.value) / 1000]));
      try {
        const answer = await this.store.connection.ask({ do: "write_pack", robot: this.value, folder: folder.value.trim(), name: name.value.trim(), joints: corrected, feet: balls });
        await this.fill(answer.robot as string);
        this.list.value = answer.robot as string;
        this.choose();
        this.store.notice(`The pack ${answer.robot} is written and chosen.`, false);
      } catch (error) {
        problem.textContent = (error as Error).message;
      }
    };
    return element("details", { class: "guesses", open: Object.keys(told.doubts).length > 0 },
      element("summary", {}, "What was read and guessed; correct it and write a pack"),
      ...Object.entries(told.sources).map(([topic, source]) => element("p", { class: "hint" }, `${topic}: ${source}`)),
      element("p", { class: "hint" }, `mirror: ${told.pairs.map((pair) => pair.join(" ⇄ ")).join(", ") || "no pairs"}`),
      ...footRows,
      element("div", { class: "guessed-joints", tabindex: 0, role: "region", "aria-label": "Joints" }, element("table", {}, element("thead", {}, element("tr", {}, ...["joint", "range", "speed [rad/s]", "torque [N m]"].map((text) => element("th", { scope: "col" }, text)))), element("tbody", {}, ...rows))),
      element("div", { class: "row" }, element("label", {}, "Name ", name), element("label", {}, "Folder ", folder), button("Write the pack", "Write pack.yaml with its model into the workspace, and choose it", () => void write())),
      problem);
  }
}

/** For files that do not name their robot: as the file says, or one that is chosen. */
export function robotSelect(store: Store): HTMLSelectElement {
  const node = select([["", "as the file says"], ...store.robots.map((name): [string, string] => [name, name])], "", () => undefined, { title: "For files that do not name their robot", "aria-label": "Robot" });
  store.connection.ask({ do: "robots" }).then((answer) => {
    const known = new Set(store.robots);
    for (const { source, title } of answer.robots as RobotFile[]) if (!known.has(source)) node.append(element("option", { value: source }, title));
    if (answer.note) node.append(element("option", { disabled: true }, String(answer.note)));
  }, () => undefined);
  return node;
}
