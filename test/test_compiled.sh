#!/bin/sh
# simulate and order with --native.
exec bash test/cli/compiled.sh "$DELASSUS"
