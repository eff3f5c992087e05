// What stands at a moment of the time axis: findings, what happened in the run, where seeds fail; and which keyframe played when.
import type { Run, Store } from "./store";

export interface Mark {
  time: number;
  kind: "finding" | "event" | "trial";
  bad: boolean;
  text: string;
  joint?: string | null;
}

export interface Played {
  block: string;
  keyframe: number;
  begin: number;
  end: number;
}

/** Events that are lanes of their own, or say nothing to look at. */
const UNMARKED = new Set(["keyframe", "guard_summary"]);
const BAD = new Set(["fall", "break_up", "branch_loop", "follow_up_loop", "wait", "help", "motor", "error", "fault", "stop", "sensor"]);

export function marksOf(store: Store): Mark[] {
  const marks: Mark[] = [];
  const { run } = store;
  if (store.source === "run" && run) {
    for (const { time, kind, text } of run.events) {
      if (!UNMARKED.has(kind)) marks.push({ time, kind: "event", bad: BAD.has(kind), text: `${time.toFixed(2)} s: ${text}` });
    }
  }
  const fell = store.source === "run" ? run?.metrics.fall_time : null;
  if (typeof fell === "number" && !marks.some(({ text }) => text.includes("fall"))) {
    marks.push({ time: fell, kind: "event", bad: true, text: `${fell.toFixed(2)} s: fell` });
  }
  for (const finding of store.checks.findings ?? []) {
    if (finding.time == null || finding.motion !== store.motion || finding.severity === "info") continue;
    const time = store.source === "motion" ? store.timeOf(finding.time) : finding.time;
    marks.push({ time, kind: "finding", bad: finding.severity === "error", text: `${finding.time.toFixed(2)} s: ${finding.message}`, joint: finding.joint });
  }
  if (store.source === "motion") {
    for (const trial of store.evidence?.trials ?? []) {
      if (trial.at != null) marks.push({ time: trial.at, kind: "trial", bad: true, text: `seed ${trial.seed}, ${trial.at.toFixed(2)} s: ${trial.reason}` });
    }
  }
  return marks.sort((a, b) => a.time - b.time);
}

/** Which keyframe played when in a run. */
export function playedOf(run: Run): Played[] {
  const begun = run.events.filter((event) => event.kind === "keyframe" && event.block !== undefined);
  const end = Math.max(run.traces.end, run.poses.at(-1)?.time ?? 0);
  return begun.map((event, index) => ({ block: event.block!, keyframe: event.keyframe!, begin: event.time, end: begun[index + 1]?.time ?? end }));
}
