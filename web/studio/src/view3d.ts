// The 3-D view: drawn only when something changed, as software GL takes the processor that a simulation needs.
import * as three from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { button, element, spoken } from "./dom";
import { Floor } from "./floor";
import { FrameBudget } from "./frame_budget";
import { Hand } from "./hand";
import { Robot3d } from "@andante/shared/robot3d";
import { type Balance, balanceText } from "./balance";
import type { Handle } from "./protocol";
import type { Store } from "./store";

const GOOD = 0x1a9850;
const BAD = 0xd62728;
/** How a robot lies, as runs begin: about its axes, x forward and y to the left. */
const LYING: Record<string, three.Quaternion> = {
  front: new three.Quaternion(0, Math.SQRT1_2, 0, Math.SQRT1_2),
  back: new three.Quaternion(0, -Math.SQRT1_2, 0, Math.SQRT1_2),
  left: new three.Quaternion(-Math.SQRT1_2, 0, 0, Math.SQRT1_2),
  right: new three.Quaternion(Math.SQRT1_2, 0, 0, Math.SQRT1_2),
};
/** The onion skin of a run: so long before and after [s]. */
const BESIDE = 0.25;

interface Drag {
  handle: Handle;
  plane: three.Plane;
  grip: three.Vector3;
  group: string;
  joints: number[];
  before: number[];
  base: number[];
  feet: string[];
  free: Set<string>;
  target: three.Vector3;
  from: three.Vector3;
  turned: number;
  /** Orientation that a sole keeps. */
  turn: number[] | null;
  /** Orientation that the trunk keeps. */
  trunk: number[] | null;
  holdCom: boolean;
  /** Where the centre of mass was at the begin. */
  com: number[] | null;
  /** Joints that keep their angles. */
  still: string[];
  moved: boolean;
  /** Turned in its place, about this line of sight, from where the pointer was [px]. */
  dial: { axis: three.Vector3; from: three.Quaternion; x: number } | null;
  /** The pointer has let it go. */
  over: boolean;
  chosen: string;
  told: string;
}

export class View3d {
  readonly node = element("div", { class: "view3d" });
  private renderer: three.WebGLRenderer | null = null;
  private scene = new three.Scene();
  private camera = new three.PerspectiveCamera(38, 1, 0.01, 60);
  private controls: OrbitControls | null = null;
  private robot: Robot3d | null = null;
  private ghosts: Robot3d[] = [];
  /** Whether there is a keyframe before, and after. */
  private ghosted = [false, false];
  private other: Robot3d | null = null;
  private support = new three.Group();
  /** The centre of mass, which is dragged over the ground. */
  private com = {
    handle: { name: "centre of mass", frame: "", body: -1, position: [0, 0, 0], rotation: [1, 0, 0, 0], foot: false, limb: [] } as Handle,
    mesh: new three.Mesh(new three.SphereGeometry(1, 12, 8), new three.MeshBasicMaterial({ color: GOOD, depthTest: false, transparent: true, opacity: 0.9 })),
  };
  private floor = new Floor();
  private dirty = true;
  /** Whether the robot lay when it was drawn last; what lies is framed anew. */
  private lay = false;
  private budget: FrameBudget | null = null;
  upright = false;
  /** Where the middle of the robot is drawn while a motion is written [m]. */
  private shift = new three.Vector2();
  private read: string | null = null;
  onion = false;
  showBalance = true;
  follow = true;
  private followed = new three.Vector3();
  frames = 0;
  private balance: Balance = {};
  private label = element("div", { class: "overlay" });
  private legend = element("div", { class: "scene-legend" });
  private shownLegend = "";
  /** Handles are turned in their places instead of dragged. */
  turning = false;
  private collisions = false;
  private pressed: { x: number; y: number } | null = null;
  private back = button("✎ Back to editing", "Show the motion as written, with its handles (Esc)", () => this.store.backToEditing(), { class: "back", hidden: true });
  private hand: Hand;
  private handles: { handle: Handle; mesh: three.Mesh }[] = [];
  private drag: Drag | null = null;
  private drags = 0;
  private hovered: string | undefined;
  showHandles = true;
  holdFeet = true;
  limbFirst = true;
  holdCom = false;

