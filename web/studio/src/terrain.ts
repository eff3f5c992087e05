// The terrain page: a board, generated or drawn, a plan over it, footsteps that are clicked, walks in physics, steering.
import type { AskedOfTerrain, Walk } from "./asked";
import "./style.css";
import "./terrain.css";
import { Connection, type Without } from "./connection";
import { button, element } from "./dom";
import { footColor, Terrain3d, type Board, type Footsteps, type Place } from "./terrain3d";
import { Draw } from "./terrain_draw";
import { Live } from "./terrain_live";
import { Overlays } from "./terrain_overlays";
import { Pad } from "./terrain_pad";
import { keepFocus } from "./keep_focus";
import { otherTheme, restoreTheme } from "./theme";
import { readLanes, readPose, type Message, type Robot } from "./protocol";
import { WalkLanes } from "./walk_lanes";
import { SavedWalks } from "./walk_saved";
import { Twist } from "./walk_twist";

const connection = new Connection<AskedOfTerrain>("/terrain");
const view = new Terrain3d();
const FILE = "file:";
const POLICY = "policy:";
const GOAL = "quadruped@goal";
const WAYS: Record<string, string> = { crawl: "planned crawl", "reactive-crawl": "reactive crawl, steered", trot: "trot, steered", quadruped: "dynamic, steered", [GOAL]: "dynamic, planned to the goal" };
const NAMES: [string, [number, number, number]][] = [
  ["w", [1, 0, 0]], ["arrowup", [1, 0, 0]], ["s", [-1, 0, 0]], ["arrowdown", [-1, 0, 0]],
  ["a", [0, 1, 0]], ["d", [0, -1, 0]], ["arrowleft", [0, 0, 1]], ["arrowright", [0, 0, -1]],
];
const KEYS = new Map(NAMES);
const STEERING = [
  ["W S, ↑ ↓", "ahead, back, while held"], ["A D", "left, right"], ["← →", "turn"], ["1 to 9", "gait"], ["X", "stand"], ["Q", "stand and end"],
  ["Left stick", "ahead, back, left, right"], ["Right stick", "turn"], ["Shoulders", "gait"], ["Start", "end"],
];
const LANES = 3;
/** What is asked is asked again so often, as it ends 2 s after it was asked last [ms]. */
const AGAIN = 250;

const state = {
  choices: null as null | { robots: Record<string, string[]>; boards: { name: string; what: string; ranges: Record<string, [number, number]> }[]; files: string[]; policies: Record<string, string[]> },
  board: null as Board | null,
  ways: [] as string[],
  footsteps: { feet: [], steps: [], clicked: false } as Footsteps,
  chosen: null as number | null,
  plan: null as Message | null,
  walking: "" as string,
  steered: false,
  goal: null as [number, number] | null,
  arrived: null as Message | null,
  gaits: [] as string[],
  gait: null as string | null,
  verdict: null as Message | null,
  busy: "",
  refusal: null as Message | null,
  time: 0,
  poses: 0,
  asked: "",
};

// Parts of the panel ----------------------------------------------------------------------------------------------

