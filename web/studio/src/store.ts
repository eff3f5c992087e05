// What the page knows: the document, what of it is shown and chosen, the playhead, runs. Panes listen to changes.
import { bytes } from "@andante/shared/packed";
import { Connection, type Edit, Refused, type Wish } from "./connection";
import type { KeyRef, Place } from "./places";
import type { Block, Checks, Edited, Flags, Forms, Keyframe, Library, Message, Parameter, Pose, Problem, Robot, Segment } from "./protocol";
import type { State, Target, Trajectory } from "./protocol";
import { readLanes, readPose, readTrajectory } from "./protocol";
import { Traces } from "./traces";
import { Way } from "./way";

export type Topic =
  | "document" | "robot" | "library" | "text" | "chosen" | "shown" | "playhead" | "trajectory" | "pose" | "run" | "problems"
  | "checks" | "stale" | "flags" | "units" | "notice" | "connection" | "faults" | "plots" | "balance" | "view"
  | "lanes" | "channels" | "evidence" | "picked";

export interface Run {
  number: number;
  motion: string;
  seed: number;
  /** How the robot began, see `begin`. */
  start: string;
  /** The robot's weight [N]. */
  weight: number;
  poses: Pose[];
  verdict: string;
  reasons: string[];
  metrics: Record<string, number | string | null>;
  events: RunEvent[];
  traces: Traces;
  late: number;
  /** Revision of the text that runs. */
  revision: number;
}

export interface RunEvent {
  time: number;
  kind: string;
  text: string;
  /** Of a keyframe that begins: its block and index. */
  block?: string;
  keyframe?: number;
}

/** One try of a motion in physics, see src/andante/studio/evidence.py. */
export interface Trial {
  seed: number;
  good: boolean;
  reason: string;
  /** When it failed [s]; null: it did not. */
  at: number | null;
  /** When the motion was done [s]. */
  done: number | null;
  /** Share of its servo's torque that the most loaded joint had left. */
  margin: number | null;
  joint: string | null;
  /** Times and measured angles, (n, 1 + joints) [s, rad]. */
  trace: Float32Array | null;
}

export interface Evidence {
  motion: string;
  revision: number;
  seeds: number;
  trials: Trial[];
  /** The same of the saved file. */
  saved: Trial[];
  problem: string;
}

/** Why an edit was refused, and where in it. */
export interface Refusal {
  text: string;
  place: string;
  what: string;
}

/** What the 3-D view shows: the motion as written, or a run. */
export type Source = "motion" | "run";

/** Runs that are kept, the last ones. */
const RUNS = 12;
const EVENTS = 5000;
/** Poses of one run that are kept; of a longer run every second one. */
const POSES = 20_000;
/** So long after an edit an older picture is not called one [ms]. */
const LATE = 1000;
/** So many changes of places are remembered. */
const MOST_MOVES = 200;
export const CHANGED_ELSEWHERE = "The document was changed in another tab; look at it and do this again.";
/** The playhead rests when it has not moved for so long [ms]. */
const STILL = 150;

export class Store {
  readonly connection = new Connection();
  private listeners = new Map<Topic, ((detail?: any) => void)[]>();

  page = 0;
  robots: string[] = [];
  /** How runs begin: empty: standing, front, back, left or right: lying on it, else a posture's name. */
  start = "";
  /** Names of the motion libraries that come with Andante. */
  libraries: string[] = [];
  first = "";
  /** Somebody's work is looked at only. */
  readonly = false;
  /** Name or file of the robot that the studio was started with. */
  robotGiven = "";
  fields: Record<string, Record<string, string>> = {};
  forms: Forms = {};
  state: State | null = null;
  robot: Robot | null = null;
  library: Library | null = null;
  revision = 0;
  flags: Flags = { canUndo: false, canRedo: false, changed: false, disk: "" };
  problems: Problem[] = [];
  checks: Checks = { state: "waiting", revision: -1, text: "" };
  /** Whether the server answers. */
  connected = false;
  robotProblem = "";
  /** Why there are no samples of what is shown; empty: there are, or nobody knows yet. */
  private unsampled = "";
  private late = 0;

  motion = "";
  block = "";
  chosen: KeyRef[] = [];
  trajectory: Trajectory | null = null;
  playhead = 0;
  playing = false;
  loop = true;
  speed = 1;
  degrees = true;