  constructor(private store: Store) {
    three.Object3D.DEFAULT_UP.set(0, 0, 1);
    this.camera.up.set(0, 0, 1);
    this.hand = new Hand(store, () => {
      this.setLabel(this.hand.force ? `pulled by ${this.hand.force.toFixed(0)} N` : "");
      this.draw();
    });
    this.scene.add(this.hand.arrow);
    try {
      this.renderer = new three.WebGLRenderer({ antialias: false, powerPreference: "low-power" });
    } catch {
      this.node.append(element("p", { class: "missing" }, "This browser draws no 3-D (WebGL is off). Everything else works."));
      return;
    }
    this.renderer.setPixelRatio(this.ratio);
    this.budget = new FrameBudget(this.renderer.getContext() as WebGL2RenderingContext);
    this.node.append(this.renderer.domElement, this.label, this.legend, this.back);
    this.com.mesh.renderOrder = 6;
    this.com.mesh.visible = false;
    this.scene.add(this.com.mesh);
    this.scene.add(new three.HemisphereLight(0xffffff, 0x8899aa, 2.2));
    const sun = new three.DirectionalLight(0xffffff, 1.6);
    sun.position.set(1, -1.5, 2.5);
    this.scene.add(sun, this.floor.node, this.support);
    const canvas = this.renderer.domElement;
    canvas.addEventListener("pointerdown", (event) => this.grab(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.pull(event));
    canvas.addEventListener("pointerup", (event) => {
      this.release();
      this.pick(event);
    });
    canvas.addEventListener("pointercancel", () => this.release());
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => this.draw());
    this.controls.addEventListener("start", () => (this.arranged = true));
    new ResizeObserver(() => this.resize()).observe(this.node);
    store.on("robot", () => this.load());
    store.on(["playhead", "pose", "view", "run", "shown"], () => this.draw());
    store.on("trajectory", () => this.drawMoved());
    store.on(["chosen", "view"], () => this.updateGhosts());
    store.on("trajectory", () => this.onion && this.updateGhosts());
    store.on("balance", (balance) => {
      this.balance = balance;
      this.drawBalance();
      if (this.drag) this.tellDrag(this.drag);
      this.draw();
    });
    store.on(["run", "view", "chosen", "shown"], () => (this.back.hidden = store.source !== "run"));
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
    if (handle.body < 0) return this.com.mesh.position.clone();
    return new three.Vector3(...handle.position).applyMatrix4(this.robot!.bodies[handle.body].matrixWorld);
  }

  private placeHandles(possible: boolean): void {
    if (!this.robot) return;
    this.robot.root.updateMatrixWorld(true);
    const { com } = this.balance;
    this.com.mesh.visible = this.showHandles && possible && this.showBalance && !this.lies && Boolean(com);
    if (com) {
      this.support.updateMatrixWorld(true);
      this.com.mesh.position.set(com[0], com[1], 0.003).applyMatrix4(this.support.matrixWorld);
      this.com.mesh.scale.setScalar(this.camera.position.distanceTo(this.com.mesh.position) * (this.drag?.handle === this.com.handle ? 0.013 : 0.0095));
    }
    for (const { handle, mesh } of this.handles) {
      mesh.visible = this.showHandles && possible;
      mesh.position.copy(this.handlePlace(handle));
      mesh.scale.setScalar(this.camera.position.distanceTo(mesh.position) * (this.drag?.handle === handle ? 0.013 : 0.0095));
    }
  }

