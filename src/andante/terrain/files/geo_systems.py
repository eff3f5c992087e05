"""Units of coordinate systems that a file names by their codes in the EPSG register, or by their names there.

Programs that write few keys name a system and leave its unit to whoever has the register (epsg.org). What is here of it
are the systems in feet that surveys of the United States come in.
"""

from __future__ import annotations

FOOT, SURVEY_FOOT = 9002, 9003
METRES = {9001: 1.0, FOOT: 0.3048, SURVEY_FOOT: 1200.0 / 3937.0}
"""Length of the units of lengths that occur, by their codes in the EPSG register [m]: metre, foot, US survey foot."""
_VERTICAL = {
    **dict.fromkeys((6130, 6131, 6132, 8050, 8228), FOOT),
    **dict.fromkeys((5702, 6360, 8052, 10919), SURVEY_FOOT),
}
"""Systems of heights that are not in metres, and the codes of their units."""
_DEPTHS = (5715, 6357, 6358, 6359, 8051, 8053)
"""Systems whose numbers grow downwards."""
_INTERNATIONAL = (
    *(2222, 2223, 2224, 2251, 2252, 2253, 2256, 2265, 2266, 2269, 2270, 2273, 2280, 2281, 2282),
    *(2867, 2868, 2869, 2896, 2897, 2898, 2901, 2909, 2910, 2913, 2914, 2921, 2922, 2923),
)
"""Of the state planes in feet those in international ones."""
_STATE_PLANES = (range(2222, 2290), range(2867, 2931))
"""State planes of NAD83 and NAD83(HARN) in feet, most of them in US survey feet."""


def unit_of_heights(code: int) -> int | None:
    """Code of the unit of a system of heights; None: metres, or a system that is not known."""
    return _VERTICAL.get(code)


def counts_down(code: int) -> bool:
    """Whether a system's numbers are depths."""
    return code in _DEPTHS


def unit_of_places(code: int) -> int | None:
    """Code of the unit of x and y in a projected system; None: metres, or a system that is not known."""
    if not any(code in each for each in _STATE_PLANES):
        return None
    return FOOT if code in _INTERNATIONAL else SURVEY_FOOT


def unit_in_name(name: str) -> int | None:
    """Code of the unit in a system's name, as the EPSG register writes it; None: there is none in it."""
    return SURVEY_FOOT if "(ftUS)" in name else FOOT if "(ft)" in name else None