  source: Source = "motion";
  runs: Run[] = [];
  running: "no" | "starting" | "going" | "paused" = "no";
  shownRun = 0;
  compare = 0;
  /** Draw all runs of this motion over one another. */
  overlay = false;
  channels: Record<string, string[]> = {};
  /** SI units of recorded variables by channel and field. */
  units: Record<string, string> = {};
  parameters: Parameter[] = [];
  faults = new Map<string, boolean>();
  /** The server compiles what drags need. */
  preparing = false;
  /** A posture that is being made and belongs to no keyframe yet. */
  loose: Float32Array | null = null;
  /** Where the base is while something is dragged: position, orientation wxyz. */
  looseBase: number[] | null = null;
  clipboard: Keyframe[] = [];
  locked = new Set<string>();
  evidence: Evidence | null = null;
  /** Joints that the tall curves show; empty: those that move most. */
  channelsShown: string[] = [];
  /** Joints whose ways are not drawn. */
  muted = new Set<string>();

  on(topic: Topic | Topic[], handler: (detail?: any) => void): void {
    for (const each of Array.isArray(topic) ? topic : [topic]) {
      this.listeners.set(each, [...(this.listeners.get(each) ?? []), handler]);
    }
  }

  emit(topic: Topic, detail?: unknown): void {
    for (const handler of this.listeners.get(topic) ?? []) handler(detail);
  }

  notice(text: string, bad = true): void {
    this.emit("notice", { text, bad });
  }

  begin(): void {
    const connection = this.connection;
    connection.on("hello", (message) => {
      this.page = connection.page = message.page;
      this.robots = message.robots;
      this.libraries = message.libraries ?? [];
      this.first = message.first;
      this.readonly = Boolean(message.class?.readonly);
      this.robotGiven = message.robot ?? "";
      this.fields = message.fields ?? {};
      this.forms = message.forms ?? {};
      const wanted = this.state?.file || new URLSearchParams(location.search).get("file") || message.first;
      this.connected = true;
      this.emit("connection", true);
      if (wanted) void this.open(wanted);
      else this.emit("document");
    });
    connection.on("state", (message) => this.enter(message as unknown as State));
    connection.on("edited", (message) => this.edited(message as unknown as Edited));
    connection.on("saved", (message) => this.setFlags(message as unknown as Flags));
    connection.on("robot", (message) => {
      // Without another one the last robot stays in the picture, which says so.
      this.robot = message.robot ?? this.robot;
      this.robotProblem = message.problem;
      if (message.problem) this.notice(message.problem);
      this.emit("robot");
      this.emit("stale");
    });
    connection.on("checks", (message) => {
      this.checks = message as unknown as Checks;
      this.emit("checks");
    });
    connection.on("evidence", (message) => this.heardEvidence(message));
    connection.on("trial", (message) => this.heardTrial(message));
    connection.on("unsampled", (message) => {
      if (message.revision < this.revision) return;
      this.unsampled = message.text;
      this.notice(message.text);
      this.emit("stale");
    });
    connection.on("helper", (message) => this.notice(message.text));
    connection.on("notice", (message) => this.notice(message.text));
    connection.on("refused", (message) => {
      if (message.of !== "play") return;
      this.running = "no";
      this.emit("run");
    });
    connection.on("moves", (message) => {
      this.preparing = !message.ready;
      this.emit("connection", true);
    });
    connection.on("balance", (message) => this.emit("balance", message));
    for (const type of ["started", "there", "paused", "resumed", "verdict", "broken", "event", "faulty", "changed"]) {
      connection.on(type, (message) => this.heardRun(message));
    }
    connection.onBinary = (data) => this.binary(data);
    connection.onState = (open) => {
      if (open) return;
      this.connected = false;
      this.quieten();
      this.running = "no";
      this.emit("connection", false);
      this.emit("checks");
      this.emit("run");
    };
    addEventListener("popstate", () => {
      const file = new URLSearchParams(location.search).get("file");
      if (file && file !== this.state?.file) void this.open(file);
    });
    connection.open();
  }

  open(file: string): Promise<unknown> {
    return this.connection.ask({ do: "open", file }).catch((error: Error) => {
      this.notice(error.message);
      // Whoever came by an address of a file that is gone chooses another.
      if (!this.state) this.emit("document");
    });
  }

