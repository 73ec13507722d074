#!/bin/sh
# Every model in docs/model-language.md and docs/bodies.md is accepted, and the README shows what the program prints.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -v to="$work" '/^```dls$/ {n++; inside = 1; next} /^```/ {inside = 0} inside {print > (to "/" n ".dls")}' \
  docs/model-language.md docs/bodies.md
awk -v to="$work" '/^    # A shelf/ {inside = 1} inside && !/^    / {exit} inside {print substr($0, 5) > (to "/shelf.dls")}' \
  README.md

count=0
for model in "$work"/*.dls; do
  "$DELASSUS" check "$model" --quiet || { cat "$model"; exit 1; }
  count=$((count + 1))
done
echo "$count models of the documentation checked"
[ "$count" -ge 12 ]

# the report in the README; residuals differ from machine to machine
awk '/^    \$ delassus check shelf.dls$/ {inside = 1; next} /^\(/ {inside = 0} inside {print substr($0, 5)}' README.md |
  sed -e 's/residual .*/residual/' -e '$ { /^$/ d; }' >"$work/shown"
program=$(realpath "$DELASSUS")
(cd "$work" && "$program" check shelf.dls) | sed 's/residual .*/residual/' >"$work/printed"
diff "$work/shown" "$work/printed"

# the explanation in the README
awk '/^    \$ delassus explain mfcq$/ {inside = 1; next} /^`/ {inside = 0} inside {print substr($0, 5)}' README.md |
  sed '$ { /^$/ d; }' >"$work/shown"
"$program" explain mfcq >"$work/printed"
diff "$work/shown" "$work/printed"

# the map in the README
awk '/^    \$ delassus map shelf.dls/ {inside = 1; next} /^[A-Z]/ {inside = 0} inside {print substr($0, 5)}' README.md |
  sed '$ { /^$/ d; }' >"$work/shown"
(cd "$work" && "$program" map shelf.dls --x d=0:1.2:121 --ask forces_unique) >"$work/printed"
diff "$work/shown" "$work/printed"

# the solutions of the rod in two guides in the README
awk '/^    \$ delassus check examples\/painleve-klein.dls/ {inside = 1; next} /^[A-Z]/ {inside = 0} inside && !/^    \.\.\.$/ {print substr($0, 5)}' README.md |
  sed '$ { /^$/ d; }' >"$work/shown"
"$program" check examples/painleve-klein.dls --at sliding_back --set mu1=1.2 --set mu2=1.2 |
  sed -n '/^Accelerations and forces/,$p' >"$work/printed"
diff "$work/shown" "$work/printed"

# the discrete problem in the README; which method ends it, in what time and how exactly, may change
awk '/^    \$ delassus solve examples\/spheres.hdf5$/ {inside = 1; next} /^"/ {inside = 0} inside {print substr($0, 5)}' README.md |
  sed -e 's/^Converged: .*/Converged/' -e 's/ [0-9.]*e-[0-9]* *|F|/ |F|/' -e '$ { /^$/ d; }' >"$work/shown"
"$program" solve examples/spheres.hdf5 | sed -e 's/^Converged: .*/Converged/' -e 's/ [0-9.]*e-[0-9]* *|F|/ |F|/' >"$work/printed"
diff "$work/shown" "$work/printed"
echo '{"M": [[0, -1], [1, 0]], "q": [-1, 1]}' >"$work/none.json"
awk '/^    Does a solution exist\?$/ {inside = 1} inside && /^$/ {exit} inside {print substr($0, 5)}' README.md >"$work/shown"
{ "$program" solve "$work/none.json" 2>/dev/null || true; } | sed -n '/^Does a solution exist/,$p' >"$work/printed"
diff "$work/shown" "$work/printed"

# the motion in the README; how long it takes may change
awk '/^    \$ delassus simulate examples\/impact-oscillator.dls/ {inside = 1; next} /^`/ {inside = 0} inside {print substr($0, 5)}' README.md |
  sed -e 's/^[0-9.e-]* s.*/seconds/' -e '$ { /^$/ d; }' >"$work/shown"
[ -s "$work/shown" ]
"$program" simulate examples/impact-oscillator.dls --step 0.01 --until 20 | sed 's/^[0-9.e-]* s.*/seconds/' >"$work/printed"
diff "$work/shown" "$work/printed"
