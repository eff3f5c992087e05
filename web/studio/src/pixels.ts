// Many small marks written into pixels: as paths and rectangles of a canvas they take longer than all the rest.
import type { Envelope } from "./envelope";

/** One curve: the joint's place among the joints, its limits, and where its lane's bottom lies. */
export interface CurveLane {
  index: number;
  lower: number;
  upper: number;
  bottom: number;
}

/** Samples (count, joints) with a period. */
export interface Samples {
  positions: ArrayLike<number>;
  joints: number;
  count: number;
  tick: number;
}

/** A text that ends at a place, readable over whatever is drawn there. */
export function rimmed(context: CanvasRenderingContext2D, text: string, right: number, y: number, color: (name: string) => string): void {
  context.save();
  context.textAlign = "right";
  const wide = context.measureText(text).width;
  context.fillStyle = color("--panel");
  context.fillRect(right - wide - 2, y - 7, wide + 4, 14);
  context.fillStyle = color("--faint");
  context.fillText(text, right, y);
  context.restore();
}

/** A transparent picture; sizes and places are in pixels of the device. */
export class Pixels {
  private readonly canvas = document.createElement("canvas");
  private readonly context = this.canvas.getContext("2d", { willReadFrequently: true })!;
  private image = this.context.createImageData(1, 1);
  private pixels = new Uint32Array(this.image.data.buffer);
  private readonly colors = new Map<string, number>();

  /** Begin an empty picture. */
  begin(width: number, height: number): void {
    const { canvas } = this;
    const size = [Math.max(1, Math.round(width)), Math.max(1, Math.round(height))];
    if (canvas.width !== size[0] || canvas.height !== size[1]) {
      [canvas.width, canvas.height] = size;
      this.image = this.context.createImageData(canvas.width, canvas.height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    } else {
      this.pixels.fill(0);
    }
  }

  /** A filled rectangle, on whole pixels. */
  rect(x: number, y: number, width: number, height: number, color: string): void {
    const { canvas, pixels } = this;
    const paint = this.paint(color);
    const left = Math.max(0, Math.round(x));
    const right = Math.min(canvas.width, Math.round(x + width));
    if (right <= left) return;
    for (let row = Math.max(0, Math.round(y)); row < Math.min(canvas.height, Math.round(y + height)); row++) {
      pixels.fill(paint, row * canvas.width + left, row * canvas.width + right);
    }
  }

  /**
   * Curves one pixel wide; `left` is the time at the left edge [s], `scale` pixels per second, `rise` a lane's height,
   * `end` the last time and `sampleAt` gives the sample at a time.
   */
  curves(lanes: CurveLane[], samples: Samples, left: number, scale: number, rise: number, color: string,
    end: number, sampleAt: (time: number) => number): void {
    const { canvas, pixels } = this;
    const paint = this.paint(color) & 0xffffff;
    const { positions, joints, count } = samples;
    const from = Math.max(0, Math.floor(-left * scale));
    const to = Math.min(canvas.width - 1, Math.ceil((end - left) * scale));
    const places = Float64Array.from({ length: Math.max(0, to + 1 - from) }, (_, column) =>
      Math.min(Math.max(sampleAt(left + (from + column) / scale), 0), count - 1));
    for (const { index, lower, upper, bottom } of lanes) {
      const slope = rise / Math.max(upper - lower, 1e-6);
      let before = 0;
      let atBefore = 0;
      for (let x = from; x <= to; x++) {
        // Between two samples the curve is a line.
        const at = places[x - from];
        const low = Math.floor(at);
        const value = positions[low * joints + index];
        const next = positions[Math.min(low + 1, count - 1) * joints + index];
        const y = bottom - (value + (next - value) * (at - low) - lower) * slope;
        let begin = y;
        let until = y;
        if (x > from) {
          begin = Math.min(y, before);
          until = Math.max(y, before);
          // Peaks between two columns are shown too.
          for (let sample = Math.ceil(atBefore); sample < at; sample++) {
            const peak = bottom - (positions[sample * joints + index] - lower) * slope;
            begin = Math.min(begin, peak);
            until = Math.max(until, peak);
          }
        }
        begin -= 0.5;
        until += 0.5;
        before = y;
        atBefore = at;
        for (let row = Math.max(0, Math.floor(begin)); row < Math.min(until, canvas.height); row++) {
          const cover = Math.min(until, row + 1) - Math.max(begin, row);
          const place = row * canvas.width + x;
          pixels[place] = ((Math.max(pixels[place] >>> 24, Math.round(cover * 255)) << 24) | paint) >>> 0;
        }
      }
    }
  }

  /** A curve as its values lie in each column; `y` gives the place of a value, and nothing is drawn outside of `top` and `bottom`. */
  stroke(curve: Envelope, y: (value: number) => number, top: number, bottom: number, color: string, thick = 1, dash = 0): void {
    const paint = this.paint(color) & 0xffffff;
    const last = Math.min(curve.width, this.canvas.width);
    for (let x = 0; x < last; x++) {
      if (curve.high[x] < curve.low[x] || (dash && x % (2 * dash) >= dash)) continue;
      const [a, b] = [y(curve.high[x]), y(curve.low[x])];
      this.column(x, Math.max(Math.min(a, b) - thick / 2, top), Math.min(Math.max(a, b) + thick / 2, bottom), paint, 255);
    }
  }

  /** The same, filled, seen through. */
  fill(curve: Envelope, y: (value: number) => number, top: number, bottom: number, color: string, opacity: number): void {
    const paint = this.paint(color) & 0xffffff;
    const last = Math.min(curve.width, this.canvas.width);
    for (let x = 0; x < last; x++) {
      if (curve.high[x] < curve.low[x]) continue;
      const [a, b] = [y(curve.high[x]), y(curve.low[x])];
      this.column(x, Math.max(Math.min(a, b), top), Math.min(Math.max(a, b) + 1, bottom), paint, 255 * opacity);
    }
  }

  private column(x: number, begin: number, end: number, paint: number, opacity: number): void {
    const { canvas, pixels } = this;
    for (let row = Math.max(0, Math.floor(begin)); row < Math.min(end, canvas.height); row++) {
      const cover = Math.min(end, row + 1) - Math.max(begin, row);
      const place = row * canvas.width + x;
      pixels[place] = ((Math.max(pixels[place] >>> 24, Math.round(cover * opacity)) << 24) | paint) >>> 0;
    }
  }

  /** The picture. */
  end(): HTMLCanvasElement {
    this.context.putImageData(this.image, 0, 0);
    return this.canvas;
  }

  /** A color of CSS as the bytes of a pixel. */
  private paint(color: string): number {
    let paint = this.colors.get(color);
    if (paint === undefined) {
      this.context.fillStyle = color;
      this.context.fillRect(0, 0, 1, 1);
      const [red, green, blue] = this.context.getImageData(0, 0, 1, 1).data;
      paint = ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
      this.colors.set(color, paint);
    }
    return paint;
  }
}
