// What a new user may do first, a step at a time: shown once, until it is closed.
import { recall, remember } from "./browser_storage";
import { button, element } from "./dom";

const KEY = "andante-first-steps";
const STEPS = [
  "Drag a dot in the picture: blue ones are feet, yellow ones hands, head and trunk. Or move sliders on the left.",
  "+ Key (I) stores the posture as a keyframe. Squares in the time axis are keys: click, drag, copy them.",
  "▶ Play (Space) shows the motion as it is written, ⚙ Physics (P) runs it; the tab Run tells how that went.",
  "Ctrl-Z takes everything back, Ctrl-S shows the difference and saves. F1 has all keys.",
];

/** The steps, or nothing where they were shown before. */
export function firstSteps(): HTMLElement | null {
  if (recall(KEY)) return null;
  remember(KEY, "shown");
  const steps = STEPS.map((text) => element("li", {}, text));
  const count = element("span", { class: "hint" });
  let at = 0;
  const show = (step: number) => {
    at = (step + steps.length) % steps.length;
    steps.forEach((each, number) => (each.hidden = number !== at));
    count.textContent = `${at + 1} of ${steps.length}`;
  };
  show(0);
  const node = element("section", { class: "first-steps", "aria-label": "First steps" },
    element("header", {}, element("strong", {}, "First steps"), count, element("span", { class: "gap" }),
      button("‹", "The step before", () => show(at - 1), { class: "plain", "aria-label": "First steps: the step before" }),
      button("›", "The next step", () => show(at + 1), { class: "plain", "aria-label": "First steps: the next step" }),
      button("×", "Close; F1 shows keys and help at any time", () => node.remove(), { class: "plain", "aria-label": "Close the first steps" })),
    element("ol", { "aria-live": "polite" }, ...steps));
  return node;
}
