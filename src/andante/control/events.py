"""EventKind: everything that a controller, a guard, a world or a run may tell of, in one list."""

from __future__ import annotations

from enum import StrEnum


class EventKind(StrEnum):
    """What an event tells of. Who tells is named in front; listeners compare with these, never with texts."""

    NOTE = "note"
    """A controller of one's own: whatever it wants to tell."""

    GUARD = "guard"
    """Guard: the first intervention of a kind on a joint."""
    GUARD_SUMMARY = "guard_summary"
    """Guard: at the end, how often it intervened."""

    SENSOR = "sensor"
    """Sensor check: a reading cannot be true; ``data`` says of what, and what is wrong."""
    SENSOR_OVER = "sensor_over"
    """Sensor check: it can be believed again."""
    STOP = "stop"
    """Run: the controller is no longer asked, the robot is stopped; the text says why."""

    MOTION = "motion"
    """Keyframe engine: a motion begins."""
    KEYFRAME = "keyframe"
    """Keyframe engine and kick: a keyframe begins; ``data`` names block and number."""
    BRANCH = "branch"
    """Keyframe engine: a branch is taken."""
    BRANCH_LOOP = "branch_loop"
    """Keyframe engine: branches lead in a circle and are left."""
    FOLLOW_UP_LOOP = "follow_up_loop"
    """Keyframe engine: follow-ups lead in a circle and are left."""
    STATE = "state"
    """Keyframe engine: it goes from one state to another."""
    PAUSE = "pause"
    """Keyframe engine: a keyframe stands still for a joint that lags."""
    WAIT = "wait"
    """Keyframe engine: a wait is given up."""
    BREAK_UP = "break_up"
    """Keyframe engine: a motion is broken up."""
    FALL = "fall"
    """Keyframe engine: the robot falls, and the fall is met."""
    LIBRARY = "library"
    """Keyframe engine: what is legal in the library and probably not meant."""
    HAND_OVER = "hand_over"
    """Keyframe engine: a get-up is on its feet and only balances; a walk may take over."""
    HEAD_TOUCH = "head_touch"
    """Keyframe engine: the head buttons are pressed."""
    MOTOR = "motor"
    """Keyframe engine: a leg motor is broken."""
    HELP = "help"
    """Any controller: it gives up and needs help, or needs it no more."""

    COMMAND = "command"
    """OPEN-R player: a command is answered."""
    PLAYBACK = "playback"
    """OPEN-R player: a playback begins."""
    PLAYBACK_END = "playback_end"
    """OPEN-R player: the last frame of a playback is sent."""
    RESYNC = "resync"
    """OPEN-R player: a motion starts from the measured posture."""
    STRETCHED = "stretched"
    """OPEN-R player: a keyframe takes longer than written."""

    WALK = "walk"
    """Planned crawl: sets out along a plan."""
    REPLANNED = "replanned"
    """Planned crawl: goes on with a new plan."""
    NOT_REPLANNED = "not_replanned"
    """Planned crawl: keeps its plan, as there is no new one."""
    MAP = "map"
    """Planned crawl: a foot finds the ground where the map has none; ``data`` says where and how far off."""
    BREAK_OFF = "break_off"
    """Planned crawl: puts all feet down and stops."""
    ARRIVED = "arrived"
    """Planned crawl: has walked its plan."""
    REACH = "reach"
    """Planned crawl: a foot's place is out of reach."""
    FOOTHOLD = "foothold"
    """Planned crawl: a foot lifts off; ``data`` says where it shall come down."""
    SLIP = "slip"
    """Planned crawl: a standing foot slips."""
    STUMBLE = "stumble"
    """Crawls: a swinging foot hits something."""
    NO_GROUND = "no_ground"
    """Crawls: a foot finds no ground where it should."""
    SWITCH = "switch"
    """Crawls: a foot switch never opens or never closes."""

    LIFT_OFF = "lift_off"
    """Reactive crawl: a foot lifts off."""
    TOUCH_DOWN = "touch_down"
    """Reactive crawl: a foot is down."""
    SHIFT_LATE = "shift_late"
    """Reactive crawl: the body does not come over the next feet in time."""

    TROT = "trot"
    """Trot: it begins."""
    STAND = "stand"
    """Trot: it stands."""
    GAIT = "gait"
    """Gait choice: changes from one gait to another."""
    POLICY = "policy"
    """Learned policy: it walks."""
    NO_NUMBERS = "no_numbers"
    """Learned policy: its network gives no numbers, or gives them again."""
    PART = "part"
    """Sequence: another controller takes over; ``data`` names both and why."""

    DRIVE = "drive"
    """Quadruped: stands up, is ready, lies down, is only braked; ``data`` names the mode."""
    PARTIAL_PLAN = "partial_plan"
    """Quadruped: the global plan ends before the goal."""
    UNSOLVED = "unsolved"
    """Quadruped: no forces were found for the plan, the fallback's are used."""
    UNSAFE_FOOTHOLD = "unsafe_foothold"
    """Quadruped: no place to stand near where a foot must come down."""
    ESTIMATE = "estimate"
    """Quadruped: what the estimator no longer trusts, or trusts again."""
    RESTLESS = "restless"
    """Quadruped: steps though nothing is asked, or stands though something is, and why."""
    LATE = "late"
    """Quadruped: commands show in the readings later than usual, or as usual again; ``data`` has the lag [s]."""

    LINK = "link"
    """Robot: what a reader should know of the way to it, or that it is lost."""
    ARM = "arm"
    """Robot: a step of the safety sequence begins; ``data`` names it."""

    FAULT = "fault"
    """World: a fault begins."""
    FAULT_OVER = "fault_over"
    """World: a fault is over."""
    PUSH = "push"
    """Run: somebody begins to push the robot; ``data`` names the body."""
    PUSH_OVER = "push_over"
    """Run: the robot is let go of; ``data``: how long it was pushed [s] and the largest force [N]."""

    PARAMETER = "parameter"
    """Run: a setting of the controller was changed from outside; ``data`` names it and its value."""
    STEER = "steer"
    """Run: what is asked of a walking robot was changed from outside; ``data``: speeds, gait or ``over``."""
    ERROR = "error"
    """Run: it was broken off by an error."""
    END = "end"
    """Run: it ended, and why."""

    @classmethod
    def _missing_(cls, value: object) -> EventKind | None:
        """Kinds as logs of version 0.1 spell them."""
        name = str(value).replace("-", "_")
        found = cls.SWITCH if name == "switch_stuck" else cls._value2member_map_.get(name)
        return found if isinstance(found, EventKind) else None


TROUBLES = (
    *(EventKind.HELP, EventKind.BREAK_OFF, EventKind.REACH, EventKind.SLIP, EventKind.STUMBLE),
    *(EventKind.NO_GROUND, EventKind.MAP, EventKind.SWITCH, EventKind.SHIFT_LATE),
    *(EventKind.PARTIAL_PLAN, EventKind.UNSOLVED, EventKind.UNSAFE_FOOTHOLD, EventKind.NO_NUMBERS),
    EventKind.RESTLESS,
)
"""What goes wrong on the way."""
TOLD = (
    EventKind.FAULT,
    EventKind.FAULT_OVER,
    EventKind.PUSH,
    EventKind.PUSH_OVER,
    EventKind.SENSOR,
    EventKind.SENSOR_OVER,
    EventKind.STOP,
    EventKind.LINK,
    EventKind.ARM,
    EventKind.MOTION,
    EventKind.BREAK_UP,
    EventKind.FALL,
    EventKind.HEAD_TOUCH,
    EventKind.PART,
    *(EventKind.WALK, EventKind.ARRIVED, EventKind.GAIT, EventKind.STEER, *TROUBLES),
)
"""What the story of a run tells; the rest is in the log."""
