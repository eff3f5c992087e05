// The pose pane: every joint as slider and number, with limits, groups, mirror, lock, balance and torques.
import { type Balance, balanceText } from "./balance";
import { button, check, editing, element, select, spoken, write } from "./dom";
import type { Joint } from "./protocol";
import type { Store } from "./store";

interface Row {
  joint: Joint;
  index: number;
  node: HTMLElement;
  slider: HTMLInputElement;
  number: HTMLInputElement;
  state: HTMLSelectElement;
  torque: HTMLElement;
  lock: HTMLButtonElement;
}

export class PosePane {
  readonly node = element("section", { class: "pane pose" });
  private rows: Row[] = [];
  private title = element("strong");
  private balance = element("div", { class: "balance", title: "Balance of this posture, standing on its lowest feet on level ground" });
  private head = element("div", { class: "joint joint-head" });
  private list: HTMLFieldSetElement;
  private group = "";
  private mirrorToo = false;
  private asked = 0;
  private drags = 0;
  private tools = element("div", { class: "tools" });
  private edits: HTMLFieldSetElement;

  constructor(private store: Store) {
    this.list = editing(store);
    this.edits = editing(store);
    this.list.className = "joints";
    this.node.append(element("header", {}, this.title), this.tools, this.balance, this.head, this.list);
    store.on("robot", () => this.build());
    store.on(["chosen", "playhead", "trajectory", "library", "view", "pose", "run"], () => this.schedule());
    store.on("units", () => this.build());
    store.on("balance", (balance) => this.showBalance(balance));
    store.on("picked", (names: string[]) => this.showPicked(names));
    this.edits.append(
      check("mirror", "Move the joint of the other side, too", this.mirrorToo, (value) => (this.mirrorToo = value)),
      button("Mirror", "Exchange left and right of this posture", () => this.mirrorPosture()));
    this.build();
  }

  private build(): void {
    const { store } = this;
    const robot = store.robot;
    this.rows = [];
    this.list.replaceChildren();
    this.tools.replaceChildren();
    if (!robot) {
      this.title.textContent = "No robot";
      this.head.replaceChildren();
      return;
    }
    const groups: [string, string][] = [["", "All joints"], ...Object.keys(robot.groups).map((name): [string, string] => [name, spoken(name)])];
    this.tools.append(
      select(groups, this.group, (value) => {
        this.group = value;
        this.build();
      }, { title: "Which joints are shown", "aria-label": "Joint group" }),
      this.edits,
    );
    this.head.replaceChildren(element("span"), element("span", {}, "joint"), element("span"), element("span", {}, "angle"),
      element("span", { title: "What the keyframe says of the joint" }, "target"), element("span", { class: "torque", title: "Torque that holds this posture, as share of the joint's published effort" }, "torque"));
    const shown = this.group ? new Set(robot.groups[this.group]) : null;
    const named = new Map<string, string>();
    const bySize = Object.entries(robot.groups).sort(([, a], [, b]) => a.length - b.length);
    for (const [name, joints] of bySize) for (const joint of joints) if (!named.has(joint)) named.set(joint, name);
    let before = "";
    for (const [index, joint] of robot.joints.entries()) {
      if (shown && !shown.has(joint.name)) continue;
      const group = named.get(joint.name) ?? "";
      if (group !== before) {
        this.list.append(element("h3", {}, spoken(group)));
        before = group;
      }
      this.rows.push(this.row(joint, index));
    }
    this.list.append(...this.rows.map(({ node }) => node));
    // Headings go before their first row.
    const headings = [...this.list.querySelectorAll("h3")];
    this.list.replaceChildren();
    before = "";
    for (const row of this.rows) {
      const group = named.get(row.joint.name) ?? "";
      if (group !== before) {
        const heading = headings.find((each) => each.textContent === spoken(group));
        if (heading) this.list.append(heading);
        before = group;
      }
      this.list.append(row.node);
    }
    this.update();
  }

  /** Joints that were picked in the picture. */
  private showPicked(names: string[]): void {
    if (this.group && names.some((name) => !this.rows.some((row) => row.joint.name === name))) {
      this.group = "";
      this.build();
    }
    for (const row of this.rows) row.node.classList.toggle("picked", names.includes(row.joint.name));
    this.rows.find((row) => names.includes(row.joint.name))?.node.scrollIntoView({ block: "center" });
  }

