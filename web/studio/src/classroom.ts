// The bar of a class below the top bar: the lesson, its step of now, a place in the queue, and the lecturer's help.
import "./classroom.css";
import { button, dialog, element, select } from "./dom";
import type { Store } from "./store";

interface Step {
  text: string;
  hint: string;
  done: boolean;
}

interface Lesson {
  name: string;
  title: string;
  about: string;
  motion: string;
  /** How the robot begins in physics; empty: as the motion does. */
  begin: string;
  steps: Step[];
}

export interface ClassState {
  student: string;
  readonly: boolean;
  current: string;
  lessons: Lesson[];
  /** Whether the student asks for the lecturer. */
  hand: boolean;
}

/** Largest file that is sent at all [bytes]; the server says its own limit. */
const LARGEST = 50e6;

export class ClassBar {
  readonly node = element("section", { class: "class-bar", "aria-label": "Lesson" });
  private step = element("span", { class: "step", role: "status", "aria-live": "polite" });
  private count = element("span", { class: "count" });
  private queue = element("span", { class: "queue", role: "status" });
  private hand = button("Ask for help", "Tell the lecturer that you need help", () => this.raise(), { "aria-pressed": "false" });
  private hint = button("Hint", "Help for this step", () => this.showHint());
  private next = button("Next lesson", "Open the next lesson", () => this.open(this.lessons[this.at + 1].name), { class: "primary" });
  private choice = select([], "", (name) => this.open(name), { "aria-label": "Lesson", class: "lesson-choice" });

  constructor(private store: Store, private state: ClassState) {
    const { connection } = store;
    document.documentElement.classList.add("in-class");
    const file = element("input", { type: "file", accept: ".yaml,.yml", hidden: true, "aria-label": "File to upload", change: () => void this.upload(file) });
    const mine = state.readonly ? [] : [
      this.hand,
      button("Begin again", "Put back what the lesson began with; one undo takes it back", () => this.again()),
      button("Upload…", "Bring a motion document from this computer", () => file.click()), file,
    ];
    this.node.append(element("span", { class: "who", title: state.student }, state.readonly ? `Read only: ${state.student}` : state.student),
      ...(state.readonly ? [element("span", { class: "only" }, "You look at this work as it changes. Play it, look around; nothing here can be changed.")] : []),
      this.choice, this.count, this.step, this.queue, this.next, this.hint,
      button("Steps", "All steps of this lesson", () => this.showSteps()), ...mine);
    this.node.classList.toggle("readonly", state.readonly);
    connection.on("progress", (message) => this.heard(message as unknown as ClassState));
    connection.on("queued", (message) => this.waits(message.what as string, message.position as number));
    store.on("document", () => this.update());
    store.on("connection", (open) => {
      if (!open) this.queue.textContent = "";
    });
    this.update();
  }

  /** Another greeting of the server, after it was gone. */
  heard(state: Partial<ClassState>): void {
    const before = this.doneOf(this.lesson);
    this.state = { ...this.state, ...state };
    this.update();
    const done = this.doneOf(this.lesson);
    if (done > before && done === this.lesson.steps.length) this.store.notice(`${this.lesson.title}: done`, false);
  }

  private get lessons(): Lesson[] {
    return this.state.lessons;
  }

  /** Place of the lesson that is open, or was last. */
  private get at(): number {
    const file = this.store.state?.file ?? "";
    const open = this.lessons.findIndex(({ name }) => file === `${name}.yaml`);
    return open >= 0 ? open : Math.max(this.lessons.findIndex(({ name }) => name === this.state.current), 0);
  }

  private get lesson(): Lesson {
    return this.lessons[this.at];
  }

  private doneOf(lesson: Lesson): number {
    return lesson.steps.filter(({ done }) => done).length;
  }

  private update(): void {
    const { lesson, lessons } = this;
    const options = lessons.map((each, i) => {
      const done = this.doneOf(each);
      const mark = done === each.steps.length ? "✓" : `${done}/${each.steps.length}`;
      return element("option", { value: each.name, selected: each === lesson }, `${i + 1} ${each.title} (${mark})`);
    });
    this.choice.replaceChildren(...options);
    this.choice.value = lesson.name;
    this.choice.title = lesson.about;
    const now = lesson.steps.findIndex(({ done }) => !done);
    const finished = now < 0;
    this.node.classList.toggle("finished", finished);
    this.count.textContent = finished ? "" : `Step ${now + 1} of ${lesson.steps.length}`;
    const text = finished ? `All ${lesson.steps.length} steps are done.` : lesson.steps[now].text;
    // A status is read out when it changes, not at every update.
    if (this.step.textContent !== text) this.step.textContent = text;
    this.hint.hidden = finished || !lesson.steps[now].hint;
    this.next.hidden = !finished || this.at + 1 >= lessons.length;
    this.hand.textContent = this.state.hand ? "Help is asked for" : "Ask for help";
    this.hand.setAttribute("aria-pressed", String(this.state.hand));
    this.hand.classList.toggle("on", this.state.hand);
  }

  private waits(what: string, place: number): void {
    const name = what === "run" ? "Your run" : "Your proof";
    this.queue.textContent = place ? `${name} waits: place ${place}` : "";
  }

  private open(name: string): void {
    const { store, state } = this;
    const asked = state.readonly
      ? store.connection.ask({ do: "open", file: `${name}.yaml` })
      : store.connection.ask({ do: "lesson", lesson: name });
    asked.catch((error: Error) => {
      store.notice(error.message);
      this.update();
    });
  }

  private raise(): void {
    this.store.connection.ask({ do: "hand", up: !this.state.hand }).catch((error: Error) => this.store.notice(error.message));
  }

  private again(): void {
    this.store.connection.ask({ do: "begin_again" }).then(
      () => this.store.notice("The lesson's document is as it began; Ctrl-Z takes that back.", false),
      (error: Error) => this.store.notice(error.message));
  }

  private showHint(): void {
    const step = this.lesson.steps.find(({ done }) => !done);
    if (step?.hint) dialog("Hint", element("p", {}, step.hint));
  }

  private showSteps(): void {
    const { lesson } = this;
    const list = lesson.steps.map((step) => element("li", {},
      element("p", {}, step.done ? element("span", { class: "done" }, "Done. ") : null, step.text)));
    dialog(lesson.title, element("p", {}, lesson.about), element("ol", { class: "class-steps" }, ...list));
  }

  private async upload(input: HTMLInputElement): Promise<void> {
    const file = input.files?.[0];
    input.value = "";
    if (!file) return;
    const { store } = this;
    if (file.size > LARGEST) return store.notice(`${file.name}: this file has ${Math.round(file.size / 1e6)} MB, which no class takes.`);
    try {
      const answer = await fetch(`upload?file=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
      const text = await answer.text();
      if (!answer.ok) return store.notice(text);
      await store.connection.ask({ do: "open", file: text });
    } catch (error) {
      store.notice(`${file.name} was not uploaded: ${(error as Error).message}`);
    }
  }
}
