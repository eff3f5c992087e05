// The floor of a picture: a disc with a line every 10 cm, a stronger one every half metre, all fading with the distance.
import * as three from "three";

const LINE = 0.1;
const STRONG = 5;
/** The floor goes along with a robot in such steps, so that its lines stay where they are [m]. */
const STEP = LINE * STRONG;
const PART = 0.2;


export class Floor {
  readonly node = new three.Group();
  private disc = new three.MeshBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
  private lines = new three.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });

  /** @param radius Where it has faded away [m]. */
  constructor(radius = 2.6) {
    const fading = (x: number, y: number) => Math.max(0, 1 - Math.hypot(x, y) / radius);
    const round = new three.RingGeometry(0, radius, 48, 5);
    const places = round.getAttribute("position");
    const tones = new Float32Array(4 * places.count).fill(1);
    for (let corner = 0; corner < places.count; corner++) tones[4 * corner + 3] = fading(places.getX(corner), places.getY(corner));
    round.setAttribute("color", new three.BufferAttribute(tones, 4));
    const disc = new three.Mesh(round, this.disc);
    // Soles stand at 0.
    disc.position.z = -0.003;
    disc.renderOrder = -2;
    const ends: number[] = [];
    const shades: number[] = [];
    const most = Math.round(radius / LINE);
    for (let number = -most; number <= most; number++) {
      const at = number * LINE;
      const reach = Math.sqrt(Math.max(0, radius * radius - at * at));
      const strength = number % STRONG ? 0.45 : 1;
      for (let from = -reach; from < reach - 1e-9; from += PART) {
        const to = Math.min(from + PART, reach);
        for (const [x, y] of [[from, at], [to, at], [at, from], [at, to]]) {
          ends.push(x, y, -0.0015);
          shades.push(1, 1, 1, strength * fading(x, y));
        }
      }
    }
    const grid = new three.BufferGeometry();
    grid.setAttribute("position", new three.Float32BufferAttribute(ends, 3));
    grid.setAttribute("color", new three.Float32BufferAttribute(shades, 4));
    const lines = new three.LineSegments(grid, this.lines);
    lines.renderOrder = -1;
    this.node.add(disc, lines);
  }

  /** Take the colors of the theme. */
  colors(): void {
    const style = getComputedStyle(document.documentElement);
    this.disc.color.set(style.getPropertyValue("--floor").trim() || "#eff3f7");
    this.lines.color.set(style.getPropertyValue("--grid").trim() || "#b8c2cc");
  }

  /** Lie below a place. */
  below(x: number, y: number): void {
    this.node.position.set(Math.round(x / STEP) * STEP, Math.round(y / STEP) * STEP, 0);
  }
}
