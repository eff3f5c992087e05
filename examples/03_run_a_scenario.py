"""Run the shipped scenario in physics and read its verdict and log."""

from pathlib import Path
from tempfile import TemporaryDirectory

from andante.runs.execute import run_scenario
from andante.runs.logs.log import Log
from andante.runs.scenario_files import Overrides, load_scenario, overridden

scenario = overridden(load_scenario("sit-and-stand"), Overrides(seed=3, video=False, report=False))
with TemporaryDirectory() as folder:
    result = run_scenario(scenario, Path(folder))
    print(result.verdict, "|", "; ".join(result.reasons))
    sensors = Log.open(Path(folder) / "log.mcap").rows("sensors")
    knee = sensors.rows[:, sensors.layout.columns.index("position.LKneePitch")]
    print(f"left knee bent to {knee.max():.2f} rad in simulation")
