// The 3-D view: drawn only when something changed, as software GL takes the processor that a simulation needs.
import * as three from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { element } from "./dom";
import { Robot3d } from "./robot3d";
import type { Handle } from "./protocol";
import type { Store } from "./store";

export class View3d {
  readonly node = element("div", { class: "view3d" });
  private renderer: three.WebGLRenderer | null = null;
  private scene = new three.Scene();
  private camera = new three.PerspectiveCamera(38, 1, 0.01, 60);
  private controls: OrbitControls | null = null;
  private robot: Robot3d | null = null;
  private ghosts: Robot3d[] = [];
  private other: Robot3d | null = null;
  private support = new three.Group();
  private grid: three.GridHelper | null = null;
  private dirty = true;
  upright = false;
  onion = false;
  showBalance = true;
  follow = true;
  private followed = new three.Vector3();
  frames = 0;
  private balance: { com?: number[]; polygon?: number[][]; margin?: number } = {};
  private label = element("div", { class: "overlay" });
  private handles: { handle: Handle; mesh: three.Mesh }[] = [];
  private drag: { handle: Handle; plane: three.Plane; grip: three.Vector3; group: string; joints: number[]; base: number[]; feet: string[]; free: Set<string>; target: three.Vector3; from: three.Vector3; turned: number } | null = null;
  private drags = 0;
  showHandles = true;
  holdFeet = true;
  limbFirst = true;

