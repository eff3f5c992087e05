// Findings of the checks, each a way to its place.
import { button, element } from "./dom";
import type { Finding } from "./protocol";
import type { Store } from "./store";
import type { TextPane } from "./text";

export class FindingsPane {
  readonly node = element("section", { class: "pane findings" });
  private head = element("div", { class: "tools" });
  private list = element("ul");
  private proof: { text: string; findings: Finding[]; done?: boolean } | null = null;

  constructor(private store: Store, private text: TextPane) {
    this.node.append(this.head, this.list);
    store.on(["findings", "problems", "document", "shown"], () => this.build());
    this.build();
  }

  private prove(): void {
    const { store } = this;
    if (!store.motion) return store.notice("Choose a motion first.");
    const motion = store.motion;
    this.proof = { text: `${motion} runs five times in physics…`, findings: [] };
    this.build();
    store.connection.ask({ do: "prove", motion, seeds: 5 }).then(
      (answer) => {
        const errors = answer.findings.filter((finding: Finding) => finding.severity === "error").length;
        this.proof = { text: `${motion}, 5 runs in physics: ${errors ? "fails" : "stands"}`, findings: answer.findings, done: true };
        this.build();
      },
      (error: Error) => {
        this.proof = null;
        store.notice(error.message);
        this.build();
      });
  }

  private build(): void {
    const { store, list, head } = this;
    const count = (severity: string) => store.findings.filter((finding) => finding.severity === severity).length;
    const state = store.problems.length
      ? "The text has a mistake"
      : store.checking ? "Checking…" : `${count("error")} errors, ${count("warning")} warnings, ${count("info")} notes`;
    head.replaceChildren(
      element("strong", {}, state),
      button("Prove in physics", "Run the shown motion with five seeds: does it fall?", () => this.prove()));
    list.replaceChildren();
    for (const { line, text } of store.problems) {
      list.append(element("li", { class: "error", click: () => this.text.goTo(line) }, element("span", { class: "place" }, `line ${line}`), text));
    }
    if (this.proof) {
      list.append(element("li", { class: this.proof.findings.some((each) => each.severity === "error") ? "error" : this.proof.done ? "good" : "info" }, element("strong", {}, this.proof.text)));
      for (const finding of this.proof.findings) list.append(this.item(finding));
    }
    for (const finding of store.findings) list.append(this.item(finding));
    if (store.findingCount > store.findings.length && store.findings.length) {
      list.append(element("li", {}, `and ${store.findingCount - store.findings.length} more: andante check tells all`));
    }
  }

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
