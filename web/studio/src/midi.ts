// Controllers: knobs of a MIDI device, a gamepad and keys move live parameters, by the same message as their sliders.
import type { MidiLearn } from "./asked";
import type { Wish } from "./connection";
import { button, element, select } from "./dom";
import type { Message, Parameter } from "./protocol";
import type { Store } from "./store";

/** The ends of a parameter's slider. */
export function bounds({ low, high, value, kind }: Parameter): [number, number] {
  if (kind === "switch") return [0, 1];
  const now = Number(value);
  return [low ?? Math.min(0, 2 * now), high ?? Math.max(2 * Math.abs(now), 1)];
}

interface Knob {
  channel: number;
  control: number;
  parameter: string;
  low: number;
  high: number;
  kind: string;
}

/** What the page itself hears: an axis or a button of a gamepad, or a key. */
interface Local {
  source: "axis" | "button" | "key";
  pad: number;
  index: number;
  key: string;
  parameter: string;
  low: number;
  high: number;
  kind: string;
  last: number;
}

/** A key moves its parameter by this share of the range. */
const STEP = 0.05;
const PERIOD = 40;

export class MidiPane {
  readonly node = element("details", { class: "midi" });
  private ports: string[] = [];
  private missing = "";
  private port = "";
  private learning = "";
  private knobs: Knob[] = [];
  private local: Local[] = [];
  private chosen = "";
  /** What the next touch of a gamepad or key is bound to. */
  private listening: "" | "pad" | "key" = "";
  private rest: number[][] = [];
  private body = element("div", {});
  private shown = "";
  /** Two knobs for those without hardware. */
  private loopback = element("div", { class: "tools", title: "What is turned here goes into the loopback port and comes back from it" }, ...[1, 2].map((control) =>
    element("label", { class: "check" }, `knob ${control}`,
      element("input", { type: "range", min: 0, max: 127, value: 64, "aria-label": `Loopback knob ${control}`, input: (event: Event) => {
        const value = Number((event.target as HTMLInputElement).value);
        this.store.stream(`midi-${control}`, () => this.store.connection.ask({ do: "midi_send", control, value }).catch((error: Error) => this.store.notice(error.message)));
      } }))));

  constructor(private store: Store) {
    this.node.append(element("summary", { title: "A MIDI device, a gamepad or keys move live parameters" }, "Controllers: MIDI, gamepad, keys"), this.body);
    this.node.addEventListener("toggle", () => this.node.open && store.state && this.ask({ do: "midi_ports" }));
    store.connection.on("midi", (message) => this.heard(message));
    store.on(["run", "document"], () => this.build());
    setInterval(() => this.poll(), PERIOD);
    addEventListener("keydown", (event) => this.key(event), { capture: true });
    this.build();
  }

  private ask(message: Wish): void {
    this.store.connection.ask(message).catch((error: Error) => this.store.notice(error.message));
  }

  private heard(message: Message): void {
    ({ ports: this.ports, missing: this.missing, port: this.port, learning: this.learning, bindings: this.knobs } = message as unknown as {
      ports: string[]; missing: string; port: string; learning: string; bindings: Knob[];
    });
    this.build();
  }

  private get parameter(): Parameter | undefined {
    const all = this.store.parameters;
    return all.find(({ name }) => name === this.chosen) ?? all[0];
  }

  private range(): { parameter: string; low: number; high: number; kind: MidiLearn["kind"] } | null {
    const parameter = this.parameter;
    if (!parameter) return null;
    const [low, high] = bounds(parameter);
    return { parameter: parameter.name, low, high, kind: parameter.kind };
  }

  // Page: gamepad and keys ----------------------------------------------------------------------------------------

  private change(binding: Local, value: number): void {
    const { store } = this;
    if (store.running === "no" || store.running === "starting") return;
    const whole = binding.kind === "count" ? Math.round(value) : Number(value.toPrecision(6));
    store.connection.tell({ do: "change", parameter: binding.parameter, value: binding.kind === "switch" ? value >= 0.5 : whole });
  }

  private pads(): Gamepad[] {
    return [...(navigator.getGamepads?.() ?? [])].filter((pad): pad is Gamepad => pad !== null);
  }

