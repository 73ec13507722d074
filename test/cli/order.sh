#!/usr/bin/env bash
# Orders of schemes as their users measure them: the table, JSON, CSV and pictures, exit statuses
# and messages.
#
#   test/cli/order.sh [PROGRAM]      PROGRAM defaults to $DELASSUS
# shellcheck source=test/cli/common.sh
. "$(dirname "$0")/common.sh"

# order STATUS ARGUMENT...: on status 2 nothing may be written
order() {
  invoke "$1" order "${@:2}"
  [ "$1" = 0 ] || a_message
  [ "$1" != 2 ] || none_of 'a.*'
}

cat >osc.dls <<'END'
# A mass on a spring against a stop
parameter rho = 0.8
coordinate q = 1
kinetic q'^2/2
potential q^2/2
unilateral stop: q >= 0 { restitution rho }
let j = floor(t/pi + 1/2)
exact q = rho^j*abs(cos(t)), q' = -rho^j*sin(t)*sign(cos(t))
state pulled: q = 2
END
grep -v '^exact' osc.dls >bare.dls
cat >ends.dls <<'END'
# The force ends at t = 1/2
coordinate x = 1
kinetic x'^2/2
force x = sqrt(0.5 - t)
exact x = 1
END
steps=(--steps 0.1:0.01:4 --until 5)

# ---- what is printed ---------------------------------------------------------------------------
order 0 osc.dls "${steps[@]}"
out "A mass on a spring"
out "the exact solution, which has 2 jumps"
out "q hausdorff"
out "order "
no_err
[ "$(awk '{ if (length($0) > most) most = length($0) } END { print most }' out)" -le 100 ] || fail "lines are too long"
order 0 osc.dls "${steps[@]}" --quiet
no_out
order 0 osc.dls "${steps[@]}" --scheme radau5,herk3 --json
json '[r["scheme"] for r in d["runs"]] == ["radau5"]*4 + ["herk3"]*4'
json '[round(r["step"], 4) for r in d["runs"][:4]] == [0.1, 0.0464, 0.0215, 0.01]'
json 'all(set(r["error_q"]) == set(r["error_v"]) == {"hausdorff", "l1", "l2", "uniform"} for r in d["runs"])'
json 'all(r["rhs_evaluations"] > r["steps"] > 0 and r["failure"] is None for r in d["runs"])'
json 'list(d["orders"]) == ["radau5", "herk3"] and d["reference"] == {"kind": "exact", "step": None, "jumps": 2}'
json 'all(2.8 < d["orders"]["herk3"][x]["hausdorff"] < 3.3 for x in "qv")'
json 'all(d["orders"]["radau5"][x]["hausdorff"] > 4.8 for x in "qv")'
json 'd["orders"]["herk3"]["used"]["q"]["l1"] == [4, 5, 6, 7]'
order 0 osc.dls "${steps[@]}" --of v --norm l2,uniform
out "v l2"
! grep -q "q l2\|hausdorff" out || fail "more than was asked"
label="order -"
"$program" order - "${steps[@]}" <osc.dls >out 2>err || fail "it does not read standard input"
out "A mass on a spring"

# ---- the reference -----------------------------------------------------------------------------
order 0 bare.dls "${steps[@]}" --scheme moreau,herk2 --json
json 'd["reference"]["kind"] == "radau5" and abs(d["reference"]["step"] - 0.00125) < 1e-15'
json 'd["reference"]["jumps"] == 2 and 1.9 < d["orders"]["herk2"]["q"]["l1"] < 2.2'
cp out bare
order 0 osc.dls "${steps[@]}" --scheme moreau,herk2 --json
if [ -n "$python" ]; then
  python3 -c 'import json
a, b = json.load(open("bare"))["runs"], json.load(open("out"))["runs"]
assert all(abs(x["error_" + k][n] - y["error_" + k][n]) < 1e-9 for x, y in zip(a, b) for k in "qv" for n in x["error_q"])' ||
    fail "a fine run is not the exact solution"
