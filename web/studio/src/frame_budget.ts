// How often a picture may be drawn that takes the graphics processor long: with software GL that is the same processor.

/** Share of the time that drawing may take while other things on the page move. */
const SHARE = 0.25;
/** A picture is made coarser until it takes less than this [ms]. */
const LONG = 24;
/** So often is asked whether a picture is done [ms]. */
const POLL = 2;
/** Pixels of the picture per pixel of the page, in steps, as share of the full ones. */
const STEPS = [1, 0.7, 0.5];

export class FrameBudget {
  private busy = false;
  private next = 0;
  private step = 0;
  /** Time from a drawing's commands to its end [ms]. */
  cost = 0;

  constructor(private gl: WebGL2RenderingContext) {}

  /** Share of the full number of pixels in each direction. */
  get ratio(): number {
    return STEPS[this.step];
  }

  /** Whether there is time for another picture. */
  get ready(): boolean {
    return !this.busy && performance.now() >= this.next;
  }

  /** A picture's commands were given. */
  drawn(): void {
    const { gl, busy } = this;
    if (busy) return;
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    if (!fence) return;
    this.busy = true;
    const began = performance.now();
    const look = () => {
      if (!gl.isContextLost() && gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED) return void setTimeout(look, POLL);
      gl.deleteSync(fence);
      this.done(performance.now() - began);
    };
    setTimeout(look, POLL);
  }

  private done(cost: number): void {
    this.busy = false;
    this.cost = cost;
    this.next = performance.now() + cost * (1 / SHARE - 1);
    if (cost > LONG && this.step < STEPS.length - 1) this.step++;
    else if (cost < LONG / 3 && this.step > 0) this.step--;
  }
}
