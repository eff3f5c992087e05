// Forms for parts of the document, made from what the server says of their fields: units, bounds, legal names, meaning.
import { button, element, select } from "./dom";
import type { Forms, Field } from "./protocol";
import type { Refusal, Store } from "./store";

type Path = (string | number)[];

/** What a form edits. */
export interface Subject {
  /** Name of the part, see `Forms`. */
  part: string;
  /** How the server's messages call it: what stands before the first field in their places. */
  root: string;
  /** Its values now, without what is at its default. */
  values: () => Record<string, unknown> | undefined;
  /** New values of some fields; the answer once it is done. */
  send: (fields: Record<string, unknown>) => Promise<Refusal | null>;
}

const UNITS: Record<string, [string, number]> = {
  time: ["ms", 1e-3], length: ["mm", 1e-3], speed: ["m/s", 1], rate: ["1/s", 1], number: ["", 1],
};

/** Which folds are open, kept when a form is built anew. */
const open = new Set<string>();

export class Form {
  /** Changes wait for those before: each begins from what the document says then. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(private store: Store, private subject: Subject, readonly node: HTMLElement) {}

  private get forms(): Forms {
    return this.store.forms;
  }

  /** A row for each of these fields; lists and parts in a fold of their own. */
  rows(fields: string[], labels: Record<string, string> = {}): void {
    for (const name of fields) {
      const shape = this.forms[this.subject.part]?.[name];
      if (shape) this.node.append(this.row(labels[name] ?? name, shape, [name], this.value([name], shape)));
    }
  }

  // Values --------------------------------------------------------------------------------------------------------

  private value(path: Path, shape: Field): unknown {
    let found: any = this.subject.values() ?? {};
    for (const step of path) found = found?.[step];
    return found === undefined ? shape.default : found;
  }

  /** Put a new value in its place, from what stands there when its turn comes. */
  private change(path: Path, shape: Field, make: (old: any) => unknown): void {
    const { subject, node } = this;
    this.last = this.last.then(async () => {
      const values = subject.values();
      if (!values) return;
      const field = path[0] as string;
      const whole = JSON.parse(JSON.stringify(values[field] ?? this.forms[subject.part][field].default ?? null));
      const put = (old: any, rest: Path): unknown => {
        if (!rest.length) return make(old === undefined || old === null ? shape.default ?? old : old);
        const [step, ...more] = rest;
        if (typeof step === "number") return (old as unknown[]).map((each, index) => (index === step ? put(each, more) : each));
        return { ...old, [step]: put(old?.[step], more) };
      };
      const refusal = await subject.send({ [field]: put(whole, path.slice(1)) });
      if (!refusal) return;
      this.clear();
      this.mark(refusal, path);
    });
    void this.last.catch((error: Error) => {
      this.last = Promise.resolve();
      node.dataset.problem = error.message;
    });
  }

  private name(path: Path): string {
    return path.reduce<string>((text, step) => text + (typeof step === "number" ? `[${step}]` : /^[\w-]+$/.test(step) ? `.${step}` : `.'${step}'`), this.subject.root);
  }

  private clear(): void {
    for (const each of this.node.querySelectorAll(".problem")) each.remove();
    for (const each of this.node.querySelectorAll(".wrong")) each.classList.remove("wrong");
  }

  /** Show a refusal at the field that it speaks of. */
  private mark({ place, what }: Refusal, path: Path): void {
    const fields = [...this.node.querySelectorAll<HTMLElement>("[data-path]")];
    const inside = fields.filter((each) => place.startsWith(each.dataset.path!)).sort((a, b) => b.dataset.path!.length - a.dataset.path!.length);
    const found = inside[0] ?? fields.find((each) => each.dataset.path === this.name(path));
    const row = found?.closest(".row, summary, .entry") ?? this.node;
    found?.classList.add("wrong");
    for (let fold = row.closest("details"); fold; fold = fold.parentElement!.closest("details")) fold.open = true;
    const told = element("p", { class: "problem bad", role: "alert" }, what);
    if (row === this.node) row.prepend(told);
    else row.after(told);
  }

  // Rows ----------------------------------------------------------------------------------------------------------

