"""Film strips: one trial as a row of pictures over time, which shows more than any number."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np

from andante.backends.backend import Backend
from andante.backends.mujoco_world import MujocoWorld
from andante.robots.records import Vector
from andante.runs.build import load_declared, picture_model
from andante.runs.loop.tick import Observer
from andante.runs.reports.video import rendered
from andante.search.errors import SearchError
from andante.search.evaluation.loop import Candidate, EvaluationLoop
from andante.search.experiment.trial import TrialSetup

FRAMES = 12
"""Pictures of a strip."""
_SIZE = (176, 176)
_EVERY = 0.02
"""States are kept so often [s]."""


class _States(Observer):
    """Keeps the states of a trial."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, Vector]] = []
        """Time [s] and state, (nq,)."""

    def over(self, backend: Backend) -> bool:
        """Keep the state, now and then."""
        if isinstance(backend, MujocoWorld) and (not self.seen or backend.time - self.seen[-1][0] >= _EVERY - 1e-9):
            self.seen.append((backend.time, backend.data.qpos.copy()))
        return False


def film_strip(setup: TrialSetup, seed: int, candidate: Candidate | None = None) -> bytes:
    """Play one trial and draw it: `FRAMES` pictures beside each other, evenly spaced in time (PNG).

    Args:
        setup: What is tried.
        seed: Seed of the trial.
        candidate: What is tried in place of the setup's own values and motions.

    Raises:
        SearchError: Nothing moved in physics.
        GraphicsError: There is no library for drawing without a screen.
        AndanteError: The trial cannot be run.
    """
    watched, states = replace(setup, judged=False), _States()
    EvaluationLoop(watched).trial(candidate or Candidate(), seed, [states])
    if not states.seen:
        raise SearchError("nothing was seen in this trial", value=seed)
    from PIL import Image, ImageDraw

    scenario, _ = setup.scenario(seed)
    rows = np.unique(np.linspace(0, len(states.seen) - 1, FRAMES).round().astype(int))
    times, kept = zip(*(states.seen[row] for row in rows), strict=True)
    model = picture_model(load_declared(scenario), scenario.world, seed, drawn=True)
    width, height = _SIZE
    strip = Image.new("RGB", (width * len(rows), height))
    draw = ImageDraw.Draw(strip)
    pictures = rendered(np.array(kept), model, _SIZE, azimuth=90.0)
    for number, (time, picture) in enumerate(zip(times, pictures, strict=True)):
        strip.paste(Image.fromarray(picture), (number * width, 0))
        draw.text((number * width + 5, 4), f"{time:.2f} s", fill=(30, 30, 30))
    buffer = io.BytesIO()
    strip.save(buffer, format="PNG")
    return buffer.getvalue()
