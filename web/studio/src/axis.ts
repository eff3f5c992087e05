// The one time axis of the dock: which time stands where, for the keys, the curves and the plots.

/** Width of the names left of all lanes [px]. */
export const NAMES = 140;
const LEFT = 10;
const RIGHT = 52;
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** Distance of the lines of a grid [s], of so many pixels per second. */
export const stepOf = (scale: number): number => STEPS.find((step) => step * scale >= 48) ?? 600;

export class TimeAxis {
  private zoom = 0;
  offset = 0;
  /** Width of what the axis is drawn on [px]. */
  width = 0;
  private listeners: (() => void)[] = [];

  /** @param end Gives the end of what is shown [s]. */
  constructor(private end: () => number) {}

  on(changed: () => void): void {
    this.listeners.push(changed);
  }

  private changed(): void {
    for (const each of this.listeners) each();
  }

  /** Pixels per second. */
  get scale(): number {
    return this.zoom || Math.max(this.width - NAMES - LEFT - RIGHT, 50) / Math.max(this.end(), 0.2);
  }

  x(time: number): number {
    return NAMES + LEFT + time * this.scale - this.offset;
  }

  time(x: number): number {
    return (x - NAMES - LEFT + this.offset) / this.scale;
  }

  /** Times of the lines of a grid, with their distance [s]. */
  ticks(): { every: number; times: number[] } {
    const every = stepOf(this.scale);
    const times = [];
    for (let tick = Math.max(0, Math.floor(this.time(NAMES) / every)); this.x(tick * every) < this.width; tick++) times.push(tick * every);
    return { every, times };
  }

  fit(): void {
    this.zoom = 0;
    this.offset = 0;
    this.changed();
  }

  pan(to: number): void {
    this.offset = Math.max(0, to);
    this.changed();
  }

  /** Wheel: sideways it pans; over the head of a view, or with Ctrl, it zooms. Whether it did something. */
  wheel(event: WheelEvent, head: boolean): boolean {
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.pan(this.offset + (event.deltaX || event.deltaY));
      return true;
    }
    if (!event.ctrlKey && !event.metaKey && !head) return false;
    event.preventDefault();
    const time = this.time(event.offsetX);
    this.zoom = Math.min(Math.max(this.scale * Math.exp(-event.deltaY * 0.0015), 2), 20000);
    this.pan(NAMES + LEFT + time * this.zoom - event.offsetX);
    return true;
  }
}
