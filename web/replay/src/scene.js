// Meshes of a recorded world: one per moving body, one for everything that stands still.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, Color, CylinderGeometry, DataTexture, DoubleSide,
  Group, LinearMipmapLinearFilter, Matrix4, Mesh, MeshLambertMaterial, NearestFilter, PlaneGeometry, Quaternion, RepeatWrapping, SphereGeometry,
  SRGBColorSpace, Vector3,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";

const quarter = new Matrix4().makeRotationX(Math.PI / 2);

// MuJoCo's sizes are halves; its long shapes lie along z, those of three.js along y.
function primitive(shape, meshes) {
  const [a, b, c] = shape.size;
  switch (shape.kind) {
    case "sphere": return new SphereGeometry(a, 20, 14);
    case "ellipsoid": return new SphereGeometry(1, 20, 14).scale(a, b, c);
    case "capsule": return new CapsuleGeometry(a, 2 * b, 6, 16).applyMatrix4(quarter);
    case "cylinder": return new CylinderGeometry(a, a, 2 * b, 24).applyMatrix4(quarter);
    case "box": return new BoxGeometry(2 * a, 2 * b, 2 * c);
    case "mesh": return meshes[shape.mesh].clone();
    default: return null;
  }
}

function geometryOf(places, faces) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(places, 3));
  geometry.setIndex(new BufferAttribute(faces, 1));
  return geometry;
}

function meshGeometry({ low, step, points, faces }) {
  const places = new Float32Array(points.length);
  for (let i = 0; i < points.length; i++) places[i] = low[i % 3] + step * points[i];
  const flat = geometryOf(places, faces).toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

function fieldGeometry({ x, y, height, heights }) {
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
  const geometry = geometryOf(places, faces);
  geometry.computeVertexNormals();
  return geometry;
}

const colourOf = (values) => new Color().setRGB(values[0], values[1], values[2], SRGBColorSpace);

function put(object, shape) {
  const [w, x, y, z] = shape.turn;
  object.position.set(...shape.at);
  object.quaternion.set(x, y, z, w);
  return object;
}

// A geometry in its body's frame, with its colour at every corner, ready to be merged with others.
function prepared(geometry, shape) {
  const bare = geometry.index ? geometry.toNonIndexed() : geometry;
  for (const name of Object.keys(bare.attributes)) if (name !== "position" && name !== "normal") bare.deleteAttribute(name);
  const [w, x, y, z] = shape.turn;
  bare.applyMatrix4(new Matrix4().compose(new Vector3(...shape.at), new Quaternion(x, y, z, w), new Vector3(1, 1, 1)));
  const color = colourOf(shape.colour);
  const colors = new Float32Array(3 * bare.attributes.position.count);
  for (let i = 0; i < colors.length; i += 3) color.toArray(colors, i);
  bare.setAttribute("color", new BufferAttribute(colors, 3));
  return bare;
}

function merged(shapes, meshes, opacity) {
  const parts = shapes.map((shape) => [primitive(shape, meshes), shape]).filter(([geometry]) => geometry);
  if (!parts.length) return null;
  const clear = Math.min(opacity, ...shapes.map((shape) => shape.colour[3]));
  const material = new MeshLambertMaterial({ vertexColors: true, transparent: clear < 1, opacity: clear, depthWrite: clear === 1 });
  return new Mesh(mergeGeometries(parts.map(([geometry, shape]) => prepared(geometry, shape))), material);
}

function floor(shape, look) {
  const [light, dark] = look.floor.map((text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)));
  const squares = new DataTexture(new Uint8Array([light, dark, dark, light].flatMap((rgb) => [...rgb, 255])), 2, 2);
  squares.colorSpace = SRGBColorSpace;
  squares.wrapS = squares.wrapT = RepeatWrapping;
  squares.magFilter = NearestFilter;
  squares.minFilter = LinearMipmapLinearFilter;
  squares.generateMipmaps = true;
  // A plane of size 0 goes on for ever.
  const width = 2 * shape.size[0] || look.wide, depth = 2 * shape.size[1] || look.wide;
  squares.repeat.set(width / (2 * look.square), depth / (2 * look.square));
  squares.needsUpdate = true;
  return put(new Mesh(new PlaneGeometry(width, depth), new MeshLambertMaterial({ map: squares })), shape);
}

// Builds what `data` describes: `{ still, bodies }`, a group that never moves and one object per moving body.
export function buildScene(data, look, { ghost = false } = {}) {
  const meshes = data.meshes.map(meshGeometry);
  const still = new Group();
  if (!ghost) {
    for (const shape of data.shapes.filter((each) => each.kind === "plane")) still.add(floor(shape, look));
    const fixed = merged(data.shapes.filter((shape) => shape.body < 0 && shape.kind !== "plane"), meshes, 1);
    if (fixed) still.add(fixed);
    for (const field of data.fields) {
      const material = new MeshLambertMaterial({ color: colourOf(field.colour), side: DoubleSide });
      still.add(put(new Mesh(fieldGeometry(field), material), field));
    }
  }
  const bodies = [];
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
