#!/bin/sh
# The hunt for wrong verdicts: its oracle notices false answers, and a few models of most families
# have none. DELASSUS: the program.
#
#   DELASSUS=build/release/delassus sh test/test_hunt.sh
set -eu
program=${DELASSUS:-build/release/delassus}
if ! command -v python3 >/dev/null; then
  echo "skipped: there is no python3"
  exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

scripts/hunt-verdicts --delassus "$program" --self-test --family planar,sliding,sticking --count 3
scripts/hunt-verdicts --delassus "$program" --jobs 1 --forge --count 1 --keep "$folder" \
  --family planar,sticking,sliding,frictionless,singular,idle,driven,redundant,impact,closure,copies,welded,lengths,space_closure,nested
