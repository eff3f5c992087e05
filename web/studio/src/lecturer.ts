// The lecturer's page: who is where, what the last check and run said, and a look at each student's work.
import "./style.css";
import "./lecturer.css";
import { Connection } from "./connection";
import { button, element } from "./dom";
import { keepFocus } from "./keep_focus";
import { otherTheme, restoreTheme } from "./theme";

interface Student {
  name: string;
  slug: string;
  /** Pages that are open. */
  pages: number;
  /** Time since the student did something [s]; null: not yet. */
  idle: number | null;
  lesson: string;
  /** Step of now, from 1. */
  step: number;
  /** Steps that are done, by lesson. */
  done: Record<string, number>;
  file: string;
  /** Errors and warnings of the last check; null: none has ended since the last edit. */
  checked: [number, number] | null;
  run: { motion: string; verdict: string; reason: string } | null;
  /** Place in the queue; 0: waits for nothing. */
  queue: number;
  hand: boolean;
  bytes: number;
  problem: string;
}

interface ClassView {
  lessons: { name: string; title: string; steps: string[] }[];
  megabytes: number;
  students: Student[];
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

class LecturerPage {
  private connection = new Connection();
  private counts = element("strong", { class: "counts", role: "status" });
  private state = element("span", { class: "link" });
  private head = element("thead");
  private body = element("tbody");
  private rows = new Map<string, { row: HTMLElement; told: string }>();

  constructor() {
    restoreTheme();
    keepFocus();
    const table = element("table", {},
      element("caption", {}, "Steps that are done of each lesson; the lesson of now is underlined. “Look” opens a student's work, read only and live."),
      this.head, this.body);
    document.querySelector("#app")!.append(
      element("header", { class: "top" }, element("h1", { class: "brand" }, "Andante class"), this.counts, element("span", { class: "gap" }), this.state,
        button("◐", "Light or dark", otherTheme, { "aria-label": "Light or dark" })),
      element("main", { class: "class-page", tabindex: 0, "aria-label": "Students" }, table));
    document.querySelector("main")!.style.display = "block";
    this.connection.on("class", (message) => this.show(message as unknown as ClassView));
    this.connection.onState = (open) => {
      this.state.textContent = open ? "" : "The server is gone; trying again…";
      document.querySelector("header")!.classList.toggle("lost", !open);
    };
    this.connection.open();
    const url = new URL(location.href);
    if (url.searchParams.has("token")) {
      // The cookie opens it from now on; a shown screen must not show the token.
      const hide = () => {
        url.searchParams.delete("token");
        history.replaceState(null, "", url);
      };
      this.connection.on("class", hide);
    }
  }

  private show(view: ClassView): void {
    const titles = view.lessons.map(({ title }, i) => element("th", { scope: "col", title }, `Lesson ${i + 1}`));
    if (!this.head.childElementCount) {
      const heads = (names: string[]) => names.map((name) => element("th", { scope: "col" }, name));
      this.head.append(element("tr", {}, ...heads(["Student"]), ...titles, ...heads(["Step of now", "Checks", "Last run", "Work"])));
    }
    const { students } = view;
    const here = students.filter(({ pages }) => pages).length;
    const hands = students.filter(({ hand }) => hand).length;
    const waiting = students.filter(({ queue }) => queue).length;
    this.counts.textContent = `${here} of ${students.length} students here${hands ? `, ${hands} ask for help` : ""}${waiting ? `, ${waiting} wait in the queue` : ""}`;
    // Who asks for help comes first, the first to ask before the others.
    const order = [...students].sort((a, b) => Number(b.hand) - Number(a.hand));
    order.forEach((student, i) => {
      const told = JSON.stringify(student);
      let known = this.rows.get(student.slug);
      if (!known || known.told !== told) {
        const row = this.row(student, view);
        known?.row.replaceWith(row);
        known = { row, told };
        this.rows.set(student.slug, known);
      }
      // Nothing is moved that stands where it should: focus stays.
      if (this.body.children[i] !== known.row) this.body.insertBefore(known.row, this.body.children[i] ?? null);
    });
  }

  private row(student: Student, view: ClassView): HTMLElement {
    const lesson = view.lessons.find(({ name }) => name === student.lesson)!;
    const finished = student.step > lesson.steps.length;
    const cells = view.lessons.map(({ name, steps }) => {
      const done = student.done[name] ?? 0;
      const bar = element("span", { class: "lesson-bar", "aria-hidden": "true" }, element("i", { style: `width: ${(100 * done) / steps.length}%` }));
      const kind = ["lesson", name === student.lesson ? "now" : "", done === steps.length ? "whole" : ""].filter(Boolean).join(" ");
      return element("td", { class: kind }, `${done === steps.length ? "✓ " : ""}${done} of ${steps.length}`, bar);
    });
    const where = !student.pages ? "away" : student.idle === null || student.idle < 60 ? "here" : `here, idle ${Math.floor(student.idle / 60)} min`;
    const checks = student.checked === null ? ["", "—"] : student.checked[0] + student.checked[1] === 0 ? ["good", "clean"]
      : [student.checked[0] ? "wrong" : "", [counted(student.checked[0], "error"), counted(student.checked[1], "warning")].join(", ")];
    const run = student.run;
    const link = element("a", { href: `look/${student.slug}/`, target: "_blank", "aria-label": `Look at the work of ${student.name}` }, "Look");
    return element("tr", { class: student.hand ? "hand" : "", "data-student": student.slug },
      element("th", { scope: "row" }, student.name, student.hand ? element("span", { class: "asks" }, "asks for help") : null),
      ...cells,
      element("td", { class: student.pages ? "step" : "step away" }, finished ? "lesson done" : `${student.step}: ${lesson.steps[student.step - 1]}`),
      element("td", { class: checks[0] }, checks[1]),
      element("td", {}, run ? element("span", { class: run.verdict === "pass" ? "good" : "wrong" }, `${run.motion}: ${run.verdict}`) : "—",
        run?.reason && run.verdict !== "pass" ? element("div", { class: "hint" }, run.reason) : null,
        student.queue ? element("div", { class: "asks" }, `waits, place ${student.queue}`) : null),
      element("td", {}, link, element("div", { class: "hint" }, `${where}, ${(student.bytes / 1e6).toFixed(1)}\u00a0MB`),
        student.problem ? element("div", { class: "wrong" }, student.problem) : null));
  }
}

Object.assign(window, { lecturer: new LecturerPage() });
