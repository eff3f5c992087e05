// The keyframe pane: duration, interpolation and everything else that the document can say of the chosen keyframe.
import { element, select } from "./dom";
import type { Keyframe } from "./protocol";
import type { Store } from "./store";

const WAYS: [string, string][] = [
  ["default", "as the block says"],
  ["linear", "linear"],
  ["sine_min_to_max", "sine, slow at both ends"],
  ["sine_zero_to_max", "sine, slow at the end"],
];

export class Details {
  readonly node = element("section", { class: "pane details" });
  private shown = "";

  constructor(private store: Store) {
    store.on(["chosen", "library", "shown", "robot"], () => this.build());
    this.build();
  }

  private build(): void {
    const { store, node } = this;
    const refs = store.chosen;
    const keyframes = refs.map((ref) => store.keyframe(ref)).filter((each): each is Keyframe => Boolean(each));
    const key = JSON.stringify([refs, keyframes, store.block, store.motion, store.library?.blocks[store.blocks()[0]]?.interpolation]);
    if (key === this.shown || node.contains(document.activeElement)) return;
    this.shown = key;
    node.replaceChildren();
    if (!keyframes.length) return this.buildBlock();
    const first = keyframes[0];
    const set = (fields: Record<string, unknown>) => {
      for (const block of new Set(refs.map((ref) => ref.block))) {
        const chosen = refs.filter((ref) => ref.block === block);
        void store.edit({ do: "set", block, fields: Object.fromEntries(chosen.map(({ index }) => [index, fields])) });
      }
    };
    const same = (field: string) => keyframes.every((each) => JSON.stringify(each[field]) === JSON.stringify(first[field]));
    node.append(element("h3", {}, keyframes.length > 1 ? `${keyframes.length} keyframes` : `${refs[0].block}, keyframe ${refs[0].index + 1}`));
    const duration = element("input", { type: "number", min: 1, step: 1, value: same("duration") ? Number((first.duration * 1000).toFixed(3)) : "", placeholder: "several", "aria-label": "Duration", change: () => {
      const value = Number(duration.value);
      if (value > 0) set({ duration: value / 1000 });
    } });
    this.row("Duration", "Time from the posture before to this one [ms]", duration, "ms");
    this.row("Way", "How the way is travelled", select(WAYS, String(first.interpolation ?? "default"), (value) => set({ interpolation: value }), { "aria-label": "Interpolation" }));
    const phase = element("input", { value: String(first.phase ?? "unknown"), list: "phases", "aria-label": "Balance phase", change: () => set({ phase: phase.value || "unknown" }) });
    node.append(element("datalist", { id: "phases" }, ...Object.keys(store.library?.balance ?? {}).map((name) => element("option", { value: name }))));
    this.row("Balance phase", "Name of the balance parameters in force", phase);
    const goal = (first.com_goal as number[] | undefined) ?? [0, 0];
    const [x, y] = [0, 1].map((axis) => {
      const box = element("input", { type: "number", step: 1, value: Number((goal[axis] * 1000).toFixed(3)), "aria-label": `CoM goal ${"xy"[axis]}`, change: () => {
        set({ com_goal: [Number(x.value) / 1000, Number(y.value) / 1000] });
      } });
      return box;
    });
    this.row("CoM goal", "Wanted centre of mass relative to the support centre, x forward, y left [mm]", x, y, "mm");
    const note = element("textarea", { rows: 2, "aria-label": "Note", change: () => set({ note: note.value || null }) });
    note.value = String(first.note ?? "");
    this.row("Note", "Free text for people", note);
    for (const field of ["waits", "branches", "compensation", "balance_pitch", "balance_roll", "stiffness", "window", "window_start", "limbs"]) {
      this.jsonRow(field, first, set);
    }
  }

  /** A field with structure: shown as JSON in SI units, checked by the server as it is in the text. */
  private jsonRow(field: string, keyframe: Keyframe, set: (fields: Record<string, unknown>) => void): void {
    const { store } = this;
    const value = keyframe[field];
    const box = element("textarea", { rows: value === undefined ? 1 : 4, spellcheck: "false", "aria-label": field, placeholder: "none", change: () => {
      const text = box.value.trim();
      try {
        set({ [field]: text ? JSON.parse(text) : null });
        box.classList.remove("bad");
      } catch (error) {
        box.classList.add("bad");
        store.notice(`${field}: ${(error as Error).message}`);
      }
    } });
    box.value = value === undefined ? "" : JSON.stringify(value, null, 1);
    this.row(field, `${store.fields.Keyframe?.[field] ?? field} (JSON, SI units)`, box);
  }

  private row(name: string, title: string, ...content: (Node | string)[]): void {
    this.node.append(element("label", { class: "row", title }, element("span", {}, name), element("span", { class: "field" }, ...content)));
  }

  private buildBlock(): void {
    const { store, node } = this;
    const blocks = store.blocks();
    if (!blocks.length) {
      node.append(element("p", {}, store.library ? "No block is shown. Make a motion and a block with Motion… above the timeline." : "The document has a mistake; the text pane shows where."));
      return;
    }
    node.append(element("p", { class: "hint" }, "Choose a keyframe in the timeline to see what it says."));
    for (const name of new Set(blocks)) {
      const block = store.blockOf(name)!;
      const set = (fields: Record<string, unknown>) => void store.edit({ do: "library", kind: "blocks", action: "set", name, fields });
      node.append(element("h3", {}, `Block ${name}`));
      this.row("Way", "Of keyframes that say nothing else", select(WAYS.slice(1), String(block.interpolation ?? "linear"), (value) => set({ interpolation: value }), { "aria-label": "Interpolation of the block" }));
      for (const group of Object.keys(store.robot?.groups ?? {})) {
        const value = block.base_stiffness?.[group];
        const box = element("input", { type: "number", min: 0, max: 1, step: 0.05, value: value ?? "", placeholder: "as before", "aria-label": `Stiffness of ${group}`, change: () => {
          const base = { ...block.base_stiffness };
          if (box.value === "") delete base[group];
          else base[group] = Math.min(Math.max(Number(box.value), 0), 1);
          set({ base_stiffness: base });
        } });
        this.row(`Stiffness ${group.replace(/_/g, " ")}`, "Stiffness when the block begins, 0 (off) to 1; empty: as before", box);
      }
    }
  }
}
