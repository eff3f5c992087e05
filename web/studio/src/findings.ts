// Findings of the checks, each a way to its place.
import { button, element } from "./dom";
import type { Finding } from "./protocol";
import type { Store } from "./store";
import type { TextHolder } from "./text_holder";

export class FindingsPane {
  readonly node = element("section", { class: "pane findings" });
  private head = element("div", { class: "tools" });
  private list = element("ul");
  private proof: { text: string; findings: Finding[]; revision: number; done?: boolean } | null = null;

  constructor(private store: Store, private text: TextHolder) {
    this.node.append(this.head, this.list);
    store.on("document", () => {
      this.known = { findings: [], count: 0 };
      this.proof = null;
    });
    store.on(["checks", "problems", "document", "shown", "connection"], () => this.build());
    this.build();
  }

  private prove(): void {
    const { store } = this;
    if (!store.motion) return store.notice("Choose a motion first.");
    const { motion, revision } = store;
    const file = store.state?.file;
    this.proof = { text: `${motion} runs five times in physics…`, findings: [], revision };
    this.build();
    store.connection.ask({ do: "prove", motion, seeds: 5 }).then(
      (answer) => {
        // Another document says nothing of it.
        if (store.state?.file !== file) return;
        const errors = answer.findings.filter((finding: Finding) => finding.severity === "error").length;
        this.proof = { text: `${motion}, 5 runs in physics: ${errors ? "fails" : "stands"}`, findings: answer.findings, revision, done: true };
        this.build();
      },
      (error: Error) => {
        const text = `${motion} was not proved in physics: ${error.message}`;
        store.notice(text);
        if (store.state?.file !== file) return;
        this.proof = { text, findings: [], revision };
        this.build();
      });
  }

  /** How it stands, in words; nothing counts as no finding but a finished check of the text of now. */
  private stands(): { text: string; bad: boolean; old: boolean } {
    const { store } = this;
    const { state, text, counts } = store.checks;
    if (!store.state) return { text: "No document is open", bad: false, old: false };
    if (!store.connected) return { text: "Not known: the server is gone", bad: true, old: true };
    if (store.problems.length) return { text: "Could not be checked: the text has a mistake", bad: true, old: true };
    if (store.checking) return { text: text ? `Checking… (${text})` : "Checking…", bad: false, old: true };
    if (state === "failed" || !counts) return { text: `Could not be checked: ${text}`, bad: true, old: true };
    return { text: `${counts.error} errors, ${counts.warning} warnings, ${counts.info} notes`, bad: false, old: false };
  }

  private build(): void {
    const { store, list, head } = this;
    const { text: state, bad, old } = this.stands();
    if (store.checks.findings) this.known = { findings: store.checks.findings, count: store.checks.count ?? 0 };
    head.replaceChildren(
      element("strong", { class: bad ? "bad" : "" }, state),
      button("Prove in physics", "Run the shown motion with five seeds: does it fall?", () => this.prove()));
    list.replaceChildren();
    list.classList.toggle("old", old && !store.problems.length);
    for (const { line, text } of store.problems) {
      list.append(element("li", { class: "error", click: () => this.text.goTo(line) }, element("span", { class: "place" }, `line ${line}`), text));
    }
    const { proof } = this;
    if (proof) {
      const before = proof.revision === store.revision ? "" : " (of an earlier text)";
      const verdict = before ? "info" : proof.findings.some((each) => each.severity === "error") ? "error" : proof.done ? "good" : "info";
      list.append(element("li", { class: verdict }, element("strong", {}, proof.text + before)));
      for (const finding of proof.findings) list.append(this.item(finding));
    }
    // Findings of the text before stay in sight while the new one is checked, and are called so.
    if (store.problems.length || store.checks.state === "failed") return;
    const { findings, count } = this.known;
    if (old && findings.length) list.append(element("li", {}, "Of the text before:"));
    for (const finding of findings) list.append(this.item(finding));
    if (count > findings.length) list.append(element("li", {}, `and ${count - findings.length} more: andante check tells all`));
  }

  private known: { findings: Finding[]; count: number } = { findings: [], count: 0 };

  private item(finding: Finding): HTMLElement {
    return element("li", { class: finding.severity, tabindex: 0, title: `${finding.rule}: go to its place`, click: () => this.go(finding), keydown: (event: KeyboardEvent) => event.key === "Enter" && this.go(finding) },
      element("span", { class: "place" }, finding.place + (finding.time != null && finding.motion ? ` · ${finding.motion} at ${finding.time.toFixed(2)} s` : "")),
      finding.message);
  }

  private go(finding: Finding): void {
    const { store } = this;
    const match = /^blocks\.('(?:[^']*)'|[\w-]+)(?:\.keyframes\[(\d+)\])?/.exec(finding.place);
    const motion = finding.motion ?? /^motions\.([\w-]+)/.exec(finding.place)?.[1];
    store.source = "motion";
    if (match) {
      const block = match[1].replace(/^'|'$/g, "");
      if (!store.blocks().includes(block)) {
        const owner = motion && store.library?.motions[motion]?.blocks?.includes(block) ? motion
          : Object.keys(store.library?.motions ?? {}).find((name) => store.library!.motions[name].blocks?.includes(block));
        if (owner) store.show(owner, "");
        else store.show("", block);
      }
      if (match[2] !== undefined) {
        const ref = { block, index: Number(match[2]) };
        store.choose([ref]);
        const line = this.text.lineOf(ref);
        if (line) this.text.goTo(line);
      }
    } else if (motion && store.library?.motions[motion]) {
      store.show(motion, "");
      if (finding.time != null) store.seek(finding.time);
    }
    if (finding.joint) document.querySelector(`[data-joint="${CSS.escape(finding.joint)}"]`)?.scrollIntoView({ block: "center" });
  }
}
