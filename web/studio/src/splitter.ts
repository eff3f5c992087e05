// The edge between two panes: dragged, or moved by arrows.
import { element } from "./dom";
import { forget, type Pane, resize, sizeOf } from "./layout";

const NAMES: Record<Pane, string> = { left: "Width of the joints", side: "Width of the tabs", bottom: "Height of the time axis" };
/** What an arrow moves [px]. */
const STEP = 16;

export function splitter(kind: Pane): HTMLElement {
  const level = kind === "bottom";
  const bar = element("div", {
    class: `splitter ${kind}`, title: "Drag to resize, or use arrows; double-click or Enter for the usual size",
    tabindex: 0, role: "separator", "aria-label": NAMES[kind], "aria-orientation": level ? "horizontal" : "vertical", "aria-valuemin": 0,
  });
  const tell = () => {
    bar.setAttribute("aria-valuenow", String(Math.round(sizeOf(kind))));
    bar.setAttribute("aria-valuemax", String(level ? innerHeight : innerWidth));
  };
  bar.addEventListener("focus", tell);
  bar.addEventListener("pointerdown", (event) => {
    bar.setPointerCapture(event.pointerId);
    bar.onpointermove = (move) => {
      resize(kind, kind === "left" ? move.clientX : kind === "side" ? innerWidth - move.clientX : innerHeight - move.clientY);
    };
    bar.onpointerup = () => (bar.onpointermove = null);
  });
  bar.addEventListener("dblclick", () => forget(kind));
  bar.addEventListener("keydown", (event) => {
    const ways: Record<string, number> = level ? { ArrowUp: 1, ArrowDown: -1 } : kind === "left" ? { ArrowLeft: -1, ArrowRight: 1 } : { ArrowLeft: 1, ArrowRight: -1 };
    if (event.key !== "Enter" && !(event.key in ways)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") forget(kind);
    else resize(kind, sizeOf(kind) + STEP * ways[event.key]);
    tell();
  });
  tell();
  return bar;
}
