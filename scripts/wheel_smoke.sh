#!/usr/bin/env bash
# Builds the wheel, installs it into an empty environment and runs a scenario there, away from the checkout.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
python="$root/${VENV:-.venv}/bin/python"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m build --quiet --wheel --outdir "$work/dist" .
"$python" -m venv "$work/empty"
"$work/empty/bin/python" -m pip install --quiet --disable-pip-version-check -c requirements.lock "$work"/dist/andante-*.whl
cd "$work"
"$work/empty/bin/andante" run sit-and-stand --no-video --json --out "$work/run" >"$work/run.json"
"$work/empty/bin/python" - "$work/run.json" <<'PYTHON'
import json, pathlib, sys
import andante
result = json.loads(pathlib.Path(sys.argv[1]).read_text())
installed = "site-packages" in andante.__file__
print(f"wheel: verdict {result['verdict']}, imported from site-packages: {installed}")
sys.exit(0 if result["verdict"] == "pass" and installed else 1)
PYTHON
