// Walks that are kept in the workspace: the last one is saved, any one is opened in the lanes.
import type { AskedOfTerrain } from "./asked";
import type { Without } from "./connection";
import { button, dialog, element } from "./dom";
import type { Message } from "./protocol";

type Ask = (message: Without<AskedOfTerrain, "request">, busy?: string) => Promise<Message | null>;

export class SavedWalks {
  readonly node = element("div", { class: "saved-walks" });
  private name = element("input", { value: "walk", spellcheck: "false", maxlength: 60, "aria-label": "Name of the walk" });
  private save = button("Save", "Keep the last walk in the folder walks of the workspace", () => void this.keep(false));
  private list = element("select", { "aria-label": "Saved walk" });
  private open = button("Open", "Show it on its ground and in the lanes", () => void this.show());

  constructor(private ask: Ask, private tell: (text: string, bad?: boolean) => void, private opened: (answer: Message) => void) {
    this.node.append(
      element("div", { class: "line" }, element("span", {}, "Last walk"), this.name, this.save),
      element("div", { class: "line" }, element("span", {}, "Saved"), this.list, this.open));
    this.ended(false);
    this.offer([]);
  }

  /** Whether a walk has ended that can be kept. */
  ended(whole: boolean): void {
    this.save.disabled = !whole;
  }

  private offer(names: string[], chosen = ""): void {
    this.list.replaceChildren(...names.map((name) => element("option", { value: name, selected: name === chosen }, name)));
    (this.list.parentElement as HTMLElement).hidden = !names.length;
  }

  async fill(): Promise<void> {
    const answer = await this.ask({ do: "walks" });
    if (answer) this.offer(answer.names as string[]);
  }

  private async keep(overwrite: boolean): Promise<void> {
    const name = this.name.value.trim();
    const answer = await this.ask({ do: "save_walk", name, overwrite }, "saving …");
    if (answer?.type === "exists") {
      const node = dialog(`${name} exists`, element("p", {}, "Keep this walk in its place?"),
        element("div", { class: "tools" }, button("Overwrite", "The walk before is gone then", () => {
          node.close();
          void this.keep(true);
        }, { class: "primary" }), button("Cancel", "Choose another name", () => node.close())));
    } else if (answer) {
      this.offer(answer.names as string[], answer.saved as string);
      this.tell(`Saved in walks/${answer.saved}. In a terminal: andante replay walks/${answer.saved}`);
    }
  }

  private async show(): Promise<void> {
    const answer = await this.ask({ do: "open_walk", name: this.list.value }, "opening …");
    if (answer) this.opened(answer);
  }
}
