// Play: the motion as written, or in physics; faults, live parameters, the verdict, what happened, runs side by side.
import type { Fault, Play, Share } from "./asked";
import { button, check, editing, element, select, write } from "./dom";
import { EvidenceStrip } from "./evidence";
import { MidiPane } from "./midi";
import { parameterRow } from "./parameter_row";
import type { Parameter } from "./protocol";
import { PushPane } from "./push";
import type { Store } from "./store";

const SPEEDS: [string, string][] = [["0.1", "0.1 ×"], ["0.25", "¼ ×"], ["0.5", "½ ×"], ["1", "1 ×"], ["2", "2 ×"], ["4", "4 ×"]];

const STARTS: [string, string][] = [["", "from standing"], ["front", "lying on its front"], ["back", "lying on its back"], ["left", "lying on its left"], ["right", "lying on its right"]];

/** The bar below the 3-D view. */
export class Transport {
  readonly node = element("div", { class: "transport" });
  private play = button("▶ Play", "Play the motion as written (Space)", () => this.toggle(), { class: "play" });
  private physics = button("⚙ Physics", "Run the motion in physics from its beginning (P)", () => this.run(false));
  private from = button("⚙ From key", "Run in physics and show it from the chosen keyframe on (Shift-P)", () => this.run(true));
  private stop = button("■ Stop", "End the run", () => this.store.connection.tell({ do: "stop" }));
  private time = element("span", { class: "time" });
  private source: HTMLSelectElement;
  readonly evidence: EvidenceStrip;
  private allowFall = false;
  private begin = select(STARTS, "", (value) => {
    this.begins(value);
    this.evidence.ask();
  }, { title: "How the robot begins: standing, lying on the floor, where the run must end on the feet, or in a posture of the robot", "aria-label": "Begin" });
  private seed = element("input", { type: "number", min: 0, value: 0, title: "Seed: draws the floor's friction and the sensors' noise", "aria-label": "Seed", class: "seed" });

  constructor(private store: Store) {
    this.evidence = new EvidenceStrip(store, () => ({ start: store.start, allowFall: this.allowFall }));
    this.source = select([["motion", "as written"], ["run", "last run"]], "motion", (value) => {
      store.source = value as "motion" | "run";
      store.seek(store.playhead);
      store.emit("view");
      store.emit("run");
    }, { title: "What is shown: the motion as written, or the run", "aria-label": "Shown" });
    this.node.append(
      this.play,
      editing(store,
        this.physics, this.from, this.stop, this.begin,
        check("may fall", "The motion may leave the feet (a get-up, a dive)", false, (on) => {
          this.allowFall = on;
          this.evidence.ask();
        }),
        this.evidence.toggle, element("label", { class: "check" }, "seed", this.seed)),
      select(SPEEDS, "1", (value) => {
        store.speed = Number(value);
        if (store.running !== "no") store.connection.tell({ do: "speed", speed: store.speed });
      }, { title: "Speed", "aria-label": "Speed" }),
      check("loop", "Begin again at the end", true, (on) => (store.loop = on)),
      this.source, this.time,
    );
    store.on(["playhead", "run", "pose", "shown", "library", "chosen", "view"], () => this.update());
    store.on("robot", () => this.offerStarts());
    this.update();
    let before = performance.now();
    const tick = (now: number) => {
      requestAnimationFrame(tick);
      const passed = (now - before) / 1000;
      before = now;
      if (!store.playing) return;
      const end = store.source === "run" ? store.runEnd() : store.duration;
      let time = store.playhead + passed * store.speed;
      if (time >= end) {
        if (store.loop && end > 0) time %= end;
        else {
          time = end;
          store.playing = false;
        }
      }
      store.seek(time);
    };
    requestAnimationFrame(tick);
  }

  /** A robot may also begin in one of its own postures: sitting, crouching. */
  private offerStarts(): void {
    const postures = Object.keys(this.store.robot?.postures ?? {}).filter((name) => name !== "stand");
    const starts = [...STARTS, ...postures.map((name): [string, string] => [name, `posture ${name.replace(/_/g, " ")}`])];
    if (!starts.some(([name]) => name === this.store.start)) this.begins("");
    this.begin.replaceChildren(...starts.map(([name, text]) => element("option", { value: name, selected: name === this.store.start }, text)));
  }

  private begins(start: string): void {
    this.store.start = start;
    this.store.emit("view");
  }

  toggle(): void {
    const { store } = this;
    if (store.running === "going") return store.connection.tell({ do: "pause" });
    if (store.running === "paused") return store.connection.tell({ do: "resume" });
    const end = store.source === "run" ? store.runEnd() : store.duration;
    if (!store.playing && store.playhead >= end - 1e-6) store.seek(0);
    store.playing = !store.playing;
    if (store.playing && store.chosen.length) store.choose([], false);
    this.update();
  }

