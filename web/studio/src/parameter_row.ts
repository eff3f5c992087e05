// A live parameter: slider and number, or a switch; used by the pages that change one while something runs.
import { check, element } from "./dom";
import { bounds } from "./midi";
import type { Parameter } from "./protocol";

type Stream = (name: string, work: () => Promise<unknown>) => void;

export function parameterRow(parameter: Parameter, change: (value: number | boolean) => void, stream: Stream): HTMLElement {
  if (parameter.kind === "switch") return check(parameter.name, parameter.note, Boolean(parameter.value), change);
  const value = Number(parameter.value);
  const [low, high] = bounds(parameter);
  const number = element("input", { type: "number", step: "any", value: Number(value.toPrecision(4)), title: `${parameter.note} (SI units): ${value}`, "aria-label": parameter.name, change: () => {
    slider.value = number.value;
    change(Number(number.value));
  } });
  const slider = element("input", { type: "range", min: low, max: high, step: parameter.kind === "count" ? 1 : "any", value, "aria-label": `${parameter.name} slider`, input: () => {
    number.value = String(Number(Number(slider.value).toPrecision(4)));
    stream(`change-${parameter.name}`, async () => {
      change(Number(number.value));
      await new Promise((done) => setTimeout(done, 40));
    });
  } });
  return element("label", { class: "parameter", title: `${parameter.note} (SI units)` }, element("span", {}, parameter.name), slider, number);
}
