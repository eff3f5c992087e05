// The ground by keys: arrows move a place over it, Enter draws there, or puts a footstep.
import type * as three from "three";

/** What is asked about the ground, and what a key does at a place of it. */
interface Ground {
  camera: three.Camera;
  /** Where arrows begin, and what they stay in: low and high x, low and high y [m]. */
  middle(): [number, number];
  edges(): [number, number, number, number];
  /** Distance of its nodes [m]. */
  spacing(): number;
  tool(): boolean;
  /** Whether arrows are another's now: of a robot that is steered. */
  taken(): boolean;
  move(place: [number, number], pen: boolean): void;
  pen(down: boolean, place: [number, number]): void;
  click(place: [number, number]): void;
}

/** A press moves so many nodes, or one with Shift. */
const COARSE = 4;
/** On wide ground at most so far [m]. */
const FAR = 0.1;

export class GroundKeys {
  /** Where the arrows are; null: somebody points instead. */
  place: [number, number] | null = null;
  private down = false;

  constructor(canvas: HTMLCanvasElement, private ground: Ground) {
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", "Ground");
    canvas.setAttribute("aria-description", "Arrows move a place over the ground, Shift in small steps; Enter begins and ends a stroke of the chosen tool, or puts a footstep or a goal there");
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("blur", () => this.lift());
    canvas.addEventListener("pointerdown", () => {
      this.lift();
      this.place = null;
    });
  }

  /** End the stroke. */
  lift(): void {
    if (this.down && this.place) this.ground.pen(false, this.place);
    this.down = false;
  }

  private key(event: KeyboardEvent): void {
    const { ground } = this;
    if (ground.taken() || event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = event.key.startsWith("Arrow");
    if (!arrow && event.key !== "Enter" && event.key !== " " && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    const [x, y] = this.place ?? ground.middle();
    if (arrow) {
      const [low, high, right, left] = ground.edges();
      const step = Math.min((event.shiftKey ? 1 : COARSE) * ground.spacing(), FAR);
      const [u, v] = this.way(event.key);
      this.place = [Math.min(Math.max(x + step * u, low), high), Math.min(Math.max(y + step * v, right), left)];
    } else this.place = [x, y];
    if (event.key === "Escape") this.lift();
    else if (!arrow && !ground.tool()) ground.click(this.place);
    else if (!arrow && this.down) this.lift();
    else if (!arrow) {
      this.down = true;
      ground.pen(true, this.place);
    }
    ground.move(this.place, this.down);
  }

  /** The way along the board that is nearest to an arrow's on the page. */
  private way(key: string): [number, number] {
    const { elements } = this.ground.camera.matrixWorld;
    const right: [number, number] = Math.abs(elements[0]) >= Math.abs(elements[1]) ? [Math.sign(elements[0]), 0] : [0, Math.sign(elements[1])];
    const up: [number, number] = [-right[1], right[0]];
    const [[u, v], sign] = ({ ArrowRight: [right, 1], ArrowLeft: [right, -1], ArrowUp: [up, 1], ArrowDown: [up, -1] } as const)[key as "ArrowUp"];
    return [sign * u, sign * v];
  }
}
