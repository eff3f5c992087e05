// A robot as three.js objects: bodies in bodies, each moved by its joints. World axes: x forward, y left, z up.
import * as three from "three";
import { bytes } from "./packed";
import type { Robot, Shape } from "./robot";
import { colorOf, primitive, quaternion, triangles } from "./shapes";

function geometryOf(shape: Shape, robot: Robot, meshes: Map<number, three.BufferGeometry>): three.BufferGeometry {
  if (shape.kind !== "mesh") return primitive({ kind: shape.kind, size: shape.size });
  const number = shape.mesh!;
  let geometry = meshes.get(number);
  if (!geometry) {
    const mesh = robot.meshes[String(number)];
    geometry = triangles(new Float32Array(bytes(mesh.vertices)), new Uint32Array(bytes(mesh.faces)));
    meshes.set(number, geometry);
  }
  return geometry;
}

export class Robot3d {
  readonly root = new three.Group();
  readonly bodies: three.Group[] = [];
  private movers: { group: three.Group; slide: boolean; axis: three.Vector3; at: three.Vector3; zero: number; joint: number }[][] = [];
  private rest: { position: three.Vector3; rotation: three.Quaternion }[] = [];
  /** Points far out on each body's shapes, in its own frame; made when they are first asked for. */
  private rim: { body: number; points: three.Vector3[] }[] | null = null;
  private soles: { body: number; points: three.Vector3[]; rotation: three.Quaternion; radius: number }[];
  private joints = new Float32Array();

  /** @param ghost Color and opacity in place of the robot's own. */
  constructor(readonly robot: Robot, ghost?: { color: number; opacity: number }) {
    const meshes = new Map<number, three.BufferGeometry>();
    const materials = new Map<string, three.Material>();
    for (const [number, body] of robot.bodies.entries()) {
      const group = new three.Group();
      group.userData.body = number;
      this.bodies.push(group);
      this.rest.push({ position: new three.Vector3(...body.position), rotation: quaternion(body.rotation) });
      group.position.copy(this.rest[number].position);
      group.quaternion.copy(this.rest[number].rotation);
      (body.parent >= 0 ? this.bodies[body.parent] : this.root).add(group);
      this.movers.push(
        body.joints.map((joint) => ({
          group, slide: joint.slide, axis: new three.Vector3(...joint.axis).normalize(), at: new three.Vector3(...joint.position),
          zero: joint.zero, joint: joint.joint,
        })),
      );
      for (const shape of body.shapes) {
        const key = ghost ? "ghost" : shape.color.join();
        let material = materials.get(key);
        if (!material) {
          const opacity = shape.color[3];
          material = ghost
            ? new three.MeshLambertMaterial({ color: ghost.color, transparent: true, opacity: ghost.opacity, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8 })
            : new three.MeshLambertMaterial({ color: colorOf(shape.color), transparent: opacity < 1, opacity });
          materials.set(key, material);
        }
        this.drawn.push(this.add(number, shape, geometryOf(shape, robot, meshes), material));
      }
    }
    this.soles = robot.feet.map((foot) => {
      const rotation = quaternion(foot.rotation);
      const center = new three.Vector3(...foot.position);
      const points = foot.outline.length
        ? foot.outline.map(([x, y]) => new three.Vector3(x, y, 0).applyQuaternion(rotation).add(center))
        : [center];
      return { body: foot.body, points, rotation, radius: foot.radius };
    });
  }

  private drawn: three.Mesh[] = [];
  private touching: three.Mesh[] | null = null;

  private add(body: number, shape: Shape, geometry: three.BufferGeometry, material: three.Material): three.Mesh {
    const mesh = new three.Mesh(geometry, material);
    mesh.position.set(shape.position[0], shape.position[1], shape.position[2]);
    mesh.quaternion.copy(quaternion(shape.rotation));
    mesh.userData.body = body;
    this.bodies[body].add(mesh);
    return mesh;
  }

