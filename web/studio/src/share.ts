// The page of one run, without a server: what was recorded, and physics in which the robot is pushed and a keyframe changed.
import * as three from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { stepOf } from "./axis";
import { button, element, select, spoken } from "./dom";
import { Envelope } from "./envelope";
import { Floor } from "./floor";
import { Pixels } from "./pixels";
import type { Robot } from "./protocol";
import { Robot3d } from "@andante/shared/robot3d";
import { unpackedFloats } from "@andante/shared/packed";
import { Physics, type PhysicsData, type PlayedKeyframe } from "./share_physics";
import { Traces } from "./traces";

interface Shared {
  title: string;
  seed: number;
  robot: Robot;
  rows: string;
  events: { time: number; kind: string; text: string }[];
  played: PlayedKeyframe[];
  physics: PhysicsData | null;
  why: string;
  verdict: string;
  reasons: string[];
}

const LEFT = 44;
const RIGHT = 14;
/** Height of the time axis, of its times and of its keyframes [px]. */
const HIGH = 172;
const TIMES = 15;
const PLAYED = 15;
const told = JSON.parse(document.getElementById("data")!.textContent!) as Shared;
const traces = new Traces(told.robot.joints.length, told.robot.feet.length);
/** What the robot does in the physics of this page. */
const here = new Traces(told.robot.joints.length, told.robot.feet.length);
let physics: Physics | null = null;
let live = false;
let playing = false;
let time = 0;
let speed = 1;

// The picture -----------------------------------------------------------------------------------------------------

three.Object3D.DEFAULT_UP.set(0, 0, 1);
const label = element("div", { class: "label", role: "status" });
const place = element("div", { class: "scene" }, label);
const scene = new three.Scene();
const camera = new three.PerspectiveCamera(38, 1, 0.01, 60);
camera.up.set(0, 0, 1);
camera.position.set(1.1, -1.1, 0.7);
const robot = new Robot3d(told.robot);
let renderer: three.WebGLRenderer | null = null;
let controls: OrbitControls | null = null;
const floor = new Floor();
let dirty = true;
try {
  renderer = new three.WebGLRenderer({ antialias: false, powerPreference: "low-power" });
  renderer.setPixelRatio(Math.min(devicePixelRatio, 1.5));
  place.append(renderer.domElement);
  controls = new OrbitControls(camera, renderer.domElement);
  controls.target.set(0, 0, 0.2);
  controls.addEventListener("change", () => (dirty = true));
} catch {
  label.textContent = "This browser draws no 3-D (WebGL is off).";
}
scene.add(new three.HemisphereLight(0xffffff, 0x8899aa, 2.2), floor.node, robot.root);
const sun = new three.DirectionalLight(0xffffff, 1.6);
sun.position.set(1, -1.5, 2.5);
scene.add(sun);
const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function colors(): void {
  scene.background = new three.Color(color("--scene"));
  floor.colors();
  dirty = true;
}

function show(): void {
  if (live && physics) {
    robot.setJoints(physics.joints());
    robot.setBase(physics.base());
  } else if (traces.count) {
    const row = traces.row(time);
    robot.setJoints(traces.measured(row));
    robot.setBase(traces.base(row));
  }
  const { position } = robot.bodies[told.robot.base];
  floor.below(position.x, position.y);
  dirty = true;
}

// Curves ------------------------------------------------------------------------------------------------------------

const canvas = element("canvas", { tabindex: 0, role: "slider", "aria-label": "Time", "aria-valuemin": 0 });
const pixels = new Pixels();
const curve = new Envelope();
let shownJoint = 0;
let layer = "";

