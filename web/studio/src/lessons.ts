// The lessons' page: text, editor, a run in the browser's own Python, and what the leg does with it.
import "./style.css";
import "./lessons.css";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, defaultHighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { colors } from "./code_colors";
import { Connection } from "./connection";
import { recall, remember } from "./browser_storage";
import { button, element } from "./dom";
import { keepFocus } from "./keep_focus";
import { byArrows, markTab } from "./tab_list";
import { restoreTheme } from "./theme";
import { draw, forward, inside, JOINTS, type LegScene, type Picture, type Point } from "./lessons_leg";
import { PythonRun, type PythonResult } from "./lessons_python";
import { LESSONS, type Lesson } from "./lessons_text";

const MISSING = "Python for the browser is not installed: run `make pyodide` (see docs/studio-lessons.md), then reload this page.";

/** Pictures over time: what a run shows. */
interface Film {
  end: number;
  close: boolean;
  at(time: number): Picture;
}

/** Numbers that look random and are the same for everybody. */
function numbers(count: number): () => number {
  let state = count;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

class LessonsPage {
  private connection = new Connection();
  private leg: LegScene | null = null;
  private lesson: Lesson = LESSONS[0];
  private film: Film | null = null;
  private time = 0;
  private playing = false;
  private python = new PythonRun((text) => this.print(text), (text) => this.say(text, ""));
  private tabs = element("div", { class: "tabs lesson-tabs", role: "tablist", "aria-label": "Lessons" });
  private text = element("article", { class: "lesson-text" });
  private editor = element("div", { class: "lesson-editor text" });
  private run = button("▶ Run", "Run the program in this browser (Ctrl-Enter)", () => void this.go(), { class: "primary run" });
  private stop = button("■ Stop", "End the program", () => this.python.stop());
  private verdict = element("div", { class: "verdict", role: "status", "aria-live": "polite" });
  private output = element("pre", { class: "lesson-output", role: "log", "aria-label": "Output" });
  private canvas = element("canvas", { class: "lesson-canvas", "aria-label": "The leg" });
  private slider = element("input", { type: "range", min: 0, max: 1, step: "any", value: 0, "aria-label": "Time", input: () => {
    this.playing = false;
    this.time = Number(this.slider.value);
    this.draw();
  } });
  private play = button("❚❚", "Play or pause", () => {
    if (this.film && this.time >= this.film.end) this.time = 0;
    this.playing = !this.playing;
    this.draw();
  }, { "aria-label": "Play or pause" });
  private clock = element("span", { class: "hint clock" });
  private view: EditorView;

  constructor() {
    restoreTheme();
    keepFocus();
    byArrows(this.tabs);
    for (const lesson of LESSONS) {
      this.tabs.append(button(lesson.title, lesson.title, () => this.show(lesson), { role: "tab", "data-lesson": lesson.name }));
    }
    const again = button("Begin again", "Put back what the editor began with", () => this.setText(this.lesson.start));
    document.querySelector("#app")!.append(
      element("header", { class: "top" }, element("h1", { class: "brand" }, "Andante lessons"), this.tabs,
        element("span", { class: "gap" }), element("a", { href: "./", class: "back" }, "Studio")),
      element("div", { class: "lesson" }, this.text,
        element("section", { class: "lesson-code" }, element("div", { class: "tools" }, this.run, this.stop, again), this.editor, this.output),
        element("section", { class: "lesson-view" }, this.canvas,
          element("div", { class: "tools" }, this.play, this.slider, this.clock), this.verdict)));
    this.view = new EditorView({ parent: this.editor, state: this.fresh("") });
    this.view.scrollDOM.tabIndex = 0;
    this.connection.on("hello", () => void this.begin());
    this.connection.onState = (open) => {
      if (!open) this.say("The server is gone; trying again…", "fail");
      this.lost = !open;
      this.update();
    };
    // Another tab writes the same lesson: both show what is kept, and undo leads back.
    addEventListener("storage", ({ key, newValue }) => {
      if (key === `andante-${this.lesson.name}` && newValue !== null && newValue !== this.view.state.doc.toString()) this.setText(newValue);
    });
    this.show(LESSONS.find(({ name }) => name === location.hash.slice(1)) ?? LESSONS[0]);
    this.connection.open();
    let before = performance.now();
    const tick = (now: number) => {
      requestAnimationFrame(tick);
      if (this.playing && this.film) {
        this.time = Math.min(this.time + (now - before) / 1000, this.film.end);
        if (this.time >= this.film.end) this.playing = false;
        this.draw();
      }
      before = now;
    };
    requestAnimationFrame(tick);
    addEventListener("resize", () => this.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  private lost = false;

  private async begin(): Promise<void> {
    this.leg = (await this.connection.ask({ do: "lesson_scene" })) as unknown as LegScene;
    this.update();
    this.hint();
    this.still();
  }

  // Editor --------------------------------------------------------------------------------------------------------

  private fresh(doc: string): EditorState {
    return EditorState.create({
      doc,
      extensions: [
        lineNumbers(), drawSelection(), indentOnInput(), indentUnit.of("    "), bracketMatching(), highlightActiveLine(), history(), lintGutter(),
        python(), syntaxHighlighting(colors), syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
        keymap.of([{ key: "Mod-Enter", run: () => (void this.go(), true) }, ...historyKeymap, indentWithTab, ...defaultKeymap]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) this.keep(update.state.doc.toString());
        }),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "Program" }),
      ],
    });
  }

  /** Keep what is written in the browser, and say where that has no room. */
  private keep(text: string): void {
    const why = remember(`andante-${this.lesson.name}`, text);
    if (why) this.say(`What you write is kept until this page is closed only: ${why}`, "fail");
  }

  private source(lesson: Lesson): string {
    return recall(`andante-${lesson.name}`) ?? lesson.start;
  }

  setText(text: string): void {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  private show(lesson: Lesson): void {
    this.python.stop();
    this.lesson = lesson;
    address(lesson.name);
    this.text.innerHTML = `<h2>${lesson.title}</h2>${lesson.text}`;
    lesson.hints.forEach((hint, i) => this.text.append(element("details", {}, element("summary", {}, `Hint ${i + 1}`), element("p", {}, hint))));
    this.text.scrollTop = 0;
    this.view.setState(this.fresh(this.source(lesson)));
    this.output.textContent = "";
    this.film = null;
    this.playing = false;
    this.hint();
    markTab(this.tabs, (tab) => tab.dataset.lesson === lesson.name);
    this.still();
    this.update();
  }

  /** What Run does, or why it cannot. */
  private hint(): void {
    if (this.leg && !this.leg.python) return this.say(MISSING, "fail");
    this.say(this.lesson.task === "keyframes" ? "Run shows how near the ball comes to the target." : "Run tries your function with many postures.", "");
  }

  // Running -------------------------------------------------------------------------------------------------------

  private async go(): Promise<void> {
    const { leg, lesson } = this;
    if (!leg?.python || this.lost || this.python.running) return;
    this.output.textContent = "";
    this.view.dispatch(setDiagnostics(this.view.state, []));
    const inputs = lesson.task === "forward" ? this.postures(60) : lesson.task === "inverse" ? this.poses() : [];
    const job = this.python.run({
      sources: JSON.stringify(Object.fromEntries(LESSONS.map((each) => [each.name, this.source(each)]))),
      geometry: JSON.stringify(leg), current: lesson.name, task: lesson.task, inputs: JSON.stringify(inputs),
    });
    this.update();
    const result = await job;
    if (this.lesson !== lesson) return this.update();
    if (result.error !== undefined) this.fail(result);
    else {
      try {
        if (lesson.task === "keyframes") await this.kick(result.data as number[][]);
        else if (lesson.task === "forward") this.judgeForward(inputs, result.data as number[][]);
        else this.judgeInverse(inputs, result.data as number[][][]);
      } catch (error) {
        this.fail({ error: (error as Error).message });
      }
    }
    this.update();
  }

  private fail({ error, line, file }: PythonResult): void {
    const other = file && file !== this.lesson.name ? ` of ${file}` : "";
    const text = line ? `line ${line}${other}: ${error}` : String(error);
    this.print(text);
    this.say(text, "fail");
    const { doc } = this.view.state;
    if (line && !other && line <= doc.lines) {
      const at = doc.line(line);
      this.view.dispatch(setDiagnostics(this.view.state, [{ from: at.from, to: at.to, severity: "error", message: String(error) }]));
      this.view.dispatch({ effects: EditorView.scrollIntoView(at.from, { y: "center" }) });
    }
  }

  private async kick(keyframes: number[][]): Promise<void> {
    const { lesson } = this;
    if (!keyframes.length) this.print("note: there are no keyframes, so the leg hangs");
    refuse(keyframes);
    this.say("The kick is played in physics…", "");
    const found = await this.connection.ask({ do: "lesson_kick", keyframes });
    if (this.lesson !== lesson) return;
    const leg = this.leg!;
    const rows = found.rows as number[][];
    for (const note of found.notes as string[]) this.print(`note: ${note}`);
    const good = found.distance < lesson.goal;
    this.say(`Closest: ${found.distance.toFixed(3)} m at ${found.time.toFixed(2)} s. ${good ? "Solved." : `The goal is ${lesson.goal.toFixed(2)} m.`}`, good ? "pass" : "fail");
    this.start({
      end: rows.at(-1)![0],
      close: false,
      at: (time) => {
        let last = rows.findLastIndex((row) => row[0] <= time + 1e-9);
        last = Math.max(last, 0);
        const ball: Point = [rows[last][1], rows[last][2]];
        const distance = Math.hypot(ball[0] - leg.target[0], ball[1] - leg.target[1]);
        return {
          leg: forward(leg, rows[last].slice(3)).points, ball, aim: leg.target,
          way: rows.slice(0, last + 1).map((row): Point => [row[1], row[2]]),
          text: `distance ${distance.toFixed(3)} m`,
        };
      },
    });
  }

  private postures(count: number): number[][] {
    const leg = this.leg!;
    const draw = numbers(count);
    const found = [[0, 0, 0]];
    while (found.length < count) found.push(JOINTS.map((_, i) => leg.lower[i] + draw() * (leg.upper[i] - leg.lower[i])));
    return found;
  }

  /** Poses of feasible postures, rotations turned to within half a turn, and some that are too far away. */
  private poses(): number[][] {
    const leg = this.leg!;
    const near = this.postures(60).map((angles) => {
      const { points, rotation } = forward(leg, angles);
      return [...points[3], Math.atan2(Math.sin(rotation), Math.cos(rotation))];
    });
    return [...near, [1.2, 0.55, 0], [0.5, -0.2, -1.5], [-0.3, 0.6, 3]];
  }

  private judgeForward(postures: number[][], answers: number[][]): void {
    const leg = this.leg!;
    const gaps = postures.map((angles, i) => {
      const truth = forward(leg, angles);
      const mine = answers[i];
      const places = Math.max(...[1, 2, 3].map((k) => Math.hypot(mine[2 * k - 2] - truth.points[k][0], mine[2 * k - 1] - truth.points[k][1])));
      const turn = Math.abs(Math.atan2(Math.sin(mine[6] - truth.rotation), Math.cos(mine[6] - truth.rotation)));
      return { places, turn };
    });
    const worst = gaps.reduce((a, b, i) => (Math.max(gaps[a].places, gaps[a].turn) >= Math.max(b.places, b.turn) ? a : i), 0);
    const good = Math.max(gaps[worst].places, gaps[worst].turn) < this.lesson.goal;
    this.say(good ? `Solved: ${postures.length} of ${postures.length} postures agree.`
      : `Furthest off: ${gaps[worst].places.toFixed(3)} m and ${((gaps[worst].turn * 180) / Math.PI).toFixed(1)}° at hip, knee, ankle ${degrees(postures[worst])}.`, good ? "pass" : "fail");
    this.start(this.tour(good ? postures.slice(0, 8) : [postures[worst], ...postures.slice(0, 7)], (angles, index) => {
      const mine = answers[index];
      const points: Point[] = [leg.base, [mine[0], mine[1]], [mine[2], mine[3]], [mine[4], mine[5]]];
      const truth = forward(leg, angles).points;
      return { leg: points, ghost: truth, aim: truth[3], text: `toes ${Math.hypot(points[3][0] - truth[3][0], points[3][1] - truth[3][1]).toFixed(4)} m apart` };
    }, postures));
  }

  private judgeInverse(poses: number[][], answers: number[][][]): void {
    const leg = this.leg!;
    const gap = (pose: number[], angles: number[]) => {
      const { points, rotation } = forward(leg, angles);
      const turn = Math.abs(Math.atan2(Math.sin(rotation - pose[2]), Math.cos(rotation - pose[2])));
      return Math.max(Math.hypot(points[3][0] - pose[0], points[3][1] - pose[1]), turn);
    };
    const where = (pose: number[]) => `x ${pose[0].toFixed(3)}, z ${pose[1].toFixed(3)}, rotation ${((pose[2] * 180) / Math.PI).toFixed(1)}°`;
    let trouble = "";
    let worst = 0;
    for (const [i, pose] of poses.entries()) {
      const reachable = i < poses.length - 3;
      const found = answers[i];
      const off = found.findIndex((angles) => gap(pose, angles) > this.lesson.goal);
      if (!reachable && found.length) trouble = `there is no solution for ${where(pose)}, which is too far away`;
      else if (off >= 0) trouble = `solution ${off + 1} for ${where(pose)} is ${gap(pose, found[off]).toFixed(3)} m or rad off`;
      else if (reachable && !found.some((angles) => inside(leg, angles))) trouble = `no solution inside the limits for ${where(pose)}, but there is one`;
      else if (reachable && found.length < 2 && !this.stretched(pose)) trouble = `the other bend of the knee is missing for ${where(pose)}`;
      if (trouble) {
        worst = i;
        break;
      }
    }
    this.say(trouble ? `Pose ${worst + 1} of ${poses.length}: ${trouble}.` : `Solved: all ${poses.length} poses.`, trouble ? "fail" : "pass");
    const shown = trouble ? [poses[worst]] : poses.slice(0, 8);
    this.start(this.tour(shown, (pose, index) => {
      const found = answers[index];
      const best = found.find((angles) => inside(leg, angles)) ?? found[0];
      const aim: Point = [pose[0], pose[1]];
      if (!best) return { aim, text: `${found.length} solutions` };
      const { points } = forward(leg, best);
      return { leg: points, aim, text: `${found.length} solutions, toe ${Math.hypot(points[3][0] - aim[0], points[3][1] - aim[1]).toFixed(4)} m from the target` };
    }, poses));
  }

  private stretched(pose: number[]): boolean {
    const leg = this.leg!;
    const [x, z] = [pose[0] - leg.lengths[2] * Math.cos(pose[2]), pose[1] - leg.lengths[2] * Math.sin(pose[2])];
    return Math.hypot(x - leg.base[0], z - leg.base[1]) > leg.lengths[0] + leg.lengths[1] - 1e-6;
  }

  // Pictures ------------------------------------------------------------------------------------------------------

  /** Some inputs, a second for each. */
  private tour(shown: number[][], picture: (input: number[], index: number) => Picture, all: number[][]): Film {
    const places = shown.map((each) => all.indexOf(each));
    return {
      end: shown.length,
      close: true,
      at: (time) => {
        const at = Math.min(Math.floor(time), shown.length - 1);
        return picture(shown[at], places[at]);
      },
    };
  }

  private start(film: Film): void {
    this.film = film;
    this.time = 0;
    this.slider.max = String(film.end);
    this.playing = true;
    this.draw();
  }

  /** The leg at its start, before anything ran. */
  private still(): void {
    const leg = this.leg;
    if (!leg || this.film) return;
    const keyframes = this.lesson.task === "keyframes";
    draw(this.canvas, leg, { leg: forward(leg, [0, 0, 0]).points, ball: keyframes ? leg.ball : undefined, text: "" }, !keyframes);
  }

  private draw(): void {
    this.update();
    if (!this.film || !this.leg) return this.still();
    this.slider.value = String(this.time);
    this.clock.textContent = `${this.time.toFixed(2)} s`;
    draw(this.canvas, this.leg, this.film.at(this.time), this.film.close);
  }

  private update(): void {
    this.run.disabled = !this.leg?.python || this.lost || this.python.running;
    this.stop.disabled = !this.python.running;
    this.play.disabled = this.slider.disabled = !this.film;
    this.play.textContent = this.playing ? "❚❚" : "▶";
    if (!this.film) this.clock.textContent = "";
  }

  private say(text: string, kind: string): void {
    this.verdict.className = `verdict ${kind}`;
    this.verdict.textContent = text;
  }

  private print(text: string): void {
    this.output.append(`${text}\n`);
    this.output.scrollTop = this.output.scrollHeight;
  }
}

