// Recorded poses of all bodies, looked up at any time.
import { lastRow } from "@andante/shared/rows";
import type { Quaternion, Vector3 } from "three";
import type { RecordedPoses } from "./recorded";

const WHOLE = 32767;

export class Poses {
  constructor(private told: RecordedPoses) {}

  get begin(): number {
    return this.told.times[0];
  }

  get end(): number {
    return this.told.times[this.told.times.length - 1];
  }

  /** The row at or before a time, and how far it is to the next one, 0 to 1. */
  at(time: number): [number, number] {
    const { times } = this.told;
    const row = lastRow(times.length, (each) => times[each], time);
    if (time <= times[row] || row + 1 >= times.length) return [row, 0];
    return [row, (time - times[row]) / (times[row + 1] - times[row])];
  }

  /** Puts the pose of one body into `position` and `quaternion`. */
  place(body: number, row: number, share: number, position: Vector3, quaternion: Quaternion): void {
    const { times, poses, low, step } = this.told;
    const n = times.length;
    const start = 7 * n * body + row;
    const next = share > 0 ? 1 : 0;
    const value = (k: number) => {
      const from = poses[start + k * n];
      return from + share * (poses[start + k * n + next] - from);
    };
    const along = (k: number) => low[k] + step * (value(k) + WHOLE);
    position.set(along(0), along(1), along(2));
    quaternion.set(value(4), value(5), value(6), value(3)).normalize();
  }
}
