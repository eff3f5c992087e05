"""`andante share`: a run as something to show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from andante.cli.output import answer


def share(
    run: Annotated[Path, typer.Argument()],
    page: Path | None = None,
    video: Path | None = None,
    plot: Annotated[list[str] | None, typer.Option()] = None,
) -> None:
    """Write a run as one page that opens without a server, or as a video or GIF with plots.

    Args:
        run: Folder of a run, as `andante run` and the studio make them, or its log or scenario.
        page: Write the page here; default where nothing else is asked: NAME.html beside the folder.
        video: Write a video (.mp4, .gif, .webp) with plots below it here.
        plot: A recorded variable to plot in the video, such as truth.com.z; several, each with its own --plot.
    """
    from andante.runs.idle_options import refuse_idle
    from andante.studio.sharing import share_page
    from andante.studio.sharing_video import share_video

    if video is None:
        refuse_idle({"--plot": plot or None}, "a page without --video")
    if page is None and video is None:
        page = run.parent / f"{run.name}.html" if run.is_dir() else run.with_suffix(".html")
    data, lines = {}, []
    if page is not None:
        told = share_page(run, page)
        data["page"] = {"file": str(page)} | told
        why = "" if told["physics"] else f", recorded only: {told['why']}"
        lines.append(f"page: {page}, {told['bytes'] / 1e6:.1f} MB{why}")
    if video is not None:
        share_video(run, video, tuple(plot or ()))
        data["video"] = {"file": str(video)}
        lines.append(f"video: {video}")
    answer(data, lines)
