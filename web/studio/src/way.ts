// The way that is played, at any moment: the engine's curves between the postures that the server tells.
import type { Place } from "./places";
import type { Trajectory } from "./protocol";

/** Share of the way by share of the duration, as src/andante/motions/interpolation.py has it; by its number in view.py. */
const SHARES: ((ratio: number) => number)[] = [
  (ratio) => ratio,
  (ratio) => 0.5 * Math.sin(Math.PI * ratio - 0.5 * Math.PI) + 0.5,
  (ratio) => Math.sin(0.5 * Math.PI * ratio),
];
const SLOPES: ((ratio: number) => number)[] = [
  () => 1,
  (ratio) => 0.5 * Math.PI * Math.cos(Math.PI * ratio - 0.5 * Math.PI),
  (ratio) => 0.5 * Math.PI * Math.cos(0.5 * Math.PI * ratio),
];

export class Way {
  /** @param places Keyframes that are shown, with their times; one per segment of the trajectory. */
  constructor(private trajectory: Trajectory, private places: Place[]) {}

  /** Whether the trajectory is of these keyframes. */
  get fits(): boolean {
    return this.trajectory.segments.length === this.places.length;
  }

  get duration(): number {
    return this.places.at(-1)?.end ?? 0;
  }

  /** The first keyframe that ends at or after a time. */
  segment(time: number): number {
    let low = 0;
    let high = this.places.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.places[middle].end >= time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Angle of a joint [rad]. */
  at(time: number, joint: number): number {
    const { targets, joints, segments } = this.trajectory;
    if (time <= 0 || !segments.length) return targets[joint];
    const number = this.segment(time);
    const { begin, end } = this.places[number];
    const from = targets[number * joints + joint];
    const to = targets[(number + 1) * joints + joint];
    const ratio = end > begin ? Math.min((time - begin) / (end - begin), 1) : 1;
    return from + SHARES[segments[number].way](ratio) * (to - from);
  }

  /** Speed of a joint [rad/s]. */
  speed(time: number, joint: number): number {
    const { targets, joints, segments } = this.trajectory;
    if (time <= 0 || time > this.duration || !segments.length) return 0;
    const number = this.segment(time);
    const { begin, end } = this.places[number];
    if (end <= begin) return 0;
    const way = targets[(number + 1) * joints + joint] - targets[number * joints + joint];
    return (SLOPES[segments[number].way](Math.min((time - begin) / (end - begin), 1)) * way) / (end - begin);
  }

  /** What a keyframe leads a joint to [rad]. */
  target(number: number, joint: number): number {
    return this.trajectory.targets[(number + 1) * this.trajectory.joints + joint];
  }
}