  constructor(private store: Store) {
    three.Object3D.DEFAULT_UP.set(0, 0, 1);
    this.camera.up.set(0, 0, 1);
    try {
      this.renderer = new three.WebGLRenderer({ antialias: false, powerPreference: "low-power" });
    } catch {
      this.node.append(element("p", { class: "missing" }, "This browser draws no 3-D (WebGL is off). Everything else works."));
      return;
    }
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 1.5));
    this.node.append(this.renderer.domElement, this.label);
    this.scene.add(new three.HemisphereLight(0xffffff, 0x8899aa, 2.2));
    const sun = new three.DirectionalLight(0xffffff, 1.6);
    sun.position.set(1, -1.5, 2.5);
    this.scene.add(sun, this.support);
    const canvas = this.renderer.domElement;
    canvas.addEventListener("pointerdown", (event) => this.grab(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.pull(event));
    canvas.addEventListener("pointerup", () => this.release());
    canvas.addEventListener("pointercancel", () => this.release());
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.resize()).observe(this.node);
    store.on("robot", () => this.load());
    store.on(["playhead", "pose", "view", "run", "shown"], () => this.draw());
    store.on("trajectory", () => this.drawMoved());
    store.on("chosen", () => this.updateGhosts());
    store.on("trajectory", () => this.onion && this.updateGhosts());
    store.on("balance", (balance) => {
      this.balance = balance;
      this.drawBalance();
      this.draw();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.colors());
    this.load();
    this.colors();
    const loop = () => {
      requestAnimationFrame(loop);
      if (this.dirty) this.render();
    };
    loop();
  }

  // Dragging ------------------------------------------------------------------------------------------------------

  private handlePlace(handle: Handle): three.Vector3 {
    return new three.Vector3(...handle.position).applyMatrix4(this.robot!.bodies[handle.body].matrixWorld);
  }

  private placeHandles(possible: boolean): void {
    if (!this.robot) return;
    this.robot.root.updateMatrixWorld(true);
    for (const { handle, mesh } of this.handles) {
      mesh.visible = this.showHandles && possible;
      mesh.position.copy(this.handlePlace(handle));
      mesh.scale.setScalar(this.camera.position.distanceTo(mesh.position) * (this.drag?.handle === handle ? 0.013 : 0.0095));
    }
  }

  /** The handle under the pointer. */
  private handleAt(event: PointerEvent): Handle | null {
    if (!this.showHandles || (this.store.source === "run" && !this.store.loose)) return null;
    let found: Handle | null = null;
    let nearest = 12;
    for (const { handle, mesh } of this.handles) {
      const at = mesh.position.clone().project(this.camera);
      const x = ((at.x + 1) / 2) * this.node.clientWidth;
      const y = ((1 - at.y) / 2) * this.node.clientHeight;
      const away = Math.hypot(x - event.offsetX, y - event.offsetY);
      if (away < nearest && at.z < 1) [found, nearest] = [handle, away];
    }
    return found;
  }

  private pointer(event: PointerEvent, plane: three.Plane): three.Vector3 | null {
    const ray = new three.Raycaster();
    ray.setFromCamera(new three.Vector2((event.offsetX / this.node.clientWidth) * 2 - 1, 1 - (event.offsetY / this.node.clientHeight) * 2), this.camera);
    return ray.ray.intersectPlane(plane, new three.Vector3());
  }

  private grab(event: PointerEvent): void {
    const handle = event.button === 0 ? this.handleAt(event) : null;
    const { robot, store } = this;
    if (!handle || !robot || !store.robot) return;
    event.stopImmediatePropagation();
    this.renderer!.domElement.setPointerCapture(event.pointerId);
    const at = this.handlePlace(handle);
    const plane = new three.Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new three.Vector3()), at);
    const grip = this.pointer(event, plane)?.sub(at);
    if (!grip) return;
    const base = robot.bodies[robot.robot.base];
    const place = base.getWorldPosition(new three.Vector3());
    const turn = base.getWorldQuaternion(new three.Quaternion());
    const joints = Array.from(store.posture() ?? []);
    this.drags++;
    this.drag = {
      handle, plane, grip, group: `drag-${this.drags}`, joints, base: [place.x, place.y, place.z, turn.w, turn.x, turn.y, turn.z],
      feet: this.holdFeet ? store.robot.feet.map((foot) => foot.name).filter((name) => name !== handle.name) : [], free: new Set(), target: at.clone(), from: at.clone(), turned: 0,
    };
    if (this.controls) this.controls.enabled = false;
  }

  private pull(event: PointerEvent): void {
    const { drag, store } = this;
    if (!drag) {
      this.renderer!.domElement.style.cursor = this.handleAt(event) ? "grab" : "";
      return;
    }
    const target = this.pointer(event, drag.plane)?.sub(drag.grip);
    if (!target) return;
    // Shift: a fifth of the way, for fine work.
    if (event.shiftKey) target.sub(drag.from).multiplyScalar(0.2).add(drag.from);
    drag.target = target;
    store.stream("drag", () => this.follow3d(drag));
  }

  /** Ask for the posture of a drag; again, while only the cap of one event holds it back. */
  private async follow3d(drag: NonNullable<View3d["drag"]>): Promise<void> {
    const { store } = this;
    for (let tries = 0; tries < 12; tries++) {
      const target = drag.target;
      const answer = await store.connection
        .ask({ do: "drag", joints: drag.joints, base: drag.base, frame: drag.handle.frame, target: target.toArray(), feet: drag.feet, limb: this.limbFirst ? drag.handle.limb : [], locked: [...store.locked] })
        .catch((error: Error) => (store.notice(error.message), null));
      if (!answer || this.drag !== drag) return;
      const names = store.robot!.joints.map((joint) => joint.name);
      answer.joints.forEach((value: number, index: number) => {
        const turned = Math.abs(value - drag.joints[index]);
        if (turned > 2e-4) drag.free.add(names[index]);
        drag.turned = Math.max(drag.turned, turned);
      });
      drag.joints = answer.joints;
      drag.base = answer.base;
      const values: Record<string, number> = {};
      for (const name of drag.free) values[name] = answer.joints[names.indexOf(name)];
      store.setJoints(values, drag.group, drag.base);
      this.node.dataset.drag = JSON.stringify({ left: answer.left, drift: answer.drift, seconds: answer.seconds, turned: drag.turned });
      this.setLabel(answer.left > 0.002 ? `${drag.handle.name}: out of reach by ${(answer.left * 1000).toFixed(0)} mm${answer.limits.length ? `, at the limit: ${answer.limits.slice(0, 3).join(", ")}` : ""}` : drag.handle.name);
      if (!answer.capped || answer.left < 0.001 || drag.target !== target) return;
    }
  }

  private release(): void {
    if (!this.drag) return;
    this.drag = null;
    this.setLabel("");
    if (this.controls) this.controls.enabled = true;
    this.store.emit("view");
    this.draw();
  }

  colors(): void {
    const style = getComputedStyle(document.documentElement);
    this.scene.background = new three.Color(style.getPropertyValue("--scene").trim() || "#e8ecf1");
    if (this.grid) this.grid.removeFromParent();
    const line = style.getPropertyValue("--grid").trim() || "#b8c2cc";
    this.grid = new three.GridHelper(2, 20, line, line);
    this.grid.rotateX(Math.PI / 2);
    this.scene.add(this.grid);
    this.draw();
  }

  draw(): void {
    this.dirty = true;
  }

  private drawn: Float32Array | null = null;

  /** Draw where the posture is another one: an edit elsewhere in the motion changes nothing here. */
  private drawMoved(): void {
    const posture = this.store.posture();
    const old = this.drawn;
    if (!posture || !old || old.length !== posture.length || posture.some((value, index) => Math.abs(value - old[index]) > 1e-6)) this.draw();
  }

  private load(): void {
    this.robot?.dispose();
    this.other?.dispose();
    this.ghosts.forEach((ghost) => ghost.dispose());
    this.robot = this.other = null;
    this.ghosts = [];
    const robot = this.store.robot;
    if (!robot || !this.renderer) return this.draw();
    this.robot = new Robot3d(robot);
    this.scene.add(this.robot.root);
    for (const { mesh } of this.handles) mesh.removeFromParent();
    this.handles = robot.handles.map((handle) => {
      const material = new three.MeshBasicMaterial({ color: handle.foot ? 0x2f81f7 : 0xf5a623, depthTest: false, transparent: true, opacity: 0.75 });
      const mesh = new three.Mesh(new three.SphereGeometry(1, 12, 8), material);
      mesh.renderOrder = 5;
      this.scene.add(mesh);
      return { handle, mesh };
    });
    this.place();
    this.fit();
    this.updateGhosts();
  }

  /** Let the whole robot be seen. */
  fit(): void {
    if (!this.robot || !this.controls) return;
    const box = new three.Box3().setFromObject(this.robot.root);
    const center = box.getCenter(new three.Vector3());
    const size = Math.max(box.getSize(new three.Vector3()).length(), 0.2);
    this.controls.target.copy(center);
    this.followed.copy(center);
    this.camera.position.copy(center).add(new three.Vector3(1.15, -0.75, 0.35).normalize().multiplyScalar(size * 1.55));
    this.controls.update();
    this.draw();
  }

  look(direction: [number, number, number]): void {
    if (!this.controls) return;
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.position.copy(this.controls.target).add(new three.Vector3(...direction).normalize().multiplyScalar(distance));
    this.controls.update();
    this.draw();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.node;
    if (!width || !height || !this.renderer) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  private place(): void {
    const { store, robot } = this;
    const posture = store.posture();
    if (!robot || !posture) return;
    robot.setJoints(posture);
    this.drawn = Float32Array.from(posture);
    const pose = store.source === "run" && !store.loose ? store.runPose(store.playhead) : undefined;
    if (pose) robot.setBase(pose.base);
    else if (store.loose && store.looseBase && this.drag) robot.setBase(store.looseBase);
    else robot.stand(this.upright);
    this.placeHandles(!pose);
    if (pose && this.follow && this.controls) {
      const at = new three.Vector3(pose.base[0], pose.base[1], this.followed.z);
      const way = at.clone().sub(this.followed);
      if (way.length() > 0.002) {
        this.camera.position.add(way);
        this.controls.target.add(way);
        this.followed.copy(at);
      }
    }
    this.support.visible = this.showBalance && !pose && !this.drag && Boolean(this.balance.polygon);
    const compared = store.source === "run" ? store.runs.find((run) => run.number === store.compare) : undefined;
    if (compared) {
      if (!this.other) {
        this.other = new Robot3d(robot.robot, { color: 0x2f81f7, opacity: 0.35 });
        this.scene.add(this.other.root);
      }
      const seen = store.runPose(store.playhead, compared);
      if (seen) {
        this.other.setJoints(seen.joints);
        this.other.setBase(seen.base);
      }
    }
    if (this.other) this.other.root.visible = Boolean(compared);
    for (const ghost of this.ghosts) ghost.root.visible = this.onion && store.source === "motion";
  }

  /** Onion skin: the keyframes before and after the chosen one, or around the playhead. */
  updateGhosts(): void {
    const { store } = this;
    if (!this.robot) return;
    if (!this.onion) {
      for (const ghost of this.ghosts) ghost.root.visible = false;
      return this.draw();
    }
    const places = store.places();
    const now = store.chosen.length === 1
      ? places.findIndex(({ ref }) => store.isChosen(ref))
      : places.findIndex(({ end }) => end >= store.playhead - 1e-9);
    const around = [now - 1, now + 1].map((index) => places[index]);
    while (this.ghosts.length < 2) {
      const ghost = new Robot3d(this.robot.robot, { color: this.ghosts.length ? 0x1a9850 : 0xd95f02, opacity: 0.22 });
      this.ghosts.push(ghost);
      this.scene.add(ghost.root);
    }
    for (const [number, place] of around.entries()) {
      const ghost = this.ghosts[number];
      const posture = place && store.postureAt(place.end);
      ghost.root.visible = Boolean(posture);
      if (posture) {
        ghost.setJoints(posture);
        ghost.stand(this.upright);
      }
    }
    this.draw();
  }

  /** The support polygon and the centre of mass on the ground, drawn in the plane that the soles lie in. */
  private drawBalance(): void {
    this.support.clear();
    const { polygon, com, margin } = this.balance;
    if (!polygon || polygon.length < 2 || !com || !this.robot) return;
    const color = (margin ?? 0) >= 0 ? 0x1a9850 : 0xd62728;
    // Plane coordinates are those of the torso's frame laid on the ground; the view's base stands at its origin.
    const points = [...polygon, polygon[0]].map(([x, y]) => new three.Vector3(x, y, 0.002));
    this.support.add(new three.Line(new three.BufferGeometry().setFromPoints(points), new three.LineBasicMaterial({ color })));
    const spot = new three.Mesh(new three.CircleGeometry(0.008, 20), new three.MeshBasicMaterial({ color }));
    spot.position.set(com[0], com[1], 0.003);
    this.support.add(spot);
  }

  private render(): void {
    this.dirty = false;
    if (!this.renderer || !this.node.clientWidth) return;
    this.place();
    this.renderer.render(this.scene, this.camera);
    this.frames++;
    this.node.dataset.frames = String(this.frames);
  }

  setLabel(text: string, bad = false): void {
    this.label.textContent = text;
    this.label.classList.toggle("bad", bad);
  }
}
