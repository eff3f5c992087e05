// What lies over the ground and what its colors mean: layers, stances, the reachable volume, and their legend.
import type { AskedOfTerrain } from "./asked";
import type { Without } from "./connection";
import { button, check, element, select } from "./dom";
import type { Message } from "./protocol";
import { footColor, GENERATED, GOAL, PLANNED, REACH, START, scaleColor, type Layer, type Surface, type Terrain3d } from "./terrain3d";

type Ask = (message: Without<AskedOfTerrain, "request">, busy?: string) => Promise<Message | null>;
const css = (color: number) => `#${color.toString(16).padStart(6, "0")}`;
const digits = (value: number) => String(Number(value.toPrecision(3)));

export class Overlays {
  readonly node = element("section", {});
  readonly legend = element("div", { class: "legend" });
  layer: Layer | null = null;
  stances: Message | null = null;
  reach: Message | null = null;
  private name = "height";
  private what = "";
  private asked = 0;
  private colors = element("select", { "aria-label": "Color of the ground", title: "What the ground is painted with", change: () => void this.paint(this.colors.value) });
  private bodies = check("Stances of the plan", "The rectangle of the hips as each foot leaves and lands", false, (on) => void this.showStances(on));
  private generated = check("Stances by dynamic programming", "The same footsteps, the body chosen by the stance generator", false, (on) => void this.showStances(on, true));
  private volume = select([["", "none"]], "", (what) => void this.showReach(what), { "aria-label": "Reachable volume", title: "Where the body, or a foot, can be before the chosen footstep" });
  private words = element("p", { class: "hint" });

  constructor(private view: Terrain3d, private ask: Ask, private step: () => number) {
    this.node.append(element("h3", {}, "Show"),
      element("div", { class: "line" }, element("span", {}, "Ground"), this.colors),
      element("div", { class: "line" }, this.bodies, this.generated),
      element("div", { class: "line" }, element("span", {}, "Reach of"), this.volume, button("↻", "Again, for the footstep that is chosen now", () => void this.showReach(this.what), { "aria-label": "Reach again" })),
      this.words);
  }

  /** Another board, or the same one drawn anew: what was over it is gone. */
  async begin(layers: [string, string][], planned: boolean, feet: string[]): Promise<void> {
    const names: [string, string][] = [["height", "height"], ...layers];
    this.colors.replaceChildren(...names.map(([value, text]) => element("option", { value }, text)));
    this.volume.replaceChildren(...[["", "none"], ["body", "the body"], ...feet.map((foot) => [foot, `foot ${foot}`])].map(([value, text]) => element("option", { value }, text)));
    for (const part of [this.bodies, this.generated, this.volume.parentElement!]) part.hidden = !planned;
    if (!names.some(([name]) => name === this.name)) this.name = "height";
    this.colors.value = this.name;
    this.changed();
    await this.paint(this.name);
  }

  /** The footsteps are others: what belonged to the old ones is taken away. */
  changed(): void {
    this.stances = this.reach = null;
    this.what = this.volume.value = "";
    for (const part of [this.bodies, this.generated]) part.querySelector("input")!.checked = false;
    this.view.setStances([], []);
    this.view.setReach(null);
    this.legendNow();
  }

  private async paint(name: string): Promise<void> {
    this.name = name;
    const number = ++this.asked;
    const answer = name === "height" ? null : await this.ask({ do: "layer", layer: name }, "painting …");
    if (number !== this.asked) return;
    if (name !== "height" && !answer) this.name = this.colors.value = "height";
    this.layer = answer as unknown as Layer | null;
    this.view.paint(this.layer);
    this.legendNow();
  }

  private async showStances(on: boolean, generated = false): Promise<void> {
    if (on && !this.stances) this.stances = await this.ask({ do: "stances" }, "looking for stances …");
    const boxes = [this.bodies, this.generated].map((part) => part.querySelector("input")!);
    if (on && !this.stances) boxes[Number(generated)].checked = false;
    const [planned, made] = boxes.map((box) => box.checked);
    this.view.setStances(planned ? this.stances?.planned ?? [] : [], made ? this.stances?.generated ?? [] : []);
    this.legendNow();
  }

