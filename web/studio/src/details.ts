// The keyframe pane: everything that the document says of the chosen keyframes; without one, of motion, blocks and balance.
import type { ChangeLibrary } from "./asked";
import { button, editing, element, select } from "./dom";
import { Form, rebuilt } from "./form";
import type { Keyframe } from "./protocol";
import type { KeyRef } from "./places";
import type { Refusal, Store } from "./store";

const WAYS: [string, string][] = [
  ["default", "as the block says"],
  ["linear", "linear"],
  ["sine_min_to_max", "sine, slow at both ends"],
  ["sine_zero_to_max", "sine, slow at the end"],
];
const STRUCTURED = [
  "waits", "branches", "compensation", "compensation_reduce_factor", "balance_pitch", "balance_roll", "stiffness",
  "window", "window_start", "limbs", "start_from_measured_com", "forbid_wait_break",
];

export class Details {
  readonly node: HTMLFieldSetElement;
  private shown = "";
  private commits = 0;
  /** The revision in which the shown keyframes stood in their places. */
  private places = { since: 0 };

  constructor(private store: Store) {
    this.node = editing(store);
    this.node.className = "pane details";
    store.on(["chosen", "library", "shown", "robot", "units", "document"], () => this.look());
    this.node.addEventListener("focusout", () => setTimeout(() => this.look()));
    this.build();
  }

  private look(): void {
    const { store } = this;
    const { library, motion, chosen } = store;
    const keyframes = chosen.map((ref) => store.keyframe(ref));
    const blocks = keyframes.some(Boolean) ? [] : store.blocks().map((name) => ({ ...store.blockOf(name), keyframes: [] }));
    const names = library && [Object.keys(library.motions), Object.keys(library.blocks), Object.keys(library.balance)];
    const rest = keyframes.some(Boolean) ? null : [library?.motions[motion], library?.balance, library?.settings];
    const key = JSON.stringify([chosen, keyframes, blocks, names, rest, store.block, motion, store.degrees, store.robot?.name, Boolean(library)]);
    if (key === this.shown) {
      this.places.since = store.revision;
      return;
    }
    if (rebuilt(this.node, () => this.build())) this.shown = key;
  }

  private build(): void {
    const { store, node } = this;
    const refs = store.chosen;
    const places = (this.places = { since: store.revision });
    const keyframes = refs.map((ref) => store.keyframe(ref)).filter((each): each is Keyframe => Boolean(each));
    node.replaceChildren();
    if (!keyframes.length) return this.buildMotion();
    const first = keyframes[0];
    const send = async (fields: Record<string, unknown>): Promise<Refusal | null> => {
      // Keyframes of several blocks are changed by several edits, and by one step of undoing.
      const group = `details-${++this.commits}`;
      for (const block of new Set(refs.map((ref) => ref.block))) {
        const chosen = refs.filter((ref) => ref.block === block);
        // Another page may have put keyframes before them since.
        const refusal = await store.attemptFields(block, Object.fromEntries(chosen.map(({ index }) => [index, fields])), group, places.since);
        if (refusal) return refusal;
      }
      return null;
    };
    const set = (fields: Record<string, unknown>) => void send(fields).then((refusal) => refusal && this.refused(refusal));
    const same = (field: string) => keyframes.every((each) => JSON.stringify(each[field]) === JSON.stringify(first[field]));
    node.append(element("h3", {}, keyframes.length > 1 ? `${keyframes.length} keyframes` : `${refs[0].block}, keyframe ${refs[0].index + 1}`));
    const duration = element("input", { type: "number", min: 1, step: 1, value: same("duration") ? Number((first.duration * 1000).toFixed(3)) : "", placeholder: "several", "aria-label": "Duration", change: () => {
      const value = Number(duration.value);
      if (value > 0) return set({ duration: value / 1000 });
      store.notice("A keyframe needs a duration above 0 ms.");
      duration.value = duration.dataset.shown!;
    } });
    duration.dataset.shown = duration.value;
    this.row("Duration", "Time from the posture before to this one [ms]", duration, "ms");
    const pace = element("input", { type: "number", min: 5, max: 2000, step: 5, value: 100, "aria-label": "Times in per cent", change: () => {
      const share = Number(pace.value) / 100;
      pace.value = "100";
      if (!(share > 0)) return store.notice("Durations are multiplied by more than 0 %.");
      const group = `pace-${++this.commits}`;
      void (async () => {
        for (const block of new Set(refs.map((ref) => ref.block))) {
          const chosen = refs.filter((ref) => ref.block === block);
          const now = (ref: KeyRef) => store.keyframe({ block, index: store.placeNow(block, ref.index, places.since) })?.duration ?? 0;
          const fields = Object.fromEntries(chosen.map((ref) => [ref.index, { duration: Number((now(ref) * share).toFixed(3)) }]));
          if (!(await store.setFields(block, fields, group, places.since))) return;
        }
      })();
    } });
    pace.dataset.shown = pace.value;
    this.row(keyframes.length > 1 ? "All times by" : "Time by", "Multiplies the durations of what is chosen: 80 makes it faster, 125 slower", pace, "%");
    this.row("Way", "How the way is travelled", select(WAYS, String(first.interpolation ?? "default"), (value) => set({ interpolation: value }), { "aria-label": "Interpolation" }));
    const phase = element("input", { value: String(first.phase ?? "unknown"), list: "phases", "aria-label": "Balance phase", change: () => set({ phase: phase.value || "unknown" }) });
    phase.dataset.shown = phase.value;
    node.append(element("datalist", { id: "phases" }, ...Object.keys(store.library?.balance ?? {}).map((name) => element("option", { value: name }))));
    this.row("Balance phase", "Name of the balance parameters in force", phase);
    const goal = (first.com_goal as number[] | undefined) ?? [0, 0];
    const [x, y] = [0, 1].map((axis) => {
      const box = element("input", { type: "number", step: 1, value: Number((goal[axis] * 1000).toFixed(3)), "aria-label": `CoM goal ${"xy"[axis]}`, change: () => {
        set({ com_goal: [Number(x.value) / 1000, Number(y.value) / 1000] });
      } });
      box.dataset.shown = box.value;
      return box;
    });
    this.row("CoM goal", "Wanted centre of mass relative to the support centre, x forward, y left [mm]", x, y, "mm");
    const note = element("textarea", { rows: 2, "aria-label": "Note", change: () => set({ note: note.value || null }) });
    note.value = note.dataset.shown = String(first.note ?? "");
    this.row("Note", "Free text for people", note);
    const differ = STRUCTURED.filter((field) => !same(field));
    if (differ.length) node.append(element("p", { class: "hint" }, `They differ in ${differ.join(", ")}: shown is what the first says; a change goes to all of them.`));
    const { block, index } = refs[0];
    this.form({ part: "Keyframe", root: "keyframe", values: () => store.keyframe({ block, index: store.placeNow(block, index, places.since) }), send }).rows(STRUCTURED);
  }