fi
order 0 osc.dls "${steps[@]}" --reference run
out "compared with radau5 with step 0.00125"
order 2 osc.dls "${steps[@]}" --at pulled
err "the exact solution begins elsewhere"
err "--reference run"
order 0 osc.dls "${steps[@]}" --at pulled --reference run
order 2 bare.dls "${steps[@]}" --reference exact
err "no exact solution"
order 2 bare.dls "${steps[@]}" --reference best
err "expected exact or run"

# ---- tolerances --------------------------------------------------------------------------------
order 0 osc.dls --scheme moreau,moreau-adaptive --steps 0.1:0.01:3 --rtols 1e-2:1e-4:3 --until 5 --json
json '[("rtol" in r) for r in d["runs"]] == [False]*3 + [True]*3'
json '[r["rtol"] == r["atol"] for r in d["runs"][3:]] == [True]*3'
json 'd["runs"][3]["step"] > d["runs"][5]["step"] and d["runs"][5]["rtol"] == 1e-4'
order 0 osc.dls --scheme radau5 --rtols 1e-3,1e-5,1e-7 --atols 1e-9 --until 5 --json
json 'all(r["atol"] == 1e-9 for r in d["runs"]) and d["orders"]["radau5"]["q"]["l1"] > 2'
order 2 osc.dls --scheme moreau-adaptive "${steps[@]}"
err "--rtols"
order 2 osc.dls --scheme moreau --rtols 1e-2:1e-4:3 --until 5
err "--steps"
order 2 osc.dls --scheme radau5 --rtols 1e-2:1e-4:3 --atols 1e-3,1e-4 --until 5
err "--atols has 2 values"
order 2 osc.dls "${steps[@]}" --atols 1e-3
err "without --rtols"
order 2 osc.dls --scheme radau5 --rtols 10,1 --until 5
err "from 2.2e-16 to 1"

# ---- files -------------------------------------------------------------------------------------
order 0 osc.dls "${steps[@]}" --scheme moreau,radau5 -o a.csv --quiet
[ "$(wc -l <a.csv)" = 9 ] || fail "not a line for each run"
head -1 a.csv | grep -q '^scheme,step,.*,q_hausdorff,.*,v_uniform,failure$' || fail "another header"
[ "$(awk -F, '{ print NF }' a.csv | sort -u)" = 16 ] || fail "lines of different length"
rm a.csv
order 0 osc.dls "${steps[@]}" -o a.json --quiet
json 'len(d["runs"]) == 4' a.json
rm a.json
for form in svg png; do
  order 0 osc.dls "${steps[@]}" --scheme moreau,radau5 -o a.$form --quiet
  [ -s a.$form ] || fail "no picture"
  rm -f a.$form
done
order 2 osc.dls "${steps[@]}" -o a.txt
err "the ending chooses the form"
order 2 osc.dls "${steps[@]}" -o nowhere/a.svg

# ---- runs that fail ----------------------------------------------------------------------------
order 1 ends.dls --steps 0.1:0.01:3 --until 1 --json -o a.svg
err "and 2 more of the 3 runs failed"
json 'all(r["failure"] and r["error_q"]["l1"] is None for r in d["runs"])'
json 'd["orders"]["moreau"]["q"]["l1"] is None and d["orders"]["moreau"]["used"]["q"]["l1"] == []'
err "nothing to draw"
[ ! -e a.svg ] || fail "a picture of nothing"
order 1 ends.dls --steps 0.1:0.01:3 --until 1
out "failed: "
order 0 ends.dls --steps 0.1:0.01:3 --until 0.4
order 1 ends.dls --steps 0.1:0.01:3 --until 1 --reference run
err "the reference run failed"
err "--tol 1e-9 --residual 1e-9"
order 1 ends.dls --steps 0.1:0.01:3 --until 1 --reference run --tol 1e-9 --residual 1e-9
! grep -q "gives a larger one" err || fail "it is given"