  run(fromKeyframe: boolean): void {
    const { store } = this;
    if (!store.motion) return store.notice("Physics runs motions; choose one in the timeline's list (blocks are parts of motions).");
    const message: Play = { do: "play", motion: store.motion, seed: Number(this.seed.value) || 0, speed: store.speed, allow_fall: this.allowFall, start: store.start };
    if (fromKeyframe) {
      if (store.chosen.length !== 1) return store.notice("Choose one keyframe to begin at.");
      const ref = store.chosen[0];
      const place = store.places().find((each) => each.ref.block === ref.block && each.ref.index === ref.index)!;
      const before = store.blocks().slice(0, place.occurrence).filter((name) => name === ref.block).length;
      Object.assign(message, { block: ref.block, keyframe: ref.index, occurrence: before });
    }
    store.chosen = [];
    store.emit("chosen");
    store.running = "starting";
    this.update();
    store.connection.ask(message).catch((error: Error) => {
      store.running = "no";
      store.notice(error.message);
      this.update();
    });
  }

  step(by: number): void {
    const { store } = this;
    if (store.running !== "no" && by > 0) return store.connection.tell({ do: "step", ticks: by });
    store.playing = false;
    store.seek(store.playhead + by * (store.robot?.tick ?? 0.01));
  }

  private update(): void {
    const { store } = this;
    const going = store.running === "going" || store.playing;
    write(this.play, going ? "❚❚ Pause" : "▶ Play");
    this.stop.disabled = store.running === "no";
    this.physics.disabled = store.running === "starting" || !store.motion;
    this.from.disabled = this.physics.disabled || store.chosen.length !== 1;
    this.source.value = store.source;
    this.source.options[1].disabled = !store.runs.length;
    const end = store.source === "run" ? store.runEnd() : store.duration;
    write(this.time, `${store.playhead.toFixed(2)} / ${end.toFixed(2)} s`);
  }
}

/** The tab with runs, faults and parameters. */
export class RunPane {
  readonly node = element("section", { class: "pane runs" });
  private verdict = element("div", { class: "verdict" });
  private events = element("ol", { class: "events" });
  private faults = element("div", { class: "faults" });
  private parameters = element("div", { class: "parameters" });
  private compare = element("div", { class: "tools" });
  private shownParameters = "";
  private told = 0;
  private toldRun = 0;
  private pushes: PushPane;

  constructor(private store: Store) {
    this.pushes = new PushPane(store);
    this.node.append(
      this.verdict, this.compare,
      element("h3", { title: "While the run goes on; the mouse pulls the robot in the picture, too" }, "Push"), this.pushes.node,
      element("h3", { title: "They begin and end while the run goes on; the log tells them" }, "Faults"), editing(store, this.faults),
      element("h3", { title: "Each change is an event of the log at the next tick; a replay repeats it" }, "Live parameters (SI)"), this.parameters, new MidiPane(store).node,
      element("h3", {}, "What happened"), this.events);
    store.on(["run"], () => this.update());
    store.on(["faults", "robot"], () => this.buildFaults());
    this.update();
    this.buildFaults();
  }

  /** Push the robot as the fields say. */
  push(): void {
    this.pushes.push();
  }

