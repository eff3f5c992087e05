#!/usr/bin/env bash
# Builds the wheel with its compiled kernels, installs it into an empty environment, and there, away from the checkout and
# with empty caches, runs a scenario and plans a walk.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
python="$root/${VENV:-.venv}/bin/python"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

PYTHONPATH="$root/src" "$python" -m andante.kernels.ship
"$python" -m build --quiet --wheel --outdir "$work/dist" .
"$python" -m venv "$work/empty"
# Versions only: with hashes pip would want one of the wheel that was just built.
sed -e '/^ *--hash/d' -e 's/ *\\$//' requirements.lock >"$work/constraints.txt"
"$work/empty/bin/python" -m pip install --quiet --disable-pip-version-check -c "$work/constraints.txt" \
    "$work"/dist/andante-*.whl
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

# A plan and a get-up must come from the machine code in the wheel: nothing is compiled, so nothing is told and nothing is
# kept. A bench that takes long tells how far it is.
XDG_CACHE_HOME="$work/cache" "$work/empty/bin/andante" plan --board steps --difficulty 0.3 --seed 1 >"$work/plan.txt" 2>"$work/told.txt"
XDG_CACHE_HOME="$work/cache" "$work/empty/bin/andante" bench getup --library nao --start front --seeds 1 --json >"$work/bench.json" 2>"$work/bench.txt"
cat "$work/plan.txt"
if [ -s "$work/told.txt" ] || grep -q compiling "$work/bench.txt" || find "$work/cache" -name '*.kernel' | grep -q .; then
  echo "wheel: kernels were compiled although the wheel carries them" >&2
  cat "$work/told.txt" "$work/bench.txt" >&2
  exit 1
fi
times
