// The top bar: file, save with the difference, undo, units, theme, help.
import { recall, remember } from "./browser_storage";
import { button, check, dialog, editing, element, select } from "./dom";
import { help } from "./help";
import { RobotPicker, robotSelect } from "./robots";
import type { Store } from "./store";
import { otherTheme, restoreTheme } from "./theme";

/** Files that are shown at once. */
const MOST_LISTED = 300;

export class TopBar {
  readonly node = element("header", { class: "top" });
  private file = element("strong", { class: "file" });
  private undo = button("↶", "Undo (Ctrl-Z)", () => this.store.undo(), { "aria-label": "Undo" });
  private redo = button("↷", "Redo (Ctrl-Shift-Z)", () => this.store.redo(), { "aria-label": "Redo" });
  private saveButton = button("Save", "Look at the difference and save (Ctrl-S)", () => void this.save());
  private units = button("deg", "Angles in degrees or radians", () => {
    this.store.degrees = !this.store.degrees;
    this.units.textContent = this.store.degrees ? "deg" : "rad";
    remember("andante-units", this.units.textContent);
    this.store.emit("units");
  });
  private state = element("span", { class: "link", role: "status" });

  constructor(private store: Store) {
    if (recall("andante-units") === "rad") {
      store.degrees = false;
      this.units.textContent = "rad";
    }
    restoreTheme();
    this.node.append(
      element("h1", { class: "brand" }, "Andante studio"), this.file,
      button("Open…", "Open a file of the workspace (Ctrl-O)", () => void this.open()),
      editing(store, button("New…", "Make a new document", () => this.make()), this.saveButton, this.undo, this.redo),
      element("a", { href: "terrain.html", target: "_blank", title: "Boards, footsteps, walks and steering, on a page of its own" }, "Terrain"),
      element("a", { href: "experiments.html", target: "_blank", title: "Many seeds, figures and what was asked; any two results compared, on a page of its own" }, "Experiments"),
      element("a", { href: "lessons.html", target: "_blank", class: "lessons", title: "Four exercises with a planar leg, in another tab" }, "Lessons"),
      element("span", { class: "gap" }), this.state, this.units,
      button("◐", "Light or dark", otherTheme, { "aria-label": "Light or dark" }),
      button("?", "Keys and help (F1)", () => help(), { "aria-label": "Help" }),
    );
    store.on(["flags", "document"], () => this.update());
    store.on("connection", (open) => {
      this.state.textContent = !open ? "The server is gone; trying again…" : store.preparing ? "Drags are being prepared…" : "";
      this.state.title = store.preparing ? "Inverse kinematics is loaded, and compiled where it was never used: a minute or two, once" : "";
      this.node.classList.toggle("lost", !open);
    });
    store.on("document", () => {
      if (!store.state) void this.open();
    });
    this.update();
  }

  private update(): void {
    const { store } = this;
    const { disk } = store.flags;
    const told = disk === "gone" ? " (gone from the disk)" : disk ? " (changed on the disk)" : "";
    this.file.textContent = store.state ? `${store.state.file}${store.flags.changed ? " •" : ""}${told}` : "no document";
    this.file.classList.toggle("bad", Boolean(disk));
    this.file.title = store.state ? `${store.state.format}${store.flags.changed ? ", not saved" : ""}${told}${store.state.remarks.length ? `\n${store.state.remarks.slice(0, 8).join("\n")}` : ""}` : "";
    this.undo.disabled = !store.flags.canUndo;
    this.redo.disabled = !store.flags.canRedo;
    this.saveButton.disabled = !store.state;
    document.title = `${store.flags.changed ? "• " : ""}${store.state?.file ?? "Andante studio"}`;
  }

  async open(): Promise<void> {
    const { store } = this;
    const ask = (part: string) => store.connection.ask({ do: "files", part }).catch((error: Error) => (store.notice(error.message), null));
    let answer = await ask("");
    if (!answer) return;
    const list = element("ul", { class: "files" });
    const filter = element("input", { placeholder: "part of the name", "aria-label": "Filter" });
    const robot = robotSelect(store);
    const another = button("New…", "Make a new document", () => (node.close(), this.make()));
    const node = dialog("Open a file of the workspace", element("div", { class: "row" }, filter, "robot", robot, another), list);
    const one = (file: string, text: string) => element("li", {}, button(text, file, () => {
      node.close();
      // Who chooses the file that is open wants it as it is on the disk now.
      store.connection.ask({ do: "open", file, robot: robot.value, anew: file === store.state?.file }).catch((error: Error) => store.notice(error.message));
    }, { class: "plain" }));
    const show = () => {
      const typed = filter.value.trim();
      const shown = (answer!.files as string[]).filter((name) => name.toLowerCase().includes(typed.toLowerCase()));
      list.replaceChildren(...shown.slice(0, MOST_LISTED).map((file) => one(file, file)));
      const told = (text: string) => list.append(element("li", { class: "hint" }, text));
      if (shown.length > MOST_LISTED) told(`${shown.length - MOST_LISTED} more are not shown; a part of the name leaves fewer.`);
      if (answer!.note) told(String(answer!.note));
      if (!shown.length && !typed) told("No motion file here. New… makes one.");
      // What is not listed can be opened all the same: a file far below, or one that looks like another kind.
      if (typed && !shown.includes(typed)) list.append(one(typed, `Open “${typed}” by its name`));
    };
    let asked = 0;
    filter.addEventListener("input", async () => {
      show();
      const number = ++asked;
      // Where not all are listed the server looks for the others.
      if (!answer!.note && !answer!.part) return;
      const part = filter.value.trim();
      const found = await ask(part);
      if (!found || number !== asked) return;
      answer = { ...found, part };
      show();
    });
    show();
    filter.focus();
  }

