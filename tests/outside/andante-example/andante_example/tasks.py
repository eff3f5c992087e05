"""How high the boom is lifted."""

from typing import Literal

import matplotlib.figure

from andante.extend import Criterion, Moment, TaskKind


class LiftedTask(TaskKind):
    """Asks for an angle of the boom."""

    files = ("boom.png",)

    type: Literal["lifted"]
    """Kind of task."""
    least: float = 0.7
    """Smallest angle that is high enough [rad]."""

    def measure(self, run):
        rows = run.log.rows("sensors")
        angles = rows["position"][:, 0]
        return {"highest": float(angles.max()), "at": float(rows.times[int(angles.argmax())])}

    def criteria(self, run, metrics):
        highest = metrics.block(self.type)["highest"]
        text = f"the boom is lifted to {highest:.2f} rad (asked: {self.least:g} rad)"
        yield Criterion("lifted", highest >= self.least, text, self.least, highest, "rad")

    def moments(self, run, metrics):
        yield Moment(0.0, "the boom begins to rise")
        yield Moment(metrics.block(self.type)["at"], "the boom is at its highest")

    def pictures(self, run, folder, metrics):
        rows = run.log.rows("sensors")
        figure = matplotlib.figure.Figure(figsize=(4.0, 3.0))
        figure.subplots().plot(rows.times, rows["position"][:, 0])
        figure.savefig(folder / "boom.png")
        return {"Angle of the boom": folder / "boom.png"}
