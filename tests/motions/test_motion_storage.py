"""Motion libraries as documents and their published schema."""

from __future__ import annotations

import json
import math
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from libraries import UNITS, libraries

from andante.documents.problems import DocumentError
from andante.documents.quantities import SI, Units
from andante.documents.reader import read_text
from andante.documents.schema import json_schema, publish_schema, schema_text
from andante.motions.library import MotionLibrary
from andante.motions.storage import dump_library, load_library, save_library

PUBLISHED = Path(__file__).resolve().parents[2] / "docs" / "schemas" / "motions.schema.json"

WAVE = """\
format: andante.motions
version: 1
units: {angle: deg, time: ms, length: mm}
robot: walker
motions:
  wave: {blocks: [wave, wave]}
blocks:
  wave:
    keyframes:
      - {duration: 200, joints: {LArmRoll: 90, HeadYaw: off}}
      - duration: 300
        com_goal: [10, -5]
        waits:
          - {variable: torso_pitch, min: -10, max: 20, max_wait: 500}
          - {variable: com_height, min: 200, max: 300}
          - {variable: torso_pitch_fluctuation, min: 0, max: 180}
"""

SLOW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def test_values_are_si_inside() -> None:
    library = load_library(WAVE)
    first, second = library.blocks["wave"].keyframes
    assert first.duration == 0.2
    assert first.joints == {"LArmRoll": math.pi / 2, "HeadYaw": "off"}
    assert second.com_goal == (0.01, -0.005)
    pitch, height, fluctuation = second.waits
    assert (pitch.min, pitch.max, pitch.max_wait) == (math.radians(-10), math.radians(20), 0.5)
    assert (height.min, height.max) == (0.2, 0.3)
    assert fluctuation.max == pytest.approx(math.pi, abs=1e-15)


def test_canonical_text_is_reproduced() -> None:
    assert dump_library(load_library(WAVE)) == WAVE


def test_other_units_give_the_same_library() -> None:
    library = load_library(WAVE)
    again = load_library(dump_library(library, units=SI))
    assert again == library


def test_saving_keeps_the_file_and_its_units(tmp_path: Path) -> None:
    path = tmp_path / "wave.yaml"
    save_library(load_library(WAVE), path)
    assert path.read_text() == WAVE
    text = "# mine\n" + dump_library(load_library(WAVE), units=Units(angle="rad", time="ms"))
    path.write_text(text)
    save_library(load_library(path), path)
    assert path.read_text() == text


def test_errors_name_the_field_and_the_nearest_name() -> None:
    with pytest.raises(DocumentError) as caught:
        load_library(WAVE.replace("duration: 300", "duraton: 300").replace("wave, wave", "wave, 3"), place="wave.yaml")
    assert str(caught.value).splitlines() == [
        "wave.yaml:6:25: motions.wave.blocks[1] must be a text; got 3",
        "wave.yaml:11:9: blocks.wave.keyframes[1].duration is missing; limit: this field must be given",
        "wave.yaml:11:9: blocks.wave.keyframes[1] has no such field; got 'duraton'; did you mean 'duration'?; legal: "
        "duration, joints, limbs, interpolation, phase, com_goal, start_from_measured_com, forbid_wait_break, "
        "compensation, compensation_reduce_factor, waits, branches, balance_pitch, balance_roll, stiffness, window, "
        "window_start, note, extras",
    ]


@pytest.mark.slow
@SLOW
@given(libraries)
def test_round_trip(library: MotionLibrary) -> None:
    text = dump_library(library)
    assert load_library(text) == library
    assert dump_library(load_library(text)) == text


@pytest.mark.slow
@SLOW
@given(libraries, libraries)
def test_any_library_can_be_saved_over_any_other(
    tmp_path_factory: pytest.TempPathFactory, old: MotionLibrary, new: MotionLibrary
) -> None:
    path = tmp_path_factory.getbasetemp() / "library.yaml"
    path.write_bytes(("# kept\n" + dump_library(old)).encode())
    save_library(new, path)
    assert load_library(path) == new
    assert path.read_bytes().startswith(b"# kept\n")


def test_published_schema_is_up_to_date(tmp_path: Path) -> None:
    fresh = tmp_path / "schema.json"
    publish_schema(MotionLibrary, fresh)
    assert read_text(PUBLISHED) == fresh.read_text() == schema_text(MotionLibrary), (
        "write it anew: publish_schema(MotionLibrary, Path('docs/schemas/motions.schema.json'))"
    )


def test_schema_accepts_documents_and_refuses_others() -> None:
    schema = json_schema(MotionLibrary)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    document = yaml.safe_load(WAVE.replace("HeadYaw: off", "HeadYaw: 'off'"))
    validator.validate(document)
    for change in ({"units": {"angle": "grad"}}, {"robot": 3}, {"version": 2}, {"blocks": {"a": {"keyframe": []}}}):
        assert not validator.is_valid({**document, **change})
    assert schema["$defs"]["Keyframe"]["properties"]["duration"]["x-dimension"] == "time"
    assert json.loads(schema_text(MotionLibrary)) == schema
    assert Units(**document["units"]) == UNITS


def test_a_keyframe_of_more_joints_than_any_robot_has_is_refused() -> None:
    joints = ", ".join(f"J{number}: 1" for number in range(1001))
    told = r"keyframes\[0\]\.joints has too many entries; got 1001; limit: 1000 entries"
    with pytest.raises(DocumentError, match=told):
        load_library(WAVE.replace("LArmRoll: 90, HeadYaw: off", joints))
    load_library(WAVE.replace("LArmRoll: 90, HeadYaw: off", joints.rpartition(",")[0]))
