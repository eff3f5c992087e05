// The help sheet.
import { dialog, element } from "./dom";

export const KEYS: [string, string][] = [
  ["Space", "play or pause"],
  ["P, Shift-P", "run in physics from the beginning, from the chosen keyframe"],
  ["F", "push the robot while it runs: body, direction, force and duration stand in the tab Run"],
  ["← →", "one tick back, on"],
  ["↑ ↓", "keyframe before, after"],
  ["Shift-← →, Shift-↑ ↓", "let the chosen keyframe end a tick, or ten, earlier or later"],
  ["I or K", "store the posture as a keyframe at the playhead"],
  ["Shift-D", "duplicate the chosen keyframes"],
  ["Ctrl-C, Ctrl-V, Ctrl-Shift-V", "copy, paste, paste mirrored"],
  ["X or Del", "delete the picked keys of single joints, or the chosen keyframes"],
  ["+ and -", "in the curves: the chosen keyframe's value a degree up or down (Shift: a tenth)"],
  ["E", "ripple: a dragged keyframe moves all after it"],
  ["A", "choose all keyframes"],
  ["H", "hold the centre of mass while a foot or hand is dragged"],
  ["T", "handles turn in their places instead of being dragged, about the line of sight"],
  ["Esc", "back from a run to editing"],
  ["O", "onion skin: the postures before and after"],
  ["Home", "see the whole motion and the whole robot"],
  ["1, 3, 7", "look from the front, the side, above"],
  ["Ctrl-Z, Ctrl-Shift-Z", "undo, redo (without limit)"],
  ["Ctrl-S", "save, with the difference first"],
  ["Ctrl-O", "open"],
  ["Esc, then Tab", "leave the text, where Tab indents"],
  ["F1", "this sheet"],
];

export function help(): void {
  const rows = KEYS.map(([key, what]) => element("tr", {}, element("td", {}, element("kbd", {}, key)), element("td", {}, what)));
  const half = Math.ceil(rows.length / 2);
  const keys = element("div", { class: "keys-sheet" }, element("table", {}, ...rows.slice(0, half)), element("table", {}, ...rows.slice(half)));
  dialog("Keys and help",
    element("p", {}, "A motion plays blocks; a block is a list of keyframes; a keyframe is a posture and the time to get there. Click a square in the timeline to choose a keyframe, move its joints on the left. Drag a square to change its time: Shift fine, Ctrl in steps of 50 ms."),
    keys,
    element("p", {}, "Timeline: the wheel scrolls joints, on the time line it zooms; Shift-wheel goes sideways; drag an empty place to choose a range; double-click makes a keyframe. 3-D view: drag turns, right-drag shifts, wheel zooms; while a run goes on, a drag on the robot pulls it."),
    element("p", {}, "Everything is in the text on the right, too: what you type there shows in the timeline at once, and the other way round. Undo takes back whatever was done last, in any tab."));
}