function draw(): void {
  const [width, height] = [canvas.clientWidth, HIGH];
  const ratio = devicePixelRatio;
  if (!width) return;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = color("--panel");
  context.fillRect(0, 0, width, height);
  const end = Math.max(traces.end, 0.1);
  const scale = (width - LEFT - RIGHT) / end;
  const x = (at: number) => LEFT + at * scale;
  context.font = "11px system-ui, sans-serif";
  const every = stepOf(scale);
  for (let tick = 0; tick <= end + 1e-9; tick += every) {
    const name = `${Number(tick.toFixed(3))} s`;
    context.fillStyle = color("--line");
    context.fillRect(Math.round(x(tick)), 0, 1, height);
    context.fillStyle = color("--faint");
    if (x(tick) + 4 + context.measureText(name).width <= width) context.fillText(name, x(tick) + 4, 11);
  }
  told.played.forEach(({ begin, block, keyframe }, number) => {
    const to = told.played[number + 1]?.begin ?? end;
    context.fillStyle = color("--accent");
    context.globalAlpha = number === Number(keyframes.value) ? 0.9 : number % 2 ? 0.35 : 0.5;
    context.fillRect(x(begin), TIMES, Math.max((to - begin) * scale - 1, 1), PLAYED);
    context.globalAlpha = 1;
    if ((to - begin) * scale > 16) {
      context.fillStyle = color(number === Number(keyframes.value) ? "--panel" : "--text");
      context.fillText((to - begin) * scale > 90 ? `${spoken(block)} ${keyframe + 1}` : String(keyframe + 1), x(begin) + 3, TIMES + 11);
    }
  });
  const asked = traces.column("asked", shownJoint);
  const measured = traces.column("measured", shownJoint);
  const columns = canvas.width;
  const series = (from: Traces, column: number) => ({ count: from.count, time: (row: number) => from.time(row), value: (row: number) => from.at(row, column), row: (at: number) => from.row(at) });
  const curves = ([[traces, asked, color("--faint"), 1.2, 5], [traces, measured, color("--recorded"), 1.8, 0], [here, measured, color("--here"), 1.8, 0]] as const)
    .map(([from, column, tone, thick, dash]) => {
      const found = curve.begin(columns).series(series(from, column), -LEFT / scale, scale * ratio);
      return { low: found.low.slice(), high: found.high.slice(), range: found.range(), tone, thick, dash };
    });
  const ranges = curves.flatMap(({ range }) => range ?? []);
  const [low, high] = [Math.min(...ranges) - 0.05, Math.max(...ranges) + 0.05];
  const top = TIMES + PLAYED + 6;
  const y = (value: number) => top + (1 - (value - low) / (high - low)) * (height - top - 6);
  pixels.begin(columns, height * ratio);
  for (const each of curves) {
    curve.begin(columns);
    curve.low.set(each.low);
    curve.high.set(each.high);
    pixels.stroke(curve, (value) => y(value) * ratio, 0, height * ratio, each.tone, each.thick * ratio, each.dash);
  }
  context.drawImage(pixels.end(), 0, 0, width, height);
  context.fillStyle = color("--faint");
  const degrees = (value: number) => `${((value * 180) / Math.PI).toFixed(0)}°`;
  context.textAlign = "right";
  for (const [value, at] of [[high, top + 9], [(high + low) / 2, (top + height) / 2 + 1], [low, height - 3]]) context.fillText(degrees(value), LEFT - 6, at);
  context.textAlign = "left";
  context.fillStyle = color("--playhead");
  context.fillRect(x(Math.min(live && physics ? physics.time : time, end)), TIMES, 1.5, height - TIMES);
  canvas.setAttribute("aria-valuenow", time.toFixed(2));
  canvas.setAttribute("aria-valuemax", end.toFixed(2));
  canvas.setAttribute("aria-valuetext", `${time.toFixed(2)} of ${end.toFixed(2)} s`);
}

function seek(to: number): void {
  live = false;
  time = Math.min(Math.max(to, 0), traces.end);
  layer = "";
  update();
}

const timeAt = (event: PointerEvent) => ((event.offsetX - LEFT) * traces.end) / Math.max(canvas.clientWidth - LEFT - RIGHT, 1);
canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  playing = false;
  const at = () => seek(timeAt(event));
  at();
});
canvas.addEventListener("pointermove", (event) => {
  if (event.buttons & 1) seek(timeAt(event));
});
canvas.addEventListener("keydown", (event) => {
  const by = event.key === "ArrowRight" ? 0.05 : event.key === "ArrowLeft" ? -0.05 : 0;
  if (!by) return;
  event.preventDefault();
  playing = false;
  seek(time + by);
});

// The panel -----------------------------------------------------------------------------------------------------------