  /** The handle under the pointer. */
  private handleAt(event: PointerEvent): Handle | null {
    if (!this.showHandles || (this.store.source === "run" && !this.store.loose)) return null;
    const near: { handle: Handle; away: number; far: number }[] = [];
    for (const { handle, mesh } of [...this.handles, this.com]) {
      if (!mesh.visible) continue;
      const at = mesh.position.clone().project(this.camera);
      const x = ((at.x + 1) / 2) * this.node.clientWidth;
      const y = ((1 - at.y) / 2) * this.node.clientHeight;
      const away = Math.hypot(x - event.offsetX, y - event.offsetY);
      if (away < 12 && at.z < 1) near.push({ handle, away, far: this.camera.position.distanceTo(mesh.position) });
    }
    near.sort((a, b) => a.away - b.away);
    // Of two that lie over each other, as feet do from the side, the one in front.
    return near.filter(({ away }) => away - near[0].away < 5).sort((a, b) => a.far - b.far)[0]?.handle ?? null;
  }

  private pointer(event: PointerEvent, plane: three.Plane): three.Vector3 | null {
    return this.rayAt(event).ray.intersectPlane(plane, new three.Vector3());
  }

  private rayAt(event: PointerEvent): three.Raycaster {
    const ray = new three.Raycaster();
    ray.setFromCamera(new three.Vector2((event.offsetX / this.node.clientWidth) * 2 - 1, 1 - (event.offsetY / this.node.clientHeight) * 2), this.camera);
    return ray;
  }

  private grab(event: PointerEvent): void {
    const handle = event.button === 0 ? this.handleAt(event) : null;
    const { robot, store } = this;
    this.pressed = event.button === 0 && !handle ? { x: event.offsetX, y: event.offsetY } : null;
    if (!handle && event.button === 0 && robot && this.hand.grab(this.rayAt(event), robot, this.camera.getWorldDirection(new three.Vector3()))) {
      event.stopImmediatePropagation();
      this.renderer!.domElement.setPointerCapture(event.pointerId);
      if (this.controls) this.controls.enabled = false;
      return;
    }
    if (!handle || !robot || !store.robot) return;
    event.stopImmediatePropagation();
    // The last drag has not arrived where it was let go.
    if (this.drag) return;
    this.renderer!.domElement.setPointerCapture(event.pointerId);
    const at = this.handlePlace(handle);
    const looks = this.camera.getWorldDirection(new three.Vector3());
    // The centre of mass goes over the ground, unless that is seen from the side, where a pixel would be far.
    const flat = handle === this.com.handle && Math.abs(looks.z) > 0.35;
    const plane = new three.Plane().setFromNormalAndCoplanarPoint(flat ? new three.Vector3(0, 0, 1) : looks, at);
    const grip = this.pointer(event, plane)?.sub(at);
    if (!grip) return;
    const base = robot.bodies[robot.robot.base];
    const place = base.getWorldPosition(new three.Vector3());
    const turn = base.getWorldQuaternion(new three.Quaternion());
    const joints = Array.from(store.posture() ?? []);
    this.drags++;
    const soles = store.robot.feet.filter((foot) => foot.name === handle.name && foot.outline.length > 2);
    const sole = soles.map((foot) => robot.bodies[foot.body].getWorldQuaternion(new three.Quaternion()).multiply(new three.Quaternion(foot.rotation[1], foot.rotation[2], foot.rotation[3], foot.rotation[0])));
    // About the line of sight, which goes into the picture: to the right is clockwise.
    const frame = new three.Quaternion(handle.rotation[1], handle.rotation[2], handle.rotation[3], handle.rotation[0]);
    const dial = this.turning && handle !== this.com.handle ? { axis: looks.clone(), from: robot.bodies[handle.body].getWorldQuaternion(new three.Quaternion()).multiply(frame), x: event.offsetX } : null;
    const leaning = !handle.foot && (handle === this.com.handle || handle.limb.length === 0);
    // Arms and head do not swing out to balance legs.
    const legs = new Set(store.robot.handles.filter((each) => each.foot).flatMap((each) => each.limb));
    const still = handle === this.com.handle || (this.holdCom && !leaning) ? store.robot.joints.map((joint) => joint.name).filter((name) => !legs.has(name) && !handle.limb.includes(name)) : [];
    this.drag = {
      handle, plane, grip, group: `drag-${this.drags}`, joints, before: joints, base: [place.x, place.y, place.z, turn.w, turn.x, turn.y, turn.z],
      feet: this.holdFeet ? store.robot.feet.map((foot) => foot.name).filter((name) => name !== handle.name) : [], free: new Set(), target: at.clone(), from: at.clone(), turned: 0,
      turn: sole.length ? [sole[0].w, sole[0].x, sole[0].y, sole[0].z] : null, holdCom: this.holdCom && !leaning, com: null,
      trunk: handle === this.com.handle || (this.holdCom && !leaning) ? [turn.w, turn.x, turn.y, turn.z] : null,
      still: legs.size ? still : [], moved: false, dial, over: false, chosen: JSON.stringify(store.chosen), told: "",
    };
    if (this.controls) this.controls.enabled = false;
  }