const link = element("span", { class: "link", role: "status" });
const live = new Live(connection, (text) => tell(text, true));
const draw = new Draw(view, (message, busy) => ask(message, busy), (text, bad) => tell(text, bad), (answer) => taken(answer), () => update(), () => void make(true));
const overlays = new Overlays(view, (message, busy) => ask(message, busy), () => state.chosen ?? 0);
const robot = element("select", { "aria-label": "Robot", change: () => void make() });
const kind = element("select", { "aria-label": "Board", change: () => (showValues(), void make()) });
const difficulty = element("input", { type: "number", min: 0, max: 1, step: 0.1, value: "0.3", "aria-label": "Difficulty", change: () => (showValues(), void make()) });
const seed = element("input", { type: "number", min: 0, step: 1, value: "0", "aria-label": "Seed", change: () => void make() });
const values = element("div", { class: "values" });
const planText = element("div", { class: "result", "aria-live": "polite" });
const foot = element("select", { "aria-label": "Foot of a new footstep", title: "Foot of the next footstep that is added" });
const stepsPart = element("section", {},
  element("h3", {}, "Footsteps"),
  element("div", { class: "line" },
    button("Plan", "Search footsteps to the goal, as andante plan does", () => void plan(true), { class: "primary" }),
    button("Check", "Make the walk over the clicked footsteps", () => void plan(false), { class: "check-steps" }),
    button("Drop last", "Take the last footstep away", () => void keep(state.footsteps.steps.length - 1), { class: "drop" }),
    button("Clear", "Take all footsteps away", () => void keep(0), { class: "clear" })),
  element("div", { class: "line" }, element("span", {}, "Next foot"), foot),
  element("p", { class: "hint" }, "Click a footstep, then the ground: it goes there. Click the ground without one: a new footstep of that foot."),
  planText);
const way = element("select", { "aria-label": "Way of walking", change: () => update() });
const walkButton = button("Walk", "Walk in physics", () => void walk(), { class: "primary walk" });
const stopButton = button("Stop", "Break the walk off", () => void ask({ do: "stop" }), { class: "stop" });
const endButton = button("End (Q)", "The robot stands, and the run ends with its verdict", () => wish(true));
const speed = element("input", { type: "range", min: 0.1, max: 1, step: 0.05, value: "0.6", title: "Share of the largest speed that a key asks", "aria-label": "Share of the largest speed", change: () => wish() });
const twist = new Twist(() => wish());
const lanes = new WalkLanes(footColor, (base, joints) => view.setPose(base, joints));
const saved = new SavedWalks((message, busy) => ask(message, busy), (text, bad) => tell(text, bad), (answer) => opened(answer));
const padText = element("p", { class: "hint" });
const gaits = element("div", { class: "line" });
const steerPart = element("div", {},
  element("div", { class: "line" }, element("span", {}, "Keys, goal"), speed),
  twist.node,
  element("p", { class: "hint" }, "Click the ground: the robot goes there."),
  element("details", {}, element("summary", {}, "Keys and gamepad"),
    element("table", { class: "keys" }, ...STEERING.map(([key, what]) => element("tr", {}, element("td", {}, element("kbd", {}, key)), element("td", {}, what)))),
    element("p", { class: "hint" }, "What is asked ends after 2 s without the page.")),
  padText,
  gaits);
const goalText = element("p", { class: "hint" });
const goalPart = element("div", {}, goalText);
const verdict = element("div", { class: "result verdict", "aria-live": "polite" });
const events = element("ul", { class: "events" });
const told = element("div", { class: "told", role: "status", "aria-live": "polite" });
const payload = element("input", { type: "number", min: 0, max: 50, step: "any", value: "0", "aria-label": "Payload", title: "Mass on the robot's back that nobody told it of" });
const lanesButton = button("Lanes", "What joints and feet did, on a time axis", () => showLanes(Boolean(lanes.node.hidden)), { class: "lanes-button", "aria-pressed": "false" });
const liveButton = button("Live data", "Plots, parameters and faults of the walk", () => showLive(Boolean(live.node.hidden)), { class: "live-button", "aria-pressed": "false" });

const hardness = [
  element("div", { class: "line" }, element("span", {}, "Difficulty"), difficulty),
  element("details", {}, element("summary", {}, "Parameters (m, rad, shares)"), values),
  element("div", { class: "line" }, element("span", {}, "Seed"), seed)];

const panel = element("aside", { class: "panel" },
  element("h3", {}, "Board"),
  element("div", { class: "line" }, element("span", {}, "Robot"), robot),
  element("div", { class: "line" }, element("span", {}, "Board"), kind),
  hardness[0], hardness[2], hardness[1],
  draw.node,
  stepsPart,
  overlays.node,
  element("h3", {}, "Walk"),
  element("div", { class: "line" }, way, walkButton, stopButton, endButton),
  element("div", { class: "line" }, element("span", {}, "Payload"), payload, "kg"),
  goalPart, steerPart, verdict, saved.node, events);

