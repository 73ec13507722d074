#!/usr/bin/env bash
# The program as its users call it: exit statuses, messages, and what is written where.
#
#   test/cli/run.sh [PROGRAM]      PROGRAM defaults to $DELASSUS
# shellcheck source=test/cli/common.sh
. "$(dirname "$0")/common.sh"

# only the test's own files are there
clean() { none_of '*.json' '*.txt' '*.json.*' '*.txt.*'; }

# call STATUS ARGUMENT...
call() {
  invoke "$@"
  [ "$1" = 0 ] || a_message
}

cat >legs.dls <<'MODEL'
# Block on three legs
parameter m = 1, g = 9.81, mu = 0
coordinate x, y
kinetic   m/2*(x'^2 + y'^2)
potential m*g*y
unilateral left:   y >= 0 { slip x'; friction mu }
unilateral middle: y >= 0 { slip x'; friction mu }
unilateral right:  y >= 0 { slip x'; friction mu }
state rest: y = 0
MODEL
sed 's/^kinetic/kinetik/' legs.dls >wrong.dls
: >empty.dls
mkdir folder

# -- help and version
call 0 --version; out "delassus "; no_err
call 0 --help; out "Usage: delassus COMMAND"; no_err
call 0 -h; out "check"
call 0 help; out "check"
call 0 help help; out "check"
call 0 help check; out "Exit status:"; out "Examples:"
for option in --at --set --tol --project --object --require --json "-o FILE" --quiet; do out "$option"; done
for question in mass_definite constraints_independent constraints_compatible mfcq \
  delassus_definite acceleration_exists acceleration_unique forces_unique unique_for_every_load \
  can_all_stick form_closure force_closure step_solvable; do out "$question"; done
call 0 check --help; out "Usage: delassus check"
call 0 check -h; out "Usage: delassus check"
call 2; err "no command"
call 2 help check check; err "one command"
call 2 help chekc; err "did you mean delassus check?"

# -- explain: by name, by the words of the report; what is not known is not guessed
call 0 help explain; out "Usage: delassus explain"; out "Exit status:"
call 0 explain; out "Questions"; out "force_closure "; out "friction.critical "; no_err
awk 'length($0) > 101 {exit 1}' out || fail "the list is wide"
call 0 explain mfcq; out 'mfcq: "Can all contacts open together?"'; out "docs/theory.md, section 5, eq. (ver.4)"; no_err
[ "$(wc -l <out)" -le 10 ] || fail "more than ten lines"
call 0 explain "force closure"; out 'force_closure: '; out "if they pressed"; cp out once
call 0 explain force closure; cmp -s out once || fail "two words are not one"
call 0 explain "Held by friction, if pressed?     yes  force closure: if the fingers"; cmp -s out once || fail "a line is not its topic"
call 0 explain mfcq --json; out '"name": "mfcq"'; out '"no": '; no_err
call 0 explain --json; out '"topics"'; no_err
call 0 explain mfcq -o e.txt; no_out; grep -q '^mfcq' e.txt || fail "e.txt holds no text"
call 0 explain mfcq -o e.json; grep -q '"mfcq"' e.json || fail "e.json holds no JSON"
rm -f e.txt e.json once
call 0 explain mfcq --quiet; no_out; no_err
call 2 explain mfqc; err "nothing of that name is known"; err "did you mean mfcq?"; no_out
call 2 explain friction; err "3 topics have these words"; err "did you mean friction.sufficient or friction.critical?"
call 2 explain ""; err "nothing of that name is known"; err "delassus explain lists what is"
call 2 explain mfcq -o e.csv; err "expected .json or .txt"
clean

# -- commands
call 2 chekc legs.dls; err "unknown command chekc"; err "did you mean delassus check?"
call 2 frobnicate; err "delassus help lists the commands"
call 2 --versoin; err "did you mean --version?"
call 2 --json check; err "options follow the command"

# -- options
call 2 check; err "needs a model"
call 2 check ""; err "its name is empty"
call 2 check legs.dls wrong.dls; err "one model"
call 2 check legs.dls --jsno; err "did you mean --json?"
call 2 check legs.dls --frobnicate; err "unknown option --frobnicate"
call 2 check legs.dls -x; err "unknown option -x"
call 2 check legs.dls --json=yes; err "--json takes no value"
call 2 check legs.dls --at; err "--at needs a value"
call 2 check legs.dls --at --json; err "--at needs a value"
call 2 check legs.dls --at rest --at rest; err "--at is given twice"
call 0 check legs.dls --at rest -o two.json -o two.txt -o three.json; no_out
cmp -s two.json three.json || fail "two.json and three.json differ"
grep -q "Block on three legs" two.txt || fail "two.txt holds no report"
rm two.json two.txt three.json
call 0 check "$examples/ladder.dls" -o two.json -o two.svg; grep -q "</svg>" two.svg || fail "no picture"; rm two.json two.svg
call 2 check legs.dls --at rest -o two.json -o nowhere/two.txt; err "nowhere/two.txt"; none_of 'two*'
call 2 check legs.dls --at rest -o two.json -o two.json; err "-o two.json is given twice"; none_of 'two*'
call 2 check legs.dls -o; err "-o needs a value"
for tolerance in 0 -1 nan inf 1e-9x x "" "," "1e-9," ,1e-9 1e-9,0 1e-9,nan 1e-9,1e-9,1e-9 "1e-9;1e-9"; do
  call 2 check legs.dls --tol "$tolerance"; err "--tol $tolerance: expected GAP[,VELOCITY]"
done
call 2 check legs.dls --set mu; err "expected NAME=VALUE"
call 2 check legs.dls --set =1; err "expected NAME=VALUE"
call 2 check legs.dls --set mu=; err "expected NAME=VALUE"
call 2 check legs.dls --require mfqc; err "did you mean mfcq?"
call 2 check legs.dls --require perpetual_motion; err "unknown question"
call 2 check legs.dls --require force_closrue; err "did you mean force_closure?"
for name in a.csv a .json a.JSON; do
  call 2 check legs.dls -o "$name"; err "expected .json, .txt, .html, .svg or .png"
done

# -- files
call 2 check missing.dls; err "cannot read missing.dls: No such file"
call 2 check folder; err "directory"
call 2 check empty.dls; err "empty.dls is empty"
call 2 check -; err "standard input is empty"
if [ "$(id -u)" != 0 ]; then
  cp legs.dls secret.dls
  chmod 0 secret.dls
  call 2 check secret.dls; err "cannot read secret.dls: Permission denied"
fi
head -c 16777217 /dev/zero | tr '\0' '#' >large.dls
call 2 check large.dls; err "larger than 16 MiB"
{ printf '\377\376'; sed 's/./&\x00/g' legs.dls; } >wide.dls
call 2 check wide.dls; err "wide.dls:1:1: error: this byte is not valid UTF-8"
[ "$(grep -c error: err)" = 1 ] || fail "said more than once"
tr '\n' '\r' <legs.dls >mac.dls
call 2 check mac.dls; err "a carriage return alone does not end a line"
[ "$(grep -c error: err)" = 1 ] || fail "said more than once"
sed 's/$/\r/' legs.dls >dos.dls
call 0 check dos.dls
call 2 check wrong.dls --json -o a.json; err "wrong.dls:4:1"; err "^"; clean
call 2 check legs.dls --set mass=2; err "mass"; err "parameters of this model: m, "
sed 's/^parameter/& öööööööööööööööööööööö_____________________________________________ = 1,/' legs.dls >long.dls
call 2 check long.dls --set mass=2; err "parameters of this model: öööööööööööööööööööö…, m, g, mu"
call 2 check legs.dls --at sleeping; err "sleeping"; err "--at sleeping: "; err "  states: rest"
call 2 check legs.dls --at "y = -0.5" -o a.txt; err "--project moves to the nearest"; clean
call 2 check legs.dls -o missing/a.json; err "cannot write missing/a.json"
call 2 check legs.dls -o folder/../missing/a.txt --json; err "cannot write"; clean
mkdir busy.json
call 2 check legs.dls -o busy.json; err "not a file"
rmdir busy.json

# -- what a check prints
call 0 check legs.dls; out "Block on three legs"; out "left"; out "rank 1 of 3"; out "0 … 9.81"; no_err
call 0 check legs.dls --quiet; no_out; no_err
call 0 check legs.dls --json; out '"model": "legs.dls"'; out '"solution_count": 1'; no_err
call 0 check legs.dls --json --quiet; out '"model"'
for tolerance in "1e-9," ",1e-9" 1e-9,0 -1,1 1,2,3 1,x nan,1; do
  call 2 check legs.dls --tol "$tolerance"; err "--tol $tolerance: expected"
done
call 0 check legs.dls --tol 2,1e-3 --json; out '"tolerance": 2.0'; out '"tolerance_velocity": 0.001'; out '"tolerance_relative": 1'
call 0 check --at=rest --tol=1e-6 --json -- legs.dls; out '"state": "rest"'; out '"tolerance": 9.9999999999999995e-7'
call 0 check legs.dls --at " " --json; out '"state": null'
call 0 check legs.dls --at "y = 2" --json; out '"status": "open"'
call 0 check legs.dls --at "y = -0.5" --project; out "moved by up to 0.5"
call 0 check legs.dls --set mu=0.3; out "closed, not slipping, friction 0.3"; out "sticks; normal 0 … 9.81"
call 0 check legs.dls --set mu=0.3 --at "x'=1"; out "slides; normal 0 … 9.81, tangential -2.943 … 0"
call 0 check legs.dls --set mu=0.3 --json; out '"mode": "stick"'; out '"solution_count": 1'
call 0 check legs.dls --at "y' = -1"; out "contacts left, middle, right hit, so velocities jump"; out "impacting at 1"
out "Impact, by Newton's law"; out "velocities   x' = 0, y' = 0"; out "the impulses are not determined"
call 0 check legs.dls --at "y' = -1" --json; out '"law": "Newton"'; out '"percussions_unique": {'; out '"projection_difference"'
call 0 check legs.dls --at "y' = -1" -o hit.json; call 0 verify hit.json legs.dls; out "impact, motion"; rm hit.json
call 0 check legs.dls --at "y=2, t = 3"; out "at y=2, t = 3; below"
call 0 check legs.dls --at "y = 2"; out "at y = 2, t = 0; below"
call 0 check legs.dls --set m=1e-10; out "0 … 9.81e-10 (not determined"; out "3 of 3 not determined"
call 2 check legs.dls --set mu='sqrt(-1)'; err "would not be a finite number"
sed 's/m\*g\*y/m*g*sqrt(y)/' legs.dls >root.dls
call 2 check root.dls --at "y = 0"; err "the force on y is infinite"
sed 's/m\*g\*y/m*g*sqrt(x - 1)/' legs.dls >negative.dls
call 2 check negative.dls; err "the force on x is not a number"
sed 's/m\*g\*y/m*g*log(x - 1)/' legs.dls >unreal.dls
call 2 check unreal.dls -o a.json; err "unreal.dls: the potential energy is not a number at t = 0, x = 0, x' = 0, y = "; clean
call 2 check unreal.dls --project; err "the potential energy is not a number"
call 0 check unreal.dls --at "x = 2" --quiet
label="check - <legs.dls"
"$program" check - --json <legs.dls >out 2>err || fail "exit status $?"
out '"model": "standard input"'
label="check - <wrong.dls"
"$program" check - <wrong.dls >out 2>err && fail "exit status 0"
err "standard input:4:1: error"

# -- required answers: the report comes anyway
call 0 check legs.dls --require acceleration_exists --require acceleration_unique --quiet; no_out; no_err
call 1 check legs.dls --require forces_unique; out "Block"; err "forces_unique is required, but the answer is no"
call 1 check legs.dls --require forces_unique --quiet; no_out
call 1 check legs.dls --set mu=0.3 --require forces_unique --json; out '"verdicts"'; err "forces_unique is required, but the answer is no"
call 0 check legs.dls --set mu=0.3 --require acceleration_unique --quiet; no_out; no_err
call 1 check legs.dls --at "y' = -1" --require forces_unique; err "contacts left, middle, right hit, so"
call 1 check legs.dls --require constraints_compatible --quiet; err "does not arise"

# -- the object whose closure is asked about
sed '$ a object block: x, y\nobject cart: x' legs.dls >object.dls
call 0 check object.dls; out "; object block"
call 0 check object.dls --json; out '"object": "block"'
call 0 check object.dls --object cart --json; out '"object": "cart"'
call 2 check object.dls --object blok; err "object.dls: --object blok: "; err "did you mean block?"
call 2 check object.dls --object pendulum; err "its objects are block, …"
call 2 check legs.dls --object block -o a.json; err "--object block asks about an object"; err "    object body: x, y"; clean
call 2 check legs.dls --require form_closure; err "--require form_closure asks about an object"
call 2 check legs.dls --require mfcq --require force_closure; err "--require force_closure asks"; err "object body: x, y"
call 2 check legs.dls --object; err "--object needs a value"

# -- results in files
call 0 check legs.dls -o a.json; no_out; no_err
grep -q '"verdicts"' a.json || fail "a.json holds no report"
call 0 check legs.dls -oa.txt; no_out
grep -q 'Block on three legs' a.txt || fail "a.txt holds no report"
[ "$(stat -c %a a.txt)" = "$(printf '%o' $((0666 & ~$(umask))))" ] || fail "a.txt has odd rights"
call 0 check legs.dls --json -o a.json
cmp -s out a.json || fail "a.json differs from standard output"
cp a.json old.json
call 2 check wrong.dls -o a.json
cmp -s a.json old.json || fail "an error changed a.json"
ln -s a.json link.json
call 0 check legs.dls --at rest -o link.json
if [ ! -L link.json ] || ! grep -q '"rest"' a.json; then fail "a link was replaced"; fi
call 1 check legs.dls --require forces_unique -o b.json
[ -s b.json ] || fail "no b.json after a bad answer"
rm -f a.json a.txt b.json old.json link.json
clean

# -- verify: what a check claims holds; what is changed does not
call 0 help verify; out "Usage: delassus verify REPORT MODEL"; out "Exit status:"
for option in --set --json "-o FILE" --quiet; do out "$option"; done
call 0 verify -h; out "Usage: delassus verify"
call 0 check legs.dls --set mu=0.3 --json; cp out report.saved
call 0 verify report.saved legs.dls; out "Claims of report.saved about legs.dls"
out "with mu = 0.3 (the model says 0)"; out "M is positive definite: elimination in intervals"; out ", 0 fail, "; no_err
call 0 verify report.saved legs.dls --quiet; no_out; no_err
call 0 verify report.saved legs.dls --json; out '"holds": true'; out '"report": "report.saved"'; no_err
call 0 verify report.saved legs.dls -o v.json; no_out
grep -q '"holds": true' v.json || fail "v.json holds no result"
call 0 verify report.saved legs.dls -o v.txt --json; out '"verdicts"'
grep -q 'elimination in intervals' v.txt || fail "v.txt holds no table"
rm -f v.json v.txt
label="verify - legs.dls <report.saved"
"$program" verify - legs.dls <report.saved >out 2>err || fail "exit status $?"
out "Claims of standard input about legs.dls"
label="verify report.saved - <legs.dls"
"$program" verify report.saved - <legs.dls >out 2>err || fail "exit status $?"
call 1 verify report.saved legs.dls --set mu=0.4 --json; out '"holds": false'
err "report.saved is not about legs.dls: contact left: friction 0.3 in the report, 0.4 in the model"
sed 's/m\/2\*/m\/3*/' legs.dls >lighter.dls
call 1 verify report.saved lighter.dls; out "FAILS"; err "verdicts.mass_definite fails: the pivots"; err "delassus fails: "
sed 's/left/port/' legs.dls >renamed.dls
call 1 verify report.saved renamed.dls; out "not about this model"; err "contact left in the report is port in the model"
call 1 verify report.saved renamed.dls --quiet; no_out
sed 's/"answer": "no"/"answer": "yes"/' report.saved >turned.saved
call 1 verify turned.saved legs.dls --quiet; err "turned.saved: verdicts.forces_unique fails"
# -- interrupted: it says so, and nothing is proven
awk 'BEGIN {
  n = 200; printf "coordinate x0"; for (i = 1; i < n; i++) printf ", x%d", i
  printf "\nkinetic 0"; for (i = 0; i < n; i++) printf " + x%d\047^2", i
  print "\nunilateral c0: x0 >= 0"; for (i = 1; i < n; i++) printf "unilateral c%d: x%d - x%d >= 0\n", i, i, i - 1 }' >chain.dls
call 0 check chain.dls -o chain.json
for signal in INT TERM; do
  label="verify chain.json, stopped by $signal"
  # a shell makes what it starts in the background ignore SIGINT
  env --default-signal=INT "$program" verify chain.json chain.dls >out 2>err &
  pid=$!
  asks $pid
  kill -$signal $pid
  wait $pid
  status=$?
  [ $status = 1 ] || fail "exit status $status, expected 1"
  err "interrupted, nothing is proven"; no_out
done
rm chain.dls chain.json
call 2 verify; err "needs a report and a model"
call 2 verify report.saved; err "needs a report and a model"
call 2 verify report.saved legs.dls legs.dls; err "needs a report and a model"
call 2 verify "" legs.dls; err "a name is empty"
call 2 verify - -; err "only one of report and model"
call 2 verify report.saved legs.dls --at rest; err "unknown option --at"
call 2 verify report.saved legs.dls -o v.csv; err "expected .json or .txt"
call 2 verify report.saved legs.dls --set mass=2; err "parameters of this model: m, "
call 2 verify missing.saved legs.dls; err "cannot read missing.saved"
call 2 verify folder legs.dls; err "directory, not a report file"
call 2 verify empty.dls legs.dls; err "empty.dls is empty: expected a report"
call 2 verify report.saved wrong.dls; err "wrong.dls:4:1"
call 2 verify legs.dls legs.dls; err "legs.dls:1:1: error: not a JSON report"; err "^"
head -c 500 report.saved >cut.saved
call 2 verify cut.saved legs.dls; err "cut.saved:"; err "not a JSON report"
sed 's/"tolerance": [^,]*,//' report.saved >bare.saved
call 2 verify bare.saved legs.dls --json -o v.json; err "bare.saved: tolerance: expected a number, but it is absent"; clean
sed 's/"time"/"model"/' report.saved >twice.saved
call 2 verify twice.saved legs.dls; err "duplicate object key"

# -- standard output that takes nothing
label="check legs.dls >/dev/full"
if [ -w /dev/full ]; then
  status=0
  "$program" check legs.dls --json -o a.json >/dev/full 2>err || status=$?
  : >out
  [ "$status" = 2 ] || fail "exit status $status, expected 2"
  err "cannot write to standard output"
  clean
  "$program" --version >/dev/full 2>err && fail "exit status 0 on a full disk"
fi
label="check legs.dls >&-"
status=0
"$program" check legs.dls >&- 2>err || status=$?
[ "$status" = 2 ] || fail "exit status $status, expected 2"
err "cannot write to standard output"
label="check legs.dls | true"
status=$({ { sleep 0.3; "$program" check legs.dls 2>err; echo $? >&3; } | true; } 3>&1)
[ "$status" = 2 ] || fail "exit status $status, expected 2"

summary
