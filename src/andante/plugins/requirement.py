"""Which version of Andante an installed package asks for."""

from __future__ import annotations

from importlib.metadata import Distribution

from andante.version import __version__


def unmet_requirement(package: Distribution | None) -> tuple[str, str] | None:
    """This version, and what a package asks for in its place; None where it asks for nothing else.

    Args:
        package: The installed package; its metadata may require ``andante`` in some versions.
    """
    asked = (package.requires if package is not None else None) or ()
    if not asked:
        return None
    from packaging.requirements import InvalidRequirement, Requirement

    for text in asked:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        if requirement.name == "andante" and not requirement.specifier.contains(__version__, prereleases=True):
            return __version__, str(requirement.specifier)
    return None