view.node.append(
  element("div", { class: "views" }, lanesButton, liveButton,
    button("Side", "Look from the side", () => view.look("side")), button("Behind", "Look from behind", () => view.look("behind")), button("Top", "Look from above", () => view.look("top"))),
  element("div", { class: "legends" }, overlays.legend, view.ahead.legend),
  told);

document.querySelector("#app")!.append(
  element("header", { class: "top" },
    element("h1", { class: "brand" }, "Andante studio"), element("a", { href: "./", title: "The page for motions" }, "Motions"), element("strong", {}, "Terrain"), element("a", { href: "experiments.html", title: "Experiments, and any two results compared" }, "Experiments"),
    element("span", { class: "gap" }), link,
    button("◐", "Light or dark", otherTheme, { "aria-label": "Light or dark" })),
  element("main", { class: "terrain" }, panel, element("div", { class: "walk-view" }, view.node, lanes.node), live.node));

restoreTheme();
keepFocus();
const repaint = () => (view.theme(), live.theme(), lanes.theme());
addEventListener("themed", repaint);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);

function showLive(shown: boolean): void {
  live.open(shown);
  document.querySelector("main.terrain")!.classList.toggle("with-live", shown);
  liveButton.classList.toggle("on", shown);
  liveButton.setAttribute("aria-pressed", String(shown));
}

function tell(text: string, bad = false): void {
  told.textContent = text;
  told.classList.toggle("bad", bad);
}

/** What has made the board and its footsteps as they are: another connection is another process, which does it again. */
let done: Without<AskedOfTerrain, "request">[] = [];
const BOARDS = ["board", "open_board", "level_board"];
const CHANGES = ["draw", "undo", "redo", "take", "foothold", "keep", "plan"];
const FOOTSTEPS = ["foothold", "keep", "plan"];
const MOST_DONE = 2000;

function noteDone(message: Without<AskedOfTerrain, "request">, answer: Message): void {
  if (BOARDS.includes(message.do)) done = [message];
  else if (CHANGES.includes(message.do) && answer.type !== "unreachable" && done.length < MOST_DONE) {
    // Footsteps that are searched take the place of all before.
    if (message.do === "plan" && message.search) done = done.filter((each) => !FOOTSTEPS.includes(each.do));
    done.push(message);
  }
}

async function ask(message: Without<AskedOfTerrain, "request">, busy = ""): Promise<Message | null> {
  state.busy = busy;
  if (busy) tell(busy);
  update();
  try {
    const answer = await connection.ask(message);
    noteDone(message, answer);
    if (busy) tell("");
    return answer;
  } catch (error) {
    tell((error as Error).message, true);
    return null;
  } finally {
    state.busy = "";
    update();
  }
}

// Board -----------------------------------------------------------------------------------------------------------

function showValues(): void {
  const found = state.choices?.boards.find((each) => each.name === kind.value);
  const share = Number(difficulty.value);
  values.replaceChildren(...Object.entries(found?.ranges ?? {}).flatMap(([name, [low, high]]) => [
    element("span", {}, name),
    element("input", { type: "number", step: "any", "data-value": name, placeholder: (low + share * (high - low)).toPrecision(3), "aria-label": name, change: () => void make() }),
    element("span", { class: "hint", title: "At difficulty 0 and 1" }, `${low} – ${high}`)]));
  kind.title = found?.what ?? "";
  for (const node of hardness) node.hidden = !Object.keys(found?.ranges ?? {}).length;
}

let boards = 0;
let made = { robot: "", kind: "" };

