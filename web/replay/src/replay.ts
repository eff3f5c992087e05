// The replay of one run, or of two runs one over the other: a canvas with a play button, a slider for time and a speed.
import { Color, DirectionalLight, Fog, HemisphereLight, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Poses } from "./poses";
import type { RecordedRun } from "./recorded";
import { buildScene, type Look } from "./scene";

const LOOKS: Record<"light" | "dark", Omit<Look, "square" | "wide">> = {
  light: { sky: "#e9eef4", floor: ["#dfe4eb", "#cdd5de"], below: "#b8bcc6", ambient: 2.2, sun: 1.6 },
  dark: { sky: "#161b22", floor: ["#39424e", "#2e3641"], below: "#555a66", ambient: 1.8, sun: 1.5 },
};
const MOST_POINTS = 250_000;
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5];

/** Whether WebGL is drawn by the processor, where smooth edges cost too much; null where there is none. */
function drawnInSoftware(): boolean | null {
  const probe = document.createElement("canvas").getContext("webgl2");
  if (!probe) return null;
  const info = probe.getExtension("WEBGL_debug_renderer_info");
  const name = info ? String(probe.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  probe.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|softpipe/i.test(name);
}

function element<T extends keyof HTMLElementTagNameMap>(tag: T, parent: Element, properties: object = {}): HTMLElementTagNameMap[T] {
  const made = Object.assign(document.createElement(tag), properties);
  parent.append(made);
  return made;
}

interface Options {
  /** Whether the page is dark. */
  dark?: boolean;
  /** Is told of every change of time that comes from the replay itself. */
  onTime?: (time: number, playing: boolean) => void;
}

export interface Replay {
  setTime(moment: number): void;
  play(): void;
  pause(): void;
  home(): void;
  begin: number;
  end: number;
  readonly time: number;
  readonly playing: boolean;
  readonly frames: number;
}

/** Shows one or two runs in an element; null where the browser has no WebGL. */
export function create(host: Element, runs: RecordedRun[], { dark = false, onTime = () => {} }: Options = {}): Replay | null {
  const software = drawnInSoftware();
  if (software === null) return null;
  const size = Math.max(runs[0].size, 0.05);
  const look: Look = { ...(dark ? LOOKS.dark : LOOKS.light), square: size > 0.7 ? 0.2 : size > 0.15 ? 0.1 : 0.05, wide: 120 * size };
  const renderer = new WebGLRenderer({ antialias: !software, powerPreference: "low-power" });
  const scene = new Scene();
  scene.background = new Color(look.sky);
  scene.fog = new Fog(look.sky, 12 * size, 40 * size);
  scene.add(new HemisphereLight("#ffffff", look.below, look.ambient));
  const sun = new DirectionalLight("#ffffff", look.sun);
  sun.position.set(1, -1.5, 3);
  scene.add(sun);
  const shown = runs.map((data, index) => {
    const { still, bodies } = buildScene(data, look, { ghost: index > 0 });
    scene.add(still, ...bodies);
    return { poses: new Poses(data), bodies, follow: data.follow };
  });
  const begin = Math.min(...shown.map((run) => run.poses.begin)), end = Math.max(...shown.map((run) => run.poses.end));

  const box = element("div", host, { className: "replay", tabIndex: 0 });
  box.append(renderer.domElement);
  renderer.domElement.setAttribute("aria-label", "3-D replay of the run: drag to turn, wheel to zoom");
  const bar = element("div", box, { className: "replay-bar" });
  const button = element("button", bar, { type: "button" });
  const slider = element("input", bar, { type: "range", min: begin, max: end, step: "any", value: begin, title: "Time" });
  const label = element("output", bar);
  const speed = element("select", bar, { title: "Speed" });
  for (const value of SPEEDS) element("option", speed, { value, textContent: `${value} ×`, selected: value === 1 });
  const choice = element("label", bar);
  const follow = element("input", choice, { type: "checkbox", checked: true });
  choice.append(" follow");

  const camera = new PerspectiveCamera(30, 2, size / 50, 80 * size);
  camera.up.set(0, 0, 1);
  const controls = new OrbitControls(camera, renderer.domElement);
  controls.maxPolarAngle = 0.55 * Math.PI;
  const middle = new Vector3(), before = new Vector3(), way = new Vector3();
  let time = begin, playing = false, due = false, last = 0, frames = 0;

  function pose(): void {
    for (const { poses, bodies } of shown) {
      const [row, share] = poses.at(time);
      bodies.forEach((body, index) => poses.place(index, row, share, body.position, body.quaternion));
    }
    middle.copy(shown[0].bodies[shown[0].follow].position);
  }
  function home(): void {
    pose();
    controls.target.set(middle.x, middle.y, Math.max(0.75 * middle.z, middle.z - 0.5 * size, 0.35 * size));
    camera.position.copy(controls.target).add(new Vector3(1.5, -1.5, 0.7).multiplyScalar(size + 0.05));
    before.copy(middle);
    controls.update();
  }
  function draw(now: number): void {
    due = false;
    if (playing) {
      time += Number(speed.value) * Math.min(Math.max(now - last, 0) / 1000, 0.5);
      last = now;
      if (time >= end) { time = end; pause(); }
      onTime(time, playing);
    }
    pose();
    if (follow.checked) {
      // Up and down the camera goes only where the ground does, so that a robot that rises is seen to rise.
      const height = Math.min(Math.max(controls.target.z, middle.z - 0.6 * size), middle.z + 0.6 * size);
      way.set(middle.x - before.x, middle.y - before.y, height - controls.target.z);
      controls.target.add(way);
      camera.position.add(way);
    }
    before.copy(middle);
    camera.lookAt(controls.target);
    renderer.render(scene, camera);
    frames += 1;
    slider.value = String(time);
    label.textContent = `${time.toFixed(2)} s`;
    if (playing) ask();
  }
  function ask(): void {
    if (due) return;
    due = true;
    requestAnimationFrame(draw);
  }
  function pause(): void {
    playing = false;
    button.textContent = "▶";
    button.title = "Play (space)";
  }
  function play(): void {
    if (time >= end) time = begin;
    playing = true;
    last = performance.now();
    button.textContent = "❚❚";
    button.title = "Pause (space)";
    ask();
  }
  // Shows a moment; whoever asks for it knows it, so nobody is told.
  function setTime(moment: number): void {
    time = Math.min(Math.max(moment, begin), end);
    ask();
  }
  function moved(moment: number): void {
    pause();
    setTime(moment);
    onTime(time, false);
  }
  function fit(): void {
    const width = box.clientWidth, height = Math.round(Math.min(Math.max(0.4 * width, 240), 440));
    if (!width) return;
    // The processor draws each point by itself: fewer of them are more pictures per second.
    renderer.setPixelRatio(software ? Math.min(1, Math.sqrt(MOST_POINTS / (width * height))) : Math.min(devicePixelRatio, 2));
    renderer.setSize(width, height);
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    ask();
  }
  button.onclick = () => (playing ? pause() : play());
  slider.oninput = () => moved(Number(slider.value));
  controls.addEventListener("change", ask);
  box.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
    if (event.target !== box && event.target !== renderer.domElement && event.key === " ") return;
    if (event.key === " ") button.click();
    else if (step) moved(time + step / 30);
    else return;
    event.preventDefault();
  });
  pause();
  new ResizeObserver(fit).observe(box);
  home();
  fit();
  return {
    setTime, play, pause, home, begin, end,
    get time() { return time; },
    get playing() { return playing; },
    get frames() { return frames; },
  };
}
