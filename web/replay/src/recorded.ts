// A recorded run as the report's page has it, with its arrays unpacked; src/andante/runs/reports/replay_scene.py makes it.
import type { Shape } from "@andante/shared/shapes";

/** A geom at its place in its body; body -1 stands still in the world. */
export interface Placed {
  body: number;
  size: number[];
  at: number[];
  /** Orientation, wxyz. */
  turn: number[];
  /** Red, green, blue, opacity, 0 to 1. */
  colour: number[];
}

export interface RecordedShape extends Placed {
  kind: Shape["kind"] | "plane";
  /** Its number among the meshes. */
  mesh?: number;
}

/** Heights over a grid, shares of `height` in 65535 steps. */
export interface HeightField extends Placed {
  x: number[];
  y: number[];
  height: number;
  heights: Uint16Array;
}

/** Corners in steps from `low`. */
export interface RecordedMesh {
  low: number[];
  step: number;
  points: Uint16Array;
  faces: Uint32Array<ArrayBuffer>;
}

export interface RecordedPoses {
  /** (n), [s] */
  times: Float32Array;
  /** (bodies, 7, n): x, y, z in steps from `low`, then the quaternion w, x, y, z. */
  poses: Int16Array;
  low: number[];
  /** [m] */
  step: number;
}

export interface RecordedRun extends RecordedPoses {
  bodies: number;
  shapes: RecordedShape[];
  fields: HeightField[];
  meshes: RecordedMesh[];
  /** The body that the camera follows. */
  follow: number;
  /** How large the robot is [m]. */
  size: number;
}