  private enter(state: State): void {
    this.placed = null;
    const same = this.state?.file === state.file;
    // Another count of revisions: which text these have run, nobody can tell.
    if (same && this.state?.opened !== state.opened) for (const run of this.runs) run.revision = -1;
    // What happened between is not known either.
    if (!same || this.state?.opened !== state.opened || this.revision !== state.revision) {
      this.replaced = state.revision;
      this.moved = [];
    }
    this.state = state;
    if (!same || state.robot) this.robot = state.robot;
    if (!same || state.library) this.library = state.library;
    this.robotProblem = state.robotProblem;
    this.unsampled = "";
    this.revision = state.revision;
    this.problems = state.problems;
    this.checks = { state: "waiting", revision: state.revision, text: "" };
    this.setFlags(state);
    // What was refused meanwhile is not in the document.
    if (this.chosen.length) this.loose = null;
    if (!same) {
      this.chosen = [];
      this.runs = [];
      this.playhead = 0;
      this.motion = this.block = "";
      this.trajectory = null;
      this.loose = null;
      this.source = "motion";
      this.address(state.file);
    }
    // Asked for first: the server samples it while the panes are being built.
    const shown = this.chooseShown();
    if (shown) this.connection.tell({ do: "show", motion: this.motion, block: this.block });
    if (state.robotProblem) this.notice(state.robotProblem);
    if (state.recovered) this.notice(`${state.recovered} edits of a studio that ended without saving were done again.`, false);
    this.emit("robot");
    this.emit("document");
    this.emit("library");
    this.emit("flags");
    this.emit("problems");
    this.emit("checks");
    this.emit("stale");
    if (!same) this.emit("run");
    if (shown) {
      this.emit("shown");
      this.emit("chosen");
    }
  }

  /** The address of the page is the file's, so that the browser's own Back leads to the file before. */
  private address(file: string): void {
    const url = new URL(location.href);
    const before = url.searchParams.get("file");
    url.searchParams.set("file", file);
    url.searchParams.delete("token");
    if (before && before !== file && history.state?.file) history.pushState({ file }, "", url);
    else history.replaceState({ file }, "", url);
  }

  private edited(message: Edited): void {
    this.placed = null;
    this.revision = message.revision;
    this.notePlaces(message);
    if (message.patch && this.library) {
      const { block, at, removed, keyframes } = message.patch;
      this.library.blocks[block].keyframes.splice(at, removed, ...keyframes);
      if (removed !== keyframes.length) {
        // What was chosen stays chosen when another page puts keyframes before it.
        if (message.page !== this.page) {
          this.chosen = this.chosen.map((ref) => (ref.block === block && ref.index >= at + removed ? { block, index: ref.index + keyframes.length - removed } : ref));
        }
        this.structure.set(block, (this.structure.get(block) ?? 0) + 1);
        this.fitChosen();
      }
    } else if (message.library) {
      // A text with a mistake leaves the last library, which the page says.
      this.library = message.library;
      this.structureAll++;
      this.fitChosen();
    }
    if (message.units && this.state) this.state.units = message.units;
    this.emit("text", message);
    if (message.problems) {
      this.problems = message.problems;
      this.emit("problems");
    }
    if (message.canUndo !== undefined) this.setFlags(message as Flags);
    this.unsampled = "";
    this.emit("library");
    this.emit("checks");
    this.emit("stale");
    clearTimeout(this.late);
    this.late = setTimeout(() => this.emit("stale"), LATE + 50);
    this.edits = performance.now();
    this.keepShown();
  }

  private structure = new Map<string, number>();
  private structureAll = 0;

  private edits = 0;
  private typing = false;

  /** Whether something typed is not known to the server yet. */
  setTyping(typing: boolean, refused = false): void {
    this.unkept = typing && refused;
    if (typing !== this.typing) {
      this.typing = typing;
      this.emit("checks");
    }
    this.quieten();
  }

  private unkept = false;
  private quiet: (() => void)[] = [];

  /** Whether something that was done here waits to be sent, or to be answered. */
  get sending(): boolean {
    return this.typing || this.asked > 0 || [...this.slots].some(([name, { busy }]) => busy && name !== "balance");
  }

  private asked = 0;

  /** Wait until the server has all edits, in their order, or cannot have them now: what comes next speaks of all of them. */
  private sent(): Promise<void> {
    return new Promise((done) => {
      this.quiet.push(done);
      this.quieten();
    });
  }

  private quieten(): void {
    if (this.sending && this.connected && !this.unkept) return;
    const done = this.quiet;
    this.quiet = [];
    for (const each of done) each();
  }

  /** Ask for what speaks of all edits that were made before: a save and its difference, undo and redo. */
  async askAfterEdits(message: Wish): Promise<Message> {
    await this.sent();
    return this.connection.ask(message);
  }

