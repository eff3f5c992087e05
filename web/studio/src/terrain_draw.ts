// Drawing boards: tools, strokes on the ground, undo, files of the workspace.
import type { AskedOfTerrain, Draw as Drawn } from "./asked";
import type { Without } from "./connection";
import { button, dialog, element } from "./dom";
import type { Message } from "./protocol";
import type { Terrain3d } from "./terrain3d";

const TOOLS: [string, string, string][] = [
  ["raise", "Raise", "Drag over the ground: it rises by the height, less towards the brush's rim"],
  ["lower", "Lower", "Drag over the ground: it sinks by the height"],
  ["flatten", "Flatten", "Drag: the ground becomes as high as where the drag began"],
  ["box", "Box", "Drag from corner to corner: a block, as high above the first corner"],
  ["gap", "Gap", "Drag from corner to corner: a pit, as deep below the first corner"],
  ["ramp", "Ramp", "Drag from its foot to its top: twice the brush wide"],
];
/** The robot is set on the ground once the hand has rested so long [ms]. */
const REST = 600;
const LONGEST = 1500;

interface Stroke {
  tool: string;
  height: number;
  radius: number;
  points: [number, number][];
  /** Number of its newest state, and of the one that was sent last; 0: none was. */
  version: number;
  sent: number;
  /** The hand has let go. */
  done: boolean;
}

type Ask = (message: Without<AskedOfTerrain, "request">, busy?: string) => Promise<Message | null>;

export class Draw {
  readonly node = element("details", { class: "draw" });
  tool = "";
  /** Whether something was drawn that no file holds. */
  unsaved = false;
  /** Whether something was drawn on which the robot does not stand yet. */
  untaken = false;
  files: string[] = [];
  private buttons = new Map<string, HTMLButtonElement>();
  private height = element("input", { type: "number", min: 0.1, max: 500, step: "any", value: "3", "aria-label": "Height of a stroke" });
  private radius = element("input", { type: "number", min: 0.1, max: 2000, step: "any", value: "8", "aria-label": "Radius of the brush", input: () => this.ring() });
  private back = button("Undo", "Take the last stroke back (Ctrl-Z)", () => void this.step("undo"));
  private on = button("Redo", "Draw it again (Ctrl-Shift-Z)", () => void this.step("redo"));
  private name = element("input", { value: "board.npz", spellcheck: "false", "aria-label": "File of the board", title: "A file of the workspace: .npz, .xyz, .csv or .txt" });
  private sizes = [["Length", "2"], ["Width", "0.8"], ["Spacing", "0.005"]].map(([name, value]) => element("input", { type: "number", min: 0.001, step: "any", value, "aria-label": `${name} of a new board`, title: `${name} [m]` }));
  /** Strokes that the server does not have whole, the newest last. */
  private strokes: Stroke[] = [];
  private busy = false;
  private timer = 0;

