#!/usr/bin/env bash
# Motions as their users simulate them: exit statuses, messages, what is written, and what a run that
# was stopped in the middle, by whatever it was, goes on to make.
#
#   test/cli/simulate.sh [PROGRAM]      PROGRAM defaults to $DELASSUS
# shellcheck source=test/cli/common.sh
. "$(dirname "$0")/common.sh"

# simulate STATUS ARGUMENT...: on status 2 standard output must stay empty
simulate() {
  invoke "$1" simulate "${@:2}"
  [ "$1" = 0 ] || a_message
}

no_file() { [ ! -e "$1" ] || fail "$1 is there"; }
lines() { [ "$(wc -l <"$1")" = "$2" ] || fail "$1 has $(wc -l <"$1") lines, expected $2"; }

cp "$examples"/*.dls .
ball=(bouncing-ball.dls --step 0.01 --until 4)
wall=(double-pendulum-wall.dls --step 1e-3 --until 2)

# ---- what is printed ------------------------------------------------------------------------------

simulate 0 "${ball[@]}"
out "Bouncing ball"
out "moreau, step 0.01, from t = 0 to 4"
out "steps         400"
out "floor sticking"
no_err
simulate 0 "${ball[@]}" --json
json 'd["scheme"] == "moreau" and d["steps"] == 400 and d["rejected_steps"] == 0 and d["events"] == 0'
json 'd["until"] == 4 and d["energy"]["first"] == 2 and abs(d["energy"]["last"]) < 0.01 and d["seconds"] >= 0'
json 'abs(d["final"]["q"]["q"]) < 0.006 and abs(d["final"]["v"]["q"]) < 1e-9 and d["max_penetration"] < 0.02'
json 'd["rhs_evaluations"] >= 400 and d["failure"] is None and d["complete"] and d["final"]["status"]["floor"] == "sticking"'
simulate 0 "${ball[@]}" --quiet
no_out
simulate 0 "${ball[@]}" --at "q=2, t=1" --set rho=0 --json
json 'd["start"] == 1 and d["energy"]["first"] == 4'
simulate 0 "${ball[@]}" -o a.json
json 'd["steps"] == 400' a.json
simulate 0 --list
out "schatzman-paoli"
simulate 0 --list --json
json 'any(s["name"] == "moreau" for s in d)'
simulate 0 --help
out "--resume"
simulate 0 double-pendulum-absolute.dls --step 0.01 --until 1 --json
json 'd["bilateral"]["gap"] < 1e-9 and d["bilateral"]["velocity"] < 1e-9'

# ---- several files --------------------------------------------------------------------------------

simulate 0 "${ball[@]}" -o s1.csv
simulate 0 "${ball[@]}" -o s2.svg -o s2.csv -o s2.h5 -o s2.json --json
same s1.csv s2.csv
json 'd["steps"] == 400 and d["recording"] == "s2.csv" and d["rows"] == 401'
json 'd["steps"] == 400' s2.json
for file in s2.svg s2.h5; do [ -s "$file" ] || fail "$file is not there"; done
simulate 0 "${ball[@]}" -o s3.csv -o s3.h5 -o s3.svg
out "s3.csv and s3.h5 have 401 rows. Written to s3.svg."
same s1.csv s3.csv
same s2.svg s3.svg
# none of them when one cannot be written, or the call is wrong
for bad in nowhere/a.csv nowhere/a.h5 nowhere/a.svg; do
  simulate 2 "${ball[@]}" -o n1.csv -o n1.svg -o "$bad" -o n1.h5 -o n1.json
  err "nowhere/a."
  none_of 'n1*'
done
simulate 2 "${ball[@]}" -o n1.csv -o n1.txt
err "expected .csv"
simulate 2 "${ball[@]}" -o n1.csv -o n2.svg -o n1.csv
err "-o n1.csv is given twice"
ln s1.csv s4.csv
simulate 2 "${ball[@]}" -o s1.csv -o s4.csv
err "are the same file"
simulate 2 "${ball[@]}" -o n1.csv -o n1.h5 --resume
err "one recording, not with n1.csv and n1.h5"
none_of 'n1*' 'n2*'
eval "simulate 2 \"\${ball[@]}\" $(printf ' -o n%d.svg' {1..33})"
err "more than 32 times"
none_of 'n[0-9]*'
# a run that goes on draws what was there before
simulate 0 bouncing-ball.dls --step 0.01 --until 2 -o s5.h5
simulate 0 "${ball[@]}" -o s5.h5 --resume -o s5.svg
# but for the number of steps in its title
[ "$(diff s2.svg s5.svg | grep -c '^<')" -le 2 ] || fail "s2.svg and s5.svg differ"

# ---- outputs and events ---------------------------------------------------------------------------

cat >watched.dls <<'MODEL'
# A ball that is watched
parameter e = 1/2
coordinate y = 1
kinetic   y'^2/2
potential y
unilateral floor: y >= 0 { restitution e }
output E = energy, height = floor.gap, load = floor.force_n, low = if(y < 1/2, 1, 0)
event top: y' = 0 { falling }
event half: y = 1/8 { rising }
event end: y' = -1/2 { stop; falling }
MODEL
sed '/^event/d' watched.dls >unwatched.dls
sed '/^event half/d; s/y. = -1.2 { stop; falling }/y = 1\/8 { rising; stop }/' watched.dls >stops.dls
watch=(--scheme radau5 --step 0.05 --until 2)
simulate 0 watched.dls "${watch[@]}" --set e=1 --json
json 'd["stopped_by"]["event"] == "end" and abs(d["final"]["t"] - 0.5) < 1e-12 and d["complete"] and d["failure"] is None'
json 'abs(d["final"]["v"]["y"] + 0.5) < 1e-14 and abs(d["final"]["q"]["y"] - 0.875) < 1e-14'
json 'abs(d["final"]["outputs"]["E"] - 1) < 1e-13 and d["final"]["outputs"]["low"] == 0 and d["final"]["outputs"]["load"] == 0'
json '[x["event"] for x in d["model_events"]["list"]] == ["end"] and d["model_events"]["list"][0]["located"]'
simulate 0 watched.dls "${watch[@]}"
out "by the event end at t = 0.5"
simulate 0 watched.dls --step 0.05 --until 2
out "interpolated: moreau does not locate events"
simulate 0 stops.dls "${watch[@]}" -o stops.csv -o stops.h5 --json
json 'd["stopped_by"]["direction"] == "rising" and abs(d["final"]["t"] - 1.5 * 2**0.5 + 0.5) < 1e-8 and abs(d["final"]["q"]["y"] - 0.125) < 1e-12'
json 'd["events"] == 1'
# the last row is the event's; going on ends there again, with the same file
awk -F, 'END {exit !($2 - 0.125 < 1e-12 && 0.125 - $2 < 1e-12)}' stops.csv || fail "the last row is another one"
for ending in csv h5; do
  cp stops.$ending whole.$ending
  simulate 0 stops.dls "${watch[@]}" -o stops.$ending --resume --json
  json 'd["stopped_by"]["event"] == "end"'
  same stops.$ending whole.$ending
done
# times never go back, and the sum of the impulses is that of a run without events
head -1 stops.csv | grep -q ',E,height,load,low,' || fail "no columns of outputs"
awk -F, 'NR > 2 && $1 < t {exit 1} NR > 1 {t = $1}' stops.csv || fail "times go back"
sed 's/{ stop; falling }//' watched.dls >free.dls
simulate 0 free.dls "${watch[@]}" -o free.csv --json
simulate 0 unwatched.dls "${watch[@]}" -o unwatched.csv --json
tail -1 free.csv | cut -d, -f1-3 >a.last
tail -1 unwatched.csv | cut -d, -f1-3 >b.last
same a.last b.last
for file in free unwatched; do
  awk -F, 'NR > 1 {s += $4} END {printf "%.12g\n", s}' $file.csv >$file.sum
done
same free.sum unwatched.sum
rm -f free.csv a.last b.last
invoke 0 check watched.dls --at "y=0" --json
json 'd["outputs"] == {"E": 0, "height": 0, "load": 1, "low": 1}'
invoke 0 check watched.dls --at "y=0"
out "Outputs"

# ---- what a picture shows -------------------------------------------------------------------------

simulate 0 watched.dls "${watch[@]}" -o p0.svg --quiet
simulate 0 watched.dls "${watch[@]}" -o p1.svg --plot y --quiet
simulate 0 watched.dls "${watch[@]}" -o p2.svg --plot "y, y'" --plot energy --plot "y'~y" --quiet
for file in p0 p1 p2; do grep -q '</svg>' $file.svg || fail "no picture"; done
[ "$(wc -c <p1.svg)" -lt "$(wc -c <p0.svg)" ] || fail "one curve is as much as all"
[ "$(wc -c <p1.svg)" -lt "$(wc -c <p2.svg)" ] || fail "one curve is as much as four"
simulate 0 watched.dls "${watch[@]}" -o p3.png --quiet \
  --plot floor.gap,floor.rate,floor.force_n,floor.impulse_n,E,kinetic,potential,height
simulate 2 watched.dls "${watch[@]}" -o q.svg --plot yy; err "nothing of that name"; err "did you mean y?"
simulate 2 watched.dls "${watch[@]}" -o q.svg --plot floor.gop; err "did you mean floor.gap?"
simulate 2 watched.dls "${watch[@]}" -o q.svg --plot "y'~energi"; err "did you mean energy?"
for bad in "" "y,,y'" "y," ",y"; do
  simulate 2 watched.dls "${watch[@]}" -o q.svg --plot "$bad"; err "a name is missing"
done
simulate 2 watched.dls "${watch[@]}" -o q.svg --plot "y~"; err "nothing of that name"
simulate 2 watched.dls "${watch[@]}" -o q.svg --plot "y~floor.force_n"; err "no axis of a phase picture"
simulate 2 watched.dls "${watch[@]}" -o q.csv --plot y; err "-o FILE.svg"
no_file q.svg
no_file q.csv
# names with commas in their indices
cat >indexed.dls <<'MODEL'
coordinate c[1,2] = 1, c[2,1]
kinetic c[1,2]'^2/2 + c[2,1]'^2/2
output o[1,1] = c[1,2]
MODEL
simulate 0 indexed.dls --step 0.1 --until 1 -o i.svg --quiet --plot "c[1,2],c[1,2]',o[1,1]"

# ---- what is wrong --------------------------------------------------------------------------------

simulate 2 bouncing-ball.dls --until 4 -o b.csv
err "--step H"
simulate 2 bouncing-ball.dls --step 0.1 -o b.csv
err "--until T"
for step in 0 -1 inf nan x ""; do
  simulate 2 bouncing-ball.dls --step "$step" --until 4 -o b.csv
  err "expected a positive number"
done
for until in 0 -1; do
  simulate 2 bouncing-ball.dls --step 0.1 --until $until -o b.csv
  err "the start is at t = 0 already"
done
simulate 2 bouncing-ball.dls --step 0.1 --until inf -o b.csv
err "expected a number"
simulate 2 "${ball[@]}" --scheme moreaux -o b.csv
err "did you mean moreau?"
simulate 2 "${ball[@]}" --scheme nothing -o b.csv
err "--list"
simulate 2 "${ball[@]}" --theta 2 -o b.csv
err "from 0 to 1"
simulate 2 "${ball[@]}" --every 0 -o b.csv
err "whole number"
simulate 2 "${ball[@]}" --at nowhere -o b.csv
simulate 2 "${ball[@]}" --set nothing=1 -o b.csv
simulate 2 "${ball[@]}" -o b.pdf
err "the ending chooses the form"
simulate 2 "${ball[@]}" --resume
err "-o names it"
simulate 2 "${ball[@]}" --resume -o b.svg
err "recording"
simulate 2 none.dls --step 0.1 --until 1 -o b.csv
err "cannot read none.dls"
for ending in csv h5 svg json; do
  simulate 2 "${ball[@]}" -o none/b.$ending
  err "cannot write none/b.$ending"
  mkdir -p d.$ending
  simulate 2 "${ball[@]}" -o d.$ending
  err "not a file"
done
simulate 2 ladder.dls --at "theta=1" --step 0.01 --until 1 --at "x=3" -o b.csv
err "given twice"
simulate 2 ladder.dls --at "x=5" --step 0.01 --until 1 -o b.csv
err "wall"
err "violates the bilateral constraint"
err "--project"
simulate 0 ladder.dls --at "y=0.705, y'=0.1" --project --step 0.01 --until 0.1
out "moved to a consistent state"
simulate 2 bouncing-ball.dls --at "q=-1" --step 0.01 --until 1 -o b.csv
err "penetrates the unilateral constraint \`floor\` by 1"
for ending in csv h5 svg json; do no_file b.$ending; done

# ---- recordings -----------------------------------------------------------------------------------

simulate 0 "${wall[@]}" -o whole.csv --json
json 'd["recording"] == "whole.csv" and d["rows"] == 2001 and d["steps"] == 2000'
lines whole.csv 2002
case $(head -1 whole.csv) in
"t,a,b,a',b',wall.impulse_n,wall.impulse_t1,wall.status,step,memory.1,memory.2,memory.3,memory.4,memory.5,memory.6,memory.7,memory.8,check: scheme=moreau; step=0.001; model="*) ;;
*) fail "$(head -1 whole.csv)" ;;
esac
case $(sed -n 2p whole.csv) in
"0,-1.2,-0.59999999999999998,0,0,0,0,0,0.001,"[0-9]*) ;;
*) fail "$(sed -n 2p whole.csv)" ;;
esac
simulate 0 "${wall[@]}" -o again.csv --quiet
same whole.csv again.csv
simulate 0 "${wall[@]}" -o whole.h5
out "whole.h5 has 2001 rows"
simulate 0 "${wall[@]}" -o again.h5 --quiet
same whole.h5 again.h5
simulate 0 "${wall[@]}" --every 7 -o seventh.csv --quiet
lines seventh.csv 288 # 2000/7 rows, the last one, the first one, the header
simulate 0 "${wall[@]}" --every 7 -o seventh.h5 --quiet
# impulses add up, whatever is recorded
for file in whole seventh; do awk -F, 'NR > 1 {s += $6} END {printf "%.3f\n", s}' $file.csv; done >sums
[ "$(sort -u sums | wc -l)" = 1 ] || fail "impulses: $(cat sums)"
if command -v h5dump >/dev/null; then
  h5dump -d /rows -s 2000 -c 1 whole.h5 >dump 2>&1 || fail "h5dump: $(head -3 dump)"
  h5dump -d /scheme whole.h5 | grep -q moreau || fail "h5dump: no scheme"
fi

# a run that is stopped anywhere, and goes on, makes the same file
for form in csv h5; do
  for bytes in 0.3 0.71; do
    cp whole.$form part.$form
    size=$(stat -c %s whole.$form)
    [ $form = h5 ] || truncate -s "$(awk "BEGIN {print int($bytes*$size)}")" part.$form
    [ $form = csv ] || simulate 0 double-pendulum-wall.dls --step 1e-3 --until "$bytes" -o part.h5 --quiet
    simulate 0 "${wall[@]}" -o part.$form --resume --json
    json 'd["resumed_from"] > 0.2 and d["steps"] < 1800 and d["rows"] == 2001'
    same whole.$form part.$form
  done
  cp whole.$form part.$form
  simulate 0 "${wall[@]}" -o part.$form --resume --json
  json 'd["steps"] == 0 and d["complete"] and d["final"]["t"] == 2'
  same whole.$form part.$form
  rm part.$form
  simulate 0 "${wall[@]}" -o part.$form --resume --quiet
  err "starts anew"
  same whole.$form part.$form
done
# the same for schemes that locate events, choose their steps, or remember more; time does not go back, the rows
# of an event are two, and the impulses are the change of momentum: q'' = -2 + force
for scheme in radau5 herk3 moreau-adaptive schatzman-paoli moreau-projected lcp; do
  simulate 0 bouncing-ball.dls --step 0.05 --until 4 --scheme $scheme -o events.csv --quiet
  head -c $(($(stat -c %s events.csv) * 6 / 10)) events.csv >cut.csv
  simulate 0 bouncing-ball.dls --step 0.05 --until 4 --scheme $scheme -o cut.csv --resume --quiet
  same events.csv cut.csv
  awk -F, 'NR > 2 && $1 < t {bad = 1} NR > 1 {t = $1; v = $3; sum += $4}
    NR > 1 && $6 == 0 {events++; if (events % 2 == 0 && $1 != before) bad = 1; before = $1}
    END {d = v + 2*t - sum; exit bad || events % 2 || d > 1e-3 || d < -1e-3}' events.csv ||
    fail "rows of events"
done
# each row by itself has the impulses since the row before: a block that comes to rest inside a step, and two
# that do so at different times
cat >slide.dls <<'END'
parameter mu = 0.3
coordinate x, y
velocity x = 1
kinetic (x'^2 + y'^2)/2
potential 9.81*y
unilateral floor: y >= 0 { slip x'; friction mu }
END
for scheme in radau5 lobatto4 herk4; do
  simulate 0 slide.dls --step 0.05 --until 1 --scheme $scheme -o slide.csv --quiet
  awk -F, 'function off(d) {return d > 1e-4 || d < -1e-4}
    NR > 2 && (off($4 - v - $7) || off($6 - 9.81*($1 - t))) {bad = 1}
    NR > 1 {t = $1; v = $4; events += $9 == 0}
    END {exit bad || events != 2}' slide.csv || fail "impulses of rows, $scheme"
done
cat >pair.dls <<'END'
coordinate x, y, X, Y
velocity x = 1, X = 1
kinetic (x'^2 + y'^2 + X'^2 + Y'^2)/2
potential 9.81*(y + Y)
unilateral floor: y >= 0 { slip x'; friction 0.3 }
unilateral table: Y >= 0 { slip X'; friction 0.5 }
END
simulate 0 pair.dls --step 0.05 --until 1 --scheme radau5 -o pair.csv --quiet
awk -F, 'function off(d) {return d > 1e-4 || d < -1e-4}
  NR > 2 && (off($10 - 9.81*($1 - t)) || off($12 - 9.81*($1 - t))) {bad = 1}
  NR > 1 {t = $1; events += $16 == 0}
  END {exit bad || events != 4}' pair.csv || fail "impulses of rows, two parts"
simulate 0 bouncing-ball.dls --step 0.05 --until 2.7 --scheme radau5 --json
json 'd["events"] == 3 and abs(d["final"]["q"]["q"] - 0.01) < 1e-4'
head -1 whole.csv >part.csv # stopped before the first row
simulate 0 "${wall[@]}" -o part.csv --resume --quiet
same whole.csv part.csv
truncate -s 20000 seventh.csv
simulate 0 "${wall[@]}" --every 7 -o seventh.csv --resume --quiet
lines seventh.csv 288

# what another call has made is refused, and stays
head -c 30000 whole.csv >part.csv
simulate 0 double-pendulum-wall.dls --step 1e-3 --until 0.5 -o part.h5 --quiet
cp part.csv before.csv
cp part.h5 before.h5
refused() {
  simulate 2 "${@:2}" --resume
  err "$1"
  same part.csv before.csv
  same part.h5 before.h5
}
sed 's/g = 9.81/g = 9.80/' double-pendulum-wall.dls >other.dls
! cmp -s other.dls double-pendulum-wall.dls || fail "the model is the same"
for form in csv h5; do
  refused "the scheme moreau, and this is lcp" "${wall[@]}" --scheme lcp -o part.$form
  refused "the step 0.001" double-pendulum-wall.dls --step 1e-4 --until 2 -o part.$form
  for other in "--theta 1" "--gamma 0" "--set m2=2" "--every 2" "--tol 1e-8" "--tol 1e-9,1e-8" "--residual 1e-8" \
    "--at a=0.1" "--project"; do
    # shellcheck disable=SC2086
    refused "the settings" "${wall[@]}" $other -o part.$form
  done
  refused "another model" "${ball[@]}" -o part.$form
  refused "another model" other.dls --step 1e-3 --until 2 -o part.$form
done
# so is one with a changed row, wherever it is; a last line that was cut off is not
for line in 2 20 200; do
  awk -F, -v OFS=, -v line=$line 'NR == line {$3 = $3 * 1.0000001} {print}' whole.csv | head -c 60000 >part.csv
  cp part.csv before.csv
  refused "row $((line - 1)) is not as it was written" "${wall[@]}" -o part.csv
done
sed 100d whole.csv >part.csv
cp part.csv before.csv
refused "row 99 is not as it was written" "${wall[@]}" -o part.csv
printf '\001' | dd of=part.h5 bs=1 seek=$(($(stat -c %s part.h5) / 2)) conv=notrunc status=none
cp part.h5 before.h5
refused "is not as it was written" "${wall[@]}" -o part.h5

# ---- killed and interrupted -----------------------------------------------------------------------

# long enough to be caught in the middle; when it is not, it is complete, which is right too
long=(bouncing-ball.dls --step 2e-4 --until 20 --every 10)
for form in csv h5; do
  simulate 0 "${long[@]}" -o whole.$form --quiet
  for signal in KILL INT; do
    label="simulate ${long[*]}, stopped by $signal"
    rm -f part.$form
    "$program" simulate "${long[@]}" -o part.$form >out 2>err &
    pid=$!
    while kill -0 $pid 2>/dev/null && [ "$(stat -c %s part.$form 2>/dev/null || echo 0)" -lt 60000 ]; do :; done
    kill -$signal $pid 2>/dev/null
    wait $pid 2>/dev/null
    if [ $signal = INT ] && [ -s err ]; then
      err "interrupted at t ="
      err "delassus simulate ${long[*]} -o part.$form --resume"
    fi
    [ $form = csv ] || ! command -v h5dump >/dev/null || h5dump -H part.h5 >dump 2>&1 || fail "h5dump: $(head -3 dump)"
    simulate 0 "${long[@]}" -o part.$form --resume --quiet
    same whole.$form part.$form
  done
done

# what -o asks for is written up to the interrupt, whatever its form is, and nothing is left beside it
endless=(bouncing-ball.dls --step 1e-6 --until 100 --json)
for signal in INT TERM HUP; do
  for form in svg png json; do
    label="simulate ${endless[*]}, stopped by $signal"
    calls=$((calls + 1))
    rm -f i.$form
    # a shell makes what it starts in the background ignore SIGINT
    env --default-signal=INT "$program" simulate "${endless[@]}" -o i.$form >out 2>err &
    pid=$!
    asks $pid
    sleep 0.2
    kill -$signal $pid
    wait $pid
    status=$?
    [ $status = 1 ] || fail "exit status $status, expected 1"
    err "interrupted at t ="
    json 'd["interrupted"] and not d["complete"] and d["steps"] >= 0 and d["failure"] is None'
    [ -s i.$form ] || fail "no i.$form"
    [ $form != json ] || json 'd["interrupted"]' i.json
    [ $form != svg ] || grep -q '</svg>' i.svg || fail "i.svg is not whole"
    none_of 'i.*.??????'
  done
done
# the program ends at once when the first one comes before the work, and leaves nothing
label="simulate of a pipe, stopped by INT"
mkfifo pipe.dls
(exec "$program" simulate pipe.dls --step 0.1 --until 1 -o p.svg >out 2>err) &
pid=$!
sleep 0.2
kill -TERM $pid
wait $pid
[ $? = 143 ] || fail "not ended by the signal"
none_of 'p.svg*'

# ---- energies without a value ----------------------------------------------------------------------

cat >log.dls <<'END'
# A mass that long steps carry over the place where its potential ends
parameter v = 0
coordinate x = 2
velocity   x = v
kinetic    x'^2/2
potential  log(x - 1)/1000
END
simulate 2 log.dls --at "x = 0" --step 0.1 --until 1 -o b.csv
err "log.dls: the potential energy is not a number at t = 0, x = 0, x' = 0"
no_file b.csv
simulate 0 log.dls --set v=1 --step 0.3 --until 3 --json
json 'd["energy"]["last"] is not None and d["failure"] is None'
# the forces are finite at all steps
simulate 1 log.dls --set v=-1 --step 0.3 --until 3 -o log.csv --json
err "stopped at t = 3: the potential energy is not a number"
err "log.csv has the motion up to there"
json 'd["failure"]["reason"] == "a number of the model is not finite" and d["energy"]["last"] is None'
json 'd["complete"] and "potential" in d["failure"]["message"] and "--project" not in d["failure"]["explain"]'
lines log.csv 12
call=$(sed -n 's/.*this call explains the state: delassus //p' err)
! eval "\"$program\" $call" >explained 2>&1 || fail "check takes the state"
grep -q "the potential energy is not a number at t = 3" explained || fail "$(head -3 explained)"

# what explodes is told with a way that does not
printf 'coordinate x = 1\nkinetic x%s^2/2\npotential 1e8*x^2/2\n' "'" >explodes.dls
simulate 1 explodes.dls --scheme herk4 --step 0.02 --until 1 --json
err "the steps are too long"
err "tried: with --step 0.0002 it gets past there"
simulate 0 explodes.dls --scheme herk4 --step 0.0002 --until 1 --quiet
simulate 1 explodes.dls --scheme lcp --step 0.2 --until 4.6 --json
err "the potential energy is infinite"
err "tried: with --scheme moreau it has one"
json 'd["failure"]["remedy"] == "--scheme moreau"'
simulate 0 explodes.dls --scheme moreau --step 0.02 --until 1

# ---- a step that fails ----------------------------------------------------------------------------

# at rest a relative error alone does
simulate 0 incline-block.dls --scheme radau5 --step 0.01 --until 0.3 --rtol 1e-3
simulate 0 incline-block.dls --scheme radau5 --step 0.01 --until 0.3 --rtol 1e-3 --atol 0.001

simulate 1 imposed-motion-rod.dls --step 1e-3 --until 1 -o failed.csv --json
json 'd["failure"]["time"] == 0 and d["failure"]["verdict"]["answer"] == "no" and not d["complete"]'
json 'd["failure"]["contacts"] and d["failure"]["explain"].startswith("delassus check imposed-motion-rod.dls --at")'
err "stopped at t = 0"
err "have a solution? no"
err "this call explains the state"
lines failed.csv 2
# the call that explains is one that works
call=$(sed -n 's/.*this call explains the state: delassus //p' err)
eval "\"$program\" $call" >explained 2>&1 || fail "$(head -3 explained)"
simulate 1 massless-tray.dls --at lifted --step 1e-3 --until 1
err "singular"

# events of a step that fails have not happened: time does not go back, whatever is recorded
cat >breaks.dls <<'END'
coordinate q = 1
kinetic q'^2/2
potential 8*q
force q = 1e-9*sqrt(0.52 - t)
unilateral floor: q >= 0 { restitution 0.5 }
END
for every in 1 4; do
  simulate 1 breaks.dls --scheme radau5 --step 0.05 --until 1 --every $every -o breaks.csv --json
  err "stopped at t = 0.5"
  json 'd["events"] == 0 and d["final"]["t"] == 0.5'
  awk -F, 'NR > 2 && ($1 <= t || $4 != 0) {bad = 1} NR > 1 {t = $1} END {exit bad || t != 0.5}' breaks.csv ||
    fail "rows of a step that failed"
done

# ---- motions that are not determined --------------------------------------------------------------

# the load of four legs is shared within bounds: a warning, whatever is printed
cat >table.dls <<'END'
# A table that slides and spins
parameter a = 0.5, b = 0.4, mu = 0.3
coordinate x, y, z, psi, phi, chi
velocity x = 1, y = 0.5, psi = 3
kinetic 5*(x'^2 + y'^2 + z'^2) + (psi'^2 + phi'^2 + chi'^2)/2
potential 98.1*z
unilateral one:   z + b*phi - a*chi >= 0 { slip x' - b*psi', y' + a*psi'; friction mu }
unilateral two:   z + b*phi + a*chi >= 0 { slip x' - b*psi', y' - a*psi'; friction mu }
unilateral three: z - b*phi + a*chi >= 0 { slip x' + b*psi', y' - a*psi'; friction mu }
unilateral four:  z - b*phi - a*chi >= 0 { slip x' + b*psi', y' + a*psi'; friction mu }
END
for scheme in moreau radau5; do
  simulate 0 table.dls --scheme $scheme --step 0.01 --until 1 -o table.csv
  out "this is one of several motions"
  err "the motion is not determined, and this is one of several"
  [ "$(wc -L <out)" -le 100 ] || fail "a line of $(wc -L <out) columns"
  simulate 0 table.dls --scheme $scheme --step 0.01 --until 1 --json --quiet
  err "the motion is not determined"
  json 'd["uniqueness_lost"]["bounded"] and d["uniqueness_lost"]["t"] <= 0.01 and len(d["warnings"]) == 1 and d["complete"]'
done
awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) {if ($i == "memory.4") k = i; if ($i == "step") s = i}}
  NR > 1 && $s > 0 && $k != 2 {bad = 1}
  END {exit bad || !k}' table.csv || fail "the recording does not say it"
simulate 0 table.dls --step 0.01 --until 0.2 -o table.svg --quiet
grep -q "<svg" table.svg || fail "no picture"
# a guide that is held twice ends the run; with the option it goes on, and says so
cat >guide.dls <<'END'
coordinate x, y
velocity x = 1
kinetic (x'^2 + y'^2)/2
potential 9.81*y
bilateral one: y = 0 { slip x'; friction 0.3 }
bilateral two: 2*y = 0 { slip x'; friction 0.6 }
END
simulate 1 guide.dls --scheme radau5 --step 0.01 --until 0.1 --json
err "tried: with --on-loss continue it gets past there"
json 'not d["uniqueness_lost"]["bounded"] and d["warnings"] == [] and d["failure"]["remedy"] == "--on-loss continue"'
simulate 0 guide.dls --scheme radau5 --step 0.01 --until 0.1 --on-loss continue --json
err "this is one of several"
json 'not d["uniqueness_lost"]["bounded"] and len(d["warnings"]) == 1'

simulate 2 "${ball[@]}" --scheme radau5 --rtol 1e-17
err "expected a number from 2.2e-16 to 1"
# words of a file that would move the cursor
printf 't,\033[2J\n' >escape.csv
simulate 2 "${ball[@]}" -o escape.csv --resume
[ "$(grep -c "$(printf '\033')" err)" = 0 ] || fail "a control character"

# ---- derivatives ---------------------------------------------------------------------------------

cat >block.dls <<'END'
parameter mu = 0.3, g = 9.81, v0 = 2
coordinate x, y
velocity x = v0
kinetic (x'^2 + y'^2)/2
potential g*y
unilateral floor: y >= 0 { slip x'; friction mu }
END
block=(block.dls --scheme radau5 --step 0.01 --until 2 --rtol 1e-8)
simulate 0 "${block[@]}" --sensitivity "mu, v0,x" --json
json 'd["sensitivity"]["lost"] is None and abs(d["sensitivity"]["by"]["mu"]["q"]["x"] + 4/(2*0.09*9.81)) < 1e-6'
json 'abs(d["sensitivity"]["by"]["v0"]["q"]["x"] - 2/(0.3*9.81)) < 1e-6 and d["sensitivity"]["by"]["x"]["q"]["x"] == 1'
# a block that comes to rest has no percussions, and no place for them in its picture
simulate 0 "${block[@]}" -o rest.svg --quiet
simulate 0 block.dls --scheme moreau --step 0.01 --until 2 -o moreau.svg --quiet
[ "$(grep -oE ' height="[^"]*"' rest.svg | head -1)" = "$(grep -oE ' height="[^"]*"' moreau.svg | head -1)" ] ||
  fail "a percussion of a block that comes to rest"
simulate 0 "${block[@]}" --set v0=4 --sensitivity v0 --json
json 'abs(d["sensitivity"]["by"]["v0"]["q"]["x"] - 4/(0.3*9.81)) < 1e-6'
simulate 0 "${block[@]}" --sensitivity mu; out "Changes with mu"
simulate 0 "${block[@]}" --sensitivity y; out "No derivatives from t = 0 on: the start moves off"
printf "parameter w = 0.3\ncoordinate x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n%s\n%s\n" \
  "bilateral rod: x^2 + y^2 = 1" "unilateral wall: x + w >= 0 { restitution 0.5 }" >rod.dls
simulate 0 rod.dls --scheme radau5 --step 0.01 --until 2 --sensitivity w --json # the start does not change
json 'd["sensitivity"]["lost"] is None and abs(d["sensitivity"]["by"]["w"]["q"]["x"] + 2.28413935) < 1e-6'
simulate 2 "${block[@]}" --sensitivity mu,nu; err "\`nu\` is no parameter"; err "mu, g, v0"
simulate 2 "${block[@]}" --sensitivity mu,,g; err "a name is missing"
simulate 2 "${block[@]}" --sensitivity mu --project; err "--project"
simulate 2 "${ball[@]}" --sensitivity e; err "locates events"

# ---- pictures -------------------------------------------------------------------------------------

simulate 0 "${ball[@]}" -o ball.svg
out "Written to ball.svg"
grep -q "<svg" ball.svg || fail "no picture"
simulate 0 bouncing-ball.dls --step 1e-4 --until 20 -o long.svg --quiet
[ "$(stat -c %s long.svg)" -lt 400000 ] || fail "$(stat -c %s long.svg) bytes"
simulate 0 chain.dls --step 5e-3 --until 0.1 -o chain.png --quiet
simulate 1 closing-jaws.dls --step 0.1 --until 1 -o jaws.svg --quiet
grep -q "<svg" jaws.svg || fail "no picture"

# ---- bodies: contacts come and go ------------------------------------------------------------------

cat >drop.dls <<'END'
gravity 0, 0, -9.81
fixed ground { plane 0, 0, 1 }
body c { box 0.3, 0.3, 0.2; density 400; position 0, 0, 0.3; rotation 0.1, 0.2, 0.3; spin 1, 2, 3 }
contact * * { friction 0.5; restitution 0.1 }
END
for scheme in moreau moreau-projected schatzman-paoli herk5 radau5; do
  step=2e-3
  case $scheme in herk5 | radau5) step=0.01 ;; esac
  simulate 0 drop.dls --scheme $scheme --step $step --until 0.5 -o drop.h5 -o drop.csv -o drop.svg --json
  json 'd["complete"] and abs(d["final"]["q"]["c.z"] - 0.1) < 2e-3 and d["max_penetration"] < 5e-3'
  json 'max(abs(v) for v in d["final"]["v"].values()) < 1e-9'
  json 'd["final"]["status"]["c.corner---/ground"] == "sticking" and d["energy"]["last"] < d["energy"]["first"]'
  simulate 0 drop.dls --scheme $scheme --step $step --until 0.26 -o again.h5 --quiet
  simulate 0 drop.dls --scheme $scheme --step $step --until 0.5 -o again.h5 --resume --quiet
  simulate 0 drop.dls --scheme $scheme --step $step --until 0.5 -o drop.h5 --quiet
  same drop.h5 again.h5
done
simulate 0 drop.dls --scheme herk5 --step 0.01 --until 0.5 --json # events without end
err "crossed in"
json 'd["coarse_steps"] > 0 and any("no better" in w for w in d["warnings"])'
# outputs are those of formulas of bodies; events of the model are not looked for, and that is said
printf '%s\n' 'let corner = point c (0.15, 0.15, 0.1)' 'output height = corner.z' >>drop.dls
moreau=(drop.dls --scheme moreau --step 2e-3)
simulate 0 "${moreau[@]}" --until 0.5 -o drop.csv -o drop.h5 --json
json 'abs(d["final"]["outputs"]["height"] - 0.2) < 5e-3'
head -1 drop.csv | grep -q ',height,' || fail "no output in the CSV"
simulate 0 "${moreau[@]}" --until 0.26 -o again.h5 --quiet
simulate 0 "${moreau[@]}" --until 0.5 -o again.h5 --resume --quiet
same drop.h5 again.h5
simulate 2 "${moreau[@]}" --until 0.6 -o drop.csv --resume; err "only .h5 can be resumed"
cp drop.dls low.dls && echo 'event low: corner.z - 0.21 = 0' >>low.dls
simulate 0 low.dls --scheme moreau --step 2e-3 --until 0.1 --json; err "events of the model are not looked for"
json 'len(d["warnings"]) == 1'
echo 'event end: corner.z - 0.21 = 0 { stop }' >>low.dls
simulate 2 low.dls --scheme moreau --step 2e-3 --until 0.1; err "cannot stop a run of bodies"
# loops whose constraints across their plane have gradients that are nothing but rounding
cassie=$examples/../../shared/data/robots/agility_cassie/cassie.xml
if [ -f "$cassie" ]; then
  for scheme in moreau radau5 herk8; do
    simulate 0 "$cassie" --at home --project --scheme $scheme --step 1e-3 --until 0.05 --json
    json 'd["complete"] and d["bilateral"]["gap"] < 1e-9 and abs(d["energy"]["last"] - d["energy"]["first"]) < 0.05'
  done
else
  echo "no ../shared/data/robots: skipped"
fi

judge_claims
summary