/** Make the board that is chosen, or a level one to draw on. */
async function make(level = false): Promise<void> {
  const wanted = { robot: robot.value, kind: kind.value };
  const leaves = await draw.leave();
  // While it is asked the robot may have been set on the drawn board, which then shows its name.
  const shown = leaves ? wanted : made;
  // A policy walks on the level floor.
  if (leaves && state.choices?.policies[wanted.robot] && !state.choices.robots[wanted.robot]) wanted.kind = "floor";
  [robot.value, kind.value] = [shown.robot, shown.kind];
  if (!leaves) return showValues();
  const given: Record<string, number> = {};
  for (const box of values.querySelectorAll<HTMLInputElement>("input")) if (box.value !== "") given[box.dataset.value!] = Number(box.value);
  const number = ++boards;
  const file = kind.value.startsWith(FILE) ? kind.value.slice(FILE.length) : "";
  const message: Without<AskedOfTerrain, "request"> = level ? { do: "level_board", robot: robot.value, ...draw.levelBoard }
    : file ? { do: "open_board", robot: robot.value, file }
    : { do: "board", robot: robot.value, board: kind.value, difficulty: Number(difficulty.value), seed: Number(seed.value), values: given };
  const answer = await ask(message, "making the board …");
  if (number !== boards) return;
  if (!answer) {
    // What is shown is still the board before.
    if (made.robot) [robot.value, kind.value] = [made.robot, made.kind];
    return showValues();
  }
  draw.fresh(file);
  draw.unsaved = false;
  made = wanted;
  enter(answer, false);
}

/** Make the board, its strokes and footsteps again; false: there are none, or not all could be made. */
async function again(): Promise<boolean> {
  const { unsaved } = draw;
  const wanted = done;
  done = [];
  for (const message of wanted) {
    const answer = await ask(message, "making the board again …");
    if (!answer) {
      if (unsaved) told.textContent += "; what was drawn is lost with it";
      return false;
    }
    if (BOARDS.includes(message.do) || message.do === "take") {
      draw.untaken = false;
      enter(answer, message.do === "take");
    } else if (message.do === "plan") planned(answer);
    else if (FOOTSTEPS.includes(message.do)) changed(answer);
    else draw.patched(answer);
  }
  draw.unsaved = unsaved;
  if (draw.untaken) draw.settle();
  return wanted.length > 0;
}

/** The robot stands on what was drawn or saved. */
function taken(answer: Message): void {
  if (answer.file && ![...kind.options].some(({ value }) => value === FILE + answer.file)) fileOptions([...state.choices!.files, answer.file as string]);
  if (answer.file) made.kind = kind.value = FILE + answer.file;
  showValues();
  enter(answer, true);
}

function enter(answer: Message, stay: boolean): void {
  const { board, ways } = answer as unknown as { board: Board; ways: string[] };
  Object.assign(state, { board, ways, chosen: null, plan: null, walking: "", steered: false, goal: null, arrived: null, verdict: null, refusal: null });
  view.setBoard(board, answer.robot as Robot, stay);
  draw.steps(answer);
  live.setRobot(answer.robot as Robot);
  if (answer.base) view.setPose([...(answer.base as number[]), 1, 0, 0, 0], answer.stand as number[]);
  else view.standAt(answer.start as Place, answer.stand as number[]);
  const before = way.value;
  const robotName = (answer.robot as Robot).name;
  const offered = ways.flatMap((name) => (name === "quadruped" ? [name, GOAL] : name === "policy" ? (state.choices?.policies[robotName] ?? []).map((each) => POLICY + each) : [name]));
  way.replaceChildren(...offered.map((name) => element("option", { value: name }, name.startsWith(POLICY) ? `policy ${name.slice(POLICY.length)}, steered` : WAYS[name] ?? name)));
  if (offered.includes(before)) way.value = before;
  if (state.board && way.value === GOAL && state.board.name !== "floor") setGoal(state.board.goal);
  twist.allow(null);
  events.replaceChildren();
  setFootsteps(answer.footsteps as Footsteps);
  void overlays.begin(board.layers, ways.includes("crawl"), ways.includes("crawl") ? ORDER : []);
}

