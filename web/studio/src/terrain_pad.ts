// A gamepad that steers: left stick ahead and aside, right stick turns, shoulders choose the gait, start ends the run.

/** Numbers of the W3C's standard layout. */
const [BEFORE, AFTER, START] = [4, 5, 9];
/** Worn sticks do not come back to their middle. */
const DEAD = 0.1;

export class Pad {
  /** Shares of the largest speeds: ahead, left, turn to the left. */
  wish: [number, number, number] = [0, 0, 0];
  name = "";
  private pressed = new Set<number>();

  constructor(private heard: { steer: () => void; gait: (way: number) => void; end: () => void; named: () => void }) {
    setInterval(() => this.poll(), 30);
  }

  private poll(): void {
    const pad = [...(navigator.getGamepads?.() ?? [])].find((each) => each !== null);
    if ((pad?.id ?? "") !== this.name) {
      this.name = pad?.id ?? "";
      this.heard.named();
    }
    const share = (axis: number) => {
      const value = -(pad?.axes[axis] ?? 0);
      return Math.abs(value) < DEAD ? 0 : Math.round(100 * Math.sign(value) * ((Math.abs(value) - DEAD) / (1 - DEAD))) / 100;
    };
    const wish: [number, number, number] = [share(1), share(0), share(2)];
    if (wish.some((value, axis) => value !== this.wish[axis])) {
      this.wish = wish;
      this.heard.steer();
    }
    for (const [number, act] of [[BEFORE, () => this.heard.gait(-1)], [AFTER, () => this.heard.gait(1)], [START, () => this.heard.end()]] as const) {
      const down = (pad?.buttons[number]?.value ?? 0) > 0.5;
      if (down && !this.pressed.has(number)) act();
      if (down) this.pressed.add(number);
      else this.pressed.delete(number);
    }
  }
}
