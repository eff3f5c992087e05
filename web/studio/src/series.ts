// The colours of curves: six that are told apart, each 4.5 to 1 or more against the panel of its theme.

/** Most curves that have a colour of their own. */
export const SERIES = 6;

/** The colour of a curve as styles know it. */
export const seriesStyle = (number: number): string => `var(--series-${number % SERIES})`;

/** The colours as canvases know them. */
export function seriesColors(): string[] {
  const style = getComputedStyle(document.documentElement);
  return Array.from({ length: SERIES }, (_, number) => style.getPropertyValue(`--series-${number}`).trim());
}