function fileOptions(files: string[]): void {
  state.choices!.files = files;
  kind.querySelector("optgroup.files")?.remove();
  if (files.length) kind.append(element("optgroup", { label: "files of the workspace", class: "files" }, ...files.map((name) => element("option", { value: FILE + name }, name))));
}

// Footsteps -------------------------------------------------------------------------------------------------------

const ORDER = ["HR", "FR", "HL", "FL"];

function setFootsteps(footsteps: Footsteps): void {
  state.footsteps = footsteps;
  if (state.chosen !== null && state.chosen >= footsteps.steps.length) state.chosen = null;
  const last = footsteps.steps.at(-1)?.foot;
  foot.replaceChildren(...ORDER.map((name) => element("option", { value: name }, name)));
  foot.value = ORDER[(last ? ORDER.indexOf(last) + 1 : 0) % ORDER.length];
  view.setFootsteps(footsteps, state.chosen);
  overlays.legendNow();
  view.setHint(null);
  update();
}

async function plan(search: boolean): Promise<void> {
  const answer = await ask({ do: "plan", search }, "planning …");
  if (answer) planned(answer);
}

function planned(answer: Message): void {
  state.plan = answer;
  setFootsteps(answer.footsteps as Footsteps);
  overlays.changed();
  view.setWay(answer.way ? answer.way.com : null);
  overlays.legendNow();
  update();
}

async function keep(count: number): Promise<void> {
  const answer = await ask({ do: "keep", count: Math.max(count, 0) });
  if (answer) changed(answer);
}

function changed(answer: Message): void {
  state.plan = null;
  view.setWay(null);
  overlays.legendNow();
  overlays.changed();
  setFootsteps(answer.footsteps as Footsteps);
}

async function foothold(x: number, y: number): Promise<void> {
  if (!state.ways.includes("crawl") || state.walking || state.busy) return;
  const number = state.chosen ?? state.footsteps.steps.length;
  const answer = await ask({ do: "foothold", number, foot: foot.value, x, y });
  if (!answer) return;
  state.refusal = answer.type === "unreachable" ? answer : null;
  if (answer.type === "unreachable") {
    view.setHint({ asked: [x, y], nearest: answer.nearest });
    const where = answer.nearest ? `the nearest possible place is shown in green, x ${answer.nearest[0].toFixed(3)}, y ${answer.nearest[1].toFixed(3)} m` : "no place around is possible";
    tell(`Step ${number + 1} (${answer.foot}) is refused: ${answer.reason}; ${where}.`, true);
    return;
  }
  state.chosen = null;
  changed(answer);
  const place = state.footsteps.steps[number].place;
  tell(`Step ${number + 1} goes to x ${place[0].toFixed(3)}, y ${place[1].toFixed(3)} m.`);
}

view.onGround = (x, y) => {
  if (way.value === "crawl" || state.walking === "crawl") return void foothold(x, y);
  if (state.busy || (state.walking && !state.steered)) return;
  setGoal([x, y]);
  twist.stand();
};

function setGoal(place: [number, number] | null): void {
  state.goal = place;
  state.arrived = null;
  view.setGoal(place);
  wish();
  update();
}
view.arrowsTaken = () => state.steered;
view.onMoved = (x, y, height, pen) => tell(`${pen ? "Drawing at" : "At"} x ${x.toFixed(3)}, y ${y.toFixed(3)} m, ${(100 * height).toFixed(1)} cm high.`);
view.onFoothold = (number) => {
  if (state.walking) return;
  state.chosen = state.chosen === number ? null : number;
  view.setFootsteps(state.footsteps, state.chosen);
  tell(state.chosen === null ? "" : `Step ${number + 1} (${state.footsteps.steps[number].foot}): click where it shall go.`);
};

// Walking ---------------------------------------------------------------------------------------------------------

const held = new Set<string>();

