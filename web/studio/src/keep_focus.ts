// Whoever works by keys keeps his place. Where a page takes away, hides or switches off what has the focus, the control of
// the same name in the new picture gets it, else the one beside it, else what had the focus before.

const CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex]";
/** So many places are remembered. */
const MOST = 12;

/** Where the focus was: the control, the parts of the page it lay in, and its number there among all and among those of its name. */
interface Spot {
  node: Element;
  name: string;
  inside: { part: Element; at: number; twin: number }[];
}

const nameOf = (node: Element): string => `${node.tagName} ${node.getAttribute("aria-label") || node.getAttribute("title") || node.textContent}`;
const able = (node: Element): boolean => node.isConnected && !node.matches(":disabled, [tabindex='-1']") && node.checkVisibility();
const controls = (part: Element): Element[] => [...part.querySelectorAll(CONTROLS)];

function spotOf(node: Element): Spot {
  const name = nameOf(node);
  const inside: Spot["inside"] = [];
  for (let part = node.parentElement; part && part !== document.body; part = part.parentElement) {
    const all = controls(part);
    const at = all.indexOf(node);
    inside.push({ part, at, twin: all.slice(0, at).filter((each) => nameOf(each) === name).length });
  }
  return { node, name, inside };
}

function successor({ name, inside }: Spot): Element | undefined {
  const left = inside.filter(({ part }) => part.isConnected);
  for (const { part, twin } of left) {
    const twins = controls(part).filter((each) => nameOf(each) === name && able(each));
    if (twins.length) return twins[Math.min(twin, twins.length - 1)];
  }
  // What is beside it, where something is left of its part of the page.
  for (const { part, at } of left.slice(0, -1)) {
    const all = controls(part);
    const beside = all.slice(at).find(able) ?? all.slice(0, at).reverse().find(able);
    if (beside) return beside;
  }
  return undefined;
}

/** Begin to look after the focus of this page. */
export function keepFocus(): void {
  const spots: Spot[] = [];
  // Who points is not sent anywhere: the next key would press what he has not chosen.
  let keys = false;
  addEventListener("keydown", () => (keys = true), { capture: true });
  addEventListener("pointerdown", () => (keys = false), { capture: true });
  document.addEventListener("focusin", (event) => {
    const node = event.target as Element;
    if (node === document.body) return;
    spots.push(spotOf(node));
    if (spots.length > MOST) spots.shift();
  });
  const look = (changes: MutationRecord[]) => {
    if (!changes.some(({ type, removedNodes }) => type === "attributes" || [...removedNodes].some((each) => each instanceof Element))) return;
    const spot = spots.at(-1);
    const now = document.activeElement;
    if (!spot || !keys || able(spot.node) || (now && now !== document.body && now !== spot.node)) return;
    const found = successor(spot) ?? spots.map(({ node }) => node).reverse().find(able);
    (found as HTMLElement | undefined)?.focus({ preventScroll: true });
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled", "hidden"] });
}
