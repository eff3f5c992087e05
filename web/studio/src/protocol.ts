// What the server says and shows; src/andante/studio/messages.py has what it takes.

import type { Robot } from "@andante/shared/robot";

export type { Body, Foot, Handle, Joint, Robot, Shape } from "@andante/shared/robot";

export type Target = number | "off" | "ignore";

export interface Keyframe {
  duration: number;
  joints?: Record<string, Target>;
  limbs?: Record<string, unknown> | null;
  interpolation?: string;
  phase?: string;
  note?: string;
  [field: string]: unknown;
}

export interface Block {
  keyframes: Keyframe[];
  interpolation?: string;
  base_stiffness?: Record<string, number | null>;
  note?: string;
  [field: string]: unknown;
}

export interface Motion {
  blocks?: string[];
  note?: string;
  [field: string]: unknown;
}

/** A field of a part of the document; see src/andante/studio/forms.py. */
export interface Field {
  kind: "number" | "switch" | "choice" | "text" | "name" | "part" | "list" | "vector" | "map";
  note?: string;
  optional?: boolean;
  required?: boolean;
  default?: unknown;
  dimension?: string;
  whole?: boolean;
  gt?: number;
  ge?: number;
  lt?: number;
  le?: number;
  legal?: string[];
  notes?: Record<string, string>;
  of?: string;
  part?: string;
  item?: Field;
  items?: Field[];
  keys?: string;
  /** The dimension depends on this field's value. */
  by?: string;
  dimensions?: Record<string, string>;
}

export type Forms = Record<string, Record<string, Field>>;

export interface Library {
  robot: string;
  dialect: string;
  motions: Record<string, Motion>;
  blocks: Record<string, Block>;
  balance: Record<string, unknown>;
  settings?: Record<string, unknown>;
  note?: string;
}

export interface Problem {
  line: number;
  column: number;
  text: string;
}

export interface Finding {
  rule: string;
  severity: "error" | "warning" | "info";
  place: string;
  message: string;
  joint: string | null;
  time: number | null;
  motion: string | null;
}

/** How it stands with the checks of a text. */
export interface Checks {
  state: "waiting" | "checking" | "checked" | "failed";
  /** The revision that it speaks of. */
  revision: number;
  /** Why it could not be checked, or is checked again. */
  text: string;
  findings?: Finding[];
  count?: number;
  counts?: Record<Finding["severity"], number>;
}

export type Splice = [number, number, string];

export interface Flags {
  canUndo: boolean;
  canRedo: boolean;
  changed: boolean;
  /** What another program has done to the file meanwhile. */
  disk: "" | "changed" | "gone";
}

export interface State extends Flags {
  type: "state";
  file: string;
  format: string;
  own: boolean;
  /** Another one where a studio has opened the file again and counts its revisions anew. */
  opened: string;
  revision: number;
  /** Names of the last edits of the text that were made, see `TextEdit.key`. */
  keys: string[];
  text: string;
  library: Library | null;
  units: { angle: string; time: string; length: string };
  problems: Problem[];
  remarks: string[];
  recovered: number;
  robot: Robot | null;
  robotProblem: string;
}

export interface Edited extends Partial<Flags> {
  type: "edited";
  revision: number;
  splices: Splice[];
  page: number | null;
  request: number;
  patch?: { block: string; at: number; removed: number; keyframes: Keyframe[] };
  library?: Library | null;
  units?: State["units"];
  problems?: Problem[];
}

export interface Parameter {
  name: string;
  value: number | boolean;
  kind: "switch" | "count" | "number";
  dimension: string;
  low: number | null;
  high: number | null;
  note: string;
}

export interface Segment {
  keyframe: number;
  occurrence: number;
  first: number;
  last: number;
  /** Its interpolation, by its number in src/andante/studio/view.py. */
  way: number;
}

export interface Trajectory {
  revision: number;
  count: number;
  joints: number;
  tick: number;
  segments: Segment[];
  positions: Float32Array;
  /** The start posture and each segment's target, (segments + 1, joints) [rad]. */
  targets: Float64Array;
}

export interface Pose {
  run: number;
  time: number;
  base: Float32Array;
  joints: Float32Array;
  rows: Float32Array;
  width: number;
}

export type Message = { type: string; request?: number; [field: string]: any };

export function readTrajectory(data: ArrayBuffer): Trajectory {
  const view = new DataView(data);
  const [revision, , count, joints, parts] = [4, 8, 12, 16, 20].map((at) => view.getUint32(at, true));
  const tick = view.getFloat32(24, true);
  const segments: Segment[] = [];
  let at = 28;
  for (let i = 0; i < parts; i++, at += 20) {
    const [keyframe, occurrence, first, last, way] = [0, 4, 8, 12, 16].map((k) => view.getUint32(at + k, true));
    segments.push({ keyframe, occurrence, first, last, way });
  }
  const end = at + 4 * count * joints;
  return { revision, count, joints, tick, segments, positions: new Float32Array(data.slice(at, end)), targets: new Float64Array(data.slice(end)) };
}

/** Rows of a run's lanes; see src/andante/studio/lanes.py. */
export function readLanes(data: ArrayBuffer): { run: number; width: number; rows: Float32Array } {
  const view = new DataView(data);
  return { run: view.getUint32(4, true), width: view.getUint32(12, true), rows: new Float32Array(data.slice(16)) };
}

export function readPose(data: ArrayBuffer, joints: number): Pose {
  const view = new DataView(data);
  const [run, rows, width] = [4, 8, 12].map((at) => view.getUint32(at, true));
  const time = view.getFloat64(16, true);
  const numbers = new Float32Array(data.slice(24));
  return {
    run,
    time,
    width,
    base: numbers.subarray(0, 7),
    joints: numbers.subarray(7, 7 + joints),
    rows: numbers.subarray(7 + joints, 7 + joints + rows * width),
  };
}
