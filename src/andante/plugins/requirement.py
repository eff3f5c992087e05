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
    from packaging.utils import canonicalize_name

    for text in asked:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        if canonicalize_name(requirement.name) != "andante":
            continue
        # What another Python, another system or an extra of the package asks for is nothing asked here.
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        if not requirement.specifier.contains(__version__, prereleases=True):
            return __version__, str(requirement.specifier)
    return None