  constructor(private view: Terrain3d, private ask: Ask, private tell: (text: string, bad?: boolean) => void, private taken: (answer: Message) => void, private refresh: () => void, private level: () => void) {
    const tools = element("div", { class: "line tools-line" }, ...TOOLS.map(([name, text, title]) => {
      const each = button(text, title, () => this.choose(this.tool === name ? "" : name), { "aria-pressed": "false" });
      this.buttons.set(name, each);
      return each;
    }));
    this.node.append(element("summary", {}, "Draw the board"), tools,
      element("div", { class: "line" }, element("span", {}, "Height"), this.height, "cm"),
      element("div", { class: "line" }, element("span", {}, "Brush"), this.radius, "cm"),
      element("div", { class: "line" }, this.back, this.on),
      element("p", { class: "hint" }, "Choose a tool and drag over the ground. The right button turns the view, the wheel zooms. By keys: go to the ground with Tab, arrows move the brush (Shift: fine), Enter begins and ends a stroke."),
      element("div", { class: "line" }, element("span", {}, "File"), this.name, button("Save", "Write the board into the workspace; andante plan and walk take it with --board FILE", () => void this.save(false))),
      element("div", { class: "line" }, element("span", {}, "New"), this.sizes[0], "×", this.sizes[1], "m"),
      element("div", { class: "line" }, element("span", {}, "Nodes"), "every", this.sizes[2], "m"),
      element("div", { class: "line" }, element("span", {}), button("New level board", "A level board of this length, width and distance of nodes", () => this.level())));
    this.node.addEventListener("toggle", () => this.node.open || this.choose(""));
    view.onStroke = (kind, place) => this.stroke(kind, place);
    addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || !this.node.open) return;
      if ((event.target as HTMLElement).closest("input:not([type=range]), select, textarea")) return;
      event.preventDefault();
      void this.step(event.shiftKey ? "redo" : "undo");
    });
    this.steps({ type: "", canUndo: false, canRedo: false });
  }

  get levelBoard(): object {
    const [length, width, spacing] = this.sizes.map((box) => Number(box.value));
    return { length, width, spacing };
  }

  choose(tool: string): void {
    this.tool = tool;
    for (const [name, each] of this.buttons) {
      each.classList.toggle("on", name === tool);
      each.setAttribute("aria-pressed", String(name === tool));
    }
    this.ring();
    this.view.setTool(Boolean(tool));
    this.refresh();
  }

  /** What undo and redo can do after an answer. */
  steps(answer: Message): void {
    this.back.disabled = !answer.canUndo;
    this.on.disabled = !answer.canRedo;
  }

  /** A board that is not drawn: nothing is lost with it. */
  fresh(file = ""): void {
    this.unsaved = this.untaken = false;
    if (file) this.name.value = file;
    clearTimeout(this.timer);
  }

  /** Whether what was drawn may be left; asks where it would be lost. */
  leave(): Promise<boolean> {
    if (!this.unsaved) return Promise.resolve(true);
    return new Promise((answer) => {
      let leaves = false;
      const node = dialog("The drawn board is not saved",
        element("p", {}, "Another board takes its place."),
        element("div", { class: "tools" }, button("Leave it", "Go on without saving", () => {
          leaves = true;
          node.close();
        }, { class: "primary" }), button("Stay", "Go back to the drawn board", () => node.close())));
      node.addEventListener("close", () => answer(leaves));
    });
  }

  private ring(): void {
    this.view.brush = ["raise", "lower", "flatten", "ramp"].includes(this.tool) ? Number(this.radius.value) / 100 : 0;
    this.view.draw();
  }

  private stroke(kind: "begin" | "more" | "end", place: [number, number]): void {
    clearTimeout(this.timer);
    const stroke = this.strokes.at(-1);
    if (kind === "begin") {
      this.strokes.push({ tool: this.tool, height: Number(this.height.value) / 100, radius: Number(this.radius.value) / 100, points: [place], version: 1, sent: 0, done: false });
    } else if (!stroke || stroke.done) return;
    else if (kind === "more") {
      const last = stroke.points.at(-1)!;
      if (Math.hypot(place[0] - last[0], place[1] - last[1]) < 0.002 || stroke.points.length >= LONGEST) return;
      if (["box", "gap", "ramp"].includes(stroke.tool)) stroke.points = [stroke.points[0], place];
      else stroke.points.push(place);
      stroke.version++;
    } else stroke.done = true;
    void this.send();
  }

  /** Send what is new of the strokes, one message after the other. */
  private async send(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    while (this.strokes.length) {
      const stroke = this.strokes[0];
      if (stroke.sent === stroke.version) {
        if (!stroke.done) break;
        this.strokes.shift();
        continue;
      }
      const { tool, height, radius, points, version } = stroke;
      const answer = await this.ask({ do: "draw", tool: tool as Drawn["tool"], points: [...points], height, radius, more: stroke.sent > 0 });
      if (!answer) {
        this.strokes.shift();
        continue;
      }
      stroke.sent = version;
      this.unsaved = true;
      this.patched(answer);
    }
    this.busy = false;
    if (!this.strokes.length) this.settle();
  }

  /** Show what a stroke has done to the ground. */
  patched(answer: Message): void {
    this.untaken = true;
    this.view.patch(answer.i, answer.j, answer.shape, answer.heights);
    this.steps(answer);
    this.refresh();
  }

  private async step(what: "undo" | "redo"): Promise<void> {
    if ((what === "undo" ? this.back : this.on).disabled) return;
    const answer = await this.ask({ do: what });
    if (!answer) return;
    this.unsaved = true;
    this.patched(answer);
    this.settle();
  }

  /** Let the robot stand on it once the hand rests. */
  settle(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.take(), REST);
  }

  private async take(): Promise<void> {
    if (!this.untaken) return;
    const answer = await this.ask({ do: "take" }, "setting the robot on it …");
    if (!answer) return;
    this.untaken = false;
    this.taken(answer);
  }

  private async save(overwrite: boolean): Promise<void> {
    clearTimeout(this.timer);
    const file = this.name.value.trim();
    const answer = await this.ask({ do: "save_board", file, overwrite }, "saving …");
    if (!answer) return;
    if (answer.type === "exists") {
      const node = dialog(`${file} exists`, element("p", {}, "Write the board over it?"),
        element("div", { class: "tools" }, button("Overwrite", "Write over the file", () => {
          node.close();
          void this.save(true);
        }, { class: "primary" }), button("Keep it", "Choose another name", () => node.close())));
      return;
    }
    this.unsaved = this.untaken = false;
    if (!this.files.includes(file)) this.files.push(file);
    this.taken({ ...answer, file });
    this.tell(`Saved. In a terminal: andante plan --board ${file}`);
  }
}
