// The board in 3-D: height field, footsteps, the way of the body, the robot. Drawn only when something changed.
import * as three from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { element } from "./dom";
import { cleared, flag } from "./flag";
import { Floor } from "./floor";
import { GroundKeys } from "./ground_keys";
import { Robot3d } from "@andante/shared/robot3d";
import { bytes } from "@andante/shared/packed";
import type { Message, Robot } from "./protocol";
import { Ahead } from "./walk_ahead";

export type Place = [number, number, number];
export type Board = {
  name: string; shape: [number, number]; origin: [number, number]; spacing: number; heights: string; layers: [string, string][];
  start: [number, number]; goal: [number, number]; scale: number; values: Record<string, number>;
};
export type Footsteps = { feet: Place[]; steps: { foot: string; place: Place }[]; clicked: boolean };

/** What the ground is painted with: bytes 0 to 250 from low to high, 255 without a value. */
export type Layer = { layer: string; title: string; values: string; low: number; high: number; unit: string; none: string; marks: string[]; worse: boolean };

/** Corners f4 and triangles u4 as bytes in base64. */
export type Surface = { vertices: string; triangles: string };

/** The colors of feet in every picture of Andante (docs/conventions.md). */
const COLORS: Record<string, number> = { FL: 0xd55e00, FR: 0x0072b2, HL: 0xe69f00, HR: 0x56b4e9 };
export const PLANNED = 0x7a4df0;
export const START = 0x1a9850;
export const GOAL = 0xd62728;
export const GENERATED = 0x009e73;
export const REACH = 0xcc79a7;
const NONE = 255;
const MARKS = [0x3fb6a8, 0xd9a441];

function scaled(share: number, layer: Layer | null): three.Color {
  const color = new three.Color();
  if (!layer) return color.setHSL(0.1 + 0.02 * share, 0.25, 0.4 + 0.4 * share, three.SRGBColorSpace);
  if (layer.marks.length) return color.setHex(MARKS[Math.round(share * (MARKS.length - 1))], three.SRGBColorSpace);
  return color.setHSL(0.36 * (layer.worse ? 1 - share : share), 0.7, 0.55, three.SRGBColorSpace);
}

/** Color of a share of a layer's scale, for its legend; without a layer that of heights. */
export const scaleColor = (share: number, layer: Layer | null): string => `#${scaled(share, layer).getHexString()}`;

const css = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export const footColor = (foot: string): number => COLORS[foot] ?? 0x777777;

export class Terrain3d {
  readonly node = element("div", { class: "scene" });
  private renderer: three.WebGLRenderer | null = null;
  private scene = new three.Scene();
  private camera = new three.PerspectiveCamera(40, 1, 0.01, 80);
  private controls: OrbitControls | null = null;
  private ground: three.Mesh | null = null;
  private heights = new Float32Array();
  private board: Board | null = null;
  private robot: Robot3d | null = null;
  private marks = new three.Group();
  private way = new three.Group();
  private ends = new three.Group();
  private hint = new three.Group();
  private stances = new three.Group();
  private reach: three.Mesh | null = null;
  private ring: three.LineLoop | null = null;
  private hover: [number, number] | null = null;
  private tool = false;
  private pressed = false;
  private discs: three.Mesh[] = [];
  private dirty = true;
  /** In place of ground that is level everywhere. */
  private floor = new Floor(4);
  private followed: three.Vector3 | null = null;
  /** What a walk that goes on shows. */
  readonly ahead = new Ahead(footColor);
  /** The view goes along with the robot. */
  follow = false;
  frames = 0;
  layer: Layer | null = null;
  /** Least and largest height [m]. */
  range: [number, number] = [0, 0];
  /** Radius of the ring around the mouse while something is drawn; 0: none [m]. */
  brush = 0;
  onStroke: (kind: "begin" | "more" | "end", place: [number, number]) => void = () => {};
  onFoothold: (number: number) => void = () => {};
  onGround: (x: number, y: number) => void = () => {};
  /** Where keys have put the place that is pointed at, and whether it draws. */
  onMoved: (x: number, y: number, height: number, pen: boolean) => void = () => {};
  /** Whether arrows are not for the ground now. */
  arrowsTaken: () => boolean = () => false;
  private keys: GroundKeys | null = null;

