#!/usr/bin/env bash
# States as users take them from recordings and files (--at FILE@TIME, --state FILE), what a run that
# failed says, and options that mean nothing to a scheme.
#
#   test/cli/states.sh [PROGRAM]      PROGRAM defaults to $DELASSUS
# shellcheck source=test/cli/common.sh
. "$(dirname "$0")/common.sh"

simulate() { invoke "$1" simulate "${@:2}"; }
cp "$examples"/*.dls .

# ---- a recording ----------------------------------------------------------------------------------

ladder=(double-pendulum-wall.dls --step 1e-3)
for form in csv h5; do
  file="a run, \"1\"@2.$form" # names are what they are
  simulate 0 "${ladder[@]}" --until 1 -o "$file" --quiet
  simulate 0 "${ladder[@]}" --until 0.6 --json
  cp out half.json
  invoke 0 check double-pendulum-wall.dls --at "$file@0.6" --json
  no_err
  json 'd["q"] == list(json.load(open("half.json"))["final"]["q"].values())'
  json 'd["v"] == list(json.load(open("half.json"))["final"]["v"].values()) and abs(d["time"] - 0.6) < 1e-12'
  cp out report.json
  invoke 0 verify report.json double-pendulum-wall.dls --quiet
  # a run that starts there ends where the whole one does, up to rounding
  simulate 0 "${ladder[@]}" --until 1 --at "$file@0.6" --json
  json 'abs(d["start"] - 0.6) < 1e-12 and d["steps"] == 400'
  invoke 0 check double-pendulum-wall.dls --at "$file@0.60049" --quiet
  err "has no row at t = 0.60049: taking the one before, t = 0.6"
  invoke 0 map double-pendulum-wall.dls --at "$file@0.6" --x m2=1:2:3 --ask mass_definite --json
  json 'd["state"].endswith("@0.6")'
  invoke 0 order double-pendulum-wall.dls --at "$file@0.6" --until 0.61 --steps 0.005:0.001:3 --reference run --json
  json 'len(d["runs"]) == 3'
  # another model, or other parameters: taken, and said
  { cat double-pendulum-wall.dls && echo "# or is it?"; } >other.dls
  invoke 0 check other.dls --at "$file@0.6" --quiet
  err "is a recording of another model"
  invoke 0 check double-pendulum-wall.dls --set m2=2 --at "$file@0.6" --quiet
  err "is a recording with other values of --set"
  for at in 'a = 0.1' 'a = 0.1, b = 0.2'; do # in CSV one of them makes quotes necessary
    simulate 0 "${ladder[@]}" --set m2=2 --at "$at" --until 0.1 -o "set.$form" --quiet
    invoke 0 check double-pendulum-wall.dls --set m2=2 --at "set.$form@0.1" --quiet
    no_err
    invoke 0 check double-pendulum-wall.dls --at "set.$form@0.1" --quiet
    err "is a recording with other values of --set"
  done
  for bad in "$file@2" "$file@-1"; do
    invoke 2 check double-pendulum-wall.dls --at "$bad"
    err "$file: it "
  done
  for bad in "$file@" "$file@x" "$file@nan" "$file@1e999" "$file@1 2"; do
    invoke 2 check double-pendulum-wall.dls --at "$bad"
    err "expected FILE@TIME"
  done
  invoke 2 check bouncing-ball.dls --at "$file@0.6"
  a_message
  invoke 2 check double-pendulum-wall.dls --at "none.$form@0.6"
  err "none.$form"
  : >"empty.$form"
  invoke 2 check double-pendulum-wall.dls --at "empty.$form@0.6"
  err "empty.$form"
  head -c 700 "$file" >"cut.$form"
  invoke 2 check double-pendulum-wall.dls --at "cut.$form@0.6"
  err "cut.$form"
done
# a jump: the row after it
simulate 0 bouncing-ball.dls --scheme radau5 --step 0.05 --until 1.5 -o jump.csv --quiet
jump=$(awk -F, '$6 == 0 {print $1; exit}' jump.csv)
invoke 0 check bouncing-ball.dls --at "jump.csv@$jump" --json
json 'abs(d["time"] - 1) < 1e-6 and d["v"][0] > 0.5 and d["contacts"][0]["status"] == "separating"'
# the usual error, and its remedy, for a state that violates
printf "t,x,x',y,y',theta,theta'\n0,0.9,0,0.7,0,0.785,0\n" >off.csv
invoke 2 check ladder.dls --at off.csv@0
err "--project"
invoke 0 check ladder.dls --at off.csv@0 --project --quiet

# what is no file is not waited for
mkfifo pipe.csv pipe.h5 pipe.json
mkdir folder.csv
for at in pipe.csv@0 pipe.h5@0 folder.csv@0; do
  label="check --at $at"
  timeout 10 "$program" check bouncing-ball.dls --at $at >out 2>err
  [ $? = 2 ] || fail "not refused"
  a_message
done
truncate -s 5G huge.csv # a hole
label="check --at huge.csv@0"
timeout 10 "$program" check bouncing-ball.dls --at huge.csv@0 >out 2>err
[ $? = 2 ] || fail "not refused"
err "larger than 4096 MiB"
rm huge.csv
label="check --state pipe.json"
timeout 10 "$program" check bouncing-ball.dls --state pipe.json >out 2>err
[ $? = 2 ] || fail "not refused"

# ---- a file of JSON -------------------------------------------------------------------------------

echo '{"q": [-1.2, -0.6], "v": [0.5, 0], "t": 2}' >s.json
invoke 0 check double-pendulum-wall.dls --state s.json --json
json 'd["q"] == [-1.2, -0.6] and d["v"] == [0.5, 0] and d["time"] == 2 and d["state"] == "s.json"'
simulate 0 "${ladder[@]}" --state s.json --until 2.1 --json
json 'd["start"] == 2'
invoke 0 map double-pendulum-wall.dls --state s.json --x m2=1:2:3 --ask mass_definite --json
invoke 2 check double-pendulum-wall.dls --state s.json --at "a=0"
err "one of them"
invoke 2 check double-pendulum-wall.dls --state s.txt
err "JSON"
invoke 2 check double-pendulum-wall.dls --state none.json
err "none.json"
for bad in '' '[1]' '{"q": [1], "v": [1, 2]}' '{"q": [1, NaN], "v": [1, 2]}' '{"q": [1, 2], "v": [1, "2"]}'; do
  echo "$bad" >bad.json
  invoke 2 check double-pendulum-wall.dls --state bad.json
  err "bad.json"
done

# ---- a step that fails ----------------------------------------------------------------------------

# the call that explains is short, and works; a remedy that is named works too
for form in csv h5; do
  simulate 1 imposed-motion-rod.dls --step 1e-3 --until 1 -o "my run.$form" --quiet
  err "this call explains the state: delassus check imposed-motion-rod.dls --at \"my run.$form@0\""
  err "tried in vain: "
  call=$(sed -n 's/.*this call explains the state: delassus //p' err)
  eval "\"$program\" $call" >explained 2>&1 || fail "$(head -3 explained)"
done
simulate 1 imposed-motion-rod.dls --step 1e-3 --until 1 --quiet
err "with -o run.h5"
cat >barrier.dls <<'END'
# A mass that is thrown against a potential, which long steps carry it over
coordinate x = 1
velocity   x = -5
kinetic    x'^2/2
potential  -5*log(x)
END
simulate 1 barrier.dls --step 0.4 --until 2 --json
err "the force on x is infinite"
remedy=$(sed -n 's/.*tried: with \(--.*\) it gets past there/\1/p' err)
[ -n "$remedy" ] || fail "no remedy"
json 'd["failure"]["remedy"].startswith("--")'
case $remedy in
--step*) call=() ;;
*) call=(--step 0.4) ;;
esac
# shellcheck disable=SC2086
simulate 0 barrier.dls "${call[@]}" $remedy --until 0.8 --json
json 'd["final"]["q"]["x"] > 0'

# ---- options that mean nothing --------------------------------------------------------------------

ball=(bouncing-ball.dls --step 0.01 --until 0.1)
nothing() { # SCHEME OPTION VALUE
  simulate 2 "${ball[@]}" --scheme "$1" "$2" "$3" -o n.csv
  err "$2 means nothing to the scheme $1"
  err "it is for "
}
for scheme in radau3 radau5 lobatto2 lobatto4 lobatto6 herk2 herk3 herk4 herk5 schatzman-paoli; do
  nothing $scheme --theta 1
  nothing $scheme --gamma 0
  nothing $scheme --facets 8
done
nothing lcp --theta 1
for scheme in moreau moreau-projected schatzman-paoli lcp; do
  nothing $scheme --rtol 1e-3
  nothing $scheme --atol 1e-3
  nothing $scheme --max-step 1e-3
done
nothing moreau --facets 8
none_of n.csv
for call in "moreau --theta 1 --gamma 0" "moreau-adaptive --theta 1 --rtol 1e-3 --atol 1e-4" "lcp --facets 6 --gamma 0" \
  "radau5 --rtol 1e-5 --max-step 0.05 --on-loss continue" "herk3 --on-loss stop" "moreau-adaptive --max-step 0.05"; do
  # shellcheck disable=SC2086
  simulate 0 "${ball[@]}" --scheme $call --quiet
done
simulate 2 "${ball[@]}" --scheme radau5 --max-step 0.05
err "--rtol or --atol makes it choose its steps"
simulate 2 "${ball[@]}" --scheme radau5 --rtol 1e-5 --max-step 0.001
err "longer than --max-step"
for x in 0 -1 nan -inf x ""; do
  simulate 2 "${ball[@]}" --scheme radau5 --rtol 1e-5 --max-step "$x"
  err "expected a positive number"
done
simulate 2 "${ball[@]}" --scheme radau5 --max-step inf
err "--rtol or --atol makes it choose its steps"

# a short push on a block at rest: steps of any length may pass over it, and then there are few of
# them; those of a fiftieth of the run do not
cat >push.dls <<'EOF'
coordinate x, y
kinetic (x'^2 + y'^2)/2
potential 10*y
force x = 8*exp(-((t - 2)/0.05)^2)
unilateral floor: y >= 0 { slip x'; friction 0.3 }
EOF
push=(push.dls --step 0.02 --rtol 1e-6 --atol 1e-6)
for scheme in radau3 radau5 lobatto4 lobatto6 herk3 herk4 herk5 moreau-adaptive moreau-variable-order; do
  simulate 0 "${push[@]}" --scheme $scheme --until 6 --json
  json 'abs(d["final"]["q"]["x"] - 0.034779332) < 5e-5 and d["steps"] >= 50'
  simulate 0 "${push[@]}" --scheme $scheme --until 6 --max-step inf --json
  json 'd["steps"] < 50 or abs(d["final"]["q"]["x"] - 0.034779332) < 5e-5'
done
# what goes on keeps the longest step that it was begun with, whatever the end is
for form in csv h5; do
  simulate 0 "${push[@]}" --scheme radau5 --until 3 -o push.$form --quiet
  simulate 0 "${push[@]}" --scheme radau5 --until 6 -o push.$form --resume --json
  json 'd["resumed_from"] == 3 and d["complete"]'
  simulate 0 "${push[@]}" --scheme radau5 --until 6 --max-step 0.06 -o push.$form --resume --json
  json 'd["steps"] == 0 and d["complete"]'
  simulate 2 "${push[@]}" --scheme radau5 --until 6 --max-step 0.05 -o push.$form --resume
  err "it was made with the settings"
done

# ---- motions that are not large beside what counts as zero ----------------------------------------

# a drop through s: after the impact at sqrt(2 s/g) half of the velocity
cat >drop.dls <<'EOF'
parameter s = 5e-10
coordinate y = s
kinetic y'^2/2
potential 9.81*y
unilateral floor: y >= 0 { restitution 0.5 }
EOF
drop=(drop.dls --scheme radau5 --step 1e-7 --until 1.2e-5)
simulate 0 "${drop[@]}" --json
err "warning: coordinates are no larger than 5e-10"
err "--tol 1e-16,1e-09 would suit it"
json 'len(d["warnings"]) == 1 and "--tol 1e-16,1e-09" in d["warnings"][0]'
simulate 0 "${drop[@]}" --tol 1e-16,1e-9 --json # as it says: no warning, and right
no_err
json 'd["warnings"] == [] and abs(d["final"]["q"]["y"]/7.649799407567123e-11 - 1) < 1e-5'
simulate 0 drop.dls --scheme radau5 --step 0.01 --until 1 --set s=1 --json
no_err
json 'd["warnings"] == []'
simulate 0 drop.dls --scheme radau5 --step 0.01 --until 0.5 --at "y=1, y'=1e-7" --quiet # falls: not slow for long
no_err
cat >slow.dls <<'EOF'
coordinate x = 1
velocity x = -1e-7
kinetic x'^2/2
unilateral wall: x >= 0
EOF
simulate 0 slow.dls --step 0.01 --until 1 --quiet
err "warning: velocities are no larger than 1e-07"
err "--tol 1e-09,1e-13 would suit it"
for scheme in moreau radau5 schatzman-paoli; do # at rest, whatever creeps
  simulate 0 hand.dls --scheme $scheme --step 0.01 --until 0.5 --quiet
  no_err
done

# ---- a foot without mass on a damper --------------------------------------------------------------

cat >foot.dls <<'EOF'
coordinate y = 1.2, f = 0.2
kinetic y'^2/2
potential 10*y + 200*(y - f - 1)^2
dissipation 2*(y' - f')^2
unilateral floor: f >= 0
EOF
for scheme in radau3 radau5 lobatto2 lobatto4 lobatto6 herk2 herk3 herk4 herk5 lcp schatzman-paoli; do
  simulate 1 foot.dls --scheme $scheme --step 0.005 --until 1 --quiet
  err "the mass matrix is singular"
  err "with --scheme moreau it gets past there"
done
simulate 0 foot.dls --scheme moreau --step 5e-4 --until 1 --json # what is named is right: y by two smooth pieces
json 'abs(d["final"]["q"]["y"] - 0.988759) < 1e-3 and abs(d["final"]["q"]["f"]) < 1e-3'
simulate 0 foot.dls --scheme moreau-projected --step 5e-4 --until 1 --json # the damper gives a metric
json 'abs(d["final"]["q"]["y"] - 0.988759) < 1e-3 and abs(d["final"]["q"]["f"]) < 1e-12'

# ---- friction as a force --------------------------------------------------------------------------

printf "coordinate x\nvelocity x = 1\nkinetic x'^2/2\nforce x = -0.4*sign(x')\n" >sign.dls
printf "coordinate x, y\nvelocity x = 1\nkinetic (x'^2 + y'^2)/2\npotential 10*y\n%s\n" \
  "unilateral floor: y >= 0 { slip x'; friction 0.04 }" >floor.dls
for scheme in radau3 radau5 lobatto2 lobatto4 lobatto6 herk3 herk4 schatzman-paoli; do
  simulate 1 sign.dls --scheme $scheme --step 0.01 --until 4 --json
  err "a force of the model jumps with a velocity"
  err "unilateral floor: y >= 0 { slip x'; friction 0.4 }"
  json 'd["failure"]["force_jumps"]'
  simulate 0 floor.dls --scheme $scheme --step 0.01 --until 4 --json # what is named holds it: x = 1/(2 0.4)
  json 'abs(d["final"]["q"]["x"] - 1.25) < 0.01 and abs(d["final"]["v"]["x"]) < 1e-9'
done

scheme=moreau-variable-order # creeps, and does not fail
simulate 0 sign.dls --scheme $scheme --step 0.01 --rtol 1e-6 --atol 1e-6 --until 3 --json
err "steps are as short as"
err "unilateral floor: y >= 0 { slip x'; friction 0.4 }"
json 'len(d["warnings"]) == 1 and abs(d["final"]["q"]["x"] - 1.25) < 1e-4'
simulate 0 floor.dls --scheme $scheme --step 0.01 --rtol 1e-6 --atol 1e-6 --until 3 --json
json 'd["warnings"] == [] and d["steps"] < 2000'
simulate 0 sign.dls --scheme $scheme --step 0.01 --rtol 1e-6 --atol 1e-6 --until 2 --json # before it stops
json 'd["warnings"] == []'

simulate 2 "${ball[@]}" --scheme radau5 --on-loss maybe
err "expected stop or continue"
simulate 2 bouncing-ball.dls --step 5 --until 1 -o n.csv
err "the step is longer than the run, from t = 0 to 1"
err "--step 1 is one step"
none_of n.csv
simulate 0 bouncing-ball.dls --step 1 --until 1 --quiet
simulate 2 bouncing-ball.dls --at "t=3" --step 1.1 --until 4
err "from t = 3 to 4"
simulate 2 bouncing-ball.dls --at "t=1e10" --step 1e-9 --until 10000000000.5 -o n.csv
err "too short to move the clock"
simulate 2 bouncing-ball.dls --step 0.1 --until 1e300 -o n.csv
err "too short to move the clock"
none_of n.csv
invoke 2 order bouncing-ball.dls --scheme radau5,herk3 --theta 1 --steps 0.1:0.01:3 --until 1
err "means nothing to the schemes radau5, herk3"
invoke 0 order bouncing-ball.dls --scheme radau5,moreau --theta 1 --steps 0.1:0.01:3 --until 1 --quiet
invoke 2 order bouncing-ball.dls --scheme moreau,radau5 --steps 0.1:0.01:3 --rtols 1e-2:1e-4:3 --until 1
err "none of the schemes chooses"

judge_claims
summary