  /** Whether the checks of the text are not known yet. */
  get checking(): boolean {
    const { state, revision } = this.checks;
    return this.typing || revision !== this.revision || state === "waiting" || state === "checking";
  }

  /** Why picture and time line are not those of the text; empty: they are. */
  get stale(): string {
    if (!this.state) return "";
    if (this.problems.length) return `line ${this.problems[0].line}: ${this.problems[0].text}`;
    if (this.robotProblem) return this.robotProblem;
    if (this.unsampled) return this.unsampled;
    const old = this.trajectory && this.trajectory.revision !== this.revision;
    return old && performance.now() - this.edits > LATE ? "the motion is being computed" : "";
  }

  private setFlags(flags: Flags): void {
    this.flags = { canUndo: flags.canUndo, canRedo: flags.canRedo, changed: flags.changed, disk: flags.disk };
    this.emit("flags");
  }

  private fitChosen(): void {
    this.chosen = this.chosen.filter(({ block, index }) => index < (this.library?.blocks[block]?.keyframes.length ?? 0));
    this.emit("chosen");
  }

  // Edits ---------------------------------------------------------------------------------------------------------

  /** Send an edit; where another page was faster and the places are still the same, send it again. */
  async edit(message: Edit): Promise<boolean> {
    const refusal = await this.attempt(message);
    if (refusal) this.notice(refusal.text);
    return !refusal;
  }

  /** The same, but the caller tells why it was refused. */
  async attempt(message: Edit): Promise<Refusal | null> {
    this.asked++;
    try {
      return await this.tried(message);
    } finally {
      this.asked--;
      this.quieten();
    }
  }

  private async tried(message: Edit): Promise<Refusal | null> {
    const block = "block" in message ? message.block : "";
    const shape = [this.structure.get(block) ?? 0, this.structureAll].join();
    for (let tries = 0; tries < 5; tries++) {
      try {
        const answer = await this.connection.ask({ ...message, revision: this.revision } as Wish);
        if (answer.type !== "conflict") return null;
      } catch (error) {
        const { message: text, place, what } = error as Refused;
        return { text, place: place ?? "", what: what ?? text };
      }
      if ([this.structure.get(block) ?? 0, this.structureAll].join() !== shape) break;
    }
    return { text: CHANGED_ELSEWHERE, place: "", what: CHANGED_ELSEWHERE };
  }

  private slots = new Map<string, { busy: boolean; next: (() => Promise<unknown>) | null }>();

  /** Keyframes that were put in or taken out, by the revision since when they are. */
  private moved: { revision: number; block: string; at: number; removed: number; added: number }[] = [];
  /** The revision since when another page has all of the text otherwise. */
  private replaced = -1;

  private notePlaces(message: Edited): void {
    const { patch, revision } = message;
    if (patch && patch.removed !== patch.keyframes.length) {
      this.moved.push({ revision, block: patch.block, at: patch.at, removed: patch.removed, added: patch.keyframes.length });
      if (this.moved.length > MOST_MOVES) this.moved.shift();
    } else if (!patch && message.library && message.page !== this.page) this.replaced = revision;
  }

  /** Another one once keyframes have other places than before. */
  get placement(): string {
    return `${this.moved.at(-1)?.revision ?? 0} ${this.replaced}`;
  }

  /** Where a keyframe of an earlier revision is now; -1 where it is gone, or where nobody knows. */
  placeNow(block: string, index: number, since: number): number {
    const oldest = this.moved.length === MOST_MOVES ? this.moved[0].revision : -1;
    if (this.replaced > since || oldest > since + 1) return -1;
    for (const each of this.moved) {
      if (each.revision <= since || each.block !== block || index < each.at) continue;
      if (index < each.at + each.removed) return -1;
      index += each.added - each.removed;
    }
    return index;
  }

  /**
   * Set fields of keyframes that stood at these places in an earlier revision: what waits to be sent meets its own
   * keyframe, also where another page has put others before it meanwhile.
   */
  async setFields(block: string, fields: Record<string, Record<string, unknown>>, group: string, since: number): Promise<boolean> {
    const refusal = await this.attemptFields(block, fields, group, since);
    if (refusal) this.notice(refusal.text);
    return !refusal;
  }

  /** The same, but the caller tells why it was refused. */
  async attemptFields(block: string, fields: Record<string, Record<string, unknown>>, group: string, since: number): Promise<Refusal | null> {
    const now: Record<string, Record<string, unknown>> = {};
    for (const [index, each] of Object.entries(fields)) {
      const place = this.placeNow(block, Number(index), since);
      if (place < 0) return { text: CHANGED_ELSEWHERE, place: "", what: CHANGED_ELSEWHERE };
      now[place] = each;
    }
    return this.attempt({ do: "set", block, fields: now, group });
  }

