// MuJoCo's own WebAssembly with the recorded motor commands of every tick; what was changed is added to them.
import { bytes, unpackedFloats, unpackedText } from "@andante/shared/packed";

/** Share of the way by share of the duration; see way.ts. */
const SHARES: ((ratio: number) => number)[] = [
  (ratio) => ratio,
  (ratio) => 0.5 * Math.sin(Math.PI * ratio - 0.5 * Math.PI) + 0.5,
  (ratio) => Math.sin(0.5 * Math.PI * ratio),
];

export interface PhysicsData {
  xml: string;
  tick: number;
  steps: number;
  motors: string;
  joints: number[];
  /** How far a motor's control goes per angle of its joint. */
  scales: number[];
  friction: number[];
  qpos: number[];
  qvel: number[];
  places: number[];
  base: number;
  mass: number;
}

/** A keyframe as it was played. */
export interface PlayedKeyframe {
  block: string;
  keyframe: number;
  begin: number;
  duration: number;
  way: number;
  joints: Record<string, number>;
}

/** Another angle in one of them: by how much [rad]. */
export interface Change {
  played: number;
  joint: string;
  by: number;
}

export class Physics {
  private motors!: Float32Array;
  private mj: any;
  private model: any;
  private data: any;
  /** Ticks that were done. */
  tick = 0;
  changes: Change[] = [];
  private push: { force: number[]; until: number } | null = null;

  private constructor(private told: PhysicsData, private played: PlayedKeyframe[], private names: string[]) {}

  static async load(told: PhysicsData, played: PlayedKeyframe[], names: string[]): Promise<Physics> {
    const made = new Physics(told, played, names);
    const [engine, xml, motors] = await Promise.all([unpackedText(document.getElementById("engine")!.textContent!), unpackedText(told.xml), unpackedFloats(told.motors)]);
    const raw = bytes(document.getElementById("wasm")!.textContent!);
    const wasmBinary = await new Response(new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    const place = URL.createObjectURL(new Blob([engine], { type: "text/javascript" }));
    const load = (await import(/* @vite-ignore */ place)).default;
    // The engine is told a name, as it would look for its file beside itself, which has no place.
    made.mj = await load({ wasmBinary, locateFile: (name: string) => name });
    made.motors = motors;
    made.model = made.mj.MjModel.from_xml_string(xml);
    made.model.geom_friction.set(told.friction);
    made.data = new made.mj.MjData(made.model);
    made.reset();
    return made;
  }

  get count(): number {
    return this.motors.length / (6 * this.told.joints.length);
  }

  get time(): number {
    return this.tick * this.told.tick;
  }

  reset(): void {
    this.mj.mj_resetData(this.model, this.data);
    this.data.qpos.set(this.told.qpos);
    this.data.qvel.set(this.told.qvel);
    this.tick = 0;
    this.push = null;
    this.mj.mj_forward(this.model, this.data);
  }

  /** Push the trunk for a tenth of a second: a change of speed [m/s] of the whole robot. */
  shove(x: number, y: number, speed: number): void {
    const force = (this.told.mass * speed) / 0.1;
    this.push = { force: [x * force, y * force, 0], until: this.time + 0.1 };
  }

  /** How far another angle reaches at a time [rad]. */
  private added(joint: number): number {
    let sum = 0;
    for (const { played, joint: name, by } of this.changes) {
      if (this.names[joint] !== name) continue;
      const { begin, duration, way } = this.played[played];
      if (this.time < begin) continue;
      const share = (at: { begin: number; duration: number; way: number }) => SHARES[at.way](Math.min(Math.max((this.time - at.begin) / Math.max(at.duration, 1e-6), 0), 1));
      // The next keyframe that names the joint leads it back to its own angle.
      const next = this.played.slice(played + 1).find((each) => name in each.joints);
      const back = next && this.time >= next.begin ? 1 - share(next) : 1;
      sum += by * share({ begin, duration, way }) * back;
    }
    return sum;
  }

  step(): void {
    const { model, data, told } = this;
    const nu = told.joints.length;
    const at = Math.min(this.tick, this.count - 1) * 6 * nu;
    const row = this.motors.subarray(at, at + 6 * nu);
    const [gain, bias, range] = [model.actuator_gainprm, model.actuator_biasprm, model.actuator_forcerange];
    const [gains, biases] = [gain.length / nu, bias.length / nu];
    for (let motor = 0; motor < nu; motor++) {
      const added = this.changes.length ? this.added(told.joints[motor]) : 0;
      data.ctrl[motor] = row[motor] + added * told.scales[motor];
      gain[motor * gains] = row[nu + motor];
      for (let part = 0; part < 3; part++) bias[motor * biases + part] = row[(2 + part) * nu + motor];
      range[2 * motor] = -row[5 * nu + motor];
      range[2 * motor + 1] = row[5 * nu + motor];
    }
    const pushed = this.push && this.time < this.push.until ? this.push.force : [0, 0, 0];
    for (let axis = 0; axis < 3; axis++) data.xfrc_applied[6 * told.base + axis] = pushed[axis];
    for (let step = 0; step < told.steps; step++) this.mj.mj_step(model, data);
    this.tick++;
  }

  base(): number[] {
    return Array.from(this.data.qpos.slice(0, 7) as Float64Array);
  }

  joints(): number[] {
    return this.told.places.map((place) => this.data.qpos[place]);
  }
}
