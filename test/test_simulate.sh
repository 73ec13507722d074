#!/bin/sh
# delassus simulate as its users call it.
exec bash test/cli/simulate.sh "$DELASSUS"