  /** Show what touches in physics in place of what is drawn, of bodies where these are two things. */
  showCollisions(on: boolean): void {
    if (on && !this.touching) {
      const meshes = new Map<number, three.BufferGeometry>();
      const material = new three.MeshLambertMaterial({ color: 0xc98a2b, transparent: true, opacity: 0.75 });
      this.touching = this.robot.bodies.flatMap(({ collisions }, body) => (collisions ?? []).map((shape) => this.add(body, shape, geometryOf(shape, this.robot, meshes), material)));
    }
    for (const mesh of this.touching ?? []) mesh.visible = on;
    for (const mesh of this.drawn) mesh.visible = !on || !this.robot.bodies[mesh.userData.body as number].collisions;
  }

  /** What a ray meets first: the number of its body, and where in the world; null: nothing. */
  met(ray: three.Raycaster): { body: number; at: three.Vector3 } | null {
    const shown = [...this.drawn, ...(this.touching ?? [])].filter(({ visible }) => visible);
    const first = ray.intersectObjects(shown, false)[0];
    return first ? { body: first.object.userData.body as number, at: first.point } : null;
  }

  /** Joints that move a body: its own, or those of the nearest body before it that has some. */
  jointsOf(body: number): number[] {
    for (let at = body; at >= 0; at = this.robot.bodies[at].parent) {
      const { joints } = this.robot.bodies[at];
      if (joints.length) return joints.map(({ joint }) => joint);
    }
    return [];
  }

  setJoints(angles: ArrayLike<number>): void {
    this.joints = Float32Array.from(angles);
    const turn = new three.Quaternion();
    const offset = new three.Vector3();
    for (const [number, movers] of this.movers.entries()) {
      if (!movers.length) continue;
      const group = this.bodies[number];
      group.position.copy(this.rest[number].position);
      group.quaternion.copy(this.rest[number].rotation);
      for (const mover of movers) {
        const value = this.joints[mover.joint] - mover.zero;
        if (mover.slide) {
          group.position.add(offset.copy(mover.axis).multiplyScalar(value).applyQuaternion(group.quaternion));
          continue;
        }
        // Turn about the axis through the joint's place.
        group.position.add(offset.copy(mover.at).applyQuaternion(group.quaternion));
        group.quaternion.multiply(turn.setFromAxisAngle(mover.axis, value));
        group.position.sub(offset.copy(mover.at).applyQuaternion(group.quaternion));
      }
    }
  }

  /** Put the base where a run had it: position, orientation wxyz. */
  setBase(base: ArrayLike<number>): void {
    const group = this.bodies[this.robot.base];
    group.position.set(base[0], base[1], base[2]);
    group.quaternion.set(base[4], base[5], base[6], base[3]);
    this.root.position.set(0, 0, 0);
    this.root.quaternion.identity();
  }

  /** Put the robot on the ground at a place, its base turned so: whatever of it is lowest touches. */
  lie(turn: three.Quaternion, at = new three.Vector2()): void {
    this.rim ??= this.bodies.map((_, body) => ({ body, points: this.drawn.filter((mesh) => mesh.userData.body === body).flatMap(outermost) }));
    const base = this.bodies[this.robot.base];
    base.position.set(at.x, at.y, 0);
    base.quaternion.copy(turn);
    this.root.position.set(0, 0, 0);
    this.root.quaternion.identity();
    this.root.updateMatrixWorld(true);
    let floor = Infinity;
    const point = new three.Vector3();
    for (const { body, points } of this.rim) {
      for (const each of points) floor = Math.min(floor, point.copy(each).applyMatrix4(this.bodies[body].matrixWorld).z);
    }
    if (Number.isFinite(floor)) base.position.z = -floor;
  }

