#!/usr/bin/env bash
# Maps as their users call them: exit statuses, messages, numbers, pictures, and what is left behind.
#
#   test/cli/map.sh [PROGRAM]      PROGRAM defaults to $DELASSUS
# shellcheck source=test/cli/common.sh
. "$(dirname "$0")/common.sh"

clean() { none_of 'a.*'; }

# map STATUS ARGUMENT...: on status 2 nothing may be written
map() {
  invoke "$1" map "${@:2}"
  [ "$1" != 2 ] || { a_message && clean; }
}

# The legs all push while lift < m g; one leg of a negative height would be below the floor.
cat >legs.dls <<'MODEL'
# Block on two legs
parameter m = 1, g = 10, lift = 0, height = 0
coordinate x, y = height
kinetic   m/2*(x'^2 + y'^2)
potential m*g*y
force     y = lift
unilateral left:  y >= 0
unilateral right: y >= 0
state rest: y = height
MODEL
grep -v '^unilateral right' legs.dls >leg.dls
sed 's/^kinetic/kinetik/' legs.dls >wrong.dls

# -- the call
map 0 --help; out "Usage: delassus map"; for o in --x --y --ask --at --set --tol --project --object --json "-o FILE" \
  --quiet --title --threads; do out "$o"; done
map 2; err "needs a model"
map 2 legs.dls leg.dls; err "one model"
map 2 legs.dls; err "needs an axis: --x NAME=A:B:N"
map 2 legs.dls --x m=1:2:3; err "needs a question: --ask QUESTION"
map 2 legs.dls --y m=1:2:3 --ask mfcq; err "needs an axis: --x"
for range in "" m m= =1:2:3 m=1 m=1:2 m=1:2:3:4 m=1:2:3:lin m=1:2:3.5 m=a:2:3 m=1:b:3 m=nan:2:3 m=1:inf:3 m=1:2: m=1:2:3x; do
  map 2 legs.dls --x "$range" --ask mfcq; err "expected NAME=A:B:N"
done
map 2 legs.dls --x m=1:2:0 --ask mfcq; err "expected 1 <= N <= 2000"
map 2 legs.dls --x m=1:2:2001 --ask mfcq; err "expected 1 <= N <= 2000"
map 2 legs.dls --x m=2:1:3 --ask mfcq; err "expected A < B"
map 2 legs.dls --x m=1:2:1 --ask mfcq; err "N = 1 and A = B belong together"
map 2 legs.dls --x m=2:2:3 --ask mfcq; err "N = 1 and A = B belong together"
map 2 legs.dls --x m=0:2:3:log --ask mfcq; err "needs 0 < A"
map 2 legs.dls --x m=1:2:3 --y m=1:2:3 --ask mfcq; err "both m"
map 2 legs.dls --x mass=1:2:3 --ask mfcq; err "--x mass: "; err "parameters of this model: m, g, "
map 2 legs.dls --x m=1:2:3 --y lfit=1:2:3 --ask mfcq; err "did you mean \`lift\`?"
map 2 legs.dls --x m=1:2:3 --set m=2 --ask mfcq; err "set by --set m=2 too"
map 2 legs.dls --x m=1:2:3 --set q=2 --ask mfcq; err "--set q=2"
map 2 legs.dls --x m=1:2:3 --ask mfqc; err "did you mean mfcq?"
map 2 legs.dls --x m=1:2:3 --ask solutions_count; err "did you mean solution_count?"
map 2 legs.dls --x m=1:2:3 --ask friction.critcal; err "did you mean friction.critical?"
map 2 legs.dls --x m=1:2:3 --ask mfcq --ask mfcq; err "given twice"
map 2 legs.dls --x m=1:2:3 --ask mfcq --at sleeping; err "--at sleeping: "; err "states: rest"
map 2 legs.dls --x y=1:2:3 --at rest --ask mfcq; err "give --at assignments"
map 2 legs.dls --x y=1:2:3 --at "y = 1" --ask mfcq; err "given twice"
map 2 legs.dls --x m=1:2:3 --ask force_closure; err "--ask force_closure asks about an object, but this model has none"
map 2 legs.dls --x m=1:2:3 --ask mfcq --object box; err "--object box asks about an object"
map 2 legs.dls --x m=1:2:3 --ask mfcq --tol 2,; err "--tol 2,: expected"
for n in 0 -1 x 1.5 1000 ""; do map 2 legs.dls --x m=1:2:3 --ask mfcq --threads "$n"; err "--threads $n: expected"; done
for name in a.gif a .svg a.SVG a.txt; do
  map 2 legs.dls --x m=1:2:3 --ask mfcq -o "$name"; err "expected .svg, .png, .csv or .json"
