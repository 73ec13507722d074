#!/bin/sh
# The program as its users call it.
exec bash test/cli/run.sh "$DELASSUS"
