#!/bin/sh
# delassus solve as its users call it.
exec bash test/cli/solve.sh "$DELASSUS"
