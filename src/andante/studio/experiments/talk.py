"""The conversation with one page of experiments, and what all such pages of a studio share."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from fastapi import WebSocket

from andante.robots.register import ROBOTS
from andante.search.errors import SearchError
from andante.studio.connected_page import Jobs, Page
from andante.studio.experiments import experiment_messages as asked
from andante.studio.experiments.comparing import compare_two
from andante.studio.experiments.desk import ExperimentDesk
from andante.studio.experiments.kept import (
    experiment_files,
    fresh_folder,
    look_at_result,
    order_of,
    result_path,
    shelf,
)
from andante.studio.experiments.order import ExperimentOrder, checked, look_at
from andante.studio.experiments.process import ExperimentJob
from andante.studio.processes import Helper
from andante.studio.robot_files import robot_files, robot_path
from andante.studio.talk import Talk
from andante.studio.view import finite
from andante.studio.workspace import Workspace

_FILES = ("library", "scenario", "board", "first", "second")
"""Options that may name a file."""


class Experiments:
    """What the pages of experiments of a studio share.

    Args:
        workspace: The folder in which experiments are run and kept.
        helper: Reads what takes long.
        robot: The robot that the studio was started with.
    """

    def __init__(self, workspace: Workspace, helper: Helper, robot: str = "") -> None:
        self.workspace, self.helper, self.robot = workspace, helper, robot
        self.pages: list[Page] = []
        self.desk = ExperimentDesk(workspace, self.tell)

    def tell(self, data: dict[str, Any]) -> None:
        """Tell all pages something."""
        for page in self.pages:
            page.send(finite(data))

    def order(self, message: Any) -> ExperimentOrder:
        """What a page asks for, with robots and files that it may use.

        Raises:
            AndanteError: It names something outside the workspace, or what is not there.
        """
        options = message.options.items()
        given: dict[str, Any] = {name: self._allowed(name, text) for name, text in options if text}
        for pair in message.values:
            path, _, value = pair.partition("=")
            self._allowed(path.strip().rpartition(".")[2], value.strip())
        more = {"seeds": message.seeds, "first_seed": message.first_seed, "values": list(message.values)}
        given |= {name: value for name, value in more.items() if value not in (None, [])}
        return ExperimentOrder(self.known(message.experiment), given, getattr(message, "page", False))

    def known(self, experiment: str) -> str:
        """The name of an experiment, where it is a file one of the workspace.

        Raises:
            AndanteError: It lies outside the workspace, or is not there.
        """
        if Path(experiment).suffix in (".yaml", ".yml"):
            path = self.workspace.path(experiment)
            if not path.is_file():
                legal = experiment_files(self.workspace)
                raise SearchError("there is no such experiment, or no more", value=experiment, legal=legal)
            return self.workspace.name(path)
        return experiment

    def _allowed(self, name: str, text: str) -> str:
        if name == "robot" and text not in ROBOTS:
            return robot_path(self.workspace, text, self.robot)
        if name in _FILES:
            for part in map(str.strip, text.split(",")):
                if "/" in part or Path(part).is_absolute() or (self.workspace.folder / part).exists():
                    self.workspace.path(part)
        return text


class ExperimentTalk(Talk):
    """The conversation with one page.

    Args:
        number: Number of the page.
        shared: What it shares with others.
        socket: The accepted socket.
    """

    messages = asked.EXPERIMENTS

    def __init__(self, number: int, shared: Experiments, socket: WebSocket) -> None:
        super().__init__(number, socket)
        self._shared, self._jobs = shared, Jobs()
        shared.pages.append(self._page)
        self._page.send({"type": "hello", "page": number, "workspace": shared.workspace.folder.name})
        self._page.send(finite(shared.desk.state()))

    async def _left(self) -> None:
        self._shared.pages.remove(self._page)
        self._jobs.end()

    async def _obey(self, message: Any) -> None:
        # What takes long must not keep a click on Cancel waiting.
        self._jobs.begin(super()._obey(message))

    async def _do(self, message: Any) -> dict[str, Any]:
        shared, workspace = self._shared, self._shared.workspace
        if isinstance(message, asked.ListExperiments):
            robots = await asyncio.to_thread(robot_files, workspace, shared.robot)
            found = await asyncio.to_thread(shelf, workspace)
            return {**found, "robots": [vars(each) for each in robots.robots]}
        if isinstance(message, asked.LookAtExperiment):
            return await shared.helper.ask(look_at, shared.known(message.experiment), workspace.folder)
        if isinstance(message, asked.CheckExperiment | asked.BeginExperiment):
            order = await asyncio.to_thread(shared.order, message)
            found = await shared.helper.ask(checked, order, workspace.folder)
            if isinstance(message, asked.CheckExperiment):
                return found
            folder = fresh_folder(workspace, Path(order.experiment).stem)
            shared.desk.begin(ExperimentJob(order, workspace.folder, folder), message.minutes)
            return {"result": folder, "trials": found["trials"]}
        if isinstance(message, asked.ResumeExperiment):
            order = order_of(workspace, message.result)
            shared.known(order.experiment)
            folder = workspace.name(result_path(workspace, message.result))
            shared.desk.begin(ExperimentJob(order, workspace.folder, folder, resume=True), message.minutes)
            return {"result": folder}
        if isinstance(message, asked.CancelExperiment):
            await shared.desk.cancel()
            return {}
        if isinstance(message, asked.LookAtResult):
            return await asyncio.to_thread(look_at_result, workspace, message.result)
        return await shared.helper.ask(compare_two, workspace.folder, message.first, message.second)
