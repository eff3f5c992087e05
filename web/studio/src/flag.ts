// A flag with a word at a place of the ground, which is read from any side and any distance.
import * as three from "three";

const WORD = 26;

/** A word that always looks at the camera and is always as large. */
export function word(text: string, color: number): three.Sprite {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d")!;
  const font = `600 ${WORD}px system-ui, "DejaVu Sans", sans-serif`;
  context.font = font;
  canvas.width = Math.ceil(context.measureText(text).width) + 24;
  canvas.height = WORD + 16;
  context.font = font;
  context.textBaseline = "middle";
  context.fillStyle = `#${color.toString(16).padStart(6, "0")}`;
  context.beginPath();
  context.roundRect(0, 0, canvas.width, canvas.height, 10);
  context.fill();
  context.fillStyle = "#ffffff";
  context.fillText(text, 12, canvas.height / 2 + 1);
  const texture = new three.CanvasTexture(canvas);
  texture.colorSpace = three.SRGBColorSpace;
  const sprite = new three.Sprite(new three.SpriteMaterial({ map: texture, sizeAttenuation: false, depthTest: false, transparent: true }));
  const high = 0.024;
  sprite.scale.set((high * canvas.width) / canvas.height, high, 1);
  sprite.center.set(0.5, 0);
  sprite.renderOrder = 9;
  return sprite;
}

/** A flag on its pole, so high [m], with a ring on the ground. */
export function flag(text: string, color: number, high: number): three.Group {
  const node = new three.Group();
  const look = new three.MeshBasicMaterial({ color, side: three.DoubleSide });
  const pole = new three.Mesh(new three.CylinderGeometry(0.025 * high, 0.025 * high, high, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5 * high), look);
  const ring = new three.Mesh(new three.RingGeometry(0.2 * high, 0.28 * high, 32).translate(0, 0, 0.03 * high), look);
  const name = word(text, color);
  name.position.z = 1.05 * high;
  node.add(pole, ring, name);
  return node;
}

/** Give back what a group of marks holds on the graphics card, and empty it. */
export function cleared(group: three.Group): void {
  group.traverse((each) => {
    if (each instanceof three.Mesh || each instanceof three.Line) each.geometry.dispose();
    if (!(each instanceof three.Mesh || each instanceof three.Line || each instanceof three.Sprite)) return;
    const look = each.material as three.Material & { map?: three.Texture | null };
    look.map?.dispose();
    look.dispose();
  });
  group.clear();
}