  /** What was typed is not in the document: say why, and show what is. */
  private refused(refusal: Refusal): void {
    this.store.notice(refusal.what);
    this.build();
  }

  private form(subject: ConstructorParameters<typeof Form>[1]): Form {
    const part = element("div", { class: "form" });
    this.node.append(part);
    return new Form(this.store, subject, part);
  }

  private row(name: string, title: string, ...content: (Node | string)[]): void {
    this.node.append(element("label", { class: "row", title }, element("span", {}, name), element("span", { class: "field" }, ...content)));
  }

  private heading(text: string, ...tools: Node[]): void {
    this.node.append(element("h3", {}, text, ...tools));
  }

  private buildMotion(): void {
    const { store, node } = this;
    const { library, motion } = store;
    if (!library) {
      node.append(element("p", {}, store.state ? "The document has a mistake; the text pane shows where." : "No document is open."));
      return;
    }
    const send = (kind: ChangeLibrary["kind"], name: string) => (fields: Record<string, unknown>) => store.attempt({ do: "library", kind, action: "set", name, fields });
    node.append(element("p", { class: "hint" }, store.places().length ? "Choose a keyframe in the timeline to see what it says." : "Nothing is shown yet: I stores the posture as a first keyframe; Motion… above the timeline makes motions and blocks."));
    if (motion) {
      this.heading(`Motion ${motion}`);
      this.form({ part: "Motion", root: "motions", values: () => store.library?.motions[motion], send: send("motions", motion) })
        .rows(["blocks", "balance_out", "stable", "end_request", "follow_ups", "note"]);
    }
    for (const name of new Set(store.blocks())) {
      this.heading(`Block ${name}`);
      const block = { part: "Block", root: "blocks", values: () => store.blockOf(name) as Record<string, unknown> | undefined, send: send("blocks", name) };
      this.form(block).rows(["interpolation", "base_stiffness", "capture_point", "note"]);
    }
    for (const phase of Object.keys(library.balance)) {
      this.heading(`Balance phase ${phase}`,
        button("Rename", "Rename it, in the keyframes too", () => {
          const to = (prompt(`New name of ${phase}`, phase) ?? "").trim();
          if (to && to !== phase) void store.edit({ do: "library", kind: "balance", action: "rename", name: phase, to });
        }, { class: "plain", "aria-label": `Rename phase ${phase}` }),
        button("×", "Delete it", () => void store.edit({ do: "library", kind: "balance", action: "delete", name: phase }), { class: "plain away", "aria-label": `Delete phase ${phase}` }));
      this.form({ part: "BalanceParameters", root: "balance", values: () => store.library?.balance[phase] as Record<string, unknown>, send: send("balance", phase) })
        .rows(Object.keys(store.forms.BalanceParameters ?? {}));
    }
    const name = element("input", { placeholder: "new balance phase", "aria-label": "Name of a new balance phase", "data-shown": "" });
    node.append(element("div", { class: "row new" }, name, button("Add", "Make it, as a copy of the first or all zero", () => {
      const wanted = name.value.trim();
      if (!wanted) return store.notice("A balance phase needs a name.");
      name.value = "";
      const model = Object.values(library.balance)[0] ?? zeros(store);
      void store.edit({ do: "library", kind: "balance", action: "add", name: wanted, fields: model as Record<string, unknown> });
    }, { "aria-label": "Add balance phase" })));
    this.heading("Engine settings");
    this.form({ part: "EngineSettings", root: "settings", values: () => (store.library ? (store.library.settings ?? {}) : undefined), send: send("settings", "settings") })
      .rows(Object.keys(store.forms.EngineSettings ?? {}));
  }
}

/** Balance parameters that do nothing. */
function zeros(store: Store): unknown {
  const of = (part: string): unknown => Object.fromEntries(Object.entries(store.forms[part] ?? {}).map(([name, shape]) => [name, shape.kind === "part" ? of(shape.part!) : 0]));
  return of("BalanceParameters");
}
