// What a user has arranged, kept in the browser: sizes of the panes, the open tab, the views of the time axis.
import { recall, remember } from "./browser_storage";

const KEY = "andante-layout";
export type Pane = "left" | "side" | "bottom";

export interface Layout {
  sizes: Partial<Record<Pane, number>>;
  tab?: string;
  views?: Record<string, boolean>;
}

let layout: Layout = { sizes: {} };
try {
  const kept = JSON.parse(recall(KEY) ?? "{}");
  layout = { ...kept, sizes: { ...kept.sizes } };
} catch {
  // What nobody can read is not kept.
}

export const kept = (): Layout => layout;

export function keep(change: Partial<Layout>): void {
  layout = { ...layout, ...change };
  remember(KEY, JSON.stringify(layout));
}

/** Width or height of a pane [px]. */
export const sizeOf = (pane: Pane): number => parseFloat(getComputedStyle(document.documentElement).getPropertyValue(`--${pane}`));

/** Width or height of a pane that leaves the others room [px]. */
export function fitting(pane: Pane, size: number): number {
  if (pane === "left") return Math.min(Math.max(size, 220), innerWidth / 2);
  if (pane === "side") return Math.min(Math.max(size, 260), innerWidth / 1.7);
  return Math.min(Math.max(size, 110), innerHeight / 1.6);
}

export function resize(pane: Pane, size: number): void {
  const room = fitting(pane, size);
  document.documentElement.style.setProperty(`--${pane}`, `${room}px`);
  keep({ sizes: { ...layout.sizes, [pane]: room } });
}

/** Arrange the panes as they were; each may be arranged anew by a double click on its edge. */
export function restore(): void {
  for (const [pane, size] of Object.entries(layout.sizes) as [Pane, number][]) {
    if (Number.isFinite(size)) document.documentElement.style.setProperty(`--${pane}`, `${fitting(pane, size)}px`);
  }
}

export function forget(pane: Pane): void {
  document.documentElement.style.removeProperty(`--${pane}`);
  const sizes = { ...layout.sizes };
  delete sizes[pane];
  keep({ sizes });
}