  private row(label: string, shape: Field, path: Path, value: unknown): HTMLElement {
    const title = `${this.note(shape)}${this.bounds(shape, path)}`;
    const large = shape.kind === "list" || shape.kind === "map" || (shape.kind === "part" && !this.small(shape));
    if (!large) {
      return element("div", { class: "row", title }, words(label), element("span", { class: "field" }, ...this.editor(shape, path, value, label)));
    }
    const count = Array.isArray(value) ? value.length : value && typeof value === "object" && shape.kind === "map" ? Object.keys(value).length : null;
    const said = count !== null ? `${count || "none"}` : value === null || value === undefined ? "none" : this.isDefault(shape, value) ? "default" : "set";
    const name = this.name(path);
    const fold = element("details", { class: "fold", title, open: open.has(name), toggle: () => {
      if (fold.open) open.add(name);
      else open.delete(name);
    } }, element("summary", { "data-path": name }, label, element("span", { class: "count" }, said)), element("div", { class: "inside" }, ...this.editor(shape, path, value, label)));
    return fold;
  }

  /** Two numbers fit one row. */
  private small(shape: Field): boolean {
    const fields = Object.values(this.forms[shape.part!] ?? {});
    return !shape.optional && fields.length <= 2 && fields.every((each) => each.kind === "number");
  }

  private isDefault(shape: Field, value: unknown): boolean {
    const parts = this.forms[shape.part ?? ""] ?? {};
    return Object.entries((value ?? {}) as object).every(([name, each]) => JSON.stringify(each) === JSON.stringify((shape.default as any)?.[name] ?? parts[name]?.default));
  }

  private note(shape: Field): string {
    return (shape.note ?? "").replace(/ ?\[(rad|m|s|rad\/s)\]/g, "");
  }

  private bounds(shape: Field, path: Path): string {
    if (shape.kind !== "number") return "";
    const { unit, factor } = this.unit(shape, path);
    const text = (value: number) => `${Number((value / factor).toPrecision(9))}${unit ? ` ${unit}` : ""}`;
    const found = [
      shape.gt !== undefined ? `above ${text(shape.gt)}` : "", shape.ge !== undefined ? `at least ${text(shape.ge)}` : "",
      shape.lt !== undefined ? `below ${text(shape.lt)}` : "", shape.le !== undefined && shape.le < 1e8 ? `at most ${text(shape.le)}` : "",
    ].filter(Boolean);
    if (unit && !found.length) return ` (${unit})`;
    return found.length ? ` (${found.join(", ")})` : "";
  }

  private unit(shape: Field, path: Path): { unit: string; factor: number } {
    let dimension = shape.dimension ?? "number";
    if (shape.by) dimension = shape.dimensions?.[String(this.value([...path.slice(0, -1), shape.by], { kind: "text" }))] ?? dimension;
    if (dimension === "angle" || dimension === "angular_velocity") {
      const each = dimension === "angle" ? "" : "/s";
      return this.store.degrees ? { unit: `°${each}`, factor: Math.PI / 180 } : { unit: `rad${each}`, factor: 1 };
    }
    const [unit, factor] = UNITS[dimension] ?? ["", 1];
    return { unit, factor };
  }

  /** Names that a field may take, of the document or the robot. */
  private names(of: string): string[] {
    const { library, robot } = this.store;
    if (of === "joints") return robot?.joints.map((joint) => joint.name) ?? [];
    if (of === "groups") return Object.keys(robot?.groups ?? {});
    return Object.keys((library as any)?.[of] ?? {});
  }

  /** A first value that the document takes, for a new row. */
  private fresh(shape: Field, of = ""): unknown {
    if (shape.default !== undefined && shape.default !== null && !shape.required) return shape.default;
    if (shape.kind === "number") return Math.max(shape.ge ?? 0, shape.gt !== undefined && shape.gt >= 0 ? shape.gt + 0.1 : 0);
    if (shape.kind === "switch") return false;
    if (shape.kind === "choice") return shape.legal![0];
    if (shape.kind === "name") return this.names(shape.of!)[0] ?? of;
    if (shape.kind === "list") return [];
    if (shape.kind === "map") return {};
    if (shape.kind === "vector") return shape.items!.map((each) => this.fresh(each));
    if (shape.kind !== "part") return "";
    const fields = Object.entries(this.forms[shape.part!]).filter(([, each]) => each.required).map(([name, each]) => [name, this.fresh(each)]);
    const made = Object.fromEntries(fields);
    // A way out leads somewhere.
    if (shape.part === "Branch") made.block = this.names("blocks")[0] ?? null;
    return made;
  }

