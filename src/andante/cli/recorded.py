"""`andante compare` and `andante replay`: what was recorded, beside another run and against its own controller."""

from __future__ import annotations

from pathlib import Path

from andante.cli.output import answer


def compare(first: Path, second: Path, out: Path | None = None, same: bool = False) -> None:
    """Compare two runs: metrics side by side, events, and the first row that differs in each channel.

    Args:
        first: Folder or log of a run.
        second: Folder or log of another run.
        out: Write a page (HTML) with the plots and replays of both runs here.
        same: Fail where anything recorded differs.
    """
    from andante.runs.reports.compare import compare as compared
    from andante.runs.reports.compare import lines_of, write_comparison

    found = compared(first, second)
    if out is not None:
        write_comparison(found, out)
    page = [] if out is None else [f"page: {out}"]
    data = found.data() | {"page": None if out is None else str(out)}
    answer(data, [*lines_of(found), *page], found.equal or not same)


def replay(log: Path) -> None:
    """Feed a log's sensors to a fresh controller and compare its commands with the recorded ones.

    A black box begins in the midst of a run, where no fresh controller can, and `andante hardware arm` has no
    controller: such a log is opened, and what happened is told.

    Args:
        log: A log, or the folder of a run.
    """
    from andante.runs.errors import LogError
    from andante.runs.logs.log import Log
    from andante.runs.logs.record import RunRecord
    from andante.runs.logs.replay import NO_TICKS, replay_log

    path = RunRecord.file_of(log)
    opened = Log.open(path) if path.is_file() else None
    told = {} if opened is None else opened.metadata
    if opened is not None and ("blackbox" in told or ("backend" in told and "scenario" not in told)):
        rows = opened.channels.get("sensors")
        if rows is None or not len(rows.rows):
            raise LogError("the log holds no ticks", place=str(path), remedy=opened.problem or NO_TICKS)
        span = f"{rows.times[0]:.2f} to {rows.times[-1]:.2f} s, {len(rows.rows)} ticks"
        events = [f"  {event.time:8.3f} s {event.text}" for event in opened.events]
        data = {"ticks": len(rows.rows), "events": [event.text for event in opened.events]}
        if "blackbox" in told:
            about = told["blackbox"]
            reason = about.get("reason", "it does not say why")
            answer({"black_box": about} | data, [f"{log}: black box, {span}: {reason}", *events])
        else:
            run = told.get("run", {})
            what, robot, kind = (run.get(name, "unknown") for name in ("scenario", "robot", "kind"))
            lines = [f"{log}: {what} of {robot}, by {kind}, {span}", *events]
            answer({"run": run} | data, lines)
        return

    result = replay_log(log, opened)
    verdict = "pass" if result.identical else "fail"
    mismatches, problem = [str(mismatch) for mismatch in result.mismatches], result.problem
    data = {"verdict": verdict, "ticks": result.ticks, "mismatches": result.mismatch_count}
    lines = [f"{log}: {result.ticks} ticks, {result.mismatch_count} commands differ: {verdict.upper()}"]
    lines += [f"  {mismatch}" for mismatch in mismatches]
    lines += [f"  the log is not complete: {problem}"] if problem else []
    lines += [f"  {result.changed}"] if result.changed else []
    data |= {"first": mismatches, "problem": problem, "changed": result.changed}
    answer(data, lines, result.identical)
