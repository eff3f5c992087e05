// The board in 3-D: height field, footsteps, the way of the body, the robot. Drawn only when something changed.
import * as three from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { element } from "./dom";
import { Robot3d } from "./robot3d";
import type { Robot } from "./protocol";

export type Place = [number, number, number];
export type Board = {
  name: string; shape: [number, number]; origin: [number, number]; spacing: number; heights: string; costs: Record<string, string>;
  start: [number, number]; goal: [number, number]; scale: number; values: Record<string, number>;
};
export type Footsteps = { feet: Place[]; steps: { foot: string; place: Place }[]; clicked: boolean };

const COLORS: Record<string, number> = { FL: 0x1f77b4, FR: 0xe06c00, HL: 0x2ca02c, HR: 0xb03090 };
const NONE = 255;

export const footColor = (foot: string): number => COLORS[foot] ?? 0x777777;

function bytes(text: string): ArrayBuffer {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer;
}

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
  private discs: three.Mesh[] = [];
  private dirty = true;
  private grid: three.GridHelper | null = null;
  private followed: three.Vector3 | null = null;
  /** The view goes along with the robot. */
  follow = false;
  frames = 0;
  layer = "height";
  onFoothold: (number: number) => void = () => {};
  onGround: (x: number, y: number) => void = () => {};

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
    this.scene.add(new three.HemisphereLight(0xffffff, 0x8899aa, 1.6), sun, this.marks, this.way, this.ends, this.hint);
    const canvas = this.renderer.domElement;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.draw());
    let down = [0, 0];
    canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    canvas.addEventListener("click", (event) => {
      // A drag turns the view.
      if (Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4) this.click(event);
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
    this.scene.background = new three.Color(getComputedStyle(document.documentElement).getPropertyValue("--scene").trim() || "#e4e9ef");
    this.draw();
  }

  setBoard(board: Board, robot: Robot): void {
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
    this.ends.clear();
    for (const [place, color] of [[board.start, 0x1a9850], [board.goal, 0xd62728]] as const) {
      if (board.start[0] === board.goal[0] && board.start[1] === board.goal[1]) break;
      const z = this.height(...place);
      const pole = new three.Line(new three.BufferGeometry().setFromPoints([new three.Vector3(...place, z), new three.Vector3(...place, z + 0.12 * board.scale)]), new three.LineBasicMaterial({ color }));
      this.ends.add(pole);
    }
    this.grid?.removeFromParent();
    this.grid = null;
    if (nx === 2 && ny === 2) {
      const side = board.spacing;
      this.grid = new three.GridHelper(side, Math.round(side / 0.5), 0x7a7060, 0x9a9080).rotateX(Math.PI / 2);
      this.grid.position.z = 0.002;
      this.scene.add(this.grid);
    }
    this.followed = null;
    this.setWay(null);
    this.setHint(null);
    this.paint(this.layer);
    this.fit();
  }

  /** Color the ground by height, or by what a foothold costs (gray: no foot may stand there). */
  paint(layer: string): void {
    this.layer = layer;
    if (!this.board || !this.ground) return;
    const colors = this.ground.geometry.getAttribute("color") as three.BufferAttribute;
    const costs = this.board.costs[layer] ? new Uint8Array(bytes(this.board.costs[layer])) : null;
    let low = Infinity;
    let high = -Infinity;
    for (const height of this.heights) [low, high] = [Math.min(low, height), Math.max(high, height)];
    const color = new three.Color();
    for (let k = 0; k < this.heights.length; k++) {
      if (costs) {
        if (costs[k] === NONE) color.setRGB(0.3, 0.3, 0.33, three.SRGBColorSpace);
        else color.setHSL(0.36 * (1 - costs[k] / 250), 0.7, 0.55, three.SRGBColorSpace);
      } else {
        const share = high > low ? (this.heights[k] - low) / (high - low) : 0.5;
        color.setHSL(0.1 + 0.02 * share, 0.25, 0.4 + 0.4 * share, three.SRGBColorSpace);
      }
      colors.setXYZ(k, color.r, color.g, color.b);
    }
    colors.needsUpdate = true;
    this.draw();
  }

  setFootsteps(footsteps: Footsteps, chosen: number | null): void {
    this.marks.clear();
    this.discs = [];
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

  setWay(com: Place[] | null): void {
    this.way.clear();
    if (com) this.way.add(new three.Line(new three.BufferGeometry().setFromPoints(com.map((place) => new three.Vector3(...place))), new three.LineBasicMaterial({ color: 0x6a3df0 })));
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
    if (this.follow && this.controls && this.followed) {
      const moved = at.clone().sub(this.followed);
      this.camera.position.add(moved);
      this.controls.target.add(moved);
      this.controls.update();
    }
    this.followed = at;
    this.draw();
  }

  /** Stand the robot on its feet at a place, for robots whose place the server does not tell. */
  standAt([x, y, z]: Place, joints: ArrayLike<number>): void {
    if (!this.robot) return;
    this.robot.setJoints(joints);
    this.robot.stand(true);
    this.robot.root.position.set(x, y, z);
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
    const far = Math.min(length, 3.5) * 0.95 * Math.max(1, 1.75 / this.camera.aspect);
    const from = { side: [-0.25, -0.85, 0.6], top: [0, -0.01, 1.15], behind: [-0.9, 0, 0.45] }[kind];
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).add(new three.Vector3(...(from as Place)).multiplyScalar(far));
    this.controls.update();
    this.draw();
  }

  fit(): void {
    this.look("side");
  }

  private click(event: MouseEvent): void {
    const ray = new three.Raycaster();
    ray.setFromCamera(new three.Vector2((event.offsetX / this.node.clientWidth) * 2 - 1, 1 - (event.offsetY / this.node.clientHeight) * 2), this.camera);
    const disc = ray.intersectObjects(this.discs, false)[0];
    if (disc) return this.onFoothold(disc.object.userData.number as number);
    const hit = this.ground ? ray.intersectObject(this.ground, false)[0] : undefined;
    if (hit) this.onGround(hit.point.x, hit.point.y);
  }

  private resize(): void {
    if (!this.renderer || !this.node.clientWidth) return;
    this.renderer.setSize(this.node.clientWidth, this.node.clientHeight);
    this.camera.aspect = this.node.clientWidth / Math.max(this.node.clientHeight, 1);
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  private render(): void {
    this.dirty = false;
    if (!this.renderer || !this.node.clientWidth) return;
    this.renderer.render(this.scene, this.camera);
    this.frames++;
  }
}
