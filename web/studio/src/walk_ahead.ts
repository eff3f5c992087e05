// A walk that goes on, in the picture: forces at the feet as arrows, planned footholds, the way of the body over the horizon.
import type { Robot3d } from "@andante/shared/robot3d";
import * as three from "three";
import { element } from "./dom";
import { cleared, flag } from "./flag";
import type { Message } from "./protocol";

type Place = [number, number, number];
const WAY = 0x7a4df0;
const GOAL = 0xd62728;
/** An arrow of the robot's whole weight is so many times as long as the base is high. */
const LONG = 1.3;
const TOLD = 150;
const UP = new three.Vector3(0, 1, 0);

/** One arrow: a shaft and a head, along y before it is turned. */
class Arrow {
  readonly node = new three.Group();

  constructor(color: number, thick: number) {
    const material = new three.MeshBasicMaterial({ color });
    const shaft = new three.Mesh(new three.CylinderGeometry(thick, thick, 1, 8).translate(0, 0.5, 0), material);
    const head = new three.Mesh(new three.ConeGeometry(2.6 * thick, 5 * thick, 12).translate(0, 2.5 * thick, 0), material);
    this.node.add(shaft, head);
    this.node.visible = false;
  }

  /** From a place along a direction, so long [m]. */
  set(from: three.Vector3, along: three.Vector3, length: number): void {
    this.node.visible = length > 0.003;
    if (!this.node.visible) return;
    this.node.position.copy(from);
    this.node.quaternion.setFromUnitVectors(UP, along);
    this.node.children[0].scale.y = length;
    this.node.children[1].position.y = length;
  }
}

export class Ahead {
  readonly group = new three.Group();
  readonly legend = element("div", { class: "legend ahead", hidden: true });
  private robot: Robot3d | null = null;
  private arrows: Arrow[] = [];
  private holds = new three.Group();
  private way = new three.Group();
  private flag = new three.Group();
  private size = 0.3;
  private weight = 1;
  private toldAt = 0;
  /** What was told last; tests look at it. */
  last: { forces: Place[] | null; footholds: [string, number, number, number][] | null; way: Place[] | null } | null = null;

  constructor(private colorOf: (foot: string) => number) {
    this.group.add(this.holds, this.way, this.flag);
  }

  /** A walk of this robot begins, which weighs so much [N]. */
  begin(robot: Robot3d, weight: number): void {
    this.clear();
    this.robot = robot;
    this.weight = Math.max(weight, 1e-6);
    robot.root.updateMatrixWorld(true);
    this.size = Math.max(robot.bodies[robot.robot.base].getWorldPosition(new three.Vector3()).z, 0.05);
    this.arrows = robot.robot.feet.map(({ name }) => new Arrow(this.colorOf(name), 0.014 * this.size));
    this.group.add(...this.arrows.map(({ node }) => node));
  }

  /** Nothing walks any more; the goal stays. */
  clear(): void {
    for (const { node } of this.arrows) node.removeFromParent();
    this.arrows = [];
    this.robot = null;
    this.last = null;
    this.holds.clear();
    this.way.clear();
    this.legend.hidden = true;
  }

  take(message: Message): void {
    if (!this.robot) return;
    this.last = { forces: message.forces, footholds: message.footholds, way: message.way };
    this.holds.clear();
    this.way.clear();
    const radius = 0.05 * this.size;
    const seen = new Set<string>();
    for (const [foot, x, y, z] of this.last.footholds ?? []) {
      // The next one of a foot is full, those after it are thin.
      const first = !seen.has(foot);
      seen.add(foot);
      const ring = new three.Mesh(new three.RingGeometry((first ? 0.45 : 0.75) * radius, radius, 24), new three.MeshBasicMaterial({ color: this.colorOf(foot), side: three.DoubleSide, transparent: !first, opacity: first ? 1 : 0.6 }));
      ring.position.set(x, y, z + 0.015 * this.size);
      this.holds.add(ring);
    }
    const way = this.last.way ?? [];
    if (way.length > 1) {
      const curve = new three.CatmullRomCurve3(way.map((place) => new three.Vector3(...place)));
      if (curve.getLength() > 1e-4) this.way.add(new three.Mesh(new three.TubeGeometry(curve, 2 * way.length, 0.016 * this.size, 6), new three.MeshBasicMaterial({ color: WAY })));
    }
    this.tell();
  }

  /** Draw the arrows where the feet are now. */
  follow(): void {
    const { robot, last } = this;
    if (!robot || !last) return;
    robot.root.updateMatrixWorld(true);
    robot.robot.feet.forEach(({ body, position, radius }, foot) => {
      const force = new three.Vector3(...(last.forces?.[foot] ?? [0, 0, 0]));
      const from = new three.Vector3(...(position as Place)).applyMatrix4(robot.bodies[body].matrixWorld);
      from.z -= radius;
      const length = force.length();
      this.arrows[foot].set(from, force.divideScalar(length || 1), (LONG * this.size * length) / this.weight);
    });
  }

  /** Where the robot shall go; null: nowhere. */
  setGoal(place: Place | null, size: number): void {
    cleared(this.flag);
    if (!place) return;
    this.flag.add(flag("goal", GOAL, size));
    this.flag.position.set(...place);
  }

  private tell(): void {
    const now = performance.now();
    if (now - this.toldAt < TOLD || !this.robot || !this.last) return;
    this.toldAt = now;
    const css = (color: number) => `#${color.toString(16).padStart(6, "0")}`;
    const row = (color: number, text: string, round = "") => element("div", { class: `swatch ${round}` }, element("i", { style: `background:${css(color)}` }), text);
    const { forces, footholds, way } = this.last;
    const rows: HTMLElement[] = [element("strong", {}, forces ? "force on each foot" : "no force is measured")];
    this.robot.robot.feet.forEach(({ name }, foot) => forces && rows.push(row(this.colorOf(name), `${name} ${Math.hypot(...forces[foot]).toFixed(0)} N`)));
    if (footholds) rows.push(element("div", {}, "rings: planned footholds"));
    if (way) rows.push(row(WAY, "way of the body ahead"));
    if (!footholds && !way) rows.push(element("div", { class: "hint" }, "nothing is planned ahead"));
    this.legend.replaceChildren(...rows);
    this.legend.hidden = false;
  }
}
