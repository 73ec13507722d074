# shellcheck shell=bash
# What the tests of the program share. Sourced with the script's own arguments: the program under
# test, which defaults to $DELASSUS. They run in a folder of their own, which goes away in the end.
set -u
program=$(realpath "${1:-${DELASSUS:?the path of the program}}")
# shellcheck disable=SC2034
data=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../data")
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
calls=0
failures=0
label=

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

# none_of PATTERN...: no file has such a name
none_of() {
  local pattern found
  for pattern in "$@"; do
    found=$(find . -name "$pattern")
    [ -z "$found" ] || fail "left behind: $found"
  done
}

# The last line of a test, and its exit status
summary() {
  printf '%d calls, %d failures\n' "$calls" "$failures"
  [ "$failures" = 0 ]
}