# ---- a start without energy --------------------------------------------------------------------
cat >log.dls <<'END'
coordinate x = 0
kinetic x'^2/2
potential log(x - 1)
END
order 2 log.dls --steps 0.1:0.01:3 --until 1 -o a.svg
err "the potential energy is not a number at t = 0, x = 0, x' = 0"
! grep -q "gives a larger one" err || fail "no tolerance helps"
echo "exact x = 0" >>log.dls
order 2 log.dls --steps 0.1:0.01:3 --until 1 -o a.svg
err "the potential energy is not a number"

# ---- wrong calls -------------------------------------------------------------------------------
order 2
err "order needs a model"
order 2 osc.dls --until 5
err "order needs steps"
order 2 osc.dls --steps 0.1:0.01:4
err "order needs an end"
for wrong in 0.01:0.1:4 0.1:0.1:4 0.1:0:4 0.1:-1:4 0.1:0.01:1 0.1:0.01:2.5 0.1:0.01:9999 0.1:0.01 0.1:0.01:4:5 \
  x nan inf:1:3 0.1 0.1,0.1 "0.1,," 0.1,-1 ""; do
  order 2 osc.dls "--steps=$wrong" --until 5
done
order 2 osc.dls "${steps[@]}" --scheme moreu
err "did you mean moreau?"
order 2 osc.dls "${steps[@]}" --scheme moreau,moreau
err "given twice"
order 2 osc.dls "${steps[@]}" --scheme ,
order 2 osc.dls --steps 0.1:0.01:4 --until 0
err "the start is at t = 0 already"
order 2 osc.dls --steps 0.1:0.01:4 --until nan
order 2 osc.dls --steps 10:1:3 --until 5
err "--steps: 10 is longer than the run"
order 2 osc.dls --scheme radau5 --rtols 1e-3:1e-17:3 --until 5
err "from 2.2e-16 to 1"
order 2 osc.dls --steps 0.1:0.01:4 --until 1 --at "t = 2"
order 2 osc.dls "${steps[@]}" --norm l3
err "expected hausdorff"
order 2 osc.dls "${steps[@]}" --norm ""
order 2 osc.dls "${steps[@]}" --of x
order 2 osc.dls "${steps[@]}" --theta 2
order 2 osc.dls "${steps[@]}" --tol 0
order 2 osc.dls "${steps[@]}" --set nope=1
order 2 osc.dls "${steps[@]}" --at nowhere
order 2 none.dls "${steps[@]}"
order 0 --help
out "Usage: delassus order"

# ---- the reference's own error -----------------------------------------------------------------

cat >rough.dls <<'END'
# A spring on a rough floor: no scheme, and no reference, has steps that see its waves
coordinate x = 1
kinetic x'^2/2
force x = -x + 0.01*sin(1e5*x)
END
order 0 rough.dls --scheme radau5,moreau --steps 0.02:0.002:4 --until 3
out "~"
out "not well above the error of the reference itself"
out "no order of q in hausdorff: fewer than two errors are well above that of the reference"
order 0 rough.dls --scheme radau5,lobatto6,herk5 --steps 0.02:0.002:4 --until 3 --json
json 'all(d["reference"]["error_" + x][n] > 1e-7 for x in "qv" for n in ("hausdorff", "l1", "l2", "uniform"))'
json 'all(d["orders"][s][x]["hausdorff"] is None and "reference" in d["orders"][s]["reason"][x]["hausdorff"] for s in ("radau5", "lobatto6") for x in "qv")'
json 'all(k not in o["used"][x][n] for o in d["orders"].values() for x in "qv" for n in o["used"][x] for k in o["below_reference"][x][n])'
json 'all(d["runs"][k]["error_" + x][n] <= 8*d["reference"]["error_" + x][n] for o in d["orders"].values() for x in "qv" for n in o["used"][x] for k in o["below_reference"][x][n])'
# where the reference converges nothing is lost
order 0 bare.dls "${steps[@]}" --scheme moreau,herk3,herk2 --json
json 'all(d["orders"][s]["used"]["q"]["hausdorff"] == [i, i + 1, i + 2, i + 3] for s, i in (("moreau", 0), ("herk3", 4), ("herk2", 8)))'
json 'all(v is None for o in d["orders"].values() for v in o["reason"]["q"].values())'

