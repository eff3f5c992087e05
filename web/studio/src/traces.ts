// What a run's joints were asked and did, tick by tick; see src/andante/studio/lanes.py.

import { lastRow } from "@andante/shared/rows";
import type { Envelope } from "./envelope";

/** Most numbers of one run; a longer run keeps every second tick, then every fourth. */
const MOST = 8_000_000;
const BASE = 1;
const JOINTS = 8;

export type Quantity = "asked" | "measured" | "effort";

export class Traces {
  count = 0;
  /** Of so many ticks one is kept. */
  every = 1;
  private seen = 0;
  private data = new Float32Array(0);
  readonly width: number;

  constructor(readonly joints: number, readonly feet: number) {
    this.width = JOINTS + 3 * joints + feet;
  }

  add(rows: Float32Array, width: number): void {
    if (width !== this.width) return;
    for (let at = 0; at < rows.length; at += width) {
      if (this.seen++ % this.every) continue;
      if ((this.count + 1) * width > this.data.length) this.grow();
      this.data.set(rows.subarray(at, at + width), this.count * width);
      this.count++;
    }
  }

  private grow(): void {
    const { width } = this;
    if ((this.count + 1) * width > MOST) {
      const kept = Math.ceil(this.count / 2);
      for (let row = 1; row < kept; row++) this.data.copyWithin(row * width, 2 * row * width, (2 * row + 1) * width);
      this.count = kept;
      this.every *= 2;
      return;
    }
    const larger = new Float32Array(Math.min(Math.max(2 * this.data.length, 256 * width), Math.floor(MOST / width) * width + width));
    larger.set(this.data.subarray(0, this.count * width));
    this.data = larger;
  }

  time(row: number): number {
    return this.data[row * this.width];
  }

  get end(): number {
    return this.count ? this.time(this.count - 1) : 0;
  }

  /** The last row at or before a time; 0 before the first. */
  row(time: number): number {
    return lastRow(this.count, (row) => this.time(row), time);
  }

  /** Place of a joint's quantity in a row. */
  column(what: Quantity, joint: number): number {
    return JOINTS + (what === "asked" ? 0 : what === "measured" ? 1 : 2) * this.joints + joint;
  }

  at(row: number, column: number): number {
    return this.data[row * this.width + column];
  }

  /** A column over time, into an envelope whose first column is at a time. */
  into(curve: Envelope, column: number, left: number, scale: number): Envelope {
    return curve.rows(this.data, this.width, column, this.row(left), this.count, left, scale);
  }

  /** Change per second of a column around a row. */
  slope(row: number, column: number): number {
    const [from, to] = [Math.max(0, row - 1), Math.min(this.count - 1, row + 1)];
    const span = this.time(to) - this.time(from);
    return span > 0 ? (this.at(to, column) - this.at(from, column)) / span : 0;
  }

  touches(row: number, foot: number): boolean {
    return this.at(row, JOINTS + 3 * this.joints + foot) > 0.5;
  }

  base(row: number): Float32Array {
    return this.data.slice(row * this.width + BASE, row * this.width + JOINTS);
  }

  measured(row: number): Float32Array {
    const at = row * this.width + this.column("measured", 0);
    return this.data.slice(at, at + this.joints);
  }
}