  private poll(): void {
    if (this.listening !== "pad" && !this.local.some(({ source }) => source !== "key")) return;
    const pads = this.pads();
    if (this.listening === "pad") {
      for (const [i, pad] of pads.entries()) {
        const axis = pad.axes.findIndex((value, k) => Math.abs(value - (this.rest[i]?.[k] ?? 0)) > 0.5);
        const pressed = pad.buttons.findIndex(({ value }) => value > 0.5);
        if (axis >= 0) return this.bind({ source: "axis", pad: pad.index, index: axis, key: "" });
        if (pressed >= 0) return this.bind({ source: "button", pad: pad.index, index: pressed, key: "" });
      }
    }
    for (const binding of this.local) {
      const pad = pads.find(({ index }) => index === binding.pad);
      if (binding.source === "key" || !pad) continue;
      const share = binding.source === "axis" ? ((pad.axes[binding.index] ?? 0) + 1) / 2 : (pad.buttons[binding.index]?.value ?? 0);
      if (Math.abs(share - binding.last) < 0.004) continue;
      binding.last = share;
      this.change(binding, binding.low + share * (binding.high - binding.low));
    }
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (["Shift", "Tab"].includes(event.key)) return;
    if (this.listening === "key") {
      event.preventDefault();
      event.stopPropagation();
      if (event.key === "Escape") this.listening = "";
      else return this.bind({ source: "key", pad: 0, index: 0, key: event.key.toLowerCase() });
      return this.build();
    }
    const target = event.target as HTMLElement;
    if (target.closest?.(".cm-editor, textarea, select, input:not([type=range]):not([type=checkbox])")) return;
    const binding = this.local.find(({ source, key }) => source === "key" && key === event.key.toLowerCase());
    const parameter = this.store.parameters.find(({ name }) => name === binding?.parameter);
    if (!binding || !parameter) return;
    event.preventDefault();
    event.stopPropagation();
    if (binding.kind === "switch") return event.repeat ? undefined : this.change(binding, parameter.value ? 0 : 1);
    const step = Math.max(STEP * (binding.high - binding.low), binding.kind === "count" ? 1 : 0);
    const value = Math.min(Math.max(Number(parameter.value) + (event.shiftKey ? -step : step), binding.low), binding.high);
    parameter.value = value;
    this.change(binding, value);
  }

  private bind(source: Pick<Local, "source" | "pad" | "index" | "key">): void {
    const range = this.range();
    this.listening = "";
    if (range) {
      const other = this.local.filter((each) => each.source !== source.source || each.pad !== source.pad || each.index !== source.index || each.key !== source.key);
      this.local = [...other, { ...source, ...range, last: Number.NaN }];
      // The place where it stands now moves nothing.
      const pad = this.pads().find(({ index }) => index === source.pad);
      const binding = this.local.at(-1)!;
      binding.last = source.source === "axis" ? ((pad?.axes[source.index] ?? 0) + 1) / 2 : (pad?.buttons[source.index]?.value ?? 0);
    }
    this.build();
  }

  // What is shown -------------------------------------------------------------------------------------------------

  private build(): void {
    const { store } = this;
    const names = store.parameters.map(({ name }) => name);
    const shown = JSON.stringify([this.ports, this.missing, this.port, this.learning, this.knobs, this.local.map((each) => ({ ...each, last: 0 })), names, this.listening, this.chosen]);
    if (shown === this.shown) return;
    this.shown = shown;
    const waiting = this.learning ? `Turn the knob that shall move ${this.learning}.`
      : this.listening === "pad" ? "Move a stick or press a button of the gamepad."
      : this.listening === "key" ? "Press the key (Esc: none)." : "";
    const bindings = [
      ...this.knobs.map((knob) => this.row(`MIDI ${knob.channel + 1}/${knob.control}`, knob, () => this.ask({ do: "midi_forget", parameter: knob.parameter }))),
      ...this.local.map((binding) => {
        const name = binding.source === "key" ? `key ${binding.key === " " ? "Space" : binding.key.toUpperCase()}` : `gamepad ${binding.source} ${binding.index}`;
        return this.row(name, binding, () => {
          this.local = this.local.filter((each) => each !== binding);
          this.build();
        });
      }),
    ];
    this.body.replaceChildren(
      element("div", { class: "tools" },
        select([["", "no MIDI port"], ...this.ports.map((name): [string, string] => [name, name])], this.port, (port) => this.ask({ do: "midi_open", port }), { "aria-label": "MIDI port", title: "The MIDI port that is heard; Loopback needs no hardware" }),
        button("↻", "Look for MIDI ports again", () => this.ask({ do: "midi_ports" }), { "aria-label": "Look for MIDI ports again" })),
      ...(this.missing ? [element("p", { class: "hint" }, this.missing)] : []),
      ...(names.length ? [element("div", { class: "tools" },
        select(names, this.parameter?.name ?? "", (name) => (this.chosen = name), { "aria-label": "Parameter to bind", title: "The live parameter that is bound" }),
        button("Learn MIDI", "The next knob that is turned moves it", () => {
          const range = this.range();
          if (range) this.ask({ do: "midi_learn", ...range });
        }, { disabled: !this.port }),
        button("Gamepad", "The next stick or button moves it", () => {
          this.rest = this.pads().map((pad) => [...pad.axes]);
          this.listening = "pad";
          this.build();
        }),
        button("Key", "The next key raises it by a twentieth of its range; with Shift it lowers it", () => {
          this.listening = "key";
          this.build();
        }))] : [element("p", { class: "hint" }, "Parameters can be bound once something has run.")]),
      element("p", { class: "waiting", role: "status" }, waiting),
      ...bindings,
      ...(this.port === "Loopback" ? [this.loopback] : []));
  }

  private row(name: string, { parameter, low, high, kind }: { parameter: string; low: number; high: number; kind: string }, forget: () => void): HTMLElement {
    const range = kind === "switch" ? "off, on" : `${Number(low.toPrecision(4))} to ${Number(high.toPrecision(4))}`;
    return element("div", { class: "fault binding" }, element("span", {}, `${name}: ${parameter}`), element("span", { class: "hint" }, range), button("×", "Forget it", forget, { class: "plain", "aria-label": `Forget ${name}` }));
  }
}
