// From many samples to one span of values per column of pixels, so that no peak is lost and none is drawn twice.

/** Samples at their own times, which grow. */
export interface Series {
  count: number;
  time(sample: number): number;
  value(sample: number): number;
  /** The last sample at or before a time. */
  row(time: number): number;
}

export class Envelope {
  low = new Float32Array(0);
  high = new Float32Array(0);

  /** Begin anew, for so many columns. */
  begin(width: number): this {
    if (this.low.length !== width) {
      this.low = new Float32Array(width);
      this.high = new Float32Array(width);
    }
    this.low.fill(Infinity);
    this.high.fill(-Infinity);
    return this;
  }

  get width(): number {
    return this.low.length;
  }

  /** A straight piece from one place to another; `x` in columns. */
  line(x0: number, v0: number, x1: number, v1: number): void {
    if (!(Number.isFinite(v0) && Number.isFinite(v1)) || x1 < 0 || x0 >= this.width) return;
    const first = Math.max(0, Math.floor(x0));
    const last = Math.min(this.width - 1, Math.floor(x1));
    if (first === last || x1 - x0 < 1e-9) {
      for (let x = first; x <= last; x++) this.note(x, v0, v1);
      return;
    }
    const slope = (v1 - v0) / (x1 - x0);
    for (let x = first; x <= last; x++) this.note(x, x <= x0 ? v0 : v0 + (x - x0) * slope, x + 1 >= x1 ? v1 : v0 + (x + 1 - x0) * slope);
  }

  private note(x: number, a: number, b: number): void {
    const { low, high } = this;
    const [least, most] = a < b ? [a, b] : [b, a];
    if (least < low[x]) low[x] = least;
    if (most > high[x]) high[x] = most;
  }

  /** Samples; `left` is the time at the first column, `scale` columns per second. */
  series(series: Series, left: number, scale: number): this {
    if (series.count < 2) return this;
    const right = left + this.width / scale;
    let row = series.row(left);
    let x = (series.time(row) - left) * scale;
    let value = series.value(row);
    for (row++; row < series.count; row++) {
      const time = series.time(row);
      const next = (time - left) * scale;
      const after = series.value(row);
      this.line(x, value, next, after);
      if (time > right) break;
      [x, value] = [next, after];
    }
    return this;
  }

  /** Samples that stand in rows behind one another, the time first in each; the same, for very many of them. */
  rows(data: Float32Array, width: number, column: number, first: number, count: number, left: number, scale: number): this {
    if (count - first < 2) return this;
    const { low, high } = this;
    const right = this.width;
    let x = (data[first * width] - left) * scale;
    let value = data[first * width + column];
    let cell = Math.floor(x);
    for (let at = (first + 1) * width; at < count * width; at += width) {
      const next = (data[at] - left) * scale;
      const after = data[at + column];
      const there = Math.floor(next);
      if (there === cell && cell >= 0 && cell < right) {
        const [least, most] = value < after ? [value, after] : [after, value];
        if (least < low[cell]) low[cell] = least;
        if (most > high[cell]) high[cell] = most;
      } else {
        this.line(x, value, next, after);
      }
      if (next > right) break;
      [x, value, cell] = [next, after, there];
    }
    return this;
  }

  /** Smallest and largest value of all columns; null: there is none. */
  range(): [number, number] | null {
    let [low, high] = [Infinity, -Infinity];
    for (let x = 0; x < this.width; x++) {
      if (this.low[x] < low) low = this.low[x];
      if (this.high[x] > high) high = this.high[x];
    }
    return high >= low ? [low, high] : null;
  }
}
