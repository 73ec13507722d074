#!/bin/sh
# The program of a release: its tables are read-only, it is loaded anywhere, and it notices writes past
# arrays and strings. Not with sanitizers, which see more.
set -eu
command -v readelf >/dev/null 2>&1 || { echo "no readelf"; exit 1; }
if nm "$DELASSUS" 2>/dev/null | grep -q __asan_init; then
  echo "built with a sanitizer: nothing to look at"
  exit 0
fi

wants() { # WHAT PATTERN FILE
  grep -qE "$2" "$3" || { echo "$DELASSUS: no $1"; exit 1; }
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readelf -Wh "$DELASSUS" >"$work/head"
readelf -Wl "$DELASSUS" >"$work/segments"
readelf -Wd "$DELASSUS" >"$work/dynamic"
readelf -W --dyn-syms "$DELASSUS" >"$work/symbols"
wants "position-independent code" 'Type: *DYN' "$work/head"
wants "read-only relocations" GNU_RELRO "$work/segments"
wants "binding before main" 'BIND_NOW|Flags:.*NOW' "$work/dynamic"
wants "guard of the stack" __stack_chk_fail "$work/symbols"
wants "checked functions" '__(memcpy|snprintf|vsnprintf|fprintf|vfprintf|memset|strcpy)_chk' "$work/symbols"
if grep 'GNU_STACK' "$work/segments" | grep -q E; then
  echo "$DELASSUS: the stack can be executed"
  exit 1
fi
echo "position-independent, full RELRO, stack protector, checked functions"