  /** Do the newest of a stream of edits (a drag), one at a time. */
  stream(name: string, work: () => Promise<unknown>): void {
    const slot = this.slots.get(name) ?? { busy: false, next: null };
    this.slots.set(name, slot);
    if (slot.busy) {
      slot.next = work;
      return;
    }
    slot.busy = true;
    void work().finally(() => {
      slot.busy = false;
      const next = slot.next;
      slot.next = null;
      if (next) this.stream(name, next);
      this.quieten();
    });
  }

  /** What is shown of a chosen keyframe is what the document says of it again. */
  private settle(): void {
    if (!this.chosen.length) return;
    this.loose = null;
    this.emit("view");
  }

  undo(): void {
    this.settle();
    this.askAfterEdits({ do: "undo" }).catch((error: Error) => this.notice(error.message));
  }

  redo(): void {
    this.settle();
    this.askAfterEdits({ do: "redo" }).catch((error: Error) => this.notice(error.message));
  }

  // What is shown -------------------------------------------------------------------------------------------------

  private keepShown(): void {
    if (this.chooseShown()) this.tellShown();
  }

  /** The motion or block that is shown, another where it is gone; whether the server has to be told. */
  private chooseShown(): boolean {
    const library = this.library;
    if (!library) return false;
    if (this.motion && !(this.motion in library.motions)) this.motion = "";
    if (this.block && !(this.block in library.blocks)) this.block = "";
    this.placed = null;
    if (this.motion || this.block) return !this.trajectory;
    const motion = Object.keys(library.motions)[0] ?? "";
    const block = motion ? "" : (Object.keys(library.blocks)[0] ?? "");
    this.take(motion, block);
    return Boolean(motion || block);
  }

  private take(motion: string, block: string): void {
    if (motion !== this.motion || block !== this.block) {
      this.playhead = 0;
      this.chosen = [];
      this.loose = null;
    }
    this.motion = motion;
    this.block = block;
    this.placed = null;
  }

  show(motion: string, block: string): void {
    this.take(motion, block);
    this.tellShown();
  }

  private tellShown(): void {
    const { motion, block } = this;
    this.connection.tell({ do: "show", motion, block });
    this.emit("shown");
    this.emit("chosen");
  }

  /** Names of the blocks that are shown, in order. */
  blocks(): string[] {
    if (this.block) return [this.block];
    return (this.library?.motions[this.motion]?.blocks ?? []).filter((name) => this.library!.blocks[name]);
  }

  blockOf(name: string): Block | undefined {
    return this.library?.blocks[name];
  }

  keyframe(ref: KeyRef): Keyframe | undefined {
    return this.library?.blocks[ref.block]?.keyframes[ref.index];
  }

  /** Every shown keyframe with its begin and end [s]. */
  places(): Place[] {
    if (this.placed) return this.placed;
    let time = 0;
    this.placed = this.blocks().flatMap((block, occurrence) =>
      this.library!.blocks[block].keyframes.map((keyframe, index) => {
        const begin = time;
        time += keyframe.duration;
        return { ref: { block, index }, occurrence, begin, end: time };
      }),
    );
    return this.placed;
  }

  private placed: Place[] | null = null;

  /** Period of the robot's control [s]. */
  get tick(): number {
    return this.robot?.tick ?? 0.01;
  }

  get duration(): number {
    return this.places().at(-1)?.end ?? 0;
  }

  /** Show the motion as written, where it is edited. */
  backToEditing(): void {
    if (this.source === "motion") return;
    this.source = "motion";
    this.playing = false;
    this.seek(this.playhead);
    this.emit("view");
    this.emit("run");
  }

  choose(refs: KeyRef[], follow = true): void {
    if (refs.length) this.backToEditing();
    this.chosen = refs;
    this.loose = null;
    if (follow && refs.length === 1) {
      const place = this.places().find(({ ref }) => ref.block === refs[0].block && ref.index === refs[0].index);
      if (place) this.seek(place.end, false);
    }
    this.emit("chosen");
  }

  isChosen(ref: KeyRef): boolean {
    return this.chosen.some((each) => each.block === ref.block && each.index === ref.index);
  }