  private pull(event: PointerEvent): void {
    const { drag, store } = this;
    if (this.hand.holds) return this.hand.pull(this.rayAt(event));
    if (!drag || drag.over) {
      const under = this.handleAt(event);
      this.renderer!.domElement.style.cursor = under ? "grab" : "";
      if (under?.name !== this.hovered) {
        this.hovered = under?.name;
        if (store.source === "motion" || store.loose) this.setLabel(under ? under.name : "");
      }
      return;
    }
    if (drag.dial) {
      const { axis, from, x } = drag.dial;
      const angle = ((event.offsetX - x) * (event.shiftKey ? 0.1 : 0.5) * Math.PI) / 180;
      const turned = new three.Quaternion().setFromAxisAngle(axis, angle).multiply(from);
      drag.turn = [turned.w, turned.x, turned.y, turned.z];
      drag.moved = true;
      // The same object again would mean that nothing new was asked.
      drag.target = drag.target.clone();
      return store.stream("drag", () => this.follow3d(drag));
    }
    const target = this.pointer(event, drag.plane)?.sub(drag.grip);
    if (!target) return;
    // Shift: a fifth of the way, for fine work.
    if (event.shiftKey) target.sub(drag.from).multiplyScalar(0.2).add(drag.from);
    drag.target = target;
    drag.moved = true;
    store.stream("drag", () => this.follow3d(drag));
    if (store.preparing) this.setLabel("Drags are being prepared: this one is done as soon as they are.");
  }

  /** Ask for the posture of a drag; again, while only the cap of one event holds it back. */
  private async follow3d(drag: Drag): Promise<void> {
    const { store } = this;
    for (let tries = 0; tries < 12; tries++) {
      const target = drag.target;
      const answer = await store.connection
        .ask({
          do: "drag", joints: drag.joints, base: drag.base, frame: drag.handle.frame, target: target.toArray(), feet: drag.feet, limb: this.limbFirst ? drag.handle.limb : [],
          locked: [...new Set([...store.locked, ...drag.still])], turn: drag.turn, trunk: drag.trunk, com: drag.com, hold_com: drag.holdCom,
        })
        .catch((error: Error) => (store.notice(error.message), null));
      // Another keyframe, or another robot, was chosen while the answer was on its way.
      if (!answer || this.drag !== drag || JSON.stringify(store.chosen) !== drag.chosen) return;
      drag.com = answer.com;
      const names = store.robot!.joints.map((joint) => joint.name);
      answer.joints.forEach((value: number, index: number) => {
        if (Math.abs(value - drag.before[index]) > 2e-4) drag.free.add(names[index]);
        drag.turned = Math.max(drag.turned, Math.abs(value - drag.joints[index]));
      });
      drag.joints = answer.joints;
      drag.base = answer.base;
      const values: Record<string, number> = {};
      for (const name of drag.free) values[name] = answer.joints[names.indexOf(name)];
      store.setJoints(values, drag.group, drag.base);
      this.node.dataset.drag = JSON.stringify({ left: answer.left, drift: answer.drift, seconds: answer.seconds, turned: drag.turned });
      const far = answer.left > 0.002 && !answer.capped;
      const name = drag.handle === this.com.handle ? "" : drag.handle.name;
      drag.told = far ? `${drag.handle.name}: out of reach by ${(answer.left * 1000).toFixed(0)} mm${answer.limits.length ? `, at the limit: ${answer.limits.slice(0, 3).join(", ")}` : ""}` : name;
      this.tellDrag(drag);
      if (!answer.capped || answer.left < 0.001 || drag.target !== target) return;
    }
  }

