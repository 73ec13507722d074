#!/bin/sh
# delassus map as its users call it.
exec bash test/cli/map.sh "$DELASSUS"