const play = button("▶ Play", "Play what was recorded", () => {
  if (live) return (playing = !playing), update();
  playing = !playing;
  if (playing && time >= traces.end - 0.01) time = 0;
  update();
});
const recorded = button("Recorded", "Show what was recorded", () => seek(0), { "aria-pressed": "true" });
const physical = button("Physics here", "Run the recorded commands in MuJoCo, in this browser", () => void begin(), { "aria-pressed": "false" });
const strength = element("input", { type: "range", min: 0.1, max: 1.5, step: 0.1, value: 0.5, "aria-label": "Strength of the push" });
const strong = element("output");
const pushes: [string, number, number][] = [["from behind", 1, 0], ["from the front", -1, 0], ["from its right", 0, 1], ["from its left", 0, -1]];
const keyframes = element("select", { "aria-label": "Keyframe", change: () => joints() });
const joint = element("select", { "aria-label": "Joint", change: () => slide() });
const shown = element("select", { "aria-label": "Joint of the curve", change: () => {
  shownJoint = Math.max(told.robot.joints.findIndex(({ name }) => name === shown.value), 0);
  update();
} }, ...told.robot.joints.map(({ name }) => element("option", { value: name }, name)));
const by = element("input", { type: "range", min: -40, max: 40, step: 1, value: 0, "aria-label": "Change of the angle" });
const changed = element("output");

/** From the least to the most that a joint measured [rad]. */
function reach(index: number): number {
  const column = traces.column("measured", index);
  let [low, high] = [Infinity, -Infinity];
  for (let row = 0; row < traces.count; row += 5) [low, high] = [Math.min(low, traces.at(row, column)), Math.max(high, traces.at(row, column))];
  return high - low;
}

function joints(): void {
  const played = told.played[Number(keyframes.value)];
  // Those that move most come first.
  const swing = new Map(told.robot.joints.map(({ name }, index) => [name, reach(index)]));
  const names = Object.keys(played?.joints ?? {}).sort((a, b) => swing.get(b)! - swing.get(a)!);
  joint.replaceChildren(...names.map((name) => element("option", { value: name }, name)));
  if (!names.length) shownJoint = told.robot.joints.reduce((most, { name }, index) => (swing.get(name)! > swing.get(told.robot.joints[most].name)! ? index : most), 0);
  if (played && !live) seek(played.begin + played.duration);
  slide();
}

function slide(): void {
  const change = physics?.changes.find((each) => each.played === Number(keyframes.value) && each.joint === joint.value);
  by.value = String(change ? Math.round((change.by * 180) / Math.PI) : 0);
  shown.value = joint.value || told.robot.joints[shownJoint].name;
  shownJoint = Math.max(told.robot.joints.findIndex(({ name }) => name === shown.value), 0);
  update();
}

async function begin(): Promise<void> {
  if (!told.physics) return;
  if (!physics) {
    label.textContent = "MuJoCo is being loaded…";
    try {
      physics = await Physics.load(told.physics, told.played, told.robot.joints.map(({ name }) => name));
    } catch (error) {
      label.textContent = `MuJoCo cannot be loaded here: ${(error as Error).message}`;
      return;
    }
  }
  physics.reset();
  here.count = 0;
  ahead = 0;
  live = playing = true;
  update();
}

async function push(x: number, y: number): Promise<void> {
  if (!live) await begin();
  physics?.shove(x, y, Number(strength.value));
}

by.addEventListener("input", () => void change());
async function change(): Promise<void> {
  if (!physics) await begin();
  if (!physics) return;
  const number = Number(keyframes.value);
  physics.changes = physics.changes.filter((each) => each.played !== number || each.joint !== joint.value);
  if (Number(by.value)) physics.changes.push({ played: number, joint: joint.value, by: (Number(by.value) * Math.PI) / 180 });
  update();
}

function update(): void {
  play.textContent = playing ? "❚❚ Pause" : "▶ Play";
  recorded.setAttribute("aria-pressed", String(!live));
  physical.setAttribute("aria-pressed", String(live));
  strong.textContent = `${Number(strength.value).toFixed(1)} m/s`;
  changed.textContent = `${Number(by.value) > 0 ? "+" : ""}${by.value}°`;
  if (!/MuJoCo/.test(label.textContent ?? "") || live) label.textContent = live ? `Physics here, ${physics!.time.toFixed(2)} s` : `Recorded, ${time.toFixed(2)} s`;
  show();
  layer = "";
}
strength.addEventListener("input", update);

