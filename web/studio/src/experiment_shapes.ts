// What the page of experiments is told, see src/andante/studio/experiments.

export interface Entry {
  name: string;
  what: string;
  where: "shipped" | "workspace";
}

export interface ResultEntry {
  name: string;
  state: "whole" | "cut off";
  where: "studio" | "file" | "history";
  /** When it was written, seconds since 1970. */
  time: number;
}

export interface Shelf {
  experiments: Entry[];
  results: ResultEntry[];
  runs: string[];
  robots: { source: string; title: string; where: string }[];
}

export interface Option {
  name: string;
  kind: "text" | "texts" | "pair" | "switch" | "whole" | "number";
  help: string;
  usual: string;
  required: boolean;
  /** What it chooses among; empty: it is free. */
  legal: string[];
}

export interface Experiment {
  experiment: string;
  name: string;
  what: string;
  note: string;
  /** The document; empty: there is none. */
  text: string;
  options: Option[];
  seeds: number | null;
  first_seed: number | null;
  /** Whether values by path can be changed, and whether it can write a page. */
  values: boolean;
  page: boolean;
}

export interface Cell {
  name: string;
  done: number;
  total: number;
  passed: number;
  failed: number;
}

export interface Trial {
  cell: string;
  seed: number;
  reasons: string[];
}

/** The run of now, or the last one. */
export interface Run {
  experiment: string;
  result: string;
  state: "starting" | "going" | "done" | "failed" | "cancelled" | "cut off";
  text: string;
  cells: Cell[];
  recent: Trial[];
  resumed: boolean;
  minutes: number;
  seconds: number;
}

export interface Row {
  name: string;
  value: number;
  unit: string;
  asked: string;
  ok: boolean | null;
  n: number;
  interval: [number, number] | null;
}

export interface Result {
  result: string;
  whole: boolean;
  experiment: string;
  /** Of one that was cut off: trials that are kept, of how many. */
  kept: number;
  trials: number | null;
  given: Record<string, unknown>;
  suite: string;
  /** What it rests on: simulation, recorded runs and so on. */
  evidence: string;
  saved: string;
  andante: string;
  passed: boolean;
  rows: Row[];
  cells: (Cell & { bad: { seed: number; reasons: string[] }[]; seeds: [number, number] })[];
  page: boolean;
}

export interface Verdict {
  verdict: string;
  good: boolean | null;
  reasons: string[];
}

interface Compared {
  names: [string, string];
  made: [string, string];
  verdicts: [Verdict, Verdict];
  /** What about the two cannot be compared. */
  against: string[];
  /** What was asked of both in another way: name, first, second. */
  asked: [string, string, string][];
}

export interface ComparedResults extends Compared {
  kind: "results";
  outcome: string;
  why: string;
  differences: { group: string; measure: string; unit: string; n: number; first: number | null; second: number | null; size: number | null; interval: [number, number] | null; outcome: string; words: string }[];
  rows: { name: string; unit: string; sides: [Row | null, Row | null] }[];
  seeds: string;
}

export interface ComparedRuns extends Compared {
  kind: "runs";
  /** Name, first, second, change. */
  numbers: [string, string, string, string][];
  same: string[];
  channels: string[];
  events: [number, string, string][];
  robot: unknown;
  lanes: { rows: string; width: number; events: { time: number; kind: string; text: string; block?: string; keyframe?: number }[] }[];
  no_lanes: string;
}

/** A number as people read it. */
export const told = (value: number | null | undefined): string => (value === null || value === undefined ? "not known" : `${Number(value.toPrecision(4))}`);

/** A figure with its unit; a share as so many of so many. */
export function figure(row: Row): string {
  if (row.unit === "share" && row.interval) return `${Math.round(row.value * row.n)} of ${row.n}`;
  return `${told(row.value)} ${row.unit}`.trim();
}

export const interval = (row: Row): string => (row.interval ? `${told(row.interval[0])} to ${told(row.interval[1])}` : "");
