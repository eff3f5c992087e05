// The postures pane: those of the robot's pack and the user's own, taken as they are or mirrored, for all joints or a group.
import type { Wish } from "./connection";
import { button, editing, element, select } from "./dom";
import type { Message } from "./protocol";
import type { Store } from "./store";

type Angles = Record<string, number>;

export class Postures {
  readonly node: HTMLFieldSetElement;
  private own: Record<string, Angles> = {};
  private told: Message | null = null;
  private group = "";
  private takes = 0;
  private robot = "";

  constructor(private store: Store) {
    this.node = editing(store);
    this.node.className = "pane postures";
    store.on(["document", "robot"], () => {
      const robot = store.robot?.name ?? "";
      if (robot !== this.robot) {
        this.robot = robot;
        this.group = "";
        this.own = {};
        this.told = null;
      }
      this.build();
      this.ask();
    });
    store.connection.on("postures", (message) => {
      this.told = message;
      this.own = message.postures;
      this.build();
    });
    this.build();
  }

  /** Look again: the file may have changed. */
  ask(): void {
    if (this.store.robot && this.store.state) this.store.connection.ask({ do: "postures" }).catch((error: Error) => this.store.notice(error.message));
  }

  private change(message: Wish): Promise<boolean> {
    return this.store.connection.ask(message).then(() => true, (error: Error) => {
      this.store.notice(error.message);
      return false;
    });
  }

  private build(): void {
    const { store, node } = this;
    const robot = store.robot;
    const typed = node.querySelector<HTMLInputElement>("input")?.value ?? "";
    const focused = node.contains(document.activeElement) ? document.activeElement?.getAttribute("aria-label") : null;
    node.replaceChildren();
    if (!robot) {
      node.append(element("p", {}, "No robot"));
      return;
    }
    const name = element("input", { placeholder: "name of this posture", value: typed, maxlength: 200, "aria-label": "Name of the posture", keydown: (event: KeyboardEvent) => event.key === "Enter" && void this.keep(name) });
    const groups: [string, string][] = [["", "All joints"], ...Object.keys(robot.groups).map((each): [string, string] => [each, each.replace(/_/g, " ")])];
    node.append(
      element("div", { class: "tools" },
        element("label", { class: "check", title: "Which joints are taken and kept" }, "Joints", select(groups, this.group, (value) => (this.group = value), { "aria-label": "Joints of postures" })),
        element("span", { class: "gap" }),
        button("↶", "Take back the last change of your postures", () => void this.change({ do: "undo_posture" }), { "aria-label": "Undo change of postures", disabled: !this.told?.canUndo }),
        button("↷", "Do it again", () => void this.change({ do: "redo_posture" }), { "aria-label": "Redo change of postures", disabled: !this.told?.canRedo })),
      element("div", { class: "tools" }, name, button("Keep", "Keep the posture that is shown under this name", () => void this.keep(name), { "aria-label": "Keep posture" })));
    if (this.told?.problem) node.append(element("p", { class: "bad" }, String(this.told.problem)));
    const own = Object.entries(this.own);
    node.append(element("h3", { title: "They are blocks of one keyframe in this file of the workspace" }, `Your own${this.told ? `, in ${this.told.file}` : ""}`));
    if (!own.length) node.append(element("p", { class: "hint" }, "None yet: pose the robot, type a name, Keep."));
    for (const [each, angles] of own) node.append(this.row(each, angles, true));
    node.append(element("h3", {}, `Of ${robot.title || robot.name}`));
    for (const [each, angles] of Object.entries(robot.postures)) {
      node.append(this.row(each, Object.fromEntries(robot.joints.map((joint, index) => [joint.name, angles[index]])), false));
    }
    if (!Object.keys(robot.postures).length) node.append(element("p", { class: "hint" }, "The robot's pack has no postures."));
    if (focused) [...node.querySelectorAll<HTMLElement>("[aria-label]")].find((each) => each.getAttribute("aria-label") === focused)?.focus();
  }

  private row(name: string, angles: Angles, own: boolean): HTMLElement {
    const count = Object.keys(angles).length;
    const all = this.store.robot!.joints.length;
    const row = element("div", { class: "posture", "data-posture": name },
      element("span", { class: "name", title: count < all ? `${name}: ${count} of ${all} joints` : name }, name, ...(count < all ? [element("span", { class: "faint" }, ` ${count} joints`)] : [])),
      button("Take", "Give the chosen keyframe (or the shown posture) these angles", () => this.take(angles, false), { "aria-label": `Take ${name}` }),
      button("⇄", "The same with left and right exchanged", () => this.take(angles, true), { "aria-label": `Take ${name} mirrored` }));
    if (own) {
      row.append(
        button("✎", "Rename", () => {
          const to = (prompt(`New name of ${name}`, name) ?? "").trim();
          if (to && to !== name) void this.change({ do: "rename_posture", name, to });
        }, { class: "plain", "aria-label": `Rename ${name}` }),
        button("×", "Delete (↶ brings it back)", () => void this.change({ do: "delete_posture", name }), { class: "plain", "aria-label": `Delete ${name}` }));
    }
    return row;
  }

  private inGroup(): Set<string> | null {
    return this.group ? new Set(this.store.robot!.groups[this.group]) : null;
  }

  private take(angles: Angles, mirrored: boolean): void {
    const { store } = this;
    const group = this.inGroup();
    const joints = store.robot!.joints;
    const turned = mirrored
      ? Object.fromEntries(joints.filter((joint) => joint.name in angles).map((joint) => [joint.mirror, angles[joint.name] * joint.sign]))
      : angles;
    const taken = Object.fromEntries(Object.entries(turned).filter(([joint]) => joints.some((each) => each.name === joint) && (!group || group.has(joint))));
    if (!Object.keys(taken).length) return store.notice("This posture says nothing of these joints.");
    store.setJoints(taken, `posture-${++this.takes}`);
  }

  private async keep(name: HTMLInputElement): Promise<void> {
    const { store } = this;
    const wanted = name.value.trim();
    if (!wanted) {
      store.notice("Type a name for the posture first.");
      return name.focus();
    }
    const overwrite = wanted in this.own;
    if (overwrite && !confirm(`Replace the posture ${wanted}?`)) return;
    const group = this.inGroup();
    const joints = Object.fromEntries(Object.entries(store.shownJoints()).filter(([joint]) => !group || group.has(joint)));
    if (await this.change({ do: "keep_posture", name: wanted, joints, overwrite })) {
      const box = this.node.querySelector<HTMLInputElement>("input");
      if (box) box.value = "";
    }
  }
}
