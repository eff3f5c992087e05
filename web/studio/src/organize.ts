// Motions and blocks of a library: make, rename, delete, and which blocks a motion plays.
import type { ChangeLibrary } from "./asked";
import { button, dialog, element } from "./dom";
import type { Store } from "./store";

const counted = (keyframes: number) => `${keyframes} keyframe${keyframes === 1 ? "" : "s"}`;

export function organize(store: Store): void {
  const content = element("div", { class: "organize" });
  const node = dialog("Motions and blocks", content);
  const change = async (message: Omit<ChangeLibrary, "do" | "request" | "revision">) => {
    if (await store.edit({ do: "library", ...message })) build();
  };
  const ask = (text: string, value = ""): string => (prompt(text, value) ?? "").trim();

  function part(kind: "motions" | "blocks", name: string): HTMLElement {
    const row = element("div", { class: "row" },
      button(name, "Show it", () => {
        store.source = "motion";
        store.show(kind === "motions" ? name : "", kind === "blocks" ? name : "");
        node.close();
      }, { class: "plain name" }));
    if (kind === "motions") {
      const blocks = store.library!.motions[name].blocks ?? [];
      const box = element("input", { value: blocks.join(", "), title: "Blocks in the order in which they are played, with commas", "aria-label": `Blocks of ${name}`, change: () => {
        void change({ kind, action: "set", name, fields: { blocks: box.value.split(",").map((each) => each.trim()).filter(Boolean) } });
      } });
      row.append(box);
    } else {
      row.append(element("span", {}, counted(store.library!.blocks[name].keyframes.length)));
    }
    row.append(
      button("Rename", "Rename it everywhere", () => {
        const to = ask(`New name of ${name}`, name);
        if (to && to !== name) void change({ kind, action: "rename", name, to });
      }),
      button("Delete", "Delete it", () => void change({ kind, action: "delete", name })),
    );
    return row;
  }

  function build(): void {
    const library = store.library;
    content.replaceChildren();
    if (!library) return;
    for (const kind of ["motions", "blocks"] as const) {
      const name = element("input", { placeholder: `new ${kind.slice(0, -1)}`, "aria-label": `Name of a new ${kind.slice(0, -1)}` });
      content.append(
        element("h3", {}, kind === "motions" ? "Motions" : "Blocks"),
        ...Object.keys(library[kind]).map((each) => part(kind, each)),
        element("div", { class: "row" }, name, button("Add", "Make it", () => {
          if (!name.value.trim()) return;
          const fields = kind === "motions" ? { blocks: [] } : { keyframes: [] };
          void change({ kind, action: "add", name: name.value.trim(), fields });
        })),
      );
    }
  }
  build();
}
