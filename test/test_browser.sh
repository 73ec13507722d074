#!/bin/sh
# Pages in a real browser; skipped where it, node or puppeteer-core is missing.
set -eu
for what in "${NODE:-}" "${CHROMIUM:-}" "${VIEWER_MODULES:-}/puppeteer-core"; do
  if [ ! -e "$what" ]; then
    echo "skipped: node, chromium or puppeteer-core is missing (scripts/install-dependencies view)"
    exit 0
  fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$NODE" "$DELASSUS_SOURCE/viewer/test/browser.mjs" "$VIEWER_MODULES" "$CHROMIUM" "$DELASSUS" \
  "$DELASSUS_SOURCE/examples"