  constructor() {
    three.Object3D.DEFAULT_UP.set(0, 0, 1);
    this.camera.up.set(0, 0, 1);
    try {
      this.renderer = new three.WebGLRenderer({ antialias: false, powerPreference: "low-power" });
    } catch {
      this.node.append(element("p", { class: "missing" }, "This browser draws no 3-D (WebGL is off)."));
      return;
    }
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 1.5));
    this.node.append(this.renderer.domElement);
    const sun = new three.DirectionalLight(0xffffff, 1.8);
    sun.position.set(-1, -1.5, 2);
    this.scene.add(new three.HemisphereLight(0xffffff, 0x8899aa, 1.6), sun, this.floor.node, this.marks, this.way, this.ends, this.hint, this.stances, this.ahead.group);
    const canvas = this.renderer.domElement;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.draw());
    let down = [0, 0];
    canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    canvas.addEventListener("click", (event) => {
      // A drag turns the view.
      if (!this.tool && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4) this.click(event);
    });
    canvas.addEventListener("pointerdown", (event) => {
      const at = this.tool && event.button === 0 ? this.under(event) : null;
      if (!at) return;
      this.pressed = true;
      canvas.setPointerCapture(event.pointerId);
      this.onStroke("begin", at);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!this.tool) return;
      this.hover = this.under(event);
      this.draw();
      if (this.pressed && this.hover) this.onStroke("more", this.hover);
    });
    for (const name of ["pointerup", "pointercancel"] as const) canvas.addEventListener(name, () => {
      if (this.pressed) this.onStroke("end", this.hover ?? [0, 0]);
      this.pressed = false;
    });
    canvas.addEventListener("pointerleave", () => {
      this.hover = null;
      this.draw();
    });
    this.keys = new GroundKeys(canvas, {
      camera: this.camera,
      middle: () => this.hover ?? this.middle(),
      edges: () => this.edges(),
      spacing: () => this.board?.spacing ?? 0.01,
      tool: () => this.tool,
      taken: () => this.arrowsTaken(),
      move: (place, pen) => {
        this.hover = place;
        if (pen) this.onStroke("more", place);
        this.onMoved(...place, this.height(...place), pen);
        this.draw();
      },
      pen: (down, place) => this.onStroke(down ? "begin" : "end", place),
      click: (place) => this.clickAt(place),
    });
    new ResizeObserver(() => this.resize()).observe(this.node);
    const loop = () => {
      requestAnimationFrame(loop);
      if (this.dirty) this.render();
    };
    loop();
    this.theme();
  }

  draw(): void {
    this.dirty = true;
  }

  theme(): void {
    this.scene.background = new three.Color(css("--scene"));
    this.floor.colors();
    this.draw();
  }

  /** Show a board; the view stays where it is for one that was drawn on. */
  setBoard(board: Board, robot: Robot, stay = false): void {
    this.board = board;
    this.heights = new Float32Array(bytes(board.heights));
    const [nx, ny] = board.shape;
    const places = new Float32Array(3 * nx * ny);
    for (let i = 0; i < nx; i++) {
      for (let j = 0; j < ny; j++) {
        const k = i * ny + j;
        places.set([board.origin[0] + i * board.spacing, board.origin[1] + j * board.spacing, this.heights[k]], 3 * k);
      }
    }
    const corners = new Uint32Array(6 * (nx - 1) * (ny - 1));
    let at = 0;
    for (let i = 0; i + 1 < nx; i++) {
      for (let j = 0; j + 1 < ny; j++) {
        const k = i * ny + j;
        corners.set([k, k + ny, k + 1, k + 1, k + ny, k + ny + 1], at);
        at += 6;
      }
    }
    this.ground?.removeFromParent();
    this.ground?.geometry.dispose();
    const geometry = new three.BufferGeometry();
    geometry.setAttribute("position", new three.BufferAttribute(places, 3));
    geometry.setAttribute("color", new three.BufferAttribute(new Float32Array(3 * nx * ny), 3));
    geometry.setIndex(new three.BufferAttribute(corners, 1));
    geometry.computeVertexNormals();
    this.ground = new three.Mesh(geometry, new three.MeshLambertMaterial({ vertexColors: true, side: three.DoubleSide }));
    this.scene.add(this.ground);
    this.robot?.dispose();
    this.robot = new Robot3d(robot);
    this.scene.add(this.robot.root);
    cleared(this.ends);
    for (const [place, color] of [[board.start, START], [board.goal, GOAL]] as const) {
      if (board.start[0] === board.goal[0] && board.start[1] === board.goal[1]) break;
      const end = flag(color === START ? "start" : "goal", color, 0.24 * board.scale);
      end.position.set(...place, this.height(...place));
      this.ends.add(end);
    }
    this.floor.node.visible = this.level;
    this.ground.visible = !this.level;
    this.followed = null;
    this.ahead.clear();
    this.setGoal(null);
    this.setWay(null);
    this.setHint(null);
    this.paint(null);
    if (!stay) this.fit();
  }

  /** Whether it is the level floor, of four corners. */
  private get level(): boolean {
    return this.board?.shape[0] === 2 && this.board.shape[1] === 2;
  }

  /** Heights of a rectangle of the board have changed. */
  patch(i: number, j: number, [n, m]: [number, number], text: string): void {
    if (!this.board || !this.ground) return;
    const heights = new Float32Array(bytes(text));
    const places = this.ground.geometry.getAttribute("position") as three.BufferAttribute;
    for (let a = 0; a < n; a++) {
      for (let b = 0; b < m; b++) {
        const k = (i + a) * this.board.shape[1] + j + b;
        this.heights[k] = heights[a * m + b];
        places.setZ(k, this.heights[k]);
      }
    }
    places.needsUpdate = true;
    this.ground.geometry.computeVertexNormals();
    this.ground.geometry.computeBoundingSphere();
    this.paint(null);
  }

  /** The left button draws, the right one turns the view. */
  setTool(on: boolean): void {
    this.keys?.lift();
    this.tool = on;
    this.hover = null;
    if (this.controls) this.controls.mouseButtons = { LEFT: on ? null : three.MOUSE.ROTATE, MIDDLE: three.MOUSE.DOLLY, RIGHT: on ? three.MOUSE.ROTATE : three.MOUSE.PAN };
    this.node.classList.toggle("drawing", on);
    this.draw();
  }

  /** Rectangles of hips: of the plan, and of the stance generator. */
  setStances(planned: Place[][], generated: Place[][]): void {
    this.stances.clear();
    for (const [loops, color] of [[planned, PLANNED], [generated, GENERATED]] as const) {
      if (!loops.length) continue;
      const points = loops.flatMap((loop) => loop.flatMap((place, at) => [new three.Vector3(...place), new three.Vector3(...loop[(at + 1) % loop.length])]));
      this.stances.add(new three.LineSegments(new three.BufferGeometry().setFromPoints(points), new three.LineBasicMaterial({ color })));
    }
    this.draw();
  }

  get stanceLines(): number {
    return this.stances.children.length;
  }

  get reachShown(): boolean {
    return this.reach !== null;
  }

  /** The surface of a reachable volume. */
  setReach(found: Surface | null): void {
    this.reach?.removeFromParent();
    this.reach?.geometry.dispose();
    this.reach = null;
    if (found) {
      const geometry = new three.BufferGeometry();
      geometry.setAttribute("position", new three.BufferAttribute(new Float32Array(bytes(found.vertices)), 3));
      geometry.setIndex(new three.BufferAttribute(new Uint32Array(bytes(found.triangles)), 1));
      geometry.computeVertexNormals();
      this.reach = new three.Mesh(geometry, new three.MeshLambertMaterial({ color: REACH, transparent: true, opacity: 0.45, side: three.DoubleSide, depthWrite: false }));
      this.scene.add(this.reach);
    }
    this.draw();
  }

  /** Color the ground by a layer, or by height. */
  paint(layer: Layer | null): void {
    this.layer = layer;
    if (!this.board || !this.ground) return;
    const colors = this.ground.geometry.getAttribute("color") as three.BufferAttribute;
    const values = layer ? new Uint8Array(bytes(layer.values)) : null;
    let low = Infinity;
    let high = -Infinity;
    for (const height of this.heights) {
      if (height < low) low = height;
      if (height > high) high = height;
    }
    this.range = [low, high];
    const table = Array.from({ length: 251 }, (_, at) => scaled(at / 250, layer));
    const none = new three.Color().setRGB(0.3, 0.3, 0.33, three.SRGBColorSpace);
    for (let k = 0; k < this.heights.length; k++) {
      const share = high > low ? (this.heights[k] - low) / (high - low) : 0.5;
      const color = values ? (values[k] === NONE ? none : table[values[k]]) : table[Math.round(250 * share)];
      colors.setXYZ(k, color.r, color.g, color.b);
    }
    colors.needsUpdate = true;
    this.draw();
  }

  /** Feet whose steps are drawn, each in its color. */
  feetShown: string[] = [];

  setFootsteps(footsteps: Footsteps, chosen: number | null): void {
    this.marks.clear();
    this.discs = [];
    this.feetShown = [...new Set(footsteps.steps.map(({ foot }) => foot))].sort();
    const radius = 0.012 * (this.board?.scale ?? 1);
    const geometry = new three.CylinderGeometry(radius, radius, 0.15 * radius, 20).rotateX(Math.PI / 2);
    for (const [number, { foot, place }] of footsteps.steps.entries()) {
      const disc = new three.Mesh(geometry, new three.MeshBasicMaterial({ color: number === chosen ? 0xffe000 : footColor(foot) }));
      disc.position.set(place[0], place[1], place[2] + 0.2 * radius);
      if (number === chosen) disc.scale.setScalar(1.5);
      disc.userData.number = number;
      this.discs.push(disc);
      this.marks.add(disc);
    }
    for (const place of footsteps.feet) {
      const ring = new three.Mesh(new three.RingGeometry(0.7 * radius, radius, 20), new three.MeshBasicMaterial({ color: 0x808890, side: three.DoubleSide }));
      ring.position.set(place[0], place[1], place[2] + 0.2 * radius);
      this.marks.add(ring);
    }
    this.draw();
  }

  /** Whether begin and goal are marked. */
  get marked(): boolean {
    return this.ends.children.length > 0;
  }

  get wayShown(): boolean {
    return this.way.children.length > 0;
  }

  setWay(com: Place[] | null): void {
    cleared(this.way);
    if (com && com.length > 1) {
      const path = new three.CatmullRomCurve3(com.map((place) => new three.Vector3(...place)));
      const parts = Math.min(2 * com.length, 1200);
      this.way.add(new three.Mesh(new three.TubeGeometry(path, parts, 0.0045 * (this.board?.scale ?? 1), 6), new three.MeshBasicMaterial({ color: PLANNED })));
    }
    this.draw();
  }

  /** A refused place (red) and the nearest possible one (green). */
  setHint(hint: { asked: [number, number]; nearest: Place | null } | null): void {
    this.hint.clear();
    if (hint) {
      const radius = 0.014 * (this.board?.scale ?? 1);
      const put = (place: Place, color: number) => {
        const ring = new three.Mesh(new three.TorusGeometry(radius, 0.22 * radius, 8, 24), new three.MeshBasicMaterial({ color }));
        ring.position.set(place[0], place[1], place[2] + 0.3 * radius);
        this.hint.add(ring);
      };
      put([...hint.asked, this.height(...hint.asked)], 0xd62728);
      if (hint.nearest) put(hint.nearest, 0x1a9850);
    }
    this.draw();
  }

  setPose(base: ArrayLike<number>, joints: ArrayLike<number>): void {
    this.robot?.setJoints(joints);
    this.robot?.setBase(base);
    const at = new three.Vector3(base[0], base[1], 0);
    this.floor.below(base[0], base[1]);
    if (this.follow && this.controls && this.followed) {
      const moved = at.clone().sub(this.followed);
      this.camera.position.add(moved);
      this.controls.target.add(moved);
      this.controls.update();
    }
    this.followed = at;
    this.ahead.follow();
    this.draw();
  }

  /** Stand the robot on its feet at a place, for robots whose place the server does not tell. */
  standAt([x, y, z]: Place, joints: ArrayLike<number>): void {
    if (!this.robot) return;
    this.robot.setJoints(joints);
    this.robot.stand(true);
    this.robot.root.position.set(x, y, z);
    this.floor.below(x, y);
    this.draw();
  }

  /** A walk begins, of a robot that weighs so much [N]. */
  beginWalk(weight: number): void {
    if (this.robot) this.ahead.begin(this.robot, weight);
    this.draw();
  }

  endWalk(): void {
    this.ahead.clear();
    this.draw();
  }

  /** Forces, footholds and the way of the body. */
  setAhead(message: Message): void {
    this.ahead.take(message);
    this.draw();
  }

  /** Where the robot shall go; null: nowhere. */
  setGoal(place: [number, number] | null): void {
    this.ahead.setGoal(place && [...place, this.height(...place)], 0.3 * Math.max(this.board?.scale ?? 1, 0.5));
    this.draw();
  }

  height(x: number, y: number): number {
    if (!this.board) return 0;
    const [nx, ny] = this.board.shape;
    const clamp = (value: number, most: number) => Math.min(Math.max(Math.round(value), 0), most);
    const i = clamp((x - this.board.origin[0]) / this.board.spacing, nx - 1);
    const j = clamp((y - this.board.origin[1]) / this.board.spacing, ny - 1);
    return this.heights[i * ny + j];
  }

  /** Where a place is on the page [CSS pixels of the canvas]. */
  onPage(x: number, y: number, z: number): [number, number] {
    // The camera may have moved since the last picture.
    this.camera.updateMatrixWorld();
    const at = new three.Vector3(x, y, z).project(this.camera);
    return [((at.x + 1) / 2) * this.node.clientWidth, ((1 - at.y) / 2) * this.node.clientHeight];
  }

  look(kind: "side" | "top" | "behind"): void {
    if (!this.board || !this.controls) return;
    const { board } = this;
    const length = Math.max((board.shape[0] - 1) * board.spacing, (board.shape[1] - 1) * board.spacing);
    const middle = new three.Vector3(board.origin[0] + 0.5 * (board.shape[0] - 1) * board.spacing, board.origin[1] + 0.5 * (board.shape[1] - 1) * board.spacing, 0);
    // On wide ground what matters is around the robot.
    if (length > 4) middle.set(this.followed?.x ?? board.start[0], this.followed?.y ?? board.start[1], 0);
    const high = this.robot?.bodies[this.robot.robot.base].getWorldPosition(new three.Vector3()).z ?? 0.3;
    // From above there is ground to click; else a robot on wide ground is seen as large as on a board.
    const wide = length > 4 && kind !== "top" ? Math.min(3.5, Math.max(0.9, 6 * high)) : 3.5;
    const far = Math.min(length, wide) * 0.95 * Math.max(1, 1.75 / this.camera.aspect);
    const from = { side: [-0.25, -0.85, 0.6], top: [0, -0.01, 1.15], behind: [-0.9, 0, 0.45] }[kind];
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).add(new three.Vector3(...(from as Place)).multiplyScalar(far));
    this.controls.update();
    this.draw();
  }

  fit(): void {
    this.look("side");
  }

  private ray(event: MouseEvent): three.Raycaster {
    const ray = new three.Raycaster();
    this.camera.updateMatrixWorld();
    ray.setFromCamera(new three.Vector2((event.offsetX / this.node.clientWidth) * 2 - 1, 1 - (event.offsetY / this.node.clientHeight) * 2), this.camera);
    return ray;
  }

  /** The place of the ground under the mouse. */
  private under(event: MouseEvent): [number, number] | null {
    const hit = this.ground ? this.ray(event).intersectObject(this.ground, false)[0] : undefined;
    return hit ? [hit.point.x, hit.point.y] : null;
  }

  private click(event: MouseEvent): void {
    const disc = this.ray(event).intersectObjects(this.discs, false)[0];
    if (disc) return this.onFoothold(disc.object.userData.number as number);
    const at = this.under(event);
    if (at) this.onGround(...at);
  }

  private edges(): [number, number, number, number] {
    if (!this.board) return [0, 0, 0, 0];
    const { origin: [x, y], shape: [nx, ny], spacing } = this.board;
    return [x, x + (nx - 1) * spacing, y, y + (ny - 1) * spacing];
  }

  private middle(): [number, number] {
    const [low, high, right, left] = this.edges();
    return [(low + high) / 2, (right + left) / 2];
  }

  /** Choose the footstep at a place, or the ground there. */
  private clickAt([x, y]: [number, number]): void {
    const near = this.discs.find(({ position }) => Math.hypot(position.x - x, position.y - y) < 0.012 * (this.board?.scale ?? 1));
    if (near) this.onFoothold(near.userData.number as number);
    else this.onGround(x, y);
  }

  /** A ring as wide as the brush, on the ground around what is pointed at; keys show theirs without a brush, too. */
  private showRing(): void {
    this.ring?.removeFromParent();
    this.ring?.geometry.dispose();
    this.ring = null;
    const wide = (this.tool && this.brush) || (this.keys?.place ? 0.012 * (this.board?.scale ?? 1) : 0);
    if (!this.hover || !wide) return;
    const [x, y] = this.hover;
    const points = Array.from({ length: 48 }, (_, at) => {
      const [u, v] = [x + wide * Math.cos((at * Math.PI) / 24), y + wide * Math.sin((at * Math.PI) / 24)];
      return new three.Vector3(u, v, this.height(u, v) + 0.003);
    });
    this.ring = new three.LineLoop(new three.BufferGeometry().setFromPoints(points), new three.LineBasicMaterial({ color: 0xd62728 }));
    this.scene.add(this.ring);
  }

  private resize(): void {
    if (!this.renderer || !this.node.clientWidth) return;
    this.renderer.setSize(this.node.clientWidth, this.node.clientHeight);
    this.camera.aspect = this.node.clientWidth / Math.max(this.node.clientHeight, 1);
    this.camera.updateProjectionMatrix();
    // A new size empties the picture, which would be painted empty before the next frame.
    this.render();
  }

  private render(): void {
    this.dirty = false;
    if (!this.renderer || !this.node.clientWidth) return;
    this.showRing();
    this.renderer.render(this.scene, this.camera);
    this.frames++;
  }
}
