// A robot as the server describes it for pictures; src/andante/studio/scene.py makes it.
import type { Shape } from "./shapes";

export type { Shape } from "./shapes";

export interface Joint {
  name: string;
  lower: number;
  upper: number;
  speed: number;
  effort: number;
  follows: string | null;
  mirror: string;
  sign: number;
}

export interface Body {
  name: string;
  parent: number;
  position: number[];
  rotation: number[];
  joints: { joint: number; slide: boolean; axis: number[]; position: number[]; zero: number }[];
  shapes: Shape[];
  /** What touches in physics, where that is not what is drawn. */
  collisions?: Shape[];
}

export interface Foot {
  name: string;
  body: number;
  position: number[];
  rotation: number[];
  outline: number[][];
  radius: number;
}

export interface Robot {
  name: string;
  title: string;
  tick: number;
  base: number;
  bodies: Body[];
  meshes: Record<string, { vertices: string; faces: string }>;
  joints: Joint[];
  groups: Record<string, string[]>;
  postures: Record<string, number[]>;
  feet: Foot[];
  handles: Handle[];
}

/** What can be dragged in the 3-D view. */
export interface Handle {
  name: string;
  frame: string;
  body: number;
  position: number[];
  /** Orientation of the frame in the body, wxyz. */
  rotation: number[];
  foot: boolean;
  /** Joints that are tried before the whole body. */
  limb: string[];
}
