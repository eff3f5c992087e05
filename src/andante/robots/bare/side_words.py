"""Words for front, hind, left and right in names of bodies and joints, in the languages that robots are named in."""

from __future__ import annotations

import re

_WORDS = {
    "front": ("vorn", "vorne", "vordere", "delantera", "delantero", "avant", "anteriore", "dianteira", "dianteiro"),
    "hind": (*("hinten", "hintere", "trasera", "trasero", "arriere", "arrière", "posteriore", "traseira", "traseiro"),),
    "left": (
        *("links", "linke", "linker", "linkes", "izquierda", "izquierdo", "izq", "gauche"),
        *("sinistra", "sinistro", "esquerda", "esquerdo"),
    ),
    "right": (
        *("rechts", "rechte", "rechter", "rechtes", "derecha", "derecho", "droite", "droit"),
        *("destra", "destro", "direita", "direito"),
    ),
}
_SIGNS = str.maketrans({"前": "_front_", "后": "_hind_", "後": "_hind_", "左": "_left_", "右": "_right_"})
"""Those that need no space around them."""
_ENGLISH = {word: english for english, words in _WORDS.items() for word in words}
_WORD = re.compile(rf"(?<![^\W\d_])(?:{'|'.join(sorted(_ENGLISH, key=len, reverse=True))})(?![^\W\d_])")


def in_english(name: str) -> str:
    """A name in small letters, its words apart, with those for sides in English."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    english = _WORD.sub(lambda found: _ENGLISH[found[0]], words).translate(_SIGNS)
    return re.sub(r"_{2,}", "_", english)