async function walk(): Promise<void> {
  held.clear();
  state.verdict = null;
  state.gait = null;
  state.asked = "";
  events.replaceChildren();
  if (way.value === GOAL && !state.goal) return tell("Click the ground first: where shall the robot go?", true);
  const policy = way.value.startsWith(POLICY) ? way.value.slice(POLICY.length) : "";
  const controller = (policy ? "policy" : way.value === GOAL ? "quadruped" : way.value) as Walk["controller"];
  const answer = await ask({ do: "walk", controller, policy, goal: way.value === GOAL ? state.goal : null, payload: Number(payload.value) }, "getting ready …");
  if (!answer) return;
  state.walking = answer.controller as string;
  state.steered = answer.steered as boolean;
  state.arrived = null;
  view.beginWalk(answer.weight as number);
  lanes.begin(live.robot!, answer.run as number, true);
  twist.allow(state.steered ? answer.fastest as number[] | null : null);
  saved.ended(false);
  state.gaits = answer.gaits as string[];
  live.started(answer);
  view.follow = state.walking !== "crawl";
  gaits.replaceChildren(...(state.gaits.length ? [element("span", {}, "Gait")] : []), ...state.gaits.map((name, number) => button(`${number + 1} ${name}`, `Walk in the gait ${name} (${number + 1})`, () => choose(name))));
  (document.activeElement as HTMLElement | null)?.blur();
  update();
}

function choose(name: string): void {
  state.gait = name;
  wish();
}

function wish(over = false): void {
  if (!state.steered) return;
  const byHand = held.size || pad.wish.some((value) => value) || twist.wish.some((value) => value);
  if (byHand && state.goal) {
    state.goal = state.arrived = null;
    view.setGoal(null);
  }
  if (state.goal && !over) return connection.tell({ do: "wish", goal: state.goal, share: Number(speed.value), gait: state.gait });
  const asked = [...twist.wish];
  const share = Number(speed.value);
  pad.wish.forEach((value, axis) => (asked[axis] += share * value));
  for (const key of held) KEYS.get(key)!.forEach((value, axis) => (asked[axis] += share * value));
  const [forward, lateral, turn] = asked.map((value) => Math.max(-1, Math.min(1, value)));
  connection.tell({ do: "wish", forward, lateral, turn, gait: state.gait, over });
  // Nothing is asked any more of a walk that ends.
  if (over) state.steered = false;
  if (over) update();
}

const pad = new Pad({
  steer: () => wish(),
  gait: (step) => {
    const now = state.gaits.indexOf(state.gait ?? state.gaits[0]);
    if (state.walking && state.gaits.length) choose(state.gaits[(now + step + state.gaits.length) % state.gaits.length]);
  },
  end: () => state.steered && wish(true),
  named: () => update(),
});

addEventListener("keydown", (event) => {
  const key = event.key.toLowerCase();
  if (!state.steered || event.ctrlKey || event.metaKey || event.altKey) return;
  if ((event.target as HTMLElement).closest("select, input:not([type=range]):not([type=checkbox])")) return;
  if (KEYS.has(key)) {
    event.preventDefault();
    if (held.has(key)) return;
    held.add(key);
    wish();
  } else if (key === "q") wish(true);
  else if (key === "x") setGoal(null), twist.stand();
  else if (state.gaits[Number(key) - 1]) choose(state.gaits[Number(key) - 1]);
});
addEventListener("keyup", (event) => held.delete(event.key.toLowerCase()) && wish());
// What is asked ends some time after it was asked last, so that a page that hangs leaves the robot standing.
setInterval(() => (held.size || state.goal || [...pad.wish, ...twist.wish].some((value) => value)) && wish(), AGAIN);
// Keys that come up elsewhere are not told.
addEventListener("blur", () => {
  held.clear();
  wish();
});

function note(text: string, bad = false): void {
  events.append(element("li", { class: bad ? "bad" : "" }, text));
  while (events.childElementCount > 100) events.firstElementChild!.remove();
  events.scrollTop = events.scrollHeight;
}

