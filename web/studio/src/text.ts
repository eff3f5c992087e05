// The text pane: the document in an editor, both ways in step with the timeline. The server holds the text; what is
// typed here goes there one change at a time, what comes from there is moved past what is still on its way.
import { autocompletion, completionKeymap, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, defaultHighlightStyle, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, ChangeSet, EditorState, Text } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { colors } from "./code_colors";
import type { Refused } from "./connection";
import { element } from "./dom";
import type { Edited } from "./protocol";
import type { KeyRef } from "./places";
import type { Store } from "./store";

const fromServer = Annotation.define<boolean>();

/** One change from a text to another. */
function change(old: Text, now: Text): ChangeSet {
  const [a, b] = [old.toString(), now.toString()];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return ChangeSet.of({ from: head, to: a.length - tail, insert: b.slice(head, b.length - tail) }, a.length, "\n");
}

/** Most characters that one message inserts: in any script far less than the longest message that is read. */
const PIECE = 150_000;

/** A change in two, one after the other, of which the first inserts no more than a piece; null: it is no longer. */
function divided(all: ChangeSet): [ChangeSet, ChangeSet | null] {
  const first: { from: number; to: number; insert: Text }[] = [];
  const rest: { from: number; to: number; insert: Text }[] = [];
  let room = PIECE;
  let moved = 0;
  all.iterChanges((from, to, _a, _b, inserted) => {
    const taken = rest.length ? 0 : Math.min(room, inserted.length);
    if (!rest.length) {
      first.push({ from, to, insert: inserted.slice(0, taken) });
      room -= taken;
      moved += taken - (to - from);
      if (taken < inserted.length) rest.push({ from: to + moved, to: to + moved, insert: inserted.slice(taken) });
    } else rest.push({ from: from + moved, to: to + moved, insert: inserted });
  }, true);
  if (!rest.length) return [all, null];
  const begun = ChangeSet.of(first, all.length, "\n");
  return [begun, ChangeSet.of(rest, begun.newLength, "\n")];
}

export class TextPane {
  readonly node = element("section", { class: "pane text" });
  private view: EditorView;
  private flying: ChangeSet | null = null;
  private waiting: ChangeSet | null = null;
  private group = 0;
  private typed = 0;
  /** The text as the server has it, without what is on its way. */
  private synced = Text.empty;
  private file = "";
  private retry = 0;
  /** Name of what is on its way, see `TextEdit.key`. */
  private key = "";
  private unkept = element("div", { class: "unkept", role: "status", hidden: true });
  private following = true;

  constructor(private store: Store) {
    this.node.append(this.unkept);
    this.view = new EditorView({ parent: this.node, state: this.fresh("") });
    // Whoever has no mouse scrolls it by keys.
    this.view.scrollDOM.tabIndex = 0;
    store.on("document", () => this.load());
    store.on("text", (message: Edited) => this.heard(message));
    store.on("problems", () => this.mark());
    store.on("chosen", () => this.reveal());
  }