  /** What is dragged, and what that does to the balance. */
  private tellDrag(drag: Drag): void {
    this.setLabel([drag.told, balanceText(this.balance)].filter(Boolean).join(" · "), (this.balance.margin ?? 0) < 0);
  }

  /** A click on the robot shows the joints that move what was clicked. */
  private pick(event: PointerEvent): void {
    const { pressed, robot, store } = this;
    this.pressed = null;
    if (!pressed || !robot || !store.robot || Math.hypot(event.offsetX - pressed.x, event.offsetY - pressed.y) > 4) return;
    const met = robot.met(this.rayAt(event));
    const names = !met ? [] : robot.jointsOf(met.body).map((joint) => store.robot!.joints[joint].name);
    if (!names.length) return;
    const groups = Object.entries(store.robot.groups).filter(([, joints]) => names.every((name) => joints.includes(name)));
    const [group, limb] = groups.sort(([, a], [, b]) => a.length - b.length)[0] ?? ["", names];
    store.channelsShown = limb;
    this.setLabel([spoken(group), names.join(", ")].filter(Boolean).join(": "));
    store.emit("channels");
    store.emit("picked", names);
  }

  set showCollisions(on: boolean) {
    this.collisions = on;
    this.robot?.showCollisions(on);
    this.draw();
    this.tellLegend();
  }

  get showCollisions(): boolean {
    return this.collisions;
  }

  /** What the colors of translucent robots mean. */
  private tellLegend(): void {
    const { store } = this;
    const run = store.source === "run";
    const rows: [string, string][] = [];
    if (this.handles.some(({ mesh }) => mesh.visible)) {
      rows.push(["#2f81f7", "foot"], ["#f5a623", "hand, head, trunk"]);
      if (this.com.mesh.visible) rows.push((this.balance.margin ?? 0) >= 0 ? ["#1a9850", "centre of mass, over the feet"] : ["#d62728", "centre of mass, outside the feet"]);
    }
    if (this.onion) rows.push(["#d95f02", run ? `${BESIDE} s before, measured` : "keyframe before"], ["#1a9850", run ? `${BESIDE} s after, measured` : "keyframe after"]);
    if (this.lies) rows.push(["", store.baseAt(store.playhead) ? "lies as in the last run" : "lies as it begins; a run shows how it gets up"]);
    if (this.hand.arrow.visible) rows.push(["#e0218a", `pull, ${this.hand.force.toFixed(0)} N`]);
    if (run && store.compare && this.other?.root.visible) rows.push(["#2f81f7", `run ${store.compare}`]);
    if (this.collisions && this.robot?.robot.bodies.some(({ collisions }) => collisions)) rows.push(["#c98a2b", "what touches in physics"]);
    else if (this.collisions) rows.push(["", "what is drawn is what touches in physics"]);
    const as = JSON.stringify(rows);
    if (as === this.shownLegend) return;
    this.shownLegend = as;
    this.legend.replaceChildren(...rows.map(([color, text]) => element("div", {}, color ? element("span", { class: "swatch", style: `background:${color}` }) : null, text)));
  }

  private release(): void {
    const { drag, store } = this;
    if (this.hand.holds) {
      this.hand.release();
      if (this.controls) this.controls.enabled = true;
    }
    if (!drag || drag.over) return;
    drag.over = true;
    if (this.controls) this.controls.enabled = true;
    // Where it was let go it arrives, also when the answers are slower than the hand.
    if (!drag.moved) this.finish(drag);
    else store.stream("drag", () => this.follow3d(drag).finally(() => this.finish(drag)));
  }