connection.on("event", (message) => note(`${message.time.toFixed(2)} s  ${message.text}`));
connection.on("asked", (message) => {
  state.asked = message.text;
  update();
});
connection.on("arrived", (message) => {
  state.arrived = message;
  note(`${message.time.toFixed(2)} s  is at the goal, ${(100 * message.off).toFixed(0)} cm off`);
  update();
});
connection.on("ahead", (message) => view.setAhead(message));

/** A walk that was saved is shown on its ground, and its lanes come next. */
function opened(answer: Message): void {
  done = [];
  Object.assign(state, { board: answer.board, ways: [], walking: "", steered: false, goal: null, verdict: { type: "verdict", ...answer.verdict } });
  view.setBoard(answer.board as Board, answer.robot as Robot);
  live.setRobot(answer.robot as Robot);
  way.replaceChildren();
  lanes.begin(answer.robot as Robot, answer.run as number, false);
  showLanes(true);
  setFootsteps({ feet: [], steps: [], clicked: false });
  tell(`Saved walk ${answer.name}: choose a robot or a board to walk again.`);
}

function showLanes(shown: boolean): void {
  lanes.node.hidden = !shown;
  lanesButton.classList.toggle("on", shown);
  lanesButton.setAttribute("aria-pressed", String(shown));
}

for (const type of ["verdict", "broken"]) {
  connection.on(type, (message) => {
    state.walking = "";
    state.steered = false;
    view.endWalk();
    lanes.ended();
    twist.stand();
    twist.allow(null);
    saved.ended(type === "verdict");
    state.verdict = message;
    live.ended();
    update();
  });
}
connection.on("notice", (message) => tell(message.text, true));
connection.onBinary = (data) => {
  if (!live.robot) return;
  if (new DataView(data).getUint32(0, true) === LANES) {
    const rows = readLanes(data);
    lanes.take(rows);
    if (!state.walking && lanes.shown === 0) lanes.seek(0);
    return;
  }
  const pose = readPose(data, live.robot.joints.length);
  state.time = pose.time;
  view.setPose(pose.base, pose.joints);
  live.pose(pose);
  state.poses++;
};

// What is shown ---------------------------------------------------------------------------------------------------

function planWords(): (Node | string)[] {
  const { plan: made, footsteps } = state;
  const count = footsteps.steps.length;
  const kindOf = footsteps.clicked ? `${count} footsteps, clicked` : count ? `${count} footsteps, planned` : "No footsteps yet.";
  if (!made) return [element("p", {}, kindOf)];
  if (!made.way) return [element("p", {}, kindOf), element("p", { class: "bad" }, `Refused: ${made.reason}`)];
  const lines = [element("p", { class: "good" }, `${made.way.count} steps in ${made.way.duration.toFixed(2)} s, ${(100 * made.speed).toFixed(1)} cm/s, smallest margin ${(1000 * made.way.margin).toFixed(1)} mm`)];
  if (!made.whole) lines.push(element("p", { class: "bad" }, `A part of the way; from its end the robot plans anew: ${made.reason}`));
  return [element("p", {}, kindOf), ...lines];
}

function verdictWords(): (Node | string)[] {
  const { verdict: said } = state;
  if (state.walking) return [element("p", {}, state.steered ? `Steered: ${state.asked || "stands"}` : "Walking …")];
  if (!said) return [];
  if (said.type === "broken") return [element("p", { class: "bad" }, said.text)];
  const lines = [element("p", { class: said.verdict === "pass" ? "good" : "bad" }, `${String(said.verdict).toUpperCase()} after ${said.time.toFixed(2)} s${said.reasons.length ? `: ${said.reasons.join("; ")}` : ""}`)];
  if (said.walk) lines.push(element("p", {}, `${(100 * said.walk.speed).toFixed(1)} cm/s, ${said.walk.steps} footfalls, ${said.walk.misses} of ${said.walk.planned} missed, slip ${(100 * said.walk.slip).toFixed(1)} cm`));
  if (said.folder) lines.push(element("p", { class: "hint" }, `andante replay ${said.folder}`));
  return lines;
}