  // Editors -------------------------------------------------------------------------------------------------------

  private editor(shape: Field, path: Path, value: unknown, label: string): (Node | string)[] {
    const set = (fresh: unknown) => this.change(path, shape, () => fresh);
    const marks = { "data-path": this.name(path), "aria-label": this.name(path), title: `${this.note(shape)}${this.bounds(shape, path)}` };
    if (shape.optional && (value === null || value === undefined) && shape.kind !== "number" && shape.kind !== "name") {
      return [button("+ set", `Give ${label} a value`, () => set(this.fresh(shape)), marks)];
    }
    const off = shape.optional && shape.kind !== "number" && shape.kind !== "name"
      ? [button("×", `${label}: none again`, () => set(null), { class: "plain away", "aria-label": `${this.name(path)} none` })] : [];
    if (shape.kind === "number") return this.number(shape, path, value, marks, set);
    if (shape.kind === "switch") {
      const box = element("input", { type: "checkbox", ...marks, change: () => set(box.checked) });
      box.checked = Boolean(value);
      return [box];
    }
    if (shape.kind === "choice") {
      const node = select(shape.legal!, String(value), set, marks);
      for (const option of node.options) option.title = shape.notes?.[option.value] ?? "";
      node.title = [marks.title, shape.notes?.[String(value)]].filter(Boolean).join("\n");
      return [node];
    }
    if (shape.kind === "name") {
      const names = this.names(shape.of!);
      const now = value === null || value === undefined ? "" : String(value);
      const options: [string, string][] = [...(shape.optional || !now ? [["", "—"] as [string, string]] : []), ...names.map((name): [string, string] => [name, name])];
      if (now && !names.includes(now)) options.push([now, `${now} (unknown)`]);
      return [select(options, now, (name) => set(name || null), marks)];
    }
    if (shape.kind === "text") {
      const box = element("textarea", { rows: 2, ...marks, change: () => set(box.value) });
      box.value = box.dataset.shown = String(value ?? "");
      return [box];
    }
    if (shape.kind === "vector") {
      return [...shape.items!.flatMap((item, index) => this.editor(item, [...path, index], (value as unknown[])[index], `${label} ${index + 1}`)), ...off];
    }
    if (shape.kind === "list") return this.list(shape, path, value as unknown[]);
    if (shape.kind === "map") return this.map(shape, path, value as Record<string, unknown>);
    const rows = Object.entries(this.forms[shape.part!]).map(([name, each]): [string, Field] => [name, { ...each, default: (shape.default as any)?.[name] ?? each.default }]);
    if (this.small(shape)) {
      return rows.flatMap(([name, each]) => [element("span", { class: "faint" }, name), ...this.editor(each, [...path, name], this.value([...path, name], each), name)]);
    }
    return [...rows.map(([name, each]) => this.row(name, each, [...path, name], this.value([...path, name], each))), ...off];
  }

  private number(shape: Field, path: Path, value: unknown, marks: Record<string, string>, set: (value: unknown) => void): (Node | string)[] {
    const { unit, factor } = this.unit(shape, path);
    const words = shape.legal ?? [];
    const shown = typeof value === "number" ? String(Number((value / factor).toPrecision(9))) : String(value ?? "");
    const box = element("input", { type: words.length ? "text" : "number", step: shape.whole ? 1 : "any", class: "number", placeholder: shape.optional ? "none" : "", ...marks, change: () => {
      const text = box.value.trim();
      if (text === box.dataset.shown) return;
      if (words.includes(text)) return set(text);
      if (text === "" && !box.validity.badInput) {
        if (shape.optional) return set(null);
        box.value = shown;
        return;
      }
      const number = Number(text);
      // What is no number goes to the server, too, which says what is wanted.
      set(text !== "" && Number.isFinite(number) ? number * factor : text);
    } });
    box.value = box.dataset.shown = shown;
    if (words.length) box.placeholder = words.join(", ");
    if (words.length) box.title = `${box.title}; or ${words.join(", ")}`;
    return [box, ...(unit ? [element("span", { class: "unit" }, unit)] : [])];
  }

