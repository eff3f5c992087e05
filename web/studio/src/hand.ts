// Somebody pulls at the robot while it runs: the mouse is a hand with a spring, whose force is drawn as an arrow.
import * as three from "three";
import type { Robot3d } from "@andante/shared/robot3d";
import type { Store } from "./store";

/** Length of the arrow at the largest force [m]. */
const LONGEST = 0.25;
const COLOR = 0xe0218a;
/** Shortest time between two places of the mouse that are told [ms]. */
const OFTEN = 20;

/** What the server tells of the force; see src/andante/studio/hand.py. */
interface Pull {
  at: number[] | null;
  force: number[] | null;
  most?: number[];
}

export class Hand {
  readonly arrow = new three.ArrowHelper(new three.Vector3(1, 0, 0), new three.Vector3(), LONGEST, COLOR, 0.05, 0.03);
  private held: { body: string; point: number[]; plane: three.Plane } | null = null;
  private told = 0;
  /** Size of the force [N]; 0: nobody pulls. */
  force = 0;

  /** @param changed Called when the arrow is another one. */
  constructor(private store: Store, changed: () => void) {
    this.arrow.visible = false;
    this.arrow.renderOrder = 7;
    for (const part of [this.arrow.line, this.arrow.cone]) Object.assign(part.material, { depthTest: false, transparent: true });
    store.connection.on("pushing", (message) => {
      this.show(message as unknown as Pull);
      changed();
    });
    store.on("run", () => {
      if (store.running === "going" || store.running === "paused" || !this.arrow.visible) return;
      this.release();
      this.show({ at: null, force: null });
      changed();
    });
  }

  get holds(): boolean {
    return this.held !== null;
  }

  /** Take hold of what a ray meets; whether there is something, and a run that goes on. */
  grab(ray: three.Raycaster, robot: Robot3d, looks: three.Vector3): boolean {
    const { store } = this;
    if (store.running !== "going" || store.source !== "run" || store.run !== store.runs.at(-1)) return false;
    const met = robot.met(ray);
    if (!met) return false;
    const point = robot.bodies[met.body].worldToLocal(met.at.clone());
    this.held = { body: robot.robot.bodies[met.body].name, point: point.toArray(), plane: new three.Plane().setFromNormalAndCoplanarPoint(looks, met.at) };
    return true;
  }

  /** Pull to where a ray is as far away as what is held was. */
  pull(ray: three.Raycaster): void {
    const { held, store } = this;
    const now = performance.now();
    if (now - this.told < OFTEN) return;
    this.told = now;
    const target = held && ray.ray.intersectPlane(held.plane, new three.Vector3());
    if (!held || !target) return;
    const [body, point] = [held.body, held.point as [number, number, number]];
    store.connection.tell({ do: "push", body, point, target: target.toArray() as [number, number, number] });
  }

  release(): void {
    if (!this.held) return;
    this.held = null;
    this.store.connection.tell({ do: "push", body: "" });
  }

  private show({ at, force, most }: Pull): void {
    this.force = force ? Math.hypot(...force) : 0;
    this.arrow.visible = Boolean(at) && this.force > 0.1;
    if (!at || !force || !this.arrow.visible) return;
    this.arrow.position.set(at[0], at[1], at[2]);
    this.arrow.setDirection(new three.Vector3(...force).normalize());
    const length = Math.max((LONGEST * this.force) / (most?.[0] || this.force), 0.03);
    this.arrow.setLength(length, Math.min(0.05, 0.4 * length), 0.03);
  }
}