  make(): void {
    const { store } = this;
    const name = element("input", { value: "motions.yaml", "aria-label": "File name" });
    const robot = new RobotPicker(store);
    const model = select([["", "an empty motion"], ...store.libraries.map((each): [string, string] => [each, `a copy of the library ${each}`])], "", (value) => (robot.disabled = Boolean(value)), { title: "A copy is for the robot of its library", "aria-label": "Begin with" });
    const node = dialog("New document",
      element("label", { class: "row" }, element("span", {}, "File"), name),
      element("div", { class: "row top-row" }, element("span", {}, "Robot"), robot.node),
      element("label", { class: "row" }, element("span", {}, "Begin with"), model),
      element("div", { class: "row dialog-foot" }, button("Make it", "Make the file and open it", () => {
        store.connection.ask({ do: "new", file: name.value.trim(), robot: robot.value, copy_of: model.value }).then(() => node.close(), (error: Error) => store.notice(error.message));
      }, { class: "primary" })));
    name.select();
  }

  async save(): Promise<void> {
    const { store } = this;
    if (!store.state) return;
    // Where it cannot be written in its place, it can still be written elsewhere.
    const answer = await store.askAfterEdits({ do: "diff" }).catch((error: Error) => ({ difference: "", losses: [], problem: error.message }));
    if (!store.connected) return store.notice(String(answer.problem));
    const lines = String(answer.difference).split("\n");
    const shown = element("pre", { class: "diff" }, ...lines.map((line) => element("span", { class: line.startsWith("+") ? "added" : line.startsWith("-") ? "gone" : line.startsWith("@") ? "at" : "" }, `${line}\n`)));
    const write = (overwrite: boolean) =>
      store.askAfterEdits({ do: "save", overwrite }).then(
        () => {
          node.close();
          store.notice(`${store.state!.file} is saved`, false);
        },
        (error: Error) => {
          note.textContent = error.message;
          if (/another program/.test(error.message)) again.hidden = theirs.hidden = false;
        });
    const note = element("p", { class: "bad", role: "alert" }, answer.problem ? String(answer.problem) : null);
    const again = button("Overwrite it", "The other program's changes are lost", () => void write(true), { hidden: true });
    const theirs = button("Open it anew", "The file as it is now; Ctrl-Z shows your edits again", () => {
      node.close();
      store.connection.ask({ do: "open", file: store.state!.file, anew: true }).catch((error: Error) => store.notice(error.message));
    }, { hidden: true });
    const go = button(answer.difference ? "Save" : "Save (nothing changes)", "Write the file (Enter)", () => void write(false), { class: "primary", hidden: Boolean(answer.problem) });
    const losses = answer.losses as string[];
    const other = element("input", { placeholder: "another file, such as wave.csv", "aria-label": "Another file", title: "Its ending says the format: .yaml, .kmc, .csv, .npz, .xml, … as `andante convert` has it", spellcheck: "false" });
    const form = element("input", { placeholder: "format, if several", "aria-label": "Format", title: "Name of the format where several use the ending: `andante list formats`", spellcheck: "false" });
    const only = check(`only ${store.motion}`, "Formats such as .csv and .npz hold one motion", false, () => undefined);
    const writeOther = (overwrite: boolean) =>
      store.askAfterEdits({ do: "save_as", file: other.value.trim(), format: form.value.trim(), motion: store.motion && only.querySelector("input")!.checked ? store.motion : "", overwrite }).then(
        (told) => {
          node.close();
          const lost = told.losses as string[];
          store.notice(`${told.file} is written${lost.length ? `; it cannot hold: ${lost.slice(0, 3).join("; ")}${lost.length > 3 ? `; and ${lost.length - 3} more` : ""}` : ""}`, lost.length > 0);
        },
        (error: Error) => {
          note.textContent = error.message;
          replace.hidden = !/is a file of this name/.test(error.message);
        });
    const replace = button("Replace it", "The file that is there is lost", () => void writeOther(true), { hidden: true });
    const node = dialog(`Save ${store.state.file}`,
      answer.difference || answer.problem ? (answer.difference ? shown : "") : element("p", {}, "The file stays as it is, byte for byte."),
      ...(losses.length ? [element("h3", {}, `${store.state.format} cannot hold:`), element("ul", {}, ...losses.map((text) => element("li", {}, text)))] : []),
      note, element("div", { class: "row" }, go, again, theirs),
      element("div", { class: "row save-as" }, button("Save as", "Write it into another file too; this one stays open as it is", () => void writeOther(false)), other, form, store.motion ? only : null, replace));
    (answer.problem ? other : go).focus();
  }
}