  private async showReach(what: string): Promise<void> {
    this.what = what;
    this.reach = what ? await this.ask({ do: "reach", what, step: this.step() }, "looking what is in reach …") : null;
    if (what && !this.reach) this.what = this.volume.value = "";
    this.view.setReach(this.reach as unknown as Surface | null);
    this.legendNow();
  }

  legendNow(): void {
    const { layer, stances, reach } = this;
    const rows: HTMLElement[] = [];
    const swatch = (color: string, text: string) => element("div", { class: "swatch" }, element("i", { style: `background:${color}` }), text);
    if (layer) {
      rows.push(element("strong", {}, layer.title + (layer.unit ? ` [${layer.unit}]` : "")));
      if (layer.marks.length) rows.push(...layer.marks.map((text, at) => swatch(scaleColor(at / Math.max(layer.marks.length - 1, 1), layer), text)));
      else {
        const stops = [0, 0.25, 0.5, 0.75, 1].map((share) => scaleColor(share, layer)).join(", ");
        rows.push(element("div", { class: "scale" }, digits(layer.low), element("i", { style: `background:linear-gradient(90deg, ${stops})` }), `${layer.worse ? "≥ " : ""}${digits(layer.high)}`));
      }
      if (layer.none) rows.push(swatch("#4d4d54", layer.none));
    } else if (this.view.range[1] > this.view.range[0]) {
      const [low, high] = this.view.range.map((height) => (100 * height).toFixed(1));
      rows.push(element("strong", {}, "height [cm]"), element("div", { class: "scale" }, low, element("i", { style: `background:linear-gradient(90deg, ${[0, 0.5, 1].map((share) => scaleColor(share, null)).join(", ")})` }), high));
    }
    if (this.view.feetShown.length) rows.push(element("strong", {}, "footsteps"), ...this.view.feetShown.map((foot) => swatch(css(footColor(foot)), foot)));
    if (this.view.wayShown) rows.push(swatch(css(PLANNED), "way of the centre of mass"));
    if (this.view.marked) rows.push(swatch(css(START), "start"), swatch(css(GOAL), "goal"));
    const [planned, made] = [this.bodies, this.generated].map((part) => part.querySelector("input")!.checked);
    if (planned) rows.push(swatch(css(PLANNED), stances?.planned.length ? "stances of the plan" : "no plan yet: press Plan or Check"));
    if (made && stances) {
      const { steps, reason, margin, limit, height } = stances;
      const found = stances.generated.length ? `stances by dynamic programming, body ${(100 * height).toFixed(1)} cm over the feet, margin ${(1000 * margin).toFixed(1)} mm (limit ${(1000 * limit).toFixed(1)} mm)` : "no stances by dynamic programming";
      rows.push(swatch(css(GENERATED), reason ? `${found}, for the first ${steps} footsteps only: ${reason}` : found));
    }
    if (reach) rows.push(swatch(css(REACH), `${reach.what === "body" ? "where the body can be" : `where ${reach.what} can be`} before step ${reach.step + 1}, ${(1e6 * reach.volume).toFixed(0)} cm³`));
    this.words.textContent = reach ? `Its edge: ${reach.limits.map(([name, far, share]: [string, boolean, number]) => `${Math.round(100 * share)} % ${name}${far ? " (leg too short)" : ""}`).join(", ")}.` : "";
    this.legend.replaceChildren(...rows);
    this.legend.hidden = !rows.length;
  }

  /** Heights have changed. */
  heights(): void {
    // What was drawn is shown by its height until the layer is painted anew.
    if (this.layer && !this.view.layer) this.layer = null;
    if (!this.layer) this.legendNow();
  }
}