  private finish(drag: Drag): void {
    if (this.drag !== drag) return;
    this.drag = null;
    this.setLabel("");
    // Feet that stood through the drag stay where they are in the picture.
    this.place();
    const base = this.robot?.bodies[this.robot.robot.base].position;
    if (base && drag.moved && this.store.source === "motion") {
      this.shift.x += drag.base[0] - base.x;
      this.shift.y += drag.base[1] - base.y;
    }
    this.store.emit("view");
    this.draw();
  }

  colors(): void {
    const style = getComputedStyle(document.documentElement);
    this.scene.background = new three.Color(style.getPropertyValue("--scene").trim() || "#e8ecf1");
    this.floor.colors();
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
    const robot = this.store.robot;
    const read = robot && JSON.stringify(robot);
    if (read && read === this.read && this.robot) {
      // The same robot in another document: shapes and shaders stay.
      if (this.other) this.other.root.visible = false;
      this.place();
      this.fit();
      return this.updateGhosts();
    }
    this.read = read;
    this.robot?.dispose();
    this.other?.dispose();
    this.ghosts.forEach((ghost) => ghost.dispose());
    this.robot = this.other = null;
    this.ghosts = [];
    if (!robot || !this.renderer) return this.draw();
    this.robot = new Robot3d(robot);
    if (this.collisions) this.robot.showCollisions(true);
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

  /** Let the whole robot be seen, standing in the middle of the grid. */
  fit(): void {
    if (!this.robot || !this.controls) return;
    this.shift.set(0, 0);
    this.place();
    this.arranged = false;
    this.frame();
  }

  /** Whether somebody has turned, shifted or zoomed the picture. */
  private arranged = false;

  private frame(): void {
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
    this.arranged = true;
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
    // Below the buttons in a lower picture, too.
    if (!this.arranged && this.store.source === "motion" && !this.drag) this.frame();
    // A new size empties the picture, which would be painted empty before the next frame.
    this.place();
    this.renderer.render(this.scene, this.camera);
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
    else this.ground(robot, store.playhead);
    this.placeSupport(robot);
    this.placeHandles(!pose && !store.readonly);
    this.floor.below(robot.bodies[robot.robot.base].position.x, robot.bodies[robot.robot.base].position.y);
    if (pose && this.follow && this.controls) {
      const at = new three.Vector3(pose.base[0], pose.base[1], this.followed.z);
      const way = at.clone().sub(this.followed);
      if (way.length() > 0.002) {
        this.camera.position.add(way);
        this.controls.target.add(way);
        this.followed.copy(at);
      }
    }
    this.support.visible = this.showBalance && !pose && !this.lies && Boolean(this.balance.polygon);
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
    this.ghosts.forEach((ghost, number) => {
      const seen = this.onion && pose ? store.runPose(store.playhead + (number ? BESIDE : -BESIDE)) : undefined;
      ghost.root.visible = this.onion && (store.source === "motion" ? this.ghosted[number] : Boolean(seen));
      if (!seen) return;
      ghost.setJoints(seen.joints);
      ghost.setBase(seen.base);
    });
    this.tellLegend();
  }

  /** Whether the motion as written is drawn on the floor, not standing. */
  private get lies(): boolean {
    return this.store.source === "motion" && this.store.lying && !this.upright;
  }

  /** Put a robot on the floor as the motion has it at a time: on its feet, or as it lies where runs begin so. */
  private ground(robot: Robot3d, time: number): void {
    if (!this.lies) return robot.stand(this.upright, this.shift);
    const base = this.store.baseAt(time);
    robot.lie(base ? unturned(new three.Quaternion(base[4], base[5], base[6], base[3])) : LYING[this.store.start]!, this.shift);
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
      const posture = place && store.source === "motion" ? store.postureAt(place.end) : null;
      this.ghosted[number] = Boolean(posture);
      if (posture) {
        ghost.setJoints(posture);
        this.ground(ghost, place.end);
      }
    }
    this.draw();
  }

