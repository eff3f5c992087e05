// Evidence beside the motion: after each edit it is tried in physics with some seeds, against the same of the saved file.
import { recall, remember } from "./browser_storage";
import type { Wish } from "./connection";
import { button, element } from "./dom";
import type { Evidence, Store, Trial } from "./store";

const SEEDS = 5;
const KEPT = "andante-evidence";

/** How the robot begins, and whether the motion may leave the feet. */
export interface Begin {
  start: string;
  allowFall: boolean;
}

export class EvidenceStrip {
  readonly node = element("div", { class: "evidence", role: "status", hidden: true });
  readonly toggle = button("Try 5 seeds", "After each edit run the motion in physics with five seeds in the background, against the saved file", () => this.set(!this.on), { "aria-pressed": "false" });
  private on = false;
  private asked = "";

  constructor(private store: Store, private begin: () => Begin) {
    store.on("document", () => {
      store.evidence = null;
      this.asked = "";
      this.set(recall(KEPT) === "on");
    });
    store.on(["shown", "library"], () => this.ask());
    store.on("evidence", () => this.build());
  }

  private set(on: boolean): void {
    this.on = on;
    remember(KEPT, on ? "on" : "off");
    this.toggle.setAttribute("aria-pressed", String(on));
    this.node.hidden = !on;
    if (!on) this.store.evidence = null;
    this.ask();
    this.store.emit("evidence");
  }

  /** Tell the server what to try, where that is something else than before. */
  ask(): void {
    const { store } = this;
    if (!store.state) return;
    const { start, allowFall } = this.begin();
    const on = this.on && Boolean(store.motion);
    const message: Wish = { do: "evidence", on, motion: on ? store.motion : "", seeds: SEEDS, allow_fall: allowFall, start };
    const as = JSON.stringify(message);
    if (as === this.asked || (!on && !this.asked)) return;
    this.asked = as;
    store.connection.tell(message);
  }

  private build(): void {
    const { store, node } = this;
    const found = store.evidence;
    if (!this.on) return;
    if (!store.motion) return node.replaceChildren("Evidence is of motions; choose one in the list of the time axis.");
    if (!found) return node.replaceChildren("No evidence yet.");
    if (found.problem) return node.replaceChildren(element("span", { class: "bad" }, `Not tried: ${found.problem}`));
    const same = JSON.stringify(summary(found.trials)) === JSON.stringify(summary(found.saved));
    node.replaceChildren(
      this.dots(found, found.trials), this.words("now", found.trials, found.seeds),
      ...(found.saved.length ? [element("span", { class: "hint" }, same && found.trials.length === found.seeds ? "as saved" : `saved: ${words(found.saved, found.saved.length)}`)] : []),
      ...(this.worse(found) ? [element("strong", { class: "bad" }, "worse than saved")] : []));
  }

  private worse({ trials, saved, seeds }: Evidence): boolean {
    if (trials.length < seeds || saved.length < seeds) return trials.some((trial) => !trial.good && saved.some((old) => old.seed === trial.seed && old.good));
    return trials.filter((trial) => trial.good).length < saved.filter((trial) => trial.good).length;
  }

  private dots(found: Evidence, trials: Trial[]): HTMLElement {
    const { store } = this;
    return element("span", { class: "dots" }, ...Array.from({ length: found.seeds }, (_, seed) => {
      const trial = trials.find((each) => each.seed === seed);
      const hint = !trial ? `seed ${seed}: being tried` : trial.good ? `seed ${seed}: passes` : `seed ${seed} fails at ${trial.at?.toFixed(2)} s: ${trial.reason}. Click: go there`;
      return button(!trial ? "·" : trial.good ? "✓" : "✗", hint, () => {
        if (trial?.at == null) return;
        store.backToEditing();
        store.seek(trial.at);
      }, { class: `dot ${!trial ? "" : trial.good ? "good" : "fails"}`, "aria-label": hint });
    }));
  }

  private words(_: string, trials: Trial[], seeds: number): HTMLElement {
    const fails = trials.find((trial) => !trial.good);
    return element("span", {}, trials.length ? words(trials, seeds) : "trying…", fails ? element("span", { class: "bad", title: fails.reason }, ` · ${fails.at?.toFixed(2)} s: ${fails.reason.split(";")[0]}`) : null);
  }
}

interface Summary {
  good: number;
  done: number | null;
  margin: number | null;
  joint: string;
}

function summary(trials: Trial[]): Summary {
  const done = trials.flatMap((trial) => (trial.good && trial.done != null ? [trial.done] : [])).sort((a, b) => a - b);
  const worst = trials.filter((trial) => trial.margin != null).sort((a, b) => a.margin! - b.margin!)[0];
  return { good: trials.filter((trial) => trial.good).length, done: done.length ? done[done.length >> 1] : null, margin: worst?.margin ?? null, joint: worst?.joint ?? "" };
}

function words(trials: Trial[], seeds: number): string {
  const { good, done, margin, joint } = summary(trials);
  const parts = [`${good} of ${trials.length < seeds ? `${trials.length} tried` : seeds} pass`];
  if (done != null) parts.push(`done after ${done.toFixed(2)} s`);
  if (margin != null) parts.push(margin < 0.005 ? `no torque left, ${joint}` : `${(100 * margin).toFixed(0)} % torque left, ${joint}`);
  return parts.join(" · ");
}
