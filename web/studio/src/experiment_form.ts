// One experiment before it runs: its options, seeds and values by path, what would be run, and its document.
import type { AskedOfExperiments, BeginExperiment } from "./asked";
import type { Without } from "./connection";
import { button, check, element } from "./dom";
import type { Experiment, Option, Shelf } from "./experiment_shapes";
import type { Message } from "./protocol";

type Ask = (message: Without<AskedOfExperiments, "request">) => Promise<Message>;

export class ExperimentForm {
  readonly node = element("section", { class: "experiment-form", "aria-label": "Experiment" });
  private fields = new Map<string, HTMLInputElement | HTMLSelectElement>();
  private seeds = element("input", { type: "number", min: 1, step: 1, "aria-label": "Seeds" });
  private first = element("input", { type: "number", min: 0, step: 1, "aria-label": "First seed" });
  private values = element("textarea", { rows: 3, spellcheck: "false", "aria-label": "Values by path", placeholder: "world.friction=0.4" });
  private minutes = element("input", { type: "number", min: 0.1, max: 1440, step: "any", value: "60", "aria-label": "At most minutes" });
  private page = false;
  private problem = element("p", { class: "problem bad", role: "alert" });
  private outcome = element("div", { class: "outcome", "aria-live": "polite" });
  private run = button("Run", "Run it in a process of its own; the result is kept in the workspace", () => void this.begin(), { class: "primary run" });
  private look = button("Check", "What would be run", () => void this.check(), { class: "check" });

  constructor(private experiment: Experiment, shelf: Shelf, given: Record<string, unknown>, private ask: Ask) {
    const robots = element("datalist", { id: "robots-known" }, ...shelf.robots.map(({ source, title, where }) => element("option", { value: source }, where === "shipped" ? title : `${title} (${where})`)));
    const rows = experiment.options.map((option) => this.row(option, given[option.name]));
    this.seeds.placeholder = experiment.seeds === null ? "as the table says" : String(experiment.seeds);
    this.first.placeholder = String(experiment.first_seed ?? 0);
    if (given.seeds) this.seeds.value = String(given.seeds);
    if (given.first_seed) this.first.value = String(given.first_seed);
    if (Array.isArray(given.values)) this.values.value = given.values.join("\n");
    this.node.append(
      element("h2", {}, experiment.name), element("p", {}, experiment.what), robots,
      element("div", { class: "form-rows" }, ...rows,
        line("Seeds", this.seeds, "How many trials each cell has"), line("First seed", this.first, "Seeds count up from it"),
        ...(experiment.values ? [line("Other values", this.values, "One PATH=VALUE a line, of the scenario (world.friction=0.4) or of the experiment (figures.passed.at_least=0.9)")] : []),
        line("At most", element("span", { class: "with-unit" }, this.minutes, "min"), "The run ends after so long; what was made is kept and can be gone on with")),
      element("div", { class: "line" }, this.look, this.run,
        ...(experiment.page ? [check("page with film strips", "Also write a page with the figures and pictures of trials, which takes longer", false, (on) => (this.page = on))] : [])),
      this.problem, this.outcome,
      ...(experiment.note ? [element("p", { class: "hint" }, experiment.note)] : []),
      ...(experiment.text ? [element("details", {}, element("summary", {}, "The document"), element("pre", { tabindex: 0, "aria-label": "The document" }, experiment.text))] : []));
  }

  private row(option: Option, given: unknown): HTMLElement {
    const label = option.name.replace(/_/g, " ");
    const value = given === undefined || given === null ? "" : Array.isArray(given) ? given.join(", ") : String(given);
    let field: HTMLInputElement | HTMLSelectElement;
    if (option.kind === "switch") {
      field = element("select", { "aria-label": label }, ...[["", `as usual (${option.usual === "true" ? "yes" : "no"})`], ["true", "yes"], ["false", "no"]].map(([key, text]) => element("option", { value: key }, text)));
    } else {
      const number = option.kind === "number" || option.kind === "whole";
      field = element("input", {
        type: number ? "number" : "text", step: option.kind === "whole" ? 1 : "any", placeholder: option.usual, spellcheck: "false", "aria-label": label,
        required: option.required, list: option.name === "robot" ? "robots-known" : undefined,
      });
    }
    field.value = value;
    this.fields.set(option.name, field);
    const hint = [option.help, option.kind === "texts" ? "Several with commas." : "", option.legal.length ? `One or more of: ${option.legal.join(", ")}.` : ""].filter(Boolean).join(" ");
    return line(label + (option.required ? " *" : ""), field, hint);
  }

  private asked(): Omit<BeginExperiment, "do" | "request"> {
    const options = Object.fromEntries([...this.fields].map(([name, field]) => [name, field.value.trim()]).filter(([, text]) => text));
    const values = this.values.value.split("\n").map((each) => each.trim()).filter(Boolean);
    const whole = (field: HTMLInputElement) => (field.value === "" ? null : Number(field.value));
    return { experiment: this.experiment.experiment, options, values, seeds: whole(this.seeds), first_seed: whole(this.first) };
  }

  /** Ask, and tell in the form what is wrong with it. */
  private async tried(message: Without<AskedOfExperiments, "request">): Promise<Message | null> {
    this.problem.textContent = "";
    this.look.disabled = this.run.disabled = true;
    try {
      return await this.ask(message);
    } catch (error) {
      this.outcome.replaceChildren();
      this.problem.textContent = (error as Error).message;
      return null;
    } finally {
      this.look.disabled = this.run.disabled = false;
    }
  }

  private async check(): Promise<void> {
    this.outcome.replaceChildren(element("p", { class: "hint" }, "looking …"));
    const answer = await this.tried({ do: "check_experiment", ...this.asked() });
    if (!answer) return;
    const cells = answer.cells as { name: string; trials: number }[];
    const named = cells.filter(({ name }) => name).map(({ name, trials }) => `${name} (${trials})`);
    const more = answer.cell_count - cells.length;
    this.outcome.replaceChildren(
      element("p", {}, `${answer.trials} trials${named.length ? ` in ${answer.cell_count} cells: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}` : ""}.`),
      element("p", {}, answer.asked.length ? `Asked: ${answer.asked.join("; ")}.` : "No figure is asked for; all are told."),
      element("p", { class: "hint" }, "The same in the terminal: ", element("code", {}, answer.command)));
  }

  private async begin(): Promise<void> {
    const minutes = Number(this.minutes.value) || 60;
    await this.tried({ do: "begin_experiment", ...this.asked(), page: this.page, minutes });
  }
}

function line(name: string, field: HTMLElement, hint: string): HTMLElement {
  return element("label", { class: "form-row" }, element("span", { class: "name" }, name), field, element("span", { class: "hint" }, hint));
}
