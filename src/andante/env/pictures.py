"""EpisodePictures: an environment's episodes drawn without a screen, as `Env.render` gives them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.backends.world import WorldConfig
from andante.env.arguments import is_whole, several
from andante.env.errors import EnvError
from andante.runs.session import Session


class EpisodePictures:
    """Draws the worlds of episodes; a drawing model is made when the first picture of a world is asked for.

    Args:
        size: Width and height [px].

    Raises:
        EnvError: It is no size of a picture.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        ends = several("size", size)
        if len(ends) != 2 or not all(is_whole(each, 16, 4096) for each in ends):
            raise EnvError("a picture has a width and a height", place="size", value=size, limit="16 to 4096 px each")
        self._size = int(size[0]), int(size[1])
        self._drawn: tuple[Session, int] | None = None
        self._held = ExitStack()
        self._picture: Callable[[NDArray[np.float64]], NDArray[np.uint8]] | None = None

    def of(self, session: Session, config: WorldConfig, seed: int) -> NDArray[np.uint8]:
        """A picture of an episode as it is now, (height, width, 3).

        Args:
            session: Its session.
            config: Its world.
            seed: Decides its floor and shapes.

        Raises:
            GraphicsError: There is no library for drawing without a screen.
        """
        world: Any = session.backend
        state = np.array(world.data.qpos)
        if self._picture is None or self._drawn != (session, seed):
            from andante.runs.build import picture_model
            from andante.runs.reports.video import following_camera

            self.close()
            model = picture_model(world.robot, config, seed, drawn=True)
            self._picture = self._held.enter_context(following_camera(model, self._size, state[None]))
            self._drawn = session, seed
        return self._picture(state)

    def close(self) -> None:
        """Let go of the renderer."""
        self._held.close()
        self._picture = self._drawn = None
