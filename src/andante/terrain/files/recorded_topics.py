"""What a recording of ROS has of the topics that may be a map: the newest message of each."""

from __future__ import annotations

from dataclasses import dataclass, field

from andante.documents.recordings.messages import TopicMessage
from andante.terrain.height_map import TerrainError

GRID_MAP, CLOUD = ("grid_map_msgs", "GridMap"), ("sensor_msgs", "PointCloud2")
"""Package and name of the types that are read."""


@dataclass
class RecordedTopics:
    """The newest messages by topic, and what else there is."""

    newest: dict[str, TopicMessage] = field(default_factory=dict)
    """By topic: the message with the latest time; of those alike, the last one."""
    counts: dict[str, int] = field(default_factory=dict)
    """How many messages a topic has."""
    others: set[str] = field(default_factory=set)
    """All topics with their types."""
    problem: str = ""
    """Why the recording could not be read to its end; empty: it could."""

    def take(self, message: TopicMessage, count: int = 1) -> None:
        """Count a message, or the last of several, and keep it where it is the newest."""
        self.counts[message.topic] = self.counts.get(message.topic, 0) + count
        before = self.newest.get(message.topic)
        if before is None or message.moment >= before.moment:
            self.newest[message.topic] = message

    def chosen(self, topic: str | None, what: str, place: str) -> tuple[TopicMessage, tuple[str, ...]]:
        """The message that is the map, and what a user should know of the choice.

        Args:
            topic: The topic; None: the only one of grid maps, or, where there are none, of clouds.
            what: What kind of recording it is, for messages.
            place: The file.

        Raises:
            TerrainError: No such message, or several topics and none chosen.
        """
        if not self.newest:
            if self.problem:
                raise TerrainError(f"{what} is damaged", place=place, value=self.problem)
            raise TerrainError(
                "the file has no cloud (sensor_msgs/msg/PointCloud2) and no message of the type "
                "grid_map_msgs/msg/GridMap",
                place=place,
                limit="; ".join(sorted(self.others)[:10])[:600],
            )
        if topic is not None and topic not in self.newest:
            raise TerrainError("the topic has no such messages", place=place, value=topic, legal=sorted(self.newest))
        maps = [name for name, message in self.newest.items() if message.kind == GRID_MAP] or list(self.newest)
        if topic is None and len(maps) > 1:
            raise TerrainError(
                "several topics have such messages", place=place, value=len(maps), legal=sorted(self.newest),
                remedy="say topic=NAME",
            )  # fmt: skip
        found = self.newest[topic if topic is not None else maps[0]]
        notes = []
        if self.counts[found.topic] > 1:
            notes.append(f"the newest of {self.counts[found.topic]} messages of {found.topic}")
        if self.problem:
            notes.append(f"{what} is not whole: {self.problem}")
        return found, tuple(notes)