  /** Put the robot on the ground at a place: the soles, or ball feet, that can carry lie flat on it, or (`upright`) its trunk is upright above the lowest foot. */
  stand(upright: boolean, at = new three.Vector2()): void {
    const base = this.bodies[this.robot.base];
    base.position.set(at.x, at.y, 0);
    base.quaternion.identity();
    this.root.position.set(0, 0, 0);
    this.root.quaternion.identity();
    this.root.updateMatrixWorld(true);
    const normal = upright ? null : this.ground();
    if (normal) base.quaternion.setFromUnitVectors(normal, new three.Vector3(0, 0, 1));
    this.root.updateMatrixWorld(true);
    let floor = Infinity;
    const point = new three.Vector3();
    for (const sole of this.soles) {
      for (const each of sole.points) floor = Math.min(floor, point.copy(each).applyMatrix4(this.bodies[sole.body].matrixWorld).z - sole.radius);
    }
    base.position.z = Number.isFinite(floor) ? -floor : this.rest[this.robot.base].position.z;
  }

  /** The up direction of the ground in the base's frame, as the server's balance has it: the plane of a sole, or of three ball feet, below which no foot is. */
  private ground(): three.Vector3 | null {
    const feet = this.soles.map((sole) => {
      const turn = this.bodies[sole.body].getWorldQuaternion(new three.Quaternion());
      const points = sole.points.map((each) => each.clone().applyMatrix4(this.bodies[sole.body].matrixWorld));
      return { points, normal: new three.Vector3(0, 0, 1).applyQuaternion(sole.rotation).applyQuaternion(turn), lowest: Math.min(...points.map(({ z }) => z)) };
    });
    const all = feet.flatMap(({ points }) => points);
    const carries = (normal: three.Vector3, on: three.Vector3) => normal.z > 0.3 && all.every((point) => point.clone().sub(on).dot(normal) >= -0.003);
    const flat = feet.filter(({ points }) => points.length > 2).sort((a, b) => a.lowest - b.lowest);
    if (flat.length) return (flat.find(({ points, normal }) => carries(normal, points[0])) ?? flat.find(({ normal }) => normal.z > 0.3))?.normal ?? null;
    let best: three.Vector3 | null = null;
    let widest = -Infinity;
    for (const [a, b, c] of triples(all)) {
      const normal = b.clone().sub(a).cross(c.clone().sub(a)).normalize();
      if (normal.z < 0) normal.negate();
      if (!carries(normal, a)) continue;
      const inside = Math.min(...[[a, b, c], [b, c, a], [c, a, b]].map(([p, q, r]) => within(p, q, r)));
      if (inside > widest) [best, widest] = [normal, inside];
    }
    return best;
  }

  dispose(): void {
    this.root.removeFromParent();
    this.root.traverse((object) => {
      if (object instanceof three.Mesh) {
        object.geometry.dispose();
        (object.material as three.Material).dispose();
      }
    });
  }
}

/** Of a shape the points that lie farthest out in 26 directions, in its body's frame. */
function outermost(mesh: three.Mesh): three.Vector3[] {
  mesh.updateMatrix();
  const places = mesh.geometry.getAttribute("position");
  const points = Array.from({ length: places.count }, (_, at) => new three.Vector3().fromBufferAttribute(places, at).applyMatrix4(mesh.matrix));
  const ways = [-1, 0, 1].flatMap((x) => [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((z) => new three.Vector3(x, y, z)))).filter((way) => way.length());
  return [...new Set(ways.map((way) => points.reduce((best, each) => (each.dot(way) > best.dot(way) ? each : best), points[0])))].filter(Boolean);
}

function triples<T>(list: T[]): T[][] {
  return list.flatMap((a, i) => list.slice(i + 1).flatMap((b, j) => list.slice(i + j + 2).map((c) => [a, b, c])));
}

/** How far the base's origin, seen from above, is on the side of `r` of the line from `p` to `q`. */
function within(p: three.Vector3, q: three.Vector3, r: three.Vector3): number {
  const [x, y] = [q.x - p.x, q.y - p.y];
  const side = (at: { x: number; y: number }) => (x * (at.y - p.y) - y * (at.x - p.x)) / Math.hypot(x, y);
  return side({ x: 0, y: 0 }) * Math.sign(side(r));
}