  private get factor(): number {
    return this.store.degrees ? 180 / Math.PI : 1;
  }

  private row(joint: Joint, index: number): Row {
    const { store, factor } = this;
    const unit = store.degrees ? "°" : " rad";
    const digits = store.degrees ? 1 : 3;
    const text = (value: number) => `${(value * factor).toFixed(digits)}${unit}`;
    const hint = `${joint.name}: ${text(joint.lower)} to ${text(joint.upper)}, up to ${text(joint.speed)}/s, ${joint.effort.toPrecision(3)} N m`
      + (joint.follows ? `; moves with ${joint.follows}` : "");
    const step = store.degrees ? 0.1 : 0.001;
    const slider = element("input", { type: "range", min: joint.lower * factor, max: joint.upper * factor, step: "any", "aria-label": joint.name, title: hint });
    const number = element("input", { type: "number", step, "aria-label": `${joint.name} value`, title: hint });
    const state = select([["set", "set"], ["none", "—"], ["off", "off"], ["ignore", "ign"]], "none", (value) => this.setState(joint, value), {
      title: "What the keyframe says of this joint: set (an angle), — (nothing), off (no stiffness), ign (left to whoever commanded it last)", "aria-label": `${joint.name} target`,
    });
    const torque = element("span", { class: "torque", title: "Torque that holds this posture, as share of the joint's published effort" });
    const lock = button("○", `Lock ${joint.name}: nothing here changes it`, () => {
      if (store.locked.has(joint.name)) store.locked.delete(joint.name);
      else store.locked.add(joint.name);
      this.update();
    }, { class: "lock" });
    const row: Row = {
      joint, index, slider, number, state, torque, lock,
      node: element("div", { class: "joint", "data-joint": joint.name }, lock, element("span", { class: "name", title: hint }, element("bdi", {}, joint.name)), slider,
        element("span", { class: "angle", "data-unit": store.degrees ? "°" : "rad" }, number), state, torque),
    };
    slider.addEventListener("pointerdown", () => this.drags++);
    slider.addEventListener("keydown", () => this.drags++);
    slider.addEventListener("input", () => this.set(joint, Number(Number(slider.value).toFixed(digits)) / factor, `pose-${this.drags}`));
    number.addEventListener("change", () => {
      const value = Number(number.value);
      if (number.value.trim() === "" || !Number.isFinite(value)) return this.update();
      this.drags++;
      this.set(joint, value / factor, `pose-${this.drags}`);
    });
    if (joint.follows) {
      slider.disabled = number.disabled = true;
    }
    return row;
  }

  private set(joint: Joint, value: number, group: string): void {
    const values: Record<string, number> = { [joint.name]: value };
    if (this.mirrorToo && joint.mirror !== joint.name) values[joint.mirror] = value * joint.sign;
    this.store.setJoints(values, group);
  }

  private setState(joint: Joint, value: string): void {
    const { store } = this;
    const ref = store.chosen.length === 1 ? store.chosen[0] : undefined;
    if (!ref) {
      store.notice("Choose a keyframe first (click its square in the timeline).");
      return this.update();
    }
    const now = store.shownJoints()[joint.name];
    const target = value === "set" ? now : value === "none" ? null : value;
    void store.edit({ do: "set", block: ref.block, fields: { [ref.index]: { joints: { [joint.name]: target } } } });
  }

  private mirrorPosture(): void {
    const { store } = this;
    if (store.chosen.length) {
      for (const block of new Set(store.chosen.map((ref) => ref.block))) {
        void store.edit({ do: "mirror", block, keyframes: store.chosen.filter((ref) => ref.block === block).map((ref) => ref.index) });
      }
      return;
    }
    const shown = store.shownJoints();
    const values = Object.fromEntries(store.robot!.joints.map((joint) => [joint.mirror, shown[joint.name] * joint.sign]));
    store.setJoints(values, "");
  }