function update(): void {
  const { busy, walking, footsteps, ways } = state;
  const planned = ways.includes("crawl");
  stepsPart.hidden = !planned;
  draw.node.hidden = state.board?.name === "floor" || Boolean(walking);
  overlays.node.hidden = !state.board?.layers.length;
  overlays.heights();
  padText.textContent = pad.name ? `Gamepad: ${pad.name}` : "";
  for (const part of panel.querySelectorAll<HTMLInputElement>("select, input[type=number]")) part.disabled = Boolean(busy || walking);
  for (const part of stepsPart.querySelectorAll("button")) part.disabled = Boolean(busy || walking);
  stepsPart.querySelector<HTMLButtonElement>(".check-steps")!.hidden = !footsteps.clicked;
  for (const name of [".drop", ".clear"]) stepsPart.querySelector<HTMLButtonElement>(name)!.hidden = !footsteps.steps.length;
  planText.replaceChildren(...planWords());
  walkButton.hidden = Boolean(walking);
  walkButton.disabled = Boolean(busy) || !state.board || !way.value;
  stopButton.hidden = !walking;
  endButton.hidden = !state.steered;
  steerPart.hidden = walking ? !state.steered : way.value === "crawl" || way.value === GOAL || !way.value;
  goalPart.hidden = way.value === "crawl" || !way.value;
  const to = state.goal?.map((value) => value.toFixed(2)).join(", ");
  goalText.textContent = !to ? "No goal: click the ground." : state.arrived ? `At the goal ${to} m, ${(100 * state.arrived.off).toFixed(0)} cm off.` : `Goal: ${to} m.`;
  gaits.hidden = !walking;
  verdict.replaceChildren(...verdictWords());
}

connection.onState = async (open) => {
  link.textContent = open ? "" : "The server is gone; trying again…";
  if (!open) {
    state.walking = "";
    state.steered = false;
    view.endWalk();
    live.ended();
    update();
    return;
  }
  const answer = await ask({ do: "choices" }, "getting ready …");
  if (!answer) return;
  state.choices = answer as unknown as typeof state.choices;
  const first = !robot.options.length;
  if (first) {
    const names = [...new Set([...Object.keys(state.choices!.robots), ...Object.keys(state.choices!.policies)])];
    robot.append(...names.map((name) => element("option", { value: name }, name.split("/").at(-1)!)));
    kind.append(element("optgroup", { label: "generated" }, ...state.choices!.boards.map(({ name, what }) => element("option", { value: name, title: what }, name))));
    fileOptions(state.choices!.files);
    robot.value = (answer.first as string) || "littledog";
    kind.value = "rocks";
    showValues();
  }
  live.connected();
  if (first || !(await again())) {
    draw.unsaved = false;
    const why = told.classList.contains("bad") ? told.textContent! : "";
    await make();
    if (why) tell(why, true);
  }
  if (first) void offerRobots();
  void saved.fill();
};

/** Models and packs of the workspace and of packages; a moment later, as their files are looked through. */
async function offerRobots(): Promise<void> {
  const answer = await ask({ do: "robots" });
  const groups = new Map<string, HTMLElement>();
  for (const { source, title, where } of (answer?.robots ?? []) as { source: string; title: string; where: string }[]) {
    if (where === "shipped" || [...robot.options].some(({ value }) => value === source)) continue;
    if (!groups.has(where)) groups.set(where, element("optgroup", { label: where === "workspace" ? "files of the workspace" : where === "given" ? "of the command line" : `package ${where}` }));
    groups.get(where)!.append(element("option", { value: source }, title));
  }
  robot.append(...groups.values());
  if (answer?.note) robot.append(element("option", { disabled: true }, String(answer.note)));
}

connection.open();
update();
Object.assign(window, { terrain: { state, view, footColor, draw, overlays, live, lanes, twist, connection } });
