// The planar leg of the lessons: its kinematics and its picture.

/** Geometry, limits and scene as the server tells them: SI, x to the right, z up. */
export interface LegScene {
  python: boolean;
  base: [number, number];
  lengths: [number, number, number];
  zero: [number, number, number];
  lower: number[];
  upper: number[];
  ball: [number, number];
  ballRadius: number;
  ground: number;
  target: [number, number];
}

export type Point = [number, number];
export const JOINTS = ["hip_angle", "knee_angle", "ankle_angle"];

/** Places of hip, knee, ankle and toe, and the direction of the foot. */
export function forward(leg: LegScene, angles: number[]): { points: Point[]; rotation: number } {
  let direction = 0;
  const points: Point[] = [leg.base];
  leg.lengths.forEach((length, i) => {
    direction += angles[i] + leg.zero[i];
    const [x, z] = points[i];
    points.push([x + length * Math.cos(direction), z + length * Math.sin(direction)]);
  });
  return { points, rotation: direction };
}

/** Whether angles are inside the joints' limits, up to the rounding of a stretched leg. */
export function inside(leg: LegScene, angles: number[]): boolean {
  return angles.every((angle, i) => angle >= leg.lower[i] - 1e-6 && angle <= leg.upper[i] + 1e-6);
}

export interface Picture {
  /** Chains of points: the leg, and a ghost to compare with. */
  leg?: Point[];
  ghost?: Point[];
  ball?: Point;
  way?: Point[];
  /** A point to reach, with a line to what is there. */
  aim?: Point;
  text: string;
}

const WIDTH = 3;
const HEIGHT = 1.588;

/** Draw a picture into a canvas; close-ups show the leg alone. */
export function draw(canvas: HTMLCanvasElement, leg: LegScene, picture: Picture, close: boolean): void {
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (!width || !height) return;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d")!;
  const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name);
  const [left, bottom, span] = close ? [-0.25, -0.08, 1.35] : [0, 0, HEIGHT];
  const scale = Math.min(close ? height / span : width / WIDTH, height / span);
  const shift = (width / scale - (close ? 1.5 : WIDTH)) / 2;
  const at = ([x, z]: Point): Point => [(x - left + shift) * scale, height - (z - bottom) * scale];
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = color("--scene");
  context.fillRect(0, 0, width, height);
  const [, ground] = at([0, leg.ground]);
  context.fillStyle = color("--grid");
  context.fillRect(0, ground, width, Math.max(height - ground, 0));
  const disc = (place: Point, radius: number, fill: string, stroke = "") => {
    context.beginPath();
    context.arc(...at(place), Math.max(radius * scale, 1), 0, 2 * Math.PI);
    if (fill) {
      context.fillStyle = fill;
      context.fill();
    }
    if (stroke) {
      context.strokeStyle = stroke;
      context.lineWidth = 2;
      context.stroke();
    }
  };
  const line = (points: Point[], width: number, stroke: string, dash: number[] = []) => {
    context.beginPath();
    points.forEach((point, i) => (i ? context.lineTo(...at(point)) : context.moveTo(...at(point))));
    context.strokeStyle = stroke;
    context.lineWidth = width;
    context.lineCap = context.lineJoin = "round";
    context.setLineDash(dash);
    context.stroke();
    context.setLineDash([]);
  };
  const chain = (points: Point[], stroke: string, thin: boolean) => {
    const radii = thin ? [0.008, 0.008, 0.008] : [0.05, 0.05, 0.025];
    for (let i = 0; i < 3; i++) line([points[i], points[i + 1]], 2 * radii[i] * scale, stroke);
    for (const point of points) disc(point, 0.012, color("--panel"), color("--text"));
  };
  if (!close) {
    disc(leg.target, 0.15, "", color("--good"));
    disc(leg.target, 0.015, color("--good"));
  }
  if (picture.way?.length) line(picture.way, 2, color("--curve"));
  if (picture.ghost) chain(picture.ghost, color("--curve"), false);
  if (picture.leg) chain(picture.leg, color("--key"), Boolean(picture.ghost));
  if (picture.ball) disc(picture.ball, leg.ballRadius, color("--chosen"));
  const from = picture.ball ?? picture.leg?.[3];
  const to = picture.aim;
  if (from && to) {
    line([from, to], 1.5, color("--playhead"), [4, 4]);
    if (close) disc(to, 0.02, "", color("--playhead"));
  }
  context.fillStyle = color("--text");
  context.font = "600 13px system-ui, 'DejaVu Sans', sans-serif";
  context.fillText(picture.text, 10, 20);
}
