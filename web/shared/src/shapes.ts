// Shapes of MuJoCo's geoms as three.js draws them. Sizes are halves; long shapes lie along z, those of three.js along y.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, Color, CylinderGeometry, Quaternion, SphereGeometry, SRGBColorSpace,
} from "three";

export interface Shape {
  kind: "sphere" | "capsule" | "ellipsoid" | "cylinder" | "box" | "mesh";
  size: number[];
  position: number[];
  /** Orientation, wxyz. */
  rotation: number[];
  /** Red, green, blue, opacity, 0 to 1. */
  color: number[];
  /** Its number among the meshes. */
  mesh?: number;
}

/** The geometry of a shape that is no mesh. */
export function primitive({ kind, size }: { kind: Exclude<Shape["kind"], "mesh">; size: number[] }): BufferGeometry {
  const [a, b, c] = size;
  switch (kind) {
    case "sphere":
      return new SphereGeometry(a, 16, 12);
    case "ellipsoid":
      return new SphereGeometry(1, 16, 12).scale(a, b, c);
    case "box":
      return new BoxGeometry(2 * a, 2 * b, 2 * c);
    case "capsule":
      return new CapsuleGeometry(a, 2 * b, 4, 12).rotateX(Math.PI / 2);
    case "cylinder":
      return new CylinderGeometry(a, a, 2 * b, 20).rotateX(Math.PI / 2);
  }
}

/** Triangles over places, (3 n); its faces are flat, or its corners smooth. */
export function triangles(places: Float32Array<ArrayBuffer>, faces: Uint32Array<ArrayBuffer>, smooth = false): BufferGeometry {
  const indexed = new BufferGeometry();
  indexed.setAttribute("position", new BufferAttribute(places, 3));
  indexed.setIndex(new BufferAttribute(faces, 1));
  const geometry = smooth ? indexed : indexed.toNonIndexed();
  geometry.computeVertexNormals();
  return geometry;
}

export function quaternion([w, x, y, z]: number[]): Quaternion {
  return new Quaternion(x, y, z, w);
}

export function colorOf([r, g, b]: number[]): Color {
  return new Color().setRGB(r, g, b, SRGBColorSpace);
}
