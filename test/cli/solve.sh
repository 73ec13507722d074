#!/usr/bin/env bash
# Discrete problems as their users solve them: kinds of files, exit statuses, messages, what is
# written, and what an interrupt leaves.
#
#   test/cli/solve.sh [PROGRAM]      PROGRAM defaults to $DELASSUS
# shellcheck source=test/cli/common.sh
. "$(dirname "$0")/common.sh"

clean() { none_of 'a.*'; }

# solve STATUS ARGUMENT...: on status 2 nothing may be written
solve() {
  invoke "$1" solve "${@:2}"
  [ "$1" = 0 ] || a_message
  [ "$1" != 2 ] || clean
}

cp "$data"/friction/*.hdf5 "$data"/lcp/*.json .
one=FrictionContact3D_1c.hdf5 rover=Rover1039.hdf5 plane=FC2D_SliderCrankLagrangian00000.hdf5
none=lcp_Pang_isolated_sol_perturbed.json
echo '{"M": [[2, 1], [1, 2]], "q": [-4, -5]}' >lcp.json
echo '{"M": [[2, 1], [-1, 2]], "q": [-4, 3], "free": 1}' >mlcp.json
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 2\n1 2 1\n2 1 1\n2 2 2\n' >M.mtx
printf '%%%%MatrixMarket matrix array real general\n2 1\n-4\n-5\n' >q.mtx
echo 'coordinate x' >model.dls
: >empty.json
mkdir folder

# -- several files: all of them or none
solve 0 "$one" -o several.hdf5 -o several.json -o several.svg; no_out
for file in several.hdf5 several.json several.svg; do [ -s $file ] || fail "$file is not there"; done
solve 0 several.hdf5 --guess --quiet
rm several.*
solve 2 "$one" -o several.hdf5 -o nowhere/several.json; none_of 'several*'
solve 2 lcp.json -o several.json -o several.hdf5; err "no place for LCPs"; none_of 'several*'

# -- the call
solve 0 --help; out "Usage: delassus solve"; for o in --solver --tol --time-limit --max-iterations --facets --guess --exists --all --list \
  --vector --free "-o FILE" --json --quiet --threads; do out "$o"; done
"$program" help solve >help.txt; cmp -s out help.txt || fail "help solve and solve --help differ"
awk 'length($0) > 101 {exit 1}' help.txt || fail "the help is wide"
solve 2 "$one" --facets 8; err "--facets means nothing to auto: it is for --solver lemke-pyramid"
solve 2 "$one" --facets 2 --solver lemke-pyramid; err "expected a whole number from 3 to 1000"
solve 0 --list; out "nsgs"; out "lemke"; out "local, global"; no_err
awk 'length($0) > 100 {exit 1}' out || fail "the list is wide"
solve 0 --list --json; json '{s["name"] for s in d["friction"]} >= {"auto", "nsgs"} and d["friction"][0]["summary"]'
json 'all(set(s) == {"name", "summary", "promise"} for s in d["lcp"])'
solve 2 --list lcp.json; err "takes no problem"
solve 2; err "solve needs a problem"
solve 2 ""; err "solve needs a problem"
solve 2 $one $rover; err "one problem"
solve 2 missing.hdf5; err "cannot read missing.hdf5: No such file"
solve 2 folder; err "it is a directory"
solve 2 empty.json; err "empty.json is empty"
solve 2 model.dls; err "delassus check model.dls"
solve 2 $one --solver nsgss; err "did you mean nsgs?"
solve 2 $one --solver zzzzz; err "--list lists the solvers"
solve 2 $one --solver lemke; err "$one is fc3d"; err "solvers that do: auto, nsgs"
solve 2 lcp.json --solver nsgs; err "lcp.json is lcp"; err "lemke"
for x in 0 -1 2 nan inf 1e-8x ""; do solve 2 $one --tol "$x"; err "--tol $x: expected a number above 0"; done
for x in 0 -1 nan x ""; do solve 2 $one --time-limit "$x"; err "--time-limit $x: expected"; done
for x in 0 -1 1.5 x 99999999999 ""; do solve 2 $one --max-iterations "$x"; err "--max-iterations $x: expected"; done
for x in 0 1000 x; do solve 2 $one --threads "$x"; err "--threads $x: expected"; done
solve 2 $one --all --solver nsgs; err "only one of them"
solve 2 $one --all -o a.hdf5; err "one solver's"
solve 2 lcp.json -o a.hdf5; err "no place for LCPs"
for name in a.gif a .svg a.SVG a.mtx; do solve 2 $one -o "$name"; err "the ending chooses the form"; done
for name in a.json a.hdf5 a.csv a.svg; do solve 2 $one -o missing/$name; err "cannot write missing/$name"; done
solve 2 lcp.json --guess; err "only FCLIB files"
solve 2 $one --guess; err "neither a guess nor a solution"
solve 2 M.mtx; err "--vector FILE"
solve 2 lcp.json --vector q.mtx; err "goes with a MatrixMarket file"
solve 2 $one --vector q.mtx; err "goes with a MatrixMarket file"
solve 2 lcp.json --free 1; err 'write "free": 1'
solve 2 $one --free 1; err "goes with a MatrixMarket file"
solve 2 M.mtx --vector q.mtx --free x; err "--free x: expected"
solve 2 M.mtx --vector q.mtx --free 3
solve 2 M.mtx --vector missing.mtx; err "missing.mtx"
solve 2 $one --slover nsgs; err "did you mean --solver?"

# -- friction
solve 0 $rover; no_err; out "contact with friction in space, local form (fc3d)"; out "contacts   4, friction 0.7"
out "Converged: "; out "asked for: at most 1e-08"; out "as Siconos measures it"; out "0 open, 1 sticking, 3 sliding"; out "at contact 3"
awk 'length($0) > 102 {exit 1}' out || fail "lines are long"
solve 0 $rover --quiet; no_out; no_err
solve 0 $rover --json; no_err
keys='["kind", "contacts", "dof", "converged", "error", "errors", "solver", "iterations", "seconds", "stopped", "history"]'
json "all(k in d for k in $keys) and 'exists' not in d"
json 'd["kind"] == "fc3d" and d["contacts"] == 4 and d["dof"] == 12 and d["converged"] is True and d["asked"] == "auto"'
json 'd["errors"]["scaled"] <= d["error"] <= 1e-8 and d["errors"]["q"] <= 1e-8 and set(d["errors"]) >= {"scaled", "common", "rounding", "q", "siconos", "fclib"} and d["stopped"] == "converged"'
json 'd["modes"] == {"open": 0, "sticking": 1, "sliding": 3} and abs(d["largest_force"] - 20.3177) < 1e-3'
json 'd["history"][0]["iteration"] == 0 and d["history"][-1]["error"] <= 1e-8 and d["history"][-1]["iteration"] == d["iterations"]'
solve 0 $plane --json; json 'd["kind"] == "fc2d" and d["contacts"] == 2 and d["dof"] == 4 and d["converged"]'
solve 0 $rover --solver nsgs --tol 1e-10 --json --threads 1; json 'd["solver"] == d["asked"] == "nsgs" and d["error"] <= 1e-10 and d["tolerance"] == 1e-10'
cp $rover content; solve 0 content --json; json 'd["kind"] == "fc3d"'

# -- it did not converge
solve 1 $rover --solver nsgs --max-iterations 2; out "Not converged: nsgs, the iteration limit was reached; 2 iterations"
out "more of --max-iterations; --solver auto; --all"; err "$rover: nsgs did not converge: the iteration limit was reached; error "
solve 1 $rover --solver nsgs --max-iterations 2 --quiet; no_out; err "did not converge"
solve 1 $rover --solver nsgs --max-iterations 2 --json; json 'd["converged"] is False and d["stopped"] == "the iteration limit was reached" and d["error"] > 1e-8'
json 'd["exists"]["answer"] in ("yes", "no", "undecided") and d["exists"]["by"]'
solve 1 $rover --solver nsgs --tol 1e-300 --time-limit 0.01 --max-iterations 2000000000; out "the time limit was reached"; out "more of --time-limit"

# -- complementarity
solve 0 lcp.json; no_err; out "linear complementarity problem (lcp)"; out "z          1, 2"
solve 0 lcp.json --json; json "all(k in d for k in $keys) and d['kind'] == 'lcp' and d['dof'] == 2 and d['z'] == [1, 2] and d['contacts'] == 0"
solve 0 mlcp.json --json; json 'd["kind"] == "mlcp" and d["equations"] == 1 and abs(d["z"][0] - 2) < 1e-12 and d["z"][1] == 0'
solve 0 mlcp.json; out "the first 1 free"
solve 0 M.mtx --vector q.mtx --json; json 'd["kind"] == "lcp" and [round(x, 9) for x in d["z"]] == [1, 2]'
solve 0 M.mtx --vector q.mtx --free 2 --json; json 'd["kind"] == "mlcp" and [round(x, 9) for x in d["z"]] == [1, 2]'
for solver in lemke pivoting psor newton-min newton-fb interior-point enumeration; do
  solve 0 lcp.json --solver $solver --json; json "d['asked'] == '$solver' and abs(d['z'][0] - 1) < 1e-6 and d['history']"
done
solve 0 lcp.json --solver lemke --json; json 'len(d["history"]) == d["iterations"] + 1 > 1'
label="solve - <lcp.json"
"$program" solve - <lcp.json >out 2>err || fail "exit status $?"
out "standard input"; out "1, 2"
solve 0 lcp.json --exists --json; json 'd["exists"]["answer"] == "yes" and d["exists"]["witness"]["z"]'
solve 0 lcp.json --exists; out "Does a solution exist?"
solve 1 $none; out "Not converged"; out "Farkas' lemma"; err "did not converge"
solve 1 $none --json; json 'd["exists"]["answer"] == "no" and d["exists"]["witness"]["leaves"][0]["y"]'
# the witness, by hand: y >= 0, M^T y <= 0, q^T y < 0
cp out none.out
json "(lambda p, y: min(y) >= 0 and all(sum(p['M'][i][j]*y[i] for i in range(3)) <= 0 for j in range(3)) and sum(a*b for a, b in zip(p['q'], y)) < 0)(json.load(open('$none')), d['exists']['witness']['leaves'][0]['y'])" none.out

# -- all solvers
solve 0 $one --all; no_err; out "why it stopped"; out "nsgs"; out "yes"
solve 0 $one --all --json; json '{r["asked"] for r in d["runs"]} >= {"auto", "nsgs", "interior"} and any(r["converged"] for r in d["runs"])'
json 'all(r["converged"] == (r["error"] <= 1e-8) and r["history"] and r["stopped"] for r in d["runs"])'
solve 0 lcp_tobenna.json --all --json; json 'len(d["runs"]) >= 8 and {r["asked"]: r["converged"] for r in d["runs"]}["lemke"]'
solve 1 $none --all; err "none of "; out "Farkas"

# -- files
solve 0 $rover -o b.json; no_out; no_err
json 'd["converged"] and d["history"]' b.json
solve 0 $rover -o b.json --json; json 'd["converged"]'; json 'd["converged"]' b.json
solve 0 $rover -o b.txt; grep -q 'Converged' b.txt || fail "b.txt holds no report"
solve 0 $rover --all -o b.csv; no_out
[ "$(head -1 b.csv)" = solver,method,iteration,seconds,error ] || fail "the header of b.csv"
awk -F, 'NR > 1 {if (NF != 5 || $5 == "") exit 1; seen[$1] = 1} END {if (!seen["nsgs"] || !seen["auto"]) exit 1}' b.csv || fail "rows of b.csv"
solve 1 $rover --solver nsgs --tol 1e-300 --max-iterations 30000 -o b.csv
awk -F, 'NR > 2 && $3 - last > 300 {exit 1} {last = $3} END {if (NR < 500 || NR > 2001 || last != 30000) exit 1}' b.csv || fail "the history is not even"
for form in svg png; do
  solve 0 $rover -o b.$form; no_out; no_err
  solve 0 $rover --all -o c.$form
  solve 0 lcp.json --solver lemke -o d.$form
  solve 1 $none -o e.$form
done
if [ -n "$python" ]; then
  python3 -c 'import sys, xml.dom.minidom as x; [x.parse(f) for f in sys.argv[1:]]' ./?.svg || fail "a picture is not XML"
fi
[ "$(head -c 8 b.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "b.png is not a PNG"
solve 0 $rover -o solved.hdf5; no_out; no_err
solve 0 solved.hdf5; out "the solution in the file has the error"
solve 0 solved.hdf5 --json; json 'd["stored_solution"]["q"] <= 1e-8'
solve 0 solved.hdf5 --guess --json; json 'd["iterations"] == 0'
solve 1 $rover --solver nsgs --max-iterations 2 -o guess.h5; err "as a guess"
solve 1 $rover --solver nsgs --max-iterations 2 --json; cp out two.json
solve 0 guess.h5 --guess --solver nsgs --json; json 'd["history"][0]["error"] < 0.1 and "stored_solution" not in d'
solve 1 guess.h5 --guess --solver nsgs --max-iterations 1 --json; json '0.1 < d["history"][0]["error"] / json.load(open("two.json"))["errors"]["weighted"] < 10'
solve 0 solved.hdf5 -o solved.hdf5; solve 0 solved.hdf5
printf old >keep.svg
solve 2 $one --solver lemke -o keep.svg
[ "$(cat keep.svg)" = old ] || fail "keep.svg was touched"

# -- damaged and hostile files
head -c 3000 $rover >cut.hdf5; solve 2 cut.hdf5 -o a.json; err "cut.hdf5"
printf '\x89HDF\r\n\x1a\n' >head.hdf5; solve 2 head.hdf5; err "head.hdf5"
echo text >text.hdf5; solve 2 text.hdf5; err "text.hdf5"
echo '{"M": [[1, 2]], "q": [1]}' >wrong.json; solve 2 wrong.json; err "wrong.json"
echo '{"M": [[1e999]], "q": [1]}' >wrong.json; solve 2 wrong.json; err "wrong.json"
echo '{"M": [[1]], "q": [1], "free": 2}' >wrong.json; solve 2 wrong.json; err "wrong.json"
echo '{"M": [[1]], "q": [1' >wrong.json; solve 2 wrong.json --json; err "wrong.json:2:"
head -c 2000000 /dev/zero | tr '\0' '[' >deep.json; solve 2 deep.json; err "deep.json"
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 2\n' >far.mtx; solve 2 far.mtx --vector q.mtx; err "far.mtx"
printf '%%%%MatrixMarket matrix array real general\n3 1\n1\n1\n1\n' >long.mtx; solve 2 M.mtx --vector long.mtx
echo '{"M": [], "q": []}' >zero.json; solve 2 zero.json; err "M is empty"
if [ "$(id -u)" != 0 ]; then chmod 0 q.mtx; solve 2 M.mtx --vector q.mtx; chmod 644 q.mtx; fi

# -- an interrupt: the best point with its true error. The signal may come before the solver has
# begun, which ends the program at once: then again, with more patience.
label="solve $rover --solver nsgs --tol 1e-300, interrupted"
for patience in 0.1 0.3 1 3 10; do
  set -m  # so that the signal is not ignored in the background
  "$program" solve $rover --solver nsgs --tol 1e-300 --max-iterations 2000000000 --json -o i.csv >out 2>err &
  set +m
  sleep $patience
  kill -INT $! 2>/dev/null
  wait $! 2>/dev/null
  status=$?
  [ $status = 130 ] || break
done
calls=$((calls + 1))
[ "$status" = 1 ] || fail "exit status $status, expected 1"
err "nsgs did not converge: interrupted; error "
json 'd["stopped"] == "interrupted" and d["converged"] is False and 0 < d["error"] < 1e-8 and d["modes"]["sliding"] == 3'
[ -s i.csv ] || fail "no i.csv"

# -- standard output that takes nothing
label="solve $rover >/dev/full"
if [ -w /dev/full ]; then
  for name in a.json a.hdf5; do
    status=0
    "$program" solve $rover --json -o $name >/dev/full 2>err || status=$?
    : >out
    [ "$status" = 2 ] || fail "exit status $status, expected 2"
    err "cannot write to standard output"
    clean
  done
fi

judge_claims
summary
