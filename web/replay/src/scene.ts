// Meshes of a recorded world: one per moving body, one for everything that stands still.
import { colorOf, primitive, quaternion, triangles } from "@andante/shared/shapes";
import {
  BufferAttribute, type BufferGeometry, DataTexture, DoubleSide, Group, LinearMipmapLinearFilter, Matrix4, Mesh, MeshLambertMaterial, NearestFilter,
  type Object3D, PlaneGeometry, RepeatWrapping, SRGBColorSpace, Vector3,
} from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { HeightField, Placed, RecordedMesh, RecordedRun, RecordedShape } from "./recorded";

export interface Look {
  sky: string;
  /** Colors of the floor's squares, `#rrggbb`. */
  floor: [string, string];
  below: string;
  ambient: number;
  sun: number;
  /** Side of a square [m]. */
  square: number;
  /** Width of a floor without end [m]. */
  wide: number;
}

function geometryOf(shape: RecordedShape, meshes: BufferGeometry[]): BufferGeometry | null {
  if (shape.kind === "plane") return null;
  return shape.kind === "mesh" ? meshes[shape.mesh!].clone() : primitive({ kind: shape.kind, size: shape.size });
}

function meshGeometry({ low, step, points, faces }: RecordedMesh): BufferGeometry {
  const places = new Float32Array(points.length);
  for (let i = 0; i < points.length; i++) places[i] = low[i % 3] + step * points[i];
  return triangles(places, faces);
}

function fieldGeometry({ x, y, height, heights }: HeightField): BufferGeometry {
  const wide = x.length;
  const places = new Float32Array(3 * wide * y.length);
  for (let j = 0, at = 0; j < y.length; j++)
    for (let i = 0; i < wide; i++, at += 3) places.set([x[i], y[j], (height * heights[j * wide + i]) / 65535], at);
  const faces = new Uint32Array(6 * (wide - 1) * (y.length - 1));
  for (let j = 0, at = 0; j + 1 < y.length; j++)
    for (let i = 0; i + 1 < wide; i++, at += 6) {
      const corner = j * wide + i;
      faces.set([corner, corner + 1, corner + wide, corner + 1, corner + wide + 1, corner + wide], at);
    }
  return triangles(places, faces, true);
}

function put<T extends Object3D>(object: T, { at, turn }: Placed): T {
  object.position.set(at[0], at[1], at[2]);
  object.quaternion.copy(quaternion(turn));
  return object;
}

/** A geometry in its body's frame, with its colour at every corner, ready to be merged with others. */
function prepared(geometry: BufferGeometry, shape: RecordedShape): BufferGeometry {
  const bare = geometry.index ? geometry.toNonIndexed() : geometry;
  for (const name of Object.keys(bare.attributes)) if (name !== "position" && name !== "normal") bare.deleteAttribute(name);
  const [x, y, z] = shape.at;
  bare.applyMatrix4(new Matrix4().compose(new Vector3(x, y, z), quaternion(shape.turn), new Vector3(1, 1, 1)));
  const color = colorOf(shape.colour);
  const colors = new Float32Array(3 * bare.attributes.position.count);
  for (let i = 0; i < colors.length; i += 3) color.toArray(colors, i);
  bare.setAttribute("color", new BufferAttribute(colors, 3));
  return bare;
}

function merged(shapes: RecordedShape[], meshes: BufferGeometry[], opacity: number): Mesh | null {
  const parts = shapes.flatMap((shape) => {
    const geometry = geometryOf(shape, meshes);
    return geometry ? [prepared(geometry, shape)] : [];
  });
  if (!parts.length) return null;
  const clear = Math.min(opacity, ...shapes.map((shape) => shape.colour[3]));
  const material = new MeshLambertMaterial({ vertexColors: true, transparent: clear < 1, opacity: clear, depthWrite: clear === 1 });
  return new Mesh(mergeGeometries(parts), material);
}

function floor(shape: RecordedShape, look: Look): Mesh {
  const [light, dark] = look.floor.map((text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)));
  const squares = new DataTexture(new Uint8Array([light, dark, dark, light].flatMap((rgb) => [...rgb, 255])), 2, 2);
  squares.colorSpace = SRGBColorSpace;
  squares.wrapS = squares.wrapT = RepeatWrapping;
  squares.magFilter = NearestFilter;
  squares.minFilter = LinearMipmapLinearFilter;
  squares.generateMipmaps = true;
  // A plane of size 0 goes on for ever.
  const width = 2 * shape.size[0] || look.wide;
  const depth = 2 * shape.size[1] || look.wide;
  squares.repeat.set(width / (2 * look.square), depth / (2 * look.square));
  squares.needsUpdate = true;
  return put(new Mesh(new PlaneGeometry(width, depth), new MeshLambertMaterial({ map: squares })), shape);
}

/** A group that never moves, and one object per moving body. */
export function buildScene(data: RecordedRun, look: Look, { ghost = false } = {}): { still: Group; bodies: Group[] } {
  const meshes = data.meshes.map(meshGeometry);
  const still = new Group();
  if (!ghost) {
    for (const shape of data.shapes.filter(({ kind }) => kind === "plane")) still.add(floor(shape, look));
    const fixed = merged(data.shapes.filter((shape) => shape.body < 0 && shape.kind !== "plane"), meshes, 1);
    if (fixed) still.add(fixed);
    for (const field of data.fields) {
      const material = new MeshLambertMaterial({ color: colorOf(field.colour), side: DoubleSide });
      still.add(put(new Mesh(fieldGeometry(field), material), field));
    }
  }
  const bodies: Group[] = [];
  for (let body = 0; body < data.bodies; body++) {
    const holder = new Group();
    const own = data.shapes.filter((shape) => shape.body === body);
    // What can be seen through is drawn by itself, after the rest.
    for (const clear of [false, true]) {
      const made = merged(own.filter((shape) => (shape.colour[3] < 1) === clear), meshes, ghost ? 0.35 : 1);
      if (made) holder.add(made);
    }
    bodies.push(holder);
  }
  return { still, bodies };
}