  seek(time: number, release = true): void {
    const end = this.source === "run" ? this.runEnd() : this.duration;
    this.playhead = Math.min(Math.max(time, 0), Math.max(end, 0));
    const now = performance.now();
    this.moving = now - this.movedAt < STILL;
    this.movedAt = now;
    if (release && this.loose) this.loose = null;
    this.emit("playhead");
  }

  private moving = false;
  private movedAt = -Infinity;

  /** Whether what is shown changes all the time: panes that people cannot read that fast are drawn less often. */
  get scrubbing(): boolean {
    return this.playing || this.running === "going" || (this.moving && performance.now() - this.movedAt < STILL);
  }

  private binary(data: ArrayBuffer): void {
    const kind = new DataView(data).getUint32(0, true);
    if (kind === 2) {
      const found = readTrajectory(data);
      // Long motions are computed beside shorter ones.
      if (found.revision < (this.trajectory?.revision ?? 0) && found.revision !== this.revision) return;
      this.trajectory = found;
      if (found.revision === this.revision) this.unsampled = "";
      this.emit("trajectory");
      this.emit("stale");
    } else if (kind === 1 && this.robot) {
      const pose = readPose(data, this.robot.joints.length);
      const run = this.runs.at(-1);
      if (run && run.number === pose.run) {
        run.poses.push(pose);
        if (run.poses.length > POSES) run.poses = run.poses.filter((_, index) => index % 2 === 0);
        // Who went back to editing stays where he is.
        if (this.source === "run") {
          this.playhead = pose.time;
          this.emit("pose", pose);
        }
      }
      if (pose.rows.length) this.emit("plots", pose);
    } else if (kind === 3) {
      const lanes = readLanes(data);
      const run = this.runs.find((each) => each.number === lanes.run);
      if (!run) return;
      run.traces.add(lanes.rows, lanes.width);
      this.emit("lanes");
    }
  }

  /** The way that is played, where it is that of the shown keyframes. */
  way(): Way | null {
    if (!this.trajectory || this.trajectory.joints !== this.robot?.joints.length) return null;
    const way = new Way(this.trajectory, this.places());
    return way.fits ? way : null;
  }

  /** Joint angles of the motion as written, at a time [rad]. */
  postureAt(time: number): Float32Array | null {
    const robot = this.robot;
    if (!robot) return null;
    const trajectory = this.trajectory;
    const joints = robot.joints.length;
    if (!trajectory || trajectory.joints !== joints || !trajectory.count) {
      return new Float32Array(robot.postures.stand ?? robot.joints.map((joint) => Math.min(Math.max(0, joint.lower), joint.upper)));
    }
    // Ticks are whole, durations need not be: inside a keyframe time is stretched to its samples.
    const place = this.places().find(({ end }) => time <= end + 1e-9);
    let sample = trajectory.count - 1;
    if (place && trajectory.segments.length) {
      const segment = this.segmentOf(place.ref, place.occurrence);
      if (segment) {
        const share = place.end > place.begin ? (time - place.begin) / (place.end - place.begin) : 1;
        sample = segment.first - 1 + Math.min(Math.max(share, 0), 1) * (segment.last - segment.first + 1);
      }
    }
    const low = Math.min(Math.floor(sample), trajectory.count - 1);
    const high = Math.min(low + 1, trajectory.count - 1);
    const part = sample - low;
    const result = new Float32Array(joints);
    for (let j = 0; j < joints; j++) {
      const a = trajectory.positions[low * joints + j];
      result[j] = a + part * (trajectory.positions[high * joints + j] - a);
    }
    return result;
  }

  /** Gives the sample of the trajectory at a time of the axis. Ticks are whole, durations of keyframes need not be. */
  sampling(): (time: number) => number {
    const { trajectory } = this;
    const places = this.places();
    if (!trajectory || !this.way()) return (time) => time / (trajectory?.tick ?? 1);
    return (time) => {
      let [low, high] = [0, places.length - 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (places[middle].end < time) low = middle + 1;
        else high = middle;
      }
      const { begin, end } = places[low];
      const { first, last } = trajectory.segments[low];
      const share = end > begin ? Math.min(Math.max((time - begin) / (end - begin), 0), 1) : 1;
      return first - 1 + share * (last - first + 1);
    };
  }

  /** The time of the axis at which the engine is at a time of its own ticks. */
  timeOf(ticked: number): number {
    const { trajectory } = this;
    if (!trajectory || !this.way()) return ticked;
    const sample = ticked / trajectory.tick;
    const at = trajectory.segments.findIndex(({ last }) => sample <= last + 1e-9);
    if (at < 0) return this.duration;
    const { first, last } = trajectory.segments[at];
    const { begin, end } = this.places()[at];
    return begin + Math.min(Math.max((sample - first + 1) / (last - first + 1), 0), 1) * (end - begin);
  }

