// The place of the text pane: the editor is large and is fetched once the robot is seen; what comes meanwhile is kept for it.
import { element } from "./dom";
import type { Edited } from "./protocol";
import type { KeyRef } from "./places";
import type { Store } from "./store";
import type { TextPane } from "./text";

/** Where no robot is seen the editor is fetched after so long [ms]. */
const LATEST = 1200;

export class TextHolder {
  readonly node = element("section", { class: "pane text" }, element("p", { class: "hint loading" }, "The editor is on its way…"));
  pane: TextPane | null = null;
  private missed: Edited[] = [];
  private asked = false;

  constructor(private store: Store, private there: (pane: TextPane) => void) {
    store.on("document", () => (this.missed = []));
    store.on("text", (message: Edited) => this.pane ?? this.missed.push(message));
    store.on("connection", () => setTimeout(() => void this.load(), LATEST));
  }

  async load(): Promise<void> {
    if (this.asked) return;
    this.asked = true;
    const { TextPane } = await import("./text");
    const pane = (this.pane = new TextPane(this.store));
    pane.load();
    for (const message of this.missed) pane.heard(message);
    this.missed = [];
    this.node.replaceChildren(pane.node);
    this.there(pane);
  }

  goTo(line: number): void {
    this.pane?.goTo(line);
  }

  lineOf(ref: KeyRef): number {
    return this.pane?.lineOf(ref) ?? 0;
  }
}