  /** The support polygon, the soles on the ground and the centre of mass, in the plane that the soles lie in. */
  private drawBalance(): void {
    for (const child of [...this.support.children] as three.Mesh[]) {
      child.geometry.dispose();
      (child.material as three.Material).dispose();
    }
    this.support.clear();
    const { polygon, com, margin, soles } = this.balance;
    if (!polygon || polygon.length < 2 || !com || !this.robot) return;
    const color = (margin ?? 0) >= 0 ? GOOD : BAD;
    // They are seen through the feet that stand on them.
    const look = { depthTest: false, transparent: true };
    const add = (node: three.Object3D) => {
      node.renderOrder = 4;
      this.support.add(node);
    };
    const flat = (points: number[][]) => points.map(([x, y]) => new three.Vector3(x, y, 0.002));
    for (const sole of Object.values(soles ?? {})) {
      const inside = sole.margin >= 0;
      const shape = new three.ShapeGeometry(new three.Shape(sole.polygon.map(([x, y]) => new three.Vector2(x, y))));
      add(new three.Mesh(shape, new three.MeshBasicMaterial({ ...look, color: inside ? GOOD : 0x7f8c99, opacity: inside ? 0.4 : 0.22, side: three.DoubleSide })));
    }
    add(new three.Line(new three.BufferGeometry().setFromPoints(flat([...polygon, polygon[0]])), new three.LineBasicMaterial({ ...look, color })));
    const spot = new three.Mesh(new three.CircleGeometry(0.008, 20), new three.MeshBasicMaterial({ ...look, color }));
    spot.position.set(com[0], com[1], 0.003);
    add(spot);
    (this.com.mesh.material as three.MeshBasicMaterial).color.set(color);
  }

  /** The balance is told in the plane of the ground below the base, x along the base's own. */
  private placeSupport(robot: Robot3d): void {
    const base = robot.bodies[robot.robot.base];
    robot.root.updateMatrixWorld(true);
    const at = base.getWorldPosition(new three.Vector3());
    const ahead = new three.Vector3(1, 0, 0).applyQuaternion(base.getWorldQuaternion(new three.Quaternion()));
    this.support.position.set(at.x, at.y, 0);
    this.support.rotation.set(0, 0, Math.atan2(ahead.y, ahead.x));
  }

  /** Pixels of the picture per pixel of the page, where nothing moves. */
  private get ratio(): number {
    return Math.min(devicePixelRatio, 1.5);
  }

  private render(): void {
    const { renderer, budget } = this;
    if (!renderer || !budget || !this.node.clientWidth) return;
    // While the playhead moves the dock goes first; what a hand drags or turns here is drawn as often as it can be.
    const coarse = this.store.scrubbing && !this.drag;
    if (coarse && !budget.ready) return;
    const ratio = coarse ? this.ratio * budget.ratio : this.ratio;
    if (renderer.getPixelRatio() !== ratio) renderer.setPixelRatio(ratio);
    // What was drawn coarsely is drawn again as soon as it rests.
    this.dirty = coarse && ratio < this.ratio;
    if (this.lay !== this.lies) {
      this.lay = this.lies;
      // It is framed where it is now.
      this.place();
      if (!this.arranged && !this.drag && this.store.source === "motion") this.frame();
    }
    this.place();
    renderer.render(this.scene, this.camera);
    budget.drawn();
    this.frames++;
    this.node.dataset.frames = String(this.frames);
  }

  setLabel(text: string, bad = false): void {
    this.label.textContent = text;
    this.label.classList.toggle("bad", bad);
  }
}

/** An orientation without its turn about the vertical: the trunk's axis that lies flattest looks ahead, or to the left. */
function unturned(turn: three.Quaternion): three.Quaternion {
  const [ahead, left] = [new three.Vector3(1, 0, 0), new three.Vector3(0, 1, 0)].map((axis) => axis.applyQuaternion(turn));
  const yaw = Math.abs(ahead.z) < 0.7 ? Math.atan2(ahead.y, ahead.x) : Math.atan2(-left.x, left.y);
  return turn.clone().premultiply(new three.Quaternion().setFromAxisAngle(new three.Vector3(0, 0, 1), -yaw));
}
