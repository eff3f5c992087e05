"""Checks of a motion library against its robot."""

from andante.motions.checks.context import CheckSettings
from andante.motions.checks.run import CHECKS, check_library
from andante.motions.findings import Finding

__all__ = ["CHECKS", "CheckSettings", "Finding", "check_library"]