  private fresh(doc: string): EditorState {
    return EditorState.create({
      doc,
      extensions: [
        // Offsets are the server's only where a line break is one character.
        EditorState.lineSeparator.of("\n"),
        // Text of another system's clipboard ends its lines as it likes; the file's own ends are the server's matter.
        EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, "\n")),
        lineNumbers(), foldGutter(), drawSelection(), indentOnInput(), bracketMatching(), highlightActiveLine(), highlightSelectionMatches(),
        search({ top: true }), lintGutter(), yaml(), syntaxHighlighting(colors), syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
        autocompletion({ override: [(context) => this.complete(context)] }),
        keymap.of([
          { key: "Mod-z", run: () => (this.store.undo(), true) },
          { key: "Mod-Shift-z", run: () => (this.store.redo(), true) },
          { key: "Mod-y", run: () => (this.store.redo(), true) },
          ...completionKeymap, ...searchKeymap, ...foldKeymap, indentWithTab, ...defaultKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !update.transactions.some((each) => each.annotation(fromServer))) this.changed(update.changes);
          if (update.selectionSet && !update.docChanged && this.view.hasFocus) this.chooseAtCursor();
        }),
        EditorView.contentAttributes.of({ "aria-label": "Document", "aria-description": "Esc, then Tab leaves the text" }),
        EditorState.readOnly.of(this.store.readonly),
      ],
    });
  }

  /** Show the document that is open, whole. */
  load(): void {
    const { state } = this.store;
    const text = Text.of((state?.text ?? "").split("\n"));
    const pending = this.file === state?.file ? this.pending(text) : null;
    this.file = state?.file ?? "";
    this.synced = text;
    this.flying = this.waiting = null;
    clearTimeout(this.retry);
    this.say("");
    this.store.setTyping(false);
    this.view.setState(this.fresh(state?.text ?? ""));
    this.mark();
    // What was typed and not kept yet is typed again.
    if (pending && !pending.empty) this.view.dispatch({ changes: pending });
  }

  /** What was typed and is not in the text that the server has now, as a change of it. */
  private pending(now: Text): ChangeSet | null {
    const { flying, waiting, synced } = this;
    if (!flying && !waiting) return null;
    // The server may have had it before the connection broke, and others may have gone on from there.
    const text = flying?.apply(synced);
    if (text && (text.eq(now) || this.store.state!.keys.includes(this.key))) return waiting && !text.eq(now) ? waiting.map(change(text, now)) : waiting;
    const all = flying && waiting ? flying.compose(waiting) : (flying ?? waiting)!;
    return synced.eq(now) ? all : all.map(change(synced, now));
  }

  private say(text: string): void {
    this.unkept.hidden = !text;
    this.unkept.textContent = text;
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  focus(): void {
    this.view.focus();
  }

  // Both ways -----------------------------------------------------------------------------------------------------

  private changed(changes: ChangeSet): void {
    // Words that are typed without a pause are one step of undoing.
    const now = performance.now();
    if (now - this.typed > 700) this.group++;
    this.typed = now;
    this.waiting = this.waiting ? this.waiting.compose(changes) : changes;
    this.send();
  }

  private send(): void {
    const { store } = this;
    store.setTyping(Boolean(this.flying || this.waiting));
    if (this.flying || !this.waiting) return;
    [this.flying, this.waiting] = divided(this.waiting);
    this.key = crypto.getRandomValues(new Uint32Array(4)).join("-");
    void this.post(store);
  }

  private async post(store: Store): Promise<void> {
    while (this.flying) {
      const changes: [number, number, string][] = [];
      this.flying.iterChanges((from, to, _a, _b, inserted) => changes.push([from, to, inserted.toString()]), true);
      try {
        const answer = await store.connection.ask({ do: "text", key: this.key, revision: store.revision, changes, group: `text-${this.group}` });
        if (answer.type === "conflict") continue;
        if (answer.type === "done") {
          this.synced = this.flying.apply(this.synced);
          this.flying = null;
        }
      } catch (error) {
        if ((error as Refused).again) {
          this.say(`What was typed last is not kept yet: ${(error as Error).message}. It is tried again.`);
          store.setTyping(true, true);
          clearTimeout(this.retry);
          // Of a connection that broke the next state tells what is left to do.
          if (store.connected) this.retry = setTimeout(() => store.connected && this.again(), 2000);
          return;
        }
        store.notice(`${(error as Error).message}; the text is loaded anew`);
        this.flying = this.waiting = null;
        if (store.state) void store.open(store.state.file);
        return;
      }
    }
    this.say("");
    this.send();
  }

  /** Send what was refused and what was typed since as one. */
  private again(): void {
    const { flying, waiting } = this;
    if (!flying) return;
    this.flying = null;
    this.waiting = waiting ? flying.compose(waiting) : flying;
    this.send();
  }

  /** An edit that the server has made. */
  heard(message: Edited): void {
    const own = message.page === this.store.page && this.flying && this.isText(message);
    if (own) {
      this.synced = this.flying!.apply(this.synced);
      this.flying = null;
      return;
    }
    const length = this.flying ? this.flying.length : this.waiting ? this.waiting.length : this.view.state.doc.length;
    let remote = ChangeSet.of(message.splices.map(([from, to, insert]) => ({ from, to, insert })), length, "\n");
    this.synced = remote.apply(this.synced);
    if (this.flying) {
      const mapped = this.flying.map(remote);
      remote = remote.map(this.flying, true);
      this.flying = mapped;
    }
    if (this.waiting) {
      const mapped = this.waiting.map(remote);
      remote = remote.map(this.waiting, true);
      this.waiting = mapped;
    }
    this.view.dispatch({ changes: remote, annotations: fromServer.of(true) });
  }

  /** Whether an edit of this page is the text that is on its way, and not a slider's. */
  private isText(message: Edited): boolean {
    if (!message.request) return false;
    const flying: string[] = [];
    this.flying!.iterChanges((from, to, _a, _b, inserted) => flying.push(JSON.stringify([from, to, inserted.toString()])), true);
    return flying.join() === message.splices.map((splice) => JSON.stringify(splice)).join();
  }

  // Marks and places ----------------------------------------------------------------------------------------------

  private mark(): void {
    const { doc } = this.view.state;
    const diagnostics: Diagnostic[] = this.store.problems.map(({ line, column, text }) => {
      const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
      const from = Math.min(at.from + column - 1, at.to);
      return { from, to: Math.max(at.to, from), severity: "error", message: text };
    });
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }

  goTo(line: number): void {
    const { doc } = this.view.state;
    const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
    this.view.dispatch({ selection: { anchor: at.from }, effects: EditorView.scrollIntoView(at.from, { y: "center" }) });
  }

  /** Lines at which the keyframes of a block begin, told from the layout that Andante writes. */
  private lines(block: string): number[] {
    const { doc } = this.view.state;
    const found: number[] = [];
    let blocksAt = -1;
    let blockAt = -1;
    let listAt = -1;
    let dash = -1;
    for (let number = 1; number <= doc.lines; number++) {
      const text = doc.line(number).text;
      const bare = text.trimStart();
      if (!bare || bare.startsWith("#")) continue;
      const indent = text.length - bare.length;
      if (blocksAt < 0) {
        if (indent === 0 && bare.startsWith("blocks:")) blocksAt = indent;
        continue;
      }
      if (blockAt < 0) {
        if (indent === 0) return found;
        const key = bare.replace(/^["']?(.*?)["']?:.*$/, "$1");
        if (key === block && (listAt < 0)) blockAt = indent;
        continue;
      }
      if (listAt < 0) {
        if (indent <= blockAt) return found;
        if (bare.startsWith("keyframes:")) listAt = indent;
        continue;
      }
      if (indent < listAt || (indent === listAt && !bare.startsWith("-"))) return found;
      if (bare.startsWith("-") && (dash < 0 || indent === dash)) {
        dash = indent;
        found.push(number);
      }
    }
    return found;
  }

  lineOf(ref: KeyRef): number | undefined {
    return this.lines(ref.block)[ref.index];
  }

  private reveal(): void {
    const { store } = this;
    if (!this.following || store.chosen.length !== 1 || this.view.hasFocus || !this.node.offsetParent) return;
    const line = this.lineOf(store.chosen[0]);
    if (line) this.goTo(line);
  }

  /** A click into the text of a keyframe chooses it. */
  private chooseAtCursor(): void {
    const { store } = this;
    const { doc, selection } = this.view.state;
    if (!selection.main.empty) return;
    const line = doc.lineAt(selection.main.head).number;
    for (const block of store.blocks()) {
      const lines = this.lines(block);
      if (!lines.length || line < lines[0]) continue;
      let index = lines.findLastIndex((each) => each <= line);
      const indent = (number: number) => doc.line(number).text.search(/\S/);
      // Behind the block's last keyframe something else begins.
      for (let number = lines[index] + 1; number <= line; number++) {
        const at = indent(number);
        if (at >= 0 && at <= indent(lines[index]) && !doc.line(number).text.trimStart().startsWith("#")) index = -1;
        if (index < 0) break;
      }
      if (index < 0) continue;
      const ref = { block, index };
      if (!store.isChosen(ref) || store.chosen.length !== 1) store.choose([ref]);
      return;
    }
  }

  // Completion ----------------------------------------------------------------------------------------------------

  private complete(context: CompletionContext): CompletionResult | null {
    const word = context.matchBefore(/[\w.-]*/);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    const { store } = this;
    const before = context.state.doc.lineAt(context.pos).text.slice(0, word.from - context.state.doc.lineAt(context.pos).from);
    const options: { label: string; type: string; detail?: string; info?: string; apply?: string }[] = [];
    if (/interpolation:\s*$/.test(before)) {
      for (const label of ["linear", "sine_min_to_max", "sine_zero_to_max", "default"]) options.push({ label, type: "enum" });
    } else if (/(motion|next):\s*$/.test(before)) {
      for (const label of Object.keys(store.library?.motions ?? {})) options.push({ label, type: "constant" });
    } else if (/blocks?:\s*\[?[^\]]*$/.test(before)) {
      for (const label of Object.keys(store.library?.blocks ?? {})) options.push({ label, type: "constant" });
    } else if (/:\s*$/.test(before) && !/[{,]\s*$/.test(before)) {
      for (const label of ["off", "ignore", "true", "false"]) options.push({ label, type: "enum" });
    } else {
      for (const joint of store.robot?.joints ?? []) {
        const scale = store.state?.units.angle === "deg" ? 180 / Math.PI : 1;
        const unit = store.state?.units.angle === "deg" ? "deg" : "rad";
        options.push({ label: joint.name, type: "property", apply: `${joint.name}: `, detail: `${(joint.lower * scale).toFixed(1)} to ${(joint.upper * scale).toFixed(1)} ${unit}` });
      }
      for (const [kind, fields] of Object.entries(store.fields)) {
        for (const [label, info] of Object.entries(fields)) options.push({ label, type: "keyword", apply: `${label}: `, detail: kind, info });
      }
    }
    return { from: word.from, options, validFor: /^[\w.-]*$/ };
  }
}
