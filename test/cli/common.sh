# shellcheck shell=bash
# What the tests of the program share. Sourced with the script's own arguments: the program under
# test, which defaults to $DELASSUS. They run in a folder of their own, which goes away in the end.
set -u
program=$(realpath "${1:-${DELASSUS:?the path of the program}}")
# shellcheck disable=SC2034
data=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../data")
# shellcheck disable=SC2034
examples=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../examples")
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
calls=0
failures=0
label=

# numbers have points, whatever the locale is that the program runs in
awk() { LC_ALL=C command awk "$@"; }

fail() {
  failures=$((failures + 1))
  printf 'FAILED: delassus %s\n  %s\n' "$label" "$1"
  sed 's/^/  stdout: /' out | head -5
  sed 's/^/  stderr: /' err | head -8
}

# invoke STATUS ARGUMENT...: runs the program; on status 2 standard output must stay empty
invoke() {
  local expected=$1 status=0
  shift
  label="$*"
  calls=$((calls + 1))
  "$program" "$@" >out 2>err </dev/null || status=$?
  [ "$status" = "$expected" ] || fail "exit status $status, expected $expected"
  [ "$expected" != 2 ] || [ ! -s out ] || fail "something on standard output"
}

out() { grep -qF -- "$1" out || fail "no \"$1\" on standard output"; }
err() { grep -qF -- "$1" err || fail "no \"$1\" on standard error"; }
no_out() { [ ! -s out ] || fail "something on standard output"; }
no_err() { [ ! -s err ] || fail "something on standard error"; }
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }
a_message() { [ -s err ] || fail "no message"; }

# asks PID: waits until it is the program, not the shell that becomes it, and SIGTERM asks it to end
asks() {
  local caught k
  for ((k = 0; k < 400; k++)); do
    if [ "/proc/$1/exe" -ef "$program" ]; then
      caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
      [ $((0x${caught:-0} & 0x4000)) = 0 ] || return
    fi
    sleep 0.02
  done
}

# none_of PATTERN...: no file has such a name
none_of() {
  local pattern found
  for pattern in "$@"; do
    found=$(find . -name "$pattern")
    [ -z "$found" ] || fail "left behind: $found"
  done
}

# json EXPRESSION [FILE]: holds for the object d of standard output; all are looked at in the end
python=$(command -v python3)
claims=0
json() {
  claims=$((claims + 1))
  cp "${2:-out}" "claim.$claims.object"
  printf '%s\n' "$label" >"claim.$claims.label"
  printf '%s' "$1" >"claim.$claims.expression"
}
judge_claims() {
  [ -n "$python" ] || return 0
  python3 - "$claims" <<'END' || failures=$((failures + 1))
import json, sys
def refuse(name): raise ValueError(name)
failed = 0
for k in range(1, int(sys.argv[1]) + 1):
    label, expression = (open(f"claim.{k}.{part}").read() for part in ("label", "expression"))
    try:
        d = json.load(open(f"claim.{k}.object"), parse_constant=refuse)
        good = eval(expression, {"d": d, "json": json})
    except Exception as why:
        good, expression = False, f"{expression} ({why!r})"
    if not good:
        failed += 1
        print(f"FAILED: delassus {label.strip()}\n  not so: {expression}")
sys.exit(failed > 0)
END
}

# The last line of a test, and its exit status
summary() {
  printf '%d calls, %d failures\n' "$calls" "$failures"
  [ "$failures" = 0 ]
}