  private update(): void {
    const { store } = this;
    const run = store.run;
    this.verdict.className = `verdict ${run?.verdict ?? ""}`;
    if (!run) {
      this.verdict.textContent = "Nothing has run yet. ⚙ Physics runs the motion on a floor whose friction the seed draws.";
    } else if (run.verdict) {
      const effort = run.metrics.peak_effort_ratio;
      this.verdict.replaceChildren(
        element("strong", {}, `${run.motion}, seed ${run.seed}: ${run.verdict.toUpperCase()}`),
        ...run.reasons.map((reason) => element("p", {}, reason)),
        element("p", { class: "hint" },
          `${run.metrics.done_at != null ? `done after ${Number(run.metrics.done_at).toFixed(2)} s, ` : ""}tilt up to ${((Number(run.metrics.max_tilt) * 180) / Math.PI).toFixed(1)}°`
          + (effort != null ? `, torque up to ${(Number(effort) * 100).toFixed(0)} % of the published effort (${run.metrics.peak_effort_joint})` : "")
          + `, guard changed ${run.metrics.guard_ticks} ticks`));
    } else {
      this.verdict.textContent = store.running === "starting" ? "The simulation is being made…" : `${run.motion}, seed ${run.seed}: ${store.running === "paused" ? "paused" : "running"}`;
    }
    const runs = store.runs;
    this.compare.replaceChildren();
    if (runs.at(-1)?.verdict && store.running === "no" && !store.readonly) {
      const share = (kind: Share["kind"], text: string, hint: string) => button(text, hint, (event) => void this.share(kind, event.currentTarget as HTMLButtonElement));
      this.compare.append(
        element("span", { class: "hint" }, "Share the last run:"),
        share("html", "Page", "One page that opens without a server: push the robot, change a keyframe"),
        share("gif", "GIF", "A moving picture with plots"),
        share("mp4", "Video", "A video with plots"));
    }
    if (runs.length > 1) {
      const names = (run: (typeof runs)[number]): [string, string] => [String(run.number), `run ${run.number}: ${run.motion}, seed ${run.seed}${run.verdict ? `, ${run.verdict}` : ""}`];
      this.compare.append(
        select(runs.map(names), String(store.run?.number), (value) => {
          store.shownRun = Number(value);
          store.emit("run");
        }, { title: "Which run is shown", "aria-label": "Run shown" }),
        select([["0", "compare with…"], ...runs.filter((each) => each !== store.run).map(names)], String(store.compare), (value) => {
          store.compare = Number(value);
          store.emit("run");
        }, { title: "Draw another run in blue", "aria-label": "Run to compare" }),
        check("all runs", "Lay the curves of all runs of this motion over one another (dotted)", store.overlay, (on) => {
          store.overlay = on;
          store.emit("view");
          store.emit("run");
        }));
    }
    const events = run?.events ?? [];
    if (run?.number !== this.toldRun || events.length < this.told) {
      this.events.replaceChildren();
      this.told = 0;
      this.toldRun = run?.number ?? 0;
    }
    for (; this.told < events.length; this.told++) {
      const { time, kind, text } = events[this.told];
      this.events.append(element("li", { title: kind, click: () => {
        store.source = "run";
        store.playing = false;
        store.seek(time);
      } }, element("span", { class: "when" }, `${time.toFixed(2)} s`), text));
    }
    const parameters = JSON.stringify(store.parameters);
    if (parameters !== this.shownParameters && !this.parameters.contains(document.activeElement)) {
      this.shownParameters = parameters;
      this.parameters.replaceChildren(...store.parameters.map((each) => this.parameter(each)));
      if (!store.parameters.length) this.parameters.append(element("p", { class: "hint" }, "Shown once something runs."));
    }
    for (const input of this.parameters.querySelectorAll<HTMLInputElement>("input")) input.disabled = store.running === "no" || store.running === "starting";
  }

  private async share(kind: Share["kind"], from: HTMLButtonElement): Promise<void> {
    const { store } = this;
    from.disabled = true;
    store.notice("The run is being written…", false);
    try {
      const answer = await store.connection.ask({ do: "share", kind });
      store.notice(`${answer.file} is written into the workspace, ${(answer.bytes / 1e6).toFixed(1)} MB.`, false);
      this.node.dataset.shared = answer.file;
    } catch (error) {
      store.notice((error as Error).message);
    }
    from.disabled = false;
  }

  private parameter(parameter: Parameter): HTMLElement {
    const { store } = this;
    return parameterRow(parameter, (value) => store.connection.tell({ do: "change", parameter: parameter.name, value }), (name, work) => store.stream(name, work));
  }

  private buildFaults(): void {
    const { store, faults } = this;
    const joints = store.robot?.joints.map((joint) => joint.name) ?? [];
    if (!joints.length) return;
    const old = faults.querySelectorAll("select");
    const kind = select([["dead", "no torque"], ["stuck", "stuck where it is"], ["weak", "half as strong"], ["sticky", "sticky"], ["offset", "encoder off by 5°"], ["noisy", "noisy encoder"], ["dropped", "not measured"], ["imu_dropped", "IMU lost"]], old[0]?.value ?? "weak", () => undefined, { "aria-label": "Kind of fault" });
    const joint = select(joints, old[1]?.value ?? joints.find((name) => /knee/i.test(name)) ?? joints[0], () => undefined, { "aria-label": "Joint of the fault" });
    const strength: Record<string, object> = { weak: { factor: 0.5 }, sticky: { torque: 1 }, offset: { angle: 0.0873 }, noisy: { angle: 0.01 } };
    faults.replaceChildren(
      kind, joint,
      button("Begin", "The fault begins now", () => {
        const imu = kind.value.startsWith("imu_");
        const name = `${imu ? "imu" : joint.value} ${kind.selectedOptions[0].textContent} #${store.faults.size + 1}`;
        store.connection.ask({ do: "fault", fault: { type: kind.value as Fault["type"], name, joints: imu ? [] : [joint.value], ...strength[kind.value] } })
          .catch((error: Error) => store.notice(error.message));
      }),
      ...[...store.faults].map(([name, on]) => element("div", { class: "fault" }, name, on ? button("End", "The fault ends now", () => store.connection.tell({ do: "mend", name })) : element("span", { class: "hint" }, "over"))));
  }
}