  segmentOf(ref: KeyRef, occurrence: number): Segment | undefined {
    return this.trajectory?.segments.find((each) => each.keyframe === ref.index && each.occurrence === occurrence);
  }

  /** The posture that the pose pane and the 3-D view show now. */
  posture(): Float32Array | null {
    if (this.loose) return this.loose;
    if (this.source === "run") {
      const pose = this.runPose(this.playhead);
      if (pose) return pose.joints;
    }
    return this.postureAt(this.playhead);
  }

  // Runs ----------------------------------------------------------------------------------------------------------

  get run(): Run | undefined {
    return this.runs.find((run) => run.number === this.shownRun) ?? this.runs.at(-1);
  }

  runEnd(run = this.run): number {
    return Math.max(run?.poses.at(-1)?.time ?? 0, run?.traces.end ?? 0);
  }

  /** Runs that are drawn beside the one that is shown. */
  runsBeside(): Run[] {
    const { run } = this;
    if (!run || this.source !== "run") return [];
    return this.runs.filter((each) => each !== run && (each.number === this.compare || (this.overlay && each.motion === run.motion)));
  }

  runPose(time: number, run = this.run): Pose | undefined {
    const poses = run?.poses ?? [];
    // Who came later has only the lanes.
    if (poses.length < 2 && run?.traces.count) {
      const row = run.traces.row(time);
      return { run: run.number, time: run.traces.time(row), base: run.traces.base(row), joints: run.traces.measured(row), rows: new Float32Array(), width: 0 };
    }
    let low = 0;
    let high = poses.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (poses[middle].time <= time) low = middle;
      else high = middle - 1;
    }
    return poses[low];
  }

  /** Whether runs begin on the floor, so that a keyframe need not stand. */
  get lying(): boolean {
    return ["front", "back", "left", "right"].includes(this.start);
  }

  /** Where the base was in the last run from this begin when it played what is written at a time; undefined: nobody knows. */
  baseAt(time: number): Float32Array | undefined {
    const run = [...this.runs].reverse().find((each) => each.motion === this.motion && each.start === this.start && each.traces.count);
    const places = this.places();
    const at = places.findIndex(({ end }) => end >= time - 1e-9);
    if (!run || at < 0) return undefined;
    const { ref, begin, end } = places[at];
    const before = places.slice(0, at).filter((each) => each.ref.block === ref.block && each.ref.index === ref.index).length;
    const keys = run.events.filter(({ block }) => block !== undefined);
    const event = keys.filter(({ block, keyframe }) => block === ref.block && keyframe === ref.index)[before];
    if (!event) return undefined;
    const next = keys[keys.indexOf(event) + 1]?.time ?? run.traces.end;
    // A wait at the end of a keyframe belongs to its end.
    const share = end > begin ? Math.min(Math.max((time - begin) / (end - begin), 0), 1) : 1;
    return run.traces.base(run.traces.row(event.time + share * (next - event.time)));
  }

  private heardRun(message: Message): void {
    const run = this.runs.at(-1);
    if (message.type === "started") {
      this.channels = message.channels;
      this.units = message.units ?? {};
      this.parameters = message.parameters;
      this.faults.clear();
      const fresh: Run = {
        number: message.run, motion: message.motion, seed: message.seed, start: message.start ?? "", weight: message.weight ?? 0, poses: [], verdict: "", reasons: [], metrics: {},
        events: [], traces: new Traces(this.robot?.joints.length ?? 0, this.robot?.feet.length ?? 0), late: 0, revision: message.revision,
      };
      this.runs = [...this.runs.filter((each) => each.number !== message.run).slice(-(RUNS - 1)), fresh];
      this.shownRun = message.run;
      if (message.late) {
        // It began before this page came, which stays where it is.
        this.running = message.going ? "going" : "no";
      } else {
        this.source = "run";
        this.running = "starting";
        this.playing = false;
        this.loose = null;
      }
      this.emit("faults");
    } else if (message.type === "there") {
      this.running = "going";
    } else if (message.type === "paused") {
      this.running = "paused";
    } else if (message.type === "resumed") {
      this.running = "going";
    } else if (message.type === "event") {
      run?.events.push({ time: message.time, kind: message.kind, text: message.text, block: message.block, keyframe: message.keyframe });
      if (run && run.events.length > EVENTS) run.events.shift();
    } else if (message.type === "faulty") {
      this.faults.set(message.name, message.on);
      this.emit("faults");
    } else if (message.type === "changed") {
      const parameter = this.parameters.find((each) => each.name === message.parameter);
      if (parameter) parameter.value = message.value;
    } else if (message.type === "verdict") {
      this.running = "no";
      if (run && run.number === message.run) {
        Object.assign(run, { verdict: message.verdict, reasons: message.reasons, metrics: message.metrics, late: message.late });
      }
    } else if (message.type === "broken") {
      this.running = "no";
      this.notice(message.text);
    }
    this.emit("run");
  }

  private heardEvidence(message: Message): void {
    const { motion, revision, seeds, state, text } = message;
    if (state === "trying") {
      // What was found of the motion before stays in sight until the first seed of the new one is tried.
      const old = this.evidence?.motion === motion ? this.evidence : null;
      this.evidence = { motion, revision, seeds, trials: [], saved: old?.saved ?? [], problem: "" };
    } else if (state === "failed" && this.evidence) this.evidence.problem = text;
    else if (state === "none") this.evidence = null;
    this.emit("evidence");
  }

  private heardTrial(message: Message): void {
    const found = this.evidence;
    if (!found || found.revision !== message.revision || found.motion !== message.motion) return;
    const { seed, good, reason, at, done, margin, joint } = message;
    const trial: Trial = { seed, good, reason, at, done, margin, joint, trace: message.of === "now" ? new Float32Array(bytes(message.trace)) : null };
    const list = message.of === "now" ? found.trials : found.saved;
    const others = list.filter((each) => each.seed !== seed);
    others.push(trial);
    if (message.of === "now") found.trials = others;
    else found.saved = others;
    this.emit("evidence");
  }

  // Postures into keyframes ---------------------------------------------------------------------------------------

  /** Set joints of the chosen keyframe, or of a loose posture where none is chosen. */
  setJoints(values: Record<string, Target>, group: string, base: number[] | null = null): void {
    const robot = this.robot;
    if (!robot) return;
    const free = Object.fromEntries(Object.entries(values).filter(([name]) => !this.locked.has(name)));
    // One motor may move two joints.
    for (const joint of robot.joints) if (joint.follows && joint.follows in free) free[joint.name] = free[joint.follows];
    if (!Object.keys(free).length) return;
    const ref = this.chosen.length === 1 ? this.chosen[0] : undefined;
    this.source = "motion";
    this.playing = false;
    const shown = new Float32Array(this.posture() ?? []);
    for (const [name, value] of Object.entries(free)) {
      const index = robot.joints.findIndex((joint) => joint.name === name);
      if (index >= 0 && typeof value === "number") shown[index] = value;
    }
    this.loose = shown;
    this.looseBase = base;
    this.emit("view");
    if (ref) {
      const { block, index } = ref;
      // A place is another keyframe's once some were put in or taken out before it.
      const place = `joints ${index} ${block} ${this.placement}`;
      const since = this.pendingJoints.get(place)?.since ?? this.revision;
      this.pendingJoints.set(place, { since, values: { ...this.pendingJoints.get(place)?.values, ...free } });
      this.stream(place, async () => {
        const entries = Object.entries(this.pendingJoints.get(place)?.values ?? {});
        const joints = Object.fromEntries(entries.map(([name, value]) => [name, typeof value === "number" ? this.tidy(value) : value]));
        this.pendingJoints.delete(place);
        // A posture that was not taken is not the keyframe's.
        if (!(await this.setFields(block, { [index]: { joints } }, group, since)) && !this.pendingJoints.has(place)) this.settle();
      });
    }
  }

  /** Angles that wait to be sent, by keyframe, and the revision in which it stood there. */
  private pendingJoints = new Map<string, { since: number; values: Record<string, Target> }>();

  /** An angle that is short in the document's unit: thousandths of a degree, or 1e-5 rad [rad]. */
  tidy(angle: number): number {
    if (this.state?.units.angle === "deg") return (Math.round((angle * 180e3) / Math.PI) / 1000) * (Math.PI / 180);
    return Math.round(angle * 1e5) / 1e5;
  }

  /** The posture that is shown, by joint. */
  shownJoints(): Record<string, number> {
    const posture = this.posture();
    const joints = this.robot?.joints ?? [];
    return Object.fromEntries(joints.map((joint, i) => [joint.name, this.tidy(posture?.[i] ?? 0)]));
  }
}

export { Refused };
