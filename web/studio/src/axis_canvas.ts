// What the curves and the plots of the time axis have in common: a canvas under the playhead, drawn anew only when what it
// shows, its size or the axis has changed.
import { NAMES, type TimeAxis } from "./axis";
import { element } from "./dom";
import { Envelope } from "./envelope";
import { Pixels } from "./pixels";
import { type Moments, Playhead } from "./playhead";

export type ColorOf = (variable: string) => string;

export abstract class AxisCanvas<Source extends Moments> {
  readonly node: HTMLElement;
  protected readonly canvas: HTMLCanvasElement;
  protected readonly pixels = new Pixels();
  protected readonly curve = new Envelope();
  private readonly playhead: Playhead;
  private drawnOf = "";
  private dirty = true;
  private drawnAt = 0;
  /** Time that drawing everything took last [ms]. */
  drawn = 0;

  /** @param live While a run goes on it is drawn anew after so long [ms]. */
  constructor(protected readonly store: Source, protected readonly axis: TimeAxis, name: string, canvas: Record<string, string | number>, private live: number) {
    this.canvas = element("canvas", canvas);
    this.playhead = new Playhead(store, axis);
    this.node = element("div", { class: name }, this.canvas, this.playhead.node);
    axis.on(() => (this.dirty = true));
    new ResizeObserver(() => this.redraw()).observe(this.node);
    this.canvas.addEventListener("wheel", (event) => axis.wheel(event, true), { passive: false });
    const loop = () => {
      requestAnimationFrame(loop);
      if (this.dirty && !this.node.hidden) this.draw();
    };
    loop();
  }

  redraw(): void {
    this.dirty = true;
    this.drawnOf = "";
  }

  /** Draw what has come meanwhile, if it is time to. */
  protected redrawLive(): void {
    if (performance.now() - this.drawnAt > this.live) this.redraw();
  }

  private draw(): void {
    this.dirty = false;
    const { canvas } = this;
    const [width, height] = [this.node.clientWidth, this.node.clientHeight];
    if (!width || !height) return;
    const ratio = devicePixelRatio;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      this.drawnOf = "";
    }
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const of = [width, height, ratio, this.axis.scale, this.axis.offset].join();
    this.playhead.place();
    if (of === this.drawnOf) return;
    this.drawnOf = of;
    const began = performance.now();
    const style = getComputedStyle(document.documentElement);
    const color = (variable: string) => style.getPropertyValue(variable).trim();
    const context = canvas.getContext("2d", { willReadFrequently: true })!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = color("--panel");
    context.fillRect(0, 0, width, height);
    this.drawLayer(context, width, height, ratio, color);
    this.drawnAt = performance.now();
    this.drawn = this.drawnAt - began;
    this.node.dataset.drawn = this.drawn.toFixed(2);
  }

  /** Columns of the canvas right of the names. */
  protected columns(width: number, ratio: number): number {
    return Math.round((width - NAMES) * ratio);
  }

  protected abstract drawLayer(context: CanvasRenderingContext2D, width: number, height: number, ratio: number, color: ColorOf): void;
}