  private queued = false;
  private schedule(): void {
    if (this.queued) return;
    this.queued = true;
    // Sliders need not move faster than people read.
    setTimeout(() => {
      this.queued = false;
      this.update();
    }, this.store.scrubbing ? 150 : 0);
  }

  update(): void {
    const { store, factor } = this;
    const posture = store.posture();
    if (!posture) return;
    const ref = store.chosen.length === 1 ? store.chosen[0] : undefined;
    const keyframe = ref && store.keyframe(ref);
    this.title.textContent = ref
      ? `${spoken(ref.block)} · keyframe ${ref.index + 1}`
      : store.chosen.length > 1
        ? `${store.chosen.length} keyframes chosen`
        : store.source === "run"
          ? `Run, ${store.playhead.toFixed(2)} s`
          : store.loose
            ? "New posture (I stores it as a keyframe)"
            : `At ${store.playhead.toFixed(2)} s`;
    const digits = store.degrees ? 1 : 3;
    for (const row of this.rows) {
      const value = posture[row.index] * factor;
      const target = keyframe?.joints?.[row.joint.name];
      const state = target === undefined ? "none" : typeof target === "string" ? target : "set";
      const told = value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1");
      if (document.activeElement !== row.slider && Number(row.slider.value).toFixed(digits) !== told) row.slider.value = String(value);
      if (document.activeElement === row.number) row.number.defaultValue = told;
      else if (row.number.value !== told) row.number.value = told;
      row.state.value = state;
      row.state.disabled = !keyframe;
      row.node.classList.toggle("unset", Boolean(keyframe) && state === "none");
      row.node.classList.toggle("beyond", posture[row.index] < row.joint.lower - 1e-4 || posture[row.index] > row.joint.upper + 1e-4);
      const locked = store.locked.has(row.joint.name);
      write(row.lock, locked ? "●" : "○");
      row.lock.classList.toggle("on", locked);
      row.slider.disabled = row.number.disabled = locked || Boolean(row.joint.follows);
    }
    if (store.running !== "going" && !store.playing) this.askBalance(posture);
    else if (this.balance.textContent) this.forgetBalance();
  }

  /** What was told is not of the posture that moves now. */
  private forgetBalance(): void {
    this.last = "";
    this.balance.textContent = "";
    this.balance.classList.remove("bad");
    for (const row of this.rows) row.torque.textContent = "";
  }

  private last = "";
  private askBalance(posture: Float32Array): void {
    const key = [this.store.start, this.store.source, ...posture].join();
    if (key === this.last) return;
    this.last = key;
    this.asked++;
    this.store.stream("balance", async () => {
      const joints = Array.from(this.store.posture() ?? posture, (value) => Number(value.toFixed(5)));
      await this.store.connection.ask({ do: "posture", joints }).catch(() => undefined);
    });
  }

  private showBalance(balance: Balance): void {
    if (this.store.running === "going" || this.store.playing) return;
    const torque = balance.torque ?? [];
    const worst = torque.length ? torque.indexOf(Math.max(...torque)) : -1;
    const parts = [];
    if (balance.margin !== undefined) parts.push(balanceText(balance));
    if (balance.height !== undefined) parts.push(`${(balance.height * 1000).toFixed(0)} mm high`);
    if (balance.feet?.length) parts.push(`on ${balance.feet.join(", ")}`);
    if (worst >= 0) parts.push(`most torque ${(torque[worst] * 100).toFixed(0)}\u00a0% ${this.store.robot?.joints[worst].name}`);
    // On the floor other parts carry than the feet: nobody knows how much each.
    const lies = this.store.lying && this.store.source === "motion";
    // A run has torques of its own, in its curves; what is told here is of a robot that stands still so.
    const ran = this.store.source === "run";
    const still = `${ran ? "Standing still like this: " : ""}${parts.join(" · ")}`;
    this.balance.textContent = lies ? "The motion begins on the floor: balance and torques are computed for standing postures only." : still;
    this.balance.classList.toggle("bad", !lies && !ran && (balance.margin ?? 0) < 0);
    for (const row of this.rows) {
      const share = torque[row.index] ?? 0;
      write(row.torque, lies ? "" : `${Math.round(share * 100)}%`);
      row.torque.classList.toggle("bad", !lies && share > 1);
    }
  }
}
