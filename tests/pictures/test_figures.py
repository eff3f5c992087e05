"""Figures: the same bytes every time, whatever the user's settings are, and nothing said where caches fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from andante.documents.problems import DocumentError
from andante.pictures import style
from andante.pictures.figures import (
    _METADATA,
    BarRow,
    PictureError,
    check_kind,
    draw_bars,
    new_figure,
    picture_bytes,
    save,
)
from andante.pictures.ground import draw_ground

DRAWS = """
import sys
from pathlib import Path
from andante.pictures.figures import new_figure, save
from andante.pictures.style import drawn

@drawn
def figure():
    made = new_figure(3.0, 2.0, "a title")
    made.subplots().plot([0, 1], [1, 0], label="x")
    made.axes[0].legend()
    return made

save(figure(), Path(sys.argv[1]))
print("matplotlib.pyplot" in sys.modules)
"""


def wave():
    @style.drawn
    def draw():
        figure = new_figure(4.0, 3.0, "wave")
        axes = figure.subplots()
        axes.plot(np.linspace(0.0, 1.0, 50), np.sin(np.arange(50.0)), label="sine")
        axes.fill_between([0.0, 1.0], [0.2, 0.3], hatch="/")
        axes.legend()
        return figure

    return draw()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [".png", ".svg"])
def test_a_figure_is_laid_out_as_matplotlib_does_it(kind: str, tmp_path: Path) -> None:
    @style.drawn
    def crowded():
        figure = new_figure(5.0, 4.0, "a title of many words " * 5)
        for axes in figure.subplots(2, 2).flat:
            axes.imshow(np.arange(6.0).reshape(2, 3))
            axes.set(xlabel="across", ylabel="a long label of an axis")
        return figure

    style.drawn(crowded().savefig)(tmp_path / f"its{kind}", metadata=_METADATA[kind])
    figure = crowded()
    layout = figure.get_layout_engine()
    assert picture_bytes(figure, kind) == (tmp_path / f"its{kind}").read_bytes()
    assert figure.get_layout_engine() is layout


@pytest.mark.parametrize("kind", [".png", ".svg"])
def test_the_same_drawing_has_the_same_bytes_without_time_or_version(kind: str, tmp_path: Path) -> None:
    first, second = picture_bytes(wave(), kind), picture_bytes(wave(), kind)
    assert first == second
    assert b"atplotlib v" not in first
    assert b"Software" not in first
    assert b"<dc:date>" not in first
    save(wave(), tmp_path / f"wave{kind}")
    assert (tmp_path / f"wave{kind}").read_bytes() == first


def test_an_svg_is_xml() -> None:
    assert ElementTree.fromstring(picture_bytes(wave(), ".svg")).tag.endswith("svg")


@pytest.mark.slow
def test_settings_of_the_user_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 9\nfont.size: 30\nfigure.dpi: 40\nbackend: TkAgg\n")
    made = []
    for name, settings in (("plain", {}), ("own", {"MATPLOTLIBRC": str(tmp_path / "matplotlibrc")})):
        file = tmp_path / f"{name}.png"
        done = subprocess.run(
            [sys.executable, "-c", DRAWS, file], env=os.environ | settings, capture_output=True, text=True, check=True
        )
        assert (done.stdout, done.stderr) == ("False\n", "")
        made.append(file.read_bytes())
    assert made[0] == made[1]


@pytest.mark.slow
def test_nothing_is_said_where_the_home_folder_cannot_be_written(tmp_path: Path) -> None:
    nowhere = tmp_path / "file"
    nowhere.write_text("")
    settings = {"HOME": str(nowhere), "XDG_CACHE_HOME": str(nowhere), "XDG_CONFIG_HOME": str(nowhere)}
    inherited = {key: value for key, value in os.environ.items() if key != "MPLCONFIGDIR"}
    file = tmp_path / "a.svg"
    done = subprocess.run(
        [sys.executable, "-c", DRAWS, file], env=inherited | settings, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert file.read_bytes().startswith(b"<?xml")


@pytest.mark.slow
def test_the_command_line_loads_no_matplotlib_until_something_is_drawn() -> None:
    code = (
        "import sys, andante.cli.app, andante.runs.execute, andante.terrain.drawing; print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_drawing_leaves_the_settings_of_matplotlib_as_they_were() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    picture_bytes(wave())
    assert dict(matplotlib.rcParams) == before


def test_other_endings_and_folders_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PictureError) as caught:
        save(wave(), tmp_path / "a.gif")
    assert str(caught.value).endswith("a.gif: there is no such kind of picture; got '.gif'; legal: .png, .svg")
    with pytest.raises(DocumentError, match="cannot be written"):
        save(wave(), tmp_path / "none" / "a.png")
    check_kind(None)
    check_kind(Path("A.PNG"))


def test_a_long_title_is_broken_into_lines_that_fit() -> None:
    figure = new_figure(4.0, 3.0, "many words " * 20)
    lines = figure.get_suptitle().splitlines()
    assert len(lines) > 3
    figure.draw_without_rendering()
    box = figure._suptitle.get_window_extent()
    assert box.x1 <= figure.bbox.x1


def test_figures_have_the_colours_of_the_style() -> None:
    import matplotlib

    with style.styled():
        named = {name: matplotlib.rcParams[name] for name in ("text.color", "grid.color", "xtick.color")}
    assert named == {"text.color": style.INK, "grid.color": style.GRID, "xtick.color": style.SOFT}


def test_feet_have_four_colours_that_repeat() -> None:
    assert len(set(style.FOOT_COLOURS)) == 4
    assert [style.foot_colour(row) for row in range(6)] == [*style.FOOT_COLOURS, *style.FOOT_COLOURS[:2]]
    assert len({*style.SERIES, *style.FOOT_COLOURS}) == len(style.SERIES) + 4


def test_bars_are_where_their_spans_are() -> None:
    figure = new_figure(4.0, 2.0)
    axes = figure.subplots()
    draw_bars(axes, [BarRow("FL", "#123456", [(0.5, 1.0), (2.0, 2.25)]), BarRow("FR", "#654321", [])])
    boxes = [path.get_extents() for path in axes.collections[0].get_paths()]
    assert [(box.x0, box.x1) for box in boxes] == [(0.5, 1.0), (2.0, 2.25)]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["FL", "FR"]
    # The first row is on top.
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    assert axes.get_xlabel() == "time [s]"


def test_ground_is_lit_from_the_upper_left_and_has_a_scale_in_centimetres() -> None:
    heights = np.zeros((30, 20))
    heights[10:20, 5:15] = 0.05
    axes = new_figure(4.0, 3.0).subplots()
    draw_ground(axes, heights, (1.0, 2.0), 0.01)
    shades = axes.images[0].get_array().sum(axis=2)
    # Rows run along y, columns along x: the left slope is lighter than the right one.
    assert shades[10, 9] > shades[10, 20]
    assert shades[10, 15] > shades[0, 0]
    assert axes.child_axes[0].get_ylim() == pytest.approx((0.0, 5.0))
    assert axes.images[0].get_extent() == pytest.approx((0.995, 1.295, 1.995, 2.195))
