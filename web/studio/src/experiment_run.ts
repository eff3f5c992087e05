// The experiment that runs: progress of each cell, what went wrong last, and a button that ends it.
import { button, element } from "./dom";
import type { Run } from "./experiment_shapes";

const WORDS: Record<Run["state"], string> = { starting: "begins", going: "runs", done: "is done", failed: "could not be run", cancelled: "was cancelled", "cut off": "was cut off" };
/** Cells that are shown one by one. */
const SHOWN = 60;

export class RunView {
  readonly node = element("section", { class: "run-view", "aria-label": "Run", hidden: true });
  private head = element("strong", { role: "status", "aria-live": "polite" });
  private text = element("p", {});
  private bar = element("progress", { max: 1, value: 0, "aria-label": "Trials that are made" });
  private count = element("span", { class: "count" });
  private cells = element("div", { class: "cells" });
  private recent = element("ul", { class: "reasons" });
  private cancel: HTMLButtonElement;
  private open: HTMLButtonElement;
  private resume: HTMLButtonElement;
  private told = "";

  constructor(actions: { cancel: () => void; open: (result: string) => void; resume: (result: string) => void }) {
    let result = "";
    this.cancel = button("Cancel", "End the run; the trials that were made are kept", actions.cancel, { class: "cancel" });
    this.open = button("Show the result", "Figures, table and picture", () => actions.open(result), { class: "open-result" });
    this.resume = button("Go on", "Make the trials that are missing", () => actions.resume(result), { class: "resume" });
    this.node.append(
      element("div", { class: "line" }, this.head, this.cancel, this.open, this.resume),
      element("div", { class: "line" }, this.bar, this.count), this.text, this.cells, this.recent);
    this.set = (run) => {
      result = run?.result ?? "";
      this.show(run);
    };
  }

  set: (run: Run | null) => void;

  private show(run: Run | null): void {
    this.node.hidden = run === null;
    if (!run) return;
    const going = run.state === "starting" || run.state === "going";
    const sum = (name: "done" | "total" | "passed" | "failed") => run.cells.reduce((all, cell) => all + cell[name], 0);
    const [done, total] = [sum("done"), sum("total")];
    const head = `${run.experiment} ${WORDS[run.state]}`;
    if (this.head.textContent !== head) this.head.textContent = head;
    this.node.dataset.state = run.state;
    this.bar.max = Math.max(total, 1);
    this.bar.value = done;
    this.bar.hidden = !total;
    const left = going && done > 0 && done < total && !run.resumed ? `, some ${Math.ceil((run.seconds / done) * (total - done))} s to go` : "";
    this.count.textContent = total ? `${done} of ${total} trials, ${sum("passed")} passed, ${sum("failed")} did not; ${run.seconds.toFixed(0)} s${left}` : `${run.seconds.toFixed(0)} s`;
    this.text.textContent = run.text;
    this.text.className = run.state === "failed" || run.state === "cut off" ? "bad" : "hint";
    this.cancel.hidden = !going;
    this.open.hidden = run.state !== "done";
    this.resume.hidden = !((run.state === "cancelled" || run.state === "cut off" || run.state === "failed") && done > 0);
    // The result tells more than both.
    this.cells.hidden = this.recent.hidden = run.state === "done";
    const key = JSON.stringify([run.cells, run.recent]);
    if (key === this.told) return;
    this.told = key;
    this.cells.replaceChildren(...(run.cells.length > 1 ? run.cells.slice(0, SHOWN) : []).map((cell) => element("div", { class: "cell" },
      element("span", { class: "name", title: cell.name }, cell.name || "all"),
      element("progress", { max: cell.total, value: cell.done, "aria-label": `Trials of ${cell.name || "all"}` }),
      element("span", {}, `${cell.done} of ${cell.total}`),
      element("span", { class: cell.failed ? "missed" : "met" }, cell.passed + cell.failed ? `${cell.passed} passed, ${cell.failed} not` : ""))),
      ...(run.cells.length > SHOWN ? [element("p", { class: "hint" }, `and ${run.cells.length - SHOWN} cells more`)] : []));
    this.recent.replaceChildren(...run.recent.map((each) => element("li", {}, `${each.cell ? `${each.cell}, ` : ""}seed ${each.seed}: ${each.reasons.join("; ") || "did not pass"}`)));
  }
}