  private list(shape: Field, path: Path, value: unknown[]): (Node | string)[] {
    const item = shape.item!;
    const entries = (value ?? []).map((each, index) => {
      const place = [...path, index];
      const tools = element("span", { class: "entry-tools" },
        ...(index ? [button("↑", "One place further up", () => this.change(path, shape, (old: unknown[]) => old.map((one, at) => (at === index - 1 ? old[index] : at === index ? old[index - 1] : one))), { class: "plain", "aria-label": `${this.name(place)} up` })] : []),
        button("×", "Take it away", () => this.change(path, shape, (old: unknown[]) => old.filter((_, at) => at !== index)), { class: "plain away", "aria-label": `${this.name(place)} away` }));
      return element("div", { class: item.kind === "part" ? "entry" : "entry plain", "data-path": this.name(place) }, tools, ...this.editor(item, place, each, `${index + 1}`));
    });
    return [...entries, button("+ add", "One more", () => {
      if (item.kind === "name" && !this.names(item.of!).length) return this.store.notice(`There are no ${item.of} yet; Motion… above the timeline makes some.`);
      open.add(this.name([...path, value?.length ?? 0]));
      this.change(path, shape, (old: unknown[] | null) => [...(old ?? []), this.fresh(item)]);
    }, { class: "add", "aria-label": `${this.name(path)} add` })];
  }

  private map(shape: Field, path: Path, value: Record<string, unknown>): (Node | string)[] {
    const rows = Object.entries(value ?? {}).map(([key, each]) => {
      const place = [...path, key];
      const item = shape.item!;
      const away = button("×", "Take it away", () => this.change(path, shape, (old: object) => {
        const rest = Object.entries(old).filter(([name]) => name !== key);
        return rest.length || !shape.optional ? Object.fromEntries(rest) : null;
      }), { class: "plain away", "aria-label": `${this.name(place)} away` });
      if (item.kind === "part") return element("div", { class: "entry", "data-path": this.name(place) }, element("span", { class: "entry-tools" }, away), element("strong", {}, key), ...this.editor(item, place, each, key));
      return element("div", { class: "row" }, element("span", {}, key), element("span", { class: "field" }, ...this.editor(item, place, each, key), away));
    });
    const left = this.names(shape.keys!).filter((name) => !(name in (value ?? {})));
    const add = select([["", "+ add…"], ...left.map((name): [string, string] => [name, name])], "", (name) => {
      if (name) this.change(path, shape, (old: object | null) => ({ ...old, [name]: this.fresh(shape.item!) }));
    }, { class: "add", "aria-label": `${this.name(path)} add` });
    return [...rows, ...(left.length ? [add] : [])];
  }
}

/** A name that may break at its underscores. */
function words(name: string): HTMLElement {
  return element("span", {}, ...name.split(/(?<=_)/).flatMap((part, index) => (index ? [document.createElement("wbr"), part] : [part])));
}

/** Build a pane anew without taking focus, what is half typed or the place from its user; false: not now. */
export function rebuilt(node: HTMLElement, build: () => void): boolean {
  const active = node.contains(document.activeElement) ? (document.activeElement as HTMLInputElement) : null;
  if (active?.dataset.shown !== undefined && active.value !== active.dataset.shown && !active.classList.contains("wrong")) return false;
  const label = active?.getAttribute("aria-label");
  const path = active?.matches("summary") ? active.dataset.path : undefined;
  const top = node.scrollTop;
  build();
  node.scrollTop = top;
  if (path) [...node.querySelectorAll<HTMLElement>("summary")].find((each) => each.dataset.path === path)?.focus({ preventScroll: true });
  else if (label) [...node.querySelectorAll<HTMLElement>("[aria-label]")].find((each) => each.getAttribute("aria-label") === label)?.focus({ preventScroll: true });
  return true;
}
