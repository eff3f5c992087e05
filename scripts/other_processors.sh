#!/usr/bin/env bash
# Runs get-ups of an installed Andante on processors that this machine has not, as QEMU plays them (Debian: qemu-user):
# their own features, no instruction beyond them. It tells what was compiled on each, and compares the figures with this
# machine's. Thirty to sixty times slower than the machine itself.
#
#     scripts/other_processors.sh PYTHON [PROCESSOR ...]
#
# PYTHON: of an environment into which the wheel was installed. Processors: `qemu-x86_64 -cpu help`; by itself an AMD and
# an Intel that the wheel's machine code fits, and one without AVX2 that compiles for itself.
set -euo pipefail

python=${1:?a Python with Andante from its wheel}
shift
[ "$#" -gt 0 ] || set -- EPYC-Rome Haswell IvyBridge
command -v qemu-x86_64 >/dev/null || { echo "other_processors: qemu-x86_64 is missing (Debian: qemu-user)" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bench=(-m andante bench getup --library nao --start front --seeds 1 --json)

cd "$work"
XDG_CACHE_HOME="$work/native" "$python" "${bench[@]}" >native.json 2>/dev/null
for processor in "$@"; do
  began=$SECONDS
  XDG_CACHE_HOME="$work/$processor" qemu-x86_64 -cpu "$processor" "$python" "${bench[@]}" >"$processor.json" 2>"$processor.txt" ||
    { cat "$processor.txt" >&2; echo "$processor: failed" >&2; exit 1; }
  kernels=$(find "$work/$processor" -name '*.kernel' | wc -l)
  # What a bench tells of the machine (times, the processor's cores) is no outcome.
  "$python" - native.json "$processor.json" "$processor: $kernels kernels compiled, $((SECONDS - began)) s" <<'PYTHON'
import json, math, sys

def trials(path):
    return [trial["metrics"] for cell in json.load(open(path))["cells"] for trial in cell["trials"]]

def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [each for item in value for each in numbers(item)]
    return [float(value)] if isinstance(value, (int, float)) else []

here, there = (numbers(trials(path)) for path in sys.argv[1:3])
if not here or len(here) != len(there):
    sys.exit(f"{sys.argv[3]}; {len(there)} figures in place of {len(here)}")
worst = max(abs(a - b) / max(1.0, abs(a)) for a, b in zip(here, there) if not (math.isnan(a) and math.isnan(b)))
print(f"{sys.argv[3]}; {len(here)} figures, largest difference {worst:.1e}")
sys.exit(worst > 1e-9)
PYTHON
done