/** Refuse keyframes that the server would refuse, with their number. */
function refuse(keyframes: number[][]): void {
  if (keyframes.length > 20) throw new Error(`a kick has at most 20 keyframes, this one has ${keyframes.length}`);
  keyframes.forEach(([duration, ...angles], index) => {
    if (!(duration >= 0.01 && duration <= 10)) throw new Error(`keyframes[${index}]: duration ${duration} s is not between 0.01 and 10 s`);
    const far = angles.findIndex((angle) => !(Math.abs(angle) <= 6.2831));
    if (far >= 0) throw new Error(`keyframes[${index}]: ${JOINTS[far]} ${angles[far]} rad is more than a whole turn (6.28 rad); are these degrees?`);
  });
  const total = keyframes.reduce((sum, [duration]) => sum + duration, 0);
  if (total > 20) throw new Error(`a kick lasts at most 20 s, this one ${total.toFixed(1)} s`);
}

function degrees(angles: number[]): string {
  return angles.map((angle) => `${((angle * 180) / Math.PI).toFixed(1)}°`).join(", ");
}

function address(name: string): void {
  const url = new URL(location.href);
  url.searchParams.delete("token");
  url.hash = name;
  window.history.replaceState(null, "", url);
}

Object.assign(window, { lessons: new LessonsPage() });
