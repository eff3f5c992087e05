/** The last of `count` rows whose time, which grows, is at or before a time; 0 before the first. */
export function lastRow(count: number, timeOf: (row: number) => number, time: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (timeOf(middle) <= time) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, 0);
}