done
map 2 wrong.dls --x m=1:2:3 --ask mfcq -o a.svg; err "wrong.dls:4:1"
map 2 missing.dls --x m=1:2:3 --ask mfcq; err "No such file"
map 2 legs.dls --x m=1:2:3 --ask mfcq -o missing/a.svg; err "cannot write missing/a.svg"

# -- summaries
map 0 legs.dls --x lift=0:20:21 --ask forces_unique --ask mfcq; no_err
out "Block on two legs"; out "over lift from 0 to 20 in 21 points"; out "lift = 0 … 9: no"; out "lift = 10 … 20: yes"
out "no               10   47.6 %"; out "yes              11   52.4 %"; out "lift = 0 … 20: yes"
map 0 legs.dls --x lift=0:20:21 --ask forces_unique --quiet; no_out; no_err
map 0 legs.dls --x lift=0:20:5 --y m=1:2:3 --ask forces_unique; out "forces_unique"; out "no                9   60.0 %"
map 0 legs.dls --x lift=0:20:3 --ask friction.critical; out "none              3  100.0 %"
map 0 legs.dls --x m=1:1:1 --ask solution_count; out "1                 1  100.0 %"
map 0 legs.dls --x "y'=-1:1:3" --ask acceleration_exists; out "y' = -1: not asked"; out "y' = 0 … 1: yes"
map 0 legs.dls --x y=0:1:2 --at "x = 3" --ask delassus_definite; out "y = 0: no"; out "y = 1: not asked"
map 0 legs.dls --x t=0:1:2 --ask mfcq; out "t = 0 … 1: yes"

# -- points without a state
map 0 legs.dls --x height=-1:1:5 --at rest --ask mfcq; err "no state at 2 of 5 points, the first at height = -1:"; err "left"
out "height = -1 … -0.5: no state"
map 0 legs.dls --x height=-1:1:5 --at rest --ask mfcq --quiet; no_err
map 0 legs.dls --x height=-1:1:5 --ask mfcq --project; no_err; out "height = -1 … 0: yes"
map 2 legs.dls --x height=-2:-1:5 --at rest --ask mfcq -o a.svg; err "no state at 5 of 5 points, the first at height = -2:"
map 2 legs.dls --x height=-2:-1:5 --at rest --ask mfcq --quiet; err "no state at 5 of 5 points"
map 0 legs.dls --x m=-1:1:3 --ask mfcq; err "no state at 1 of 3 points, the first at m = -1"
printf "coordinate x\nkinetic x'^2/2\npotential log(x - 1)\n" >log.dls
map 0 log.dls --x x=0:2:3 --ask mass_definite; out "x = 0 … 1: no state"; out "x = 2: yes"
err "no state at 2 of 3 points, the first at x = 0: the potential energy is not a number"
map 0 legs.dls --x height=-1:1:3 --y m=1:2:2 --at rest --ask mfcq; err "the first at height = -1, m = 1:"

# -- numbers
map 0 legs.dls --x lift=0:20:3 --y m=1:2:2 --at rest --ask forces_unique --ask solution_count -o b.csv; no_out; no_err
cat >expected.csv <<'END'
lift,m,forces_unique,solution_count
0,1,no,1
10,1,yes,1
20,1,yes,1
0,2,no,1
10,2,no,1
20,2,yes,1
END
same b.csv expected.csv
map 0 legs.dls --x m=0.01:100:5:log --ask friction.sufficient -o b.csv
printf 'm,friction.sufficient\n' >expected.csv
for m in 0.01 0.10000000000000001 1 10 100; do printf '%s,\n' "$m" >>expected.csv; done
sed -E 's/0\.0?99999999[0-9]*|0\.1000000[0-9]*/0.10000000000000001/; s/0\.99999999[0-9]*|1\.0000000[0-9]*/1/; s/9\.9999999[0-9]*|10\.000000[0-9]*/10/' b.csv >rounded.csv
same rounded.csv expected.csv
map 0 legs.dls --x lift=0:1:11 --ask mfcq -o b.csv
sed -n 5p b.csv | grep -qx '0.29999999999999999,yes' || fail "the fourth point is not 0.3"

