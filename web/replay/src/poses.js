// Recorded poses of all bodies, looked up at any time.
const WHOLE = 32767;

export class Poses {
  // times: Float32Array (n); poses: Int16Array (bodies, 7, n): x, y, z in steps from `low`, then the quaternion w, x, y, z.
  constructor({ times, poses, low, step }) {
    Object.assign(this, { times, values: poses, low, step });
  }

  get begin() { return this.times[0]; }

  get end() { return this.times[this.times.length - 1]; }

  // The row at or before a time, and how far it is to the next one, 0 to 1.
  at(time) {
    const { times } = this;
    let low = 0, high = times.length - 1;
    if (time <= times[0]) return [0, 0];
    if (time >= times[high]) return [high, 0];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle;
      else high = middle;
    }
    return [low, (time - times[low]) / (times[high] - times[low])];
  }

  // Puts the pose of one body into `position` and `quaternion`.
  place(body, row, share, position, quaternion) {
    const n = this.times.length, start = 7 * n * body + row, next = share > 0 ? 1 : 0;
    const value = (k) => {
      const from = this.values[start + k * n];
      return from + share * (this.values[start + k * n + next] - from);
    };
    const along = (k) => this.low[k] + this.step * (value(k) + WHOLE);
    position.set(along(0), along(1), along(2));
    quaternion.set(value(4), value(5), value(6), value(3)).normalize();
  }
}
