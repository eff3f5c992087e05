"""The design rules for motions of a small legged robot, after the three criteria of the Eagle Knights' design page."""

from andante.motions.checks.aibo.rules import AiboRules
from andante.motions.checks.aibo.run import AIBO_CHECKS, check_aibo

__all__ = ["AIBO_CHECKS", "AiboRules", "check_aibo"]