map 0 legs.dls --x height=-1:1:3 --y lift=0:20:2 --at rest --ask forces_unique --json; err "no state"
out '"state": "rest"'; out '"counts": {"no state": 2, "not asked": 2, "no": 1, "yes": 1}'
if command -v python3 >/dev/null; then
  python3 - <<'END' || fail "the JSON is not what it should be"
import json
m = json.load(open("out"))
assert m["x"]["values"] == [-1, 0, 1] and m["y"]["values"] == [0, 20]
assert m["points"] == 6 and m["no_state"]["count"] == 2 and m["no_state"]["first"] == 0
assert m["questions"][0]["values"] == [[None, "no", None], [None, "yes", None]]
END
fi
cp out b.json
map 0 legs.dls --x height=-1:1:3 --y lift=0:20:2 --at rest --ask forces_unique --json -o c.json
same out c.json
same b.json c.json

# -- the same for any number of threads
for n in 1 2 3 64; do
  map 0 legs.dls --x height=-1:1:30 --y lift=0:20:30 --at rest --ask forces_unique --json --threads $n
  cp out threads.$n
  cp err messages.$n
  same threads.1 threads.$n
  same messages.1 messages.$n
done

# -- pictures
well_formed() {
  command -v python3 >/dev/null || return 0
  python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$1" || fail "$1 is not XML"
}
map 0 legs.dls --x height=-1:1:40 --y lift=0:20:40 --at rest --ask forces_unique -o b.svg --quiet; no_out; no_err
well_formed b.svg
[ "$(stat -c %s b.svg)" -lt 80000 ] || fail "b.svg is large"
map 0 legs.dls --x lift=0:20:21 --ask forces_unique --ask solution_count --ask friction.critical -o c.svg --title 'A & <B>'
well_formed c.svg
map 0 legs.dls --x lift=0:20:5 --y m=1:2:3:log --ask friction.critical --ask mfcq --ask solution_count -o d.svg
well_formed d.svg
map 0 legs.dls --x lift=1:1:1 --y m=1:1:1 --ask mfcq -o e.svg
well_formed e.svg
map 0 legs.dls --x lift=0:20:21 --y m=1:2:7 --ask forces_unique -o b.png; no_out
[ "$(head -c 8 b.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "b.png is not a PNG"
[ "$(stat -c %a b.png)" = "$(printf '%o' $((0666 & ~$(umask))))" ] || fail "b.png has odd rights"

# -- interrupted: nothing is left, not even a part
label="map … -o a.svg, interrupted"
"$program" map legs.dls --x lift=0:20:2000 --y m=1:2:2000 --ask forces_unique -o a.svg >out 2>err &
running=$!
sleep 0.3
kill -TERM $running
wait $running
[ $? = 143 ] || fail "was not ended by the signal"
clean
mkfifo pipe
label="map … --json -o a.csv >pipe, interrupted"
( "$program" map leg.dls --x lift=0:20:2000 --ask mfcq --ask mass_definite --ask forces_unique \
  --ask delassus_definite --json -o a.csv >pipe 2>err & echo $! >pid; wait $! ) &
shell=$!
exec 3<pipe
for _ in $(seq 100); do
  [ -z "$(find . -name 'a.csv.*')" ] || break
  sleep 0.05
done
kill -TERM "$(cat pid)" 2>/dev/null
exec 3<&-
wait $shell
clean

# -- standard output that takes nothing
label="map legs.dls >/dev/full"
if [ -w /dev/full ]; then
  status=0
  "$program" map legs.dls --x m=1:2:3 --ask mfcq --json -o a.svg >/dev/full 2>err || status=$?
  : >out
  [ "$status" = 2 ] || fail "exit status $status, expected 2"
  err "cannot write to standard output"
  clean
fi

summary
