#!/usr/bin/env bash
# Prints the newest Python of this machine that is newer than 3.11, from the path or of pyenv; nothing where there is none.
#
#     scripts/newest_python.sh
set -euo pipefail

for minor in 14 13 12; do
  candidates=("python3.$minor")
  if command -v pyenv >/dev/null; then
    while read -r version; do
      candidates+=("$(pyenv prefix "$version")/bin/python")
    done < <(pyenv versions --bare --skip-aliases 2>/dev/null | grep "^3\.$minor\." || true)
  fi
  for candidate in "${candidates[@]}"; do
    # A shim of pyenv is there for every version and runs none that is not chosen.
    if "$candidate" -c 'import venv' 2>/dev/null; then
      echo "$candidate"
      exit 0
    fi
  done
done
