"""The published schemas are those of the models, and real documents follow them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from andante.cli.schema import MODELS, model_of
from andante.documents.schema import schema_text

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = {
    "motions": sorted((ROOT / "src/andante/runs/libraries").glob("*.yaml")),
    "robot": sorted((ROOT / "src/andante/robots").glob("*/pack.yaml")),
    "scenario": sorted((ROOT / "src/andante/runs/scenarios").glob("*.yaml")),
    "experiment": sorted((ROOT / "src/andante/search/experiments").glob("*.yaml")),
    "policy": sorted((ROOT / "examples/policies").glob("*.yaml")),
    "study": sorted((ROOT / "src/andante/search/studies/shipped").glob("*.yaml")),
    "kick": sorted((ROOT / "src/andante/motions/kicks/library").glob("*.yaml")),
    "lesson": sorted((ROOT / "src/andante/studio/classroom/lessons").glob("*.yaml")),
    "kick-library": sorted((ROOT / "src/andante/search/kicks/libraries").glob("*.yaml")),
}


@pytest.mark.parametrize("kind", MODELS)
def test_the_published_schema_is_up_to_date(kind):
    published = (ROOT / "docs/schemas" / f"{kind}.schema.json").read_text()
    assert published == schema_text(model_of(kind)), "run `make schemas`"


# Records of judging are made beside a user's motions; tests/search/test_judged_record.py holds one to its schema.
@pytest.mark.parametrize("kind", sorted(set(MODELS) - {"judged"}))
def test_shipped_documents_follow_their_schema(kind):
    schema = json.loads((ROOT / "docs/schemas" / f"{kind}.schema.json").read_text())
    of = jsonschema.validators.validator_for(schema)
    of.check_schema(schema)
    assert DOCUMENTS[kind]
    for path in DOCUMENTS[kind]:
        of(schema).validate(yaml.load(path.read_text(), LOADER))