let before = performance.now();
let ahead = 0;
function loop(now: number): void {
  requestAnimationFrame(loop);
  const passed = Math.min((now - before) / 1000, 0.1) * speed;
  before = now;
  if (playing && live && physics) {
    ahead += passed;
    const began = performance.now();
    while (ahead >= told.physics!.tick && performance.now() - began < 60) {
      physics.step();
      ahead -= told.physics!.tick;
      note();
    }
    // A computer that is too slow shows it slower, not jumping.
    ahead = Math.min(ahead, told.physics!.tick);
    if (physics.time > traces.end + 3) playing = false;
    update();
  } else if (playing) {
    time += passed;
    if (time >= traces.end) [time, playing] = [traces.end, false];
    update();
  }
  if (!layer) {
    layer = "drawn";
    draw();
  }
  if (dirty && renderer) {
    dirty = false;
    const [width, height] = [place.clientWidth, place.clientHeight];
    const size = renderer.getSize(new three.Vector2());
    if (size.x !== width || size.y !== height) {
      renderer.setSize(width, height, false);
      camera.aspect = width / Math.max(height, 1);
      camera.updateProjectionMatrix();
    }
    renderer.render(scene, camera);
  }
}

function note(): void {
  const row = new Float32Array(here.width);
  row[0] = physics!.time;
  row.set(physics!.base(), 1);
  row.set(physics!.joints(), here.column("measured", 0));
  here.add(row, here.width);
}

const physicsPanel = told.physics
  ? [
      element("h2", {}, "Push it"),
      element("div", { class: "row" }, strength, strong),
      element("div", { class: "row" }, ...pushes.map(([text, x, y]) => button(text, `Push the trunk ${text}: a change of speed within a tenth of a second`, () => void push(x, y)))),
      ...(told.played.length
        ? [element("h2", {}, "Change a keyframe"), element("div", { class: "row" }, keyframes, joint), element("div", { class: "row" }, by, changed),
           element("div", { class: "row" }, button("Run it", "From the beginning, with the change", () => void begin()), button("As it was", "Without any change", () => {
             if (physics) physics.changes = [];
             slide();
           }))]
        : []),
      element("p", { class: "hint" }, "Physics here is MuJoCo 3.14.0 in your browser. It plays the recorded motor commands with your change; the controller's feedback, noise and the verdict are those of Andante only. This is simulation."),
    ]
  : [element("p", { class: "hint" }, `Only what was recorded: ${told.why}.`)];

const legend = [["asked", "asked"], ["recorded", "recorded"], ...(told.physics ? [["here", "physics here"]] : []), ...(told.played.length ? [["played", "keyframes as they were played"]] : [])];
document.getElementById("app")!.replaceChildren(
  element("header", {}, element("h1", {}, told.title), element("span", {}, `${told.robot.title}, seed ${told.seed}`),
    element("span", { class: told.verdict || "hint" }, told.verdict ? told.verdict.toUpperCase() : "not judged here"), element("span", { class: "hint" }, told.reasons.join("; "))),
  element("main", {}, place,
    element("aside", { "aria-label": "What to do" },
      element("div", { class: "row", role: "group", "aria-label": "What is shown" }, recorded, physical),
      element("div", { class: "row" }, play, select([["0.25", "¼ ×"], ["0.5", "½ ×"], ["1", "1 ×"], ["2", "2 ×"]], "1", (value) => (speed = Number(value)), { "aria-label": "Speed", title: "Speed" })),
      ...physicsPanel),
    element("section", { class: "time", "aria-label": "Time axis" },
      element("div", { class: "row curve" }, element("label", {}, "Angle of ", shown), ...legend.map(([name, text]) => element("span", { class: "key" }, element("i", { class: name }), text))),
      canvas)));
physical.disabled = !told.physics;
keyframes.append(...told.played.map(({ block, keyframe }, number) => element("option", { value: number }, `${spoken(block)} ${keyframe + 1}`)));
colors();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (colors(), (layer = "")));
new ResizeObserver(() => ((dirty = true), (layer = ""))).observe(place);
void unpackedFloats(told.rows).then((rows) => {
  traces.add(rows, traces.width);
  joints();
  seek(0);
  Object.assign(window, { share: { told, traces, here, begin, push, physics: () => physics, seek, time: () => time } });
});
requestAnimationFrame(loop);