# ---- the run's own tolerances ------------------------------------------------------------------
# A ball whose bounces end where they are slower than the tolerance: velocities are wrong by up to
# that with every step, and these rows are not fitted.

cat >ball.dls <<'END'
# A ball that comes to rest at t = 3
coordinate q = 1
kinetic q'^2/2
potential 2*q
unilateral floor: q >= 0 { restitution 1/2 }
let s = max(3 - t, 1e-300)
let half = 2^-(1 + floor(-log2(s)))
exact q = if(t < 1, 1 - t^2, if(t < 3, (2*half - s)*(s - half), 0))
exact q' = if(t < 1, -2*t, if(t < 3, 2*s - 3*half, 0))
END
# steady: no row that is fitted has an error that those after it do not fall below
steady='all(d["runs"][a]["error_" + x][n] > 2*d["runs"][b]["error_" + x][n] for o in d["orders"].values() for x in "qv" for n in ("hausdorff", "l1") for a, b in zip(o["used"][x][n], o["used"][x][n][1:]))'
for reference in exact run; do
  order 0 ball.dls --scheme radau5,lobatto4,herk4 --steps 0.1:0.001:6 --until 5 --reference $reference --json
  json 'all(o["v"]["hausdorff"] is None or o["v"]["hausdorff"] > {"radau5": 4.7}.get(s, 3.7) for s, o in d["orders"].items())'
  json 'd["orders"]["radau5"]["v"]["hausdorff"] > 4.7 and d["orders"]["radau5"]["noise"]["v"]["hausdorff"] > 1e-12'
  json "$steady"
done
order 0 ball.dls --scheme radau5,herk5 --steps 0.05:0.001:5 --until 5 --tol 1e-6 --json
json 'all(o["v"]["hausdorff"] is None and "tolerances" in o["reason"]["v"]["hausdorff"] for o in d["orders"].values())'
order 0 ball.dls --scheme radau5 --steps 0.05:0.001:5 --until 5 --tol 1e-6
out "no order of v in hausdorff: fewer than two errors are above rounding and the run's own tolerances"
out "of the run's own tolerances: not part of the order"
# low orders keep all rows, and zero is an order
order 0 ball.dls --scheme moreau --steps 0.1:0.001:6 --until 5 --json
json 'd["orders"]["moreau"]["used"]["v"] == {n: [0, 1, 2, 3, 4, 5] for n in ("hausdorff", "l1", "l2", "uniform")}'
json 'abs(d["orders"]["moreau"]["v"]["uniform"]) < 0.3 and abs(d["orders"]["moreau"]["v"]["hausdorff"] - 1) < 0.3'
# a scheme that is right but for what the formulas leave out does not converge to them
sed 's/^exact q = .*/exact q = if(t < 1, 1 - t^2, if(t < 3, (2*half - s)*(s - half), 0)) + 1e-7*min(t, 1)/' ball.dls >off.dls
order 0 off.dls --scheme radau5 --steps 0.3:0.001:9 --until 5 --of q --norm uniform
out "no order of q in uniform: errors fall, then stand still above what rounding and tolerances explain"

# a system at rest has roundings only, whatever their size, and no order
printf 'coordinate x = 0, y = 1\nkinetic (x%s^2 + y%s^2)/2\npotential 3*y + x\nunilateral floor: y >= 1 { slip x%s; friction 0.9 }\n' "'" "'" "'" >rest.dls
order 0 rest.dls --scheme moreau,radau5,herk3 --steps 0.1:0.01:5 --until 1 --json
json 'all(o[x][n] is None and o["reason"][x][n] for o in d["orders"].values() for x in "qv" for n in o[x])'
# steps that end at events hardly change with the tolerance
order 0 ball.dls --scheme radau5 --rtols 1e-3:1e-9:7 --until 5
out "no order of v in hausdorff: the mean steps hardly differ"

judge_claims
summary
