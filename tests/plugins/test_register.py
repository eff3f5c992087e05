"""The register: shipped things, those of a program, those of installed packages, and packages that are broken."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from installed_packages import install

from andante.errors import AndanteError
from andante.plugins import register as plugged
from andante.plugins.answers import plain_data
from andante.plugins.errors import PluginError
from andante.plugins.register import Origin, Register

NUMBERS = count()
"""Modules of one name are imported once in a process."""


class UnknownNumberError(AndanteError):
    """A name is unknown."""


def number(thing: object) -> int:
    if not isinstance(thing, int):
        raise AndanteError("is no number", value=thing)
    return thing


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def made() -> Register[int]:
    return Register("numbers", "number", number, {"digits": "plugins.register:LEAST"}, UnknownNumberError)


@pytest.fixture
def register(monkeypatch):
    import andante.plugins.register as module

    monkeypatch.setattr(module, "LEAST", 0, raising=False)
    return made()


def test_names_are_known_without_an_import_and_things_come_by_name(register, site):
    install(
        site, "brings_seven", "import sys\nsys.brought = True\nSEVEN = 7\n", {"andante.numbers": {"seven": "SEVEN"}}
    )
    register.register("three", 3)
    assert register.names == ("digits", "three", "seven")
    import sys

    assert not hasattr(sys, "brought")
    assert [register[name] for name in register] == [0, 3, 7]
    assert register.origins() == [Origin("numbers", "three", "program"), Origin("numbers", "seven", "brings_seven 1.2")]
    del sys.brought


def test_an_unknown_name_is_told_with_the_nearest(register, site):
    with pytest.raises(UnknownNumberError, match="there is no such number; got 'digit'; did you mean 'digits'"):
        register["digit"]


def test_a_name_that_is_taken_is_refused(register, site):
    register.register("three", 3)
    register.register("three", 3)
    for name in ("digits", "three"):
        with pytest.raises(PluginError, match="two numbers cannot have one name"):
            register.register(name, 4)


@pytest.mark.parametrize(
    ("code", "value", "requires", "message"),
    [
        ("raise RuntimeError('no such planet')", "SIX", "andante", r"cannot be imported \(bad:SIX\): RuntimeError: no"),
        ("", "SIX", "andante", r"cannot be imported \(bad:SIX\): AttributeError"),
        ("class Skip(BaseException): pass\nraise Skip('no display')", "SIX", "andante", "Skip: no display"),
        ("import no_such_module_here", "SIX", "andante", "ModuleNotFoundError"),
        ("SIX = 'six'", "SIX", "andante", "its number 'six' cannot be used: is no number; got 'six'"),
        ("SIX = 6", "SIX", "andante>=7", "is for another version of Andante; got '0.*limit: >=7"),
    ],
)
def test_a_broken_plug_in_costs_only_itself(register, site, code, value, requires, message):
    bad = f"bad{next(NUMBERS)}"
    message = message.replace("bad:", f"{bad}:")
    install(site, bad, code, {"andante.numbers": {"six": value}}, requires)
    install(site, f"good_{bad}", "SEVEN = 7", {"andante.numbers": {"seven": "SEVEN"}})
    for _ in range(2):
        with pytest.raises(PluginError, match=message) as caught:
            register["six"]
        assert str(caught.value).startswith(f"plug-in {bad} 1.2: ")
    assert register["seven"] == 7
    assert dict(register.items()) == {"digits": 0, "seven": 7}
    _, six = register.origins()
    assert six.problem == str(caught.value)


def test_two_packages_with_one_name_are_told_and_the_first_is_used(register, site):
    install(site, "first", "SEVEN = 7", {"andante.numbers": {"seven": "SEVEN", "digits": "SEVEN"}})
    install(site, "second", "SEVEN = 77", {"andante.numbers": {"seven": "SEVEN"}})
    assert register["seven"] in (7, 77)
    assert register["digits"] == 0
    problems = [origin.problem for origin in register.origins() if origin.problem]
    assert any("its number has a name that andante has" in problem for problem in problems)
    assert any("its number has a name that" in problem and "'seven'" in problem for problem in problems)


def test_a_module_may_add_what_its_entry_point_names(site, monkeypatch):
    register = Register("numbers", "number", lambda thing: thing)
    monkeypatch.setattr(plugged, "numbers", register, raising=False)
    code = "from andante.plugins import register\nclass Seven: pass\nclass Eight: pass\n"
    name = f"adds{next(NUMBERS)}"
    install(site, name, code + "register.numbers.register('seven', Seven)\n", {"andante.numbers": {"seven": "Seven"}})
    assert register["seven"].__name__ == "Seven"
    assert [each.problem for each in register.origins()] == [""]
    other = f"adds{next(NUMBERS)}"
    install(site, other, code + "register.numbers.register('eight', Seven)\n", {"andante.numbers": {"eight": "Eight"}})
    register.reread()
    with pytest.raises(PluginError, match="two numbers cannot have one name; got 'eight'"):
        register["eight"]


@pytest.mark.parametrize("name", ["", "x" * 61, "--json", "a\u202eb"])
def test_names_that_nobody_can_type_are_refused(register, site, name):
    install(site, f"odd{next(NUMBERS)}", "SEVEN = 7", {"andante.numbers": {name: "SEVEN", "seven": "SEVEN"}})
    assert register.names == ("digits", "seven")
    problems = [origin.problem for origin in register.origins()]
    assert [("needs another name; got" in problem) for problem in problems] == [False, True]
    assert "limit: 1 to 60 characters" in problems[1]
    with pytest.raises(PluginError, match="the number needs another name"):
        register.register(name, 7)


RUDE = """
import ctypes, locale, os
import numpy as np
os.write(1, b"written past Python\\n")
ctypes.CDLL(None).printf(b"printed by C\\n")
np.seterr(all="raise")
os.chdir("/")
if os.fork() == 0:
    raise SystemExit
SEVEN = 7
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork, which Windows lacks")
def test_an_import_leaves_the_process_as_it_was(register, site, capfd, monkeypatch):
    monkeypatch.chdir(site)
    before = np.geterr()
    install(site, "rude", RUDE, {"andante.numbers": {"seven": "SEVEN"}})
    assert register["seven"] == 7
    os.wait()
    assert Path.cwd() == site
    assert np.geterr() == before
    told = capfd.readouterr()
    assert told.out == ""
    assert "written past Python" in told.err
    assert "printed by C" in told.err


def test_what_is_installed_later_is_found_after_looking_anew(register, site):
    assert "seven" not in register
    install(site, "brings_later", "SEVEN = 7", {"andante.numbers": {"seven": "SEVEN"}})
    register.reread()
    assert register["seven"] == 7


def test_two_names_that_are_one_text_are_refused():
    with pytest.raises(TypeError, match=r"its metric 'lap\.1' is there twice, as 1 and as '1'; name them apart"):
        plain_data({"lap": {1: 2.0, "1": 3.0}})
    assert plain_data({"lap": {1: 2.0, "2": 3.0}}) == {"lap": {"1": 2.0, "2": 3.0}}
