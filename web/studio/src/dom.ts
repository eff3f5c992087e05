// Small helpers to make elements.
type Attributes = Record<string, string | number | boolean | ((event: any) => void) | undefined>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string | null | undefined)[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value as EventListener);
    else if (value === true) node.setAttribute(name, "");
    else node.setAttribute(name, String(value));
  }
  node.append(...children.filter((child): child is Node | string => child !== null && child !== undefined));
  return node;
}

export function button(text: string, title: string, click: (event: MouseEvent) => void, extra: Attributes = {}): HTMLButtonElement {
  return element("button", { type: "button", title, click, ...extra }, text);
}

/** A button that switches something on and off, and says which. */
export function toggle(text: string, title: string, on: boolean, change: (on: boolean) => void, extra: Attributes = {}): HTMLButtonElement {
  const node = button(text, title, () => {
    const now = node.getAttribute("aria-pressed") !== "true";
    node.setAttribute("aria-pressed", String(now));
    change(now);
  }, { "aria-pressed": String(on), ...extra });
  return node;
}

export function select(options: (string | [string, string])[], value: string, change: (value: string) => void, extra: Attributes = {}): HTMLSelectElement {
  const node = element("select", { change: () => change(node.value), ...extra });
  for (const option of options) {
    const [key, text] = typeof option === "string" ? [option, option] : option;
    node.append(element("option", { value: key, selected: key === value }, text));
  }
  return node;
}

export function check(text: string, title: string, value: boolean, change: (value: boolean) => void): HTMLLabelElement {
  const box = element("input", { type: "checkbox", change: () => change(box.checked) });
  box.checked = value;
  return element("label", { class: "check", title }, box, text);
}

/** Controls that change something: where somebody's work is only looked at, none of them can be used. */
export function editing(store: { readonly: boolean; on(topic: "connection", handler: () => void): void }, ...children: (Node | null)[]): HTMLFieldSetElement {
  const node = element("fieldset", { class: "editing" }, ...children);
  node.disabled = store.readonly;
  store.on("connection", () => (node.disabled = store.readonly));
  return node;
}

/** A name as people read it. */
export const spoken = (name: string): string => name.replace(/_/g, " ");

/** A text that stays the same costs no layout. */
export function write(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** Show a dialog; it is gone when it is closed. */
export function dialog(title: string, ...content: (Node | string)[]): HTMLDialogElement {
  const node = element("dialog", { close: () => node.remove() },
    element("header", {}, element("h2", {}, title), button("Close", "Close (Esc)", () => node.close(), { class: "plain" })),
    element("div", { class: "content" }, ...content));
  document.body.append(node);
  node.showModal();
  return node;
}
