#!/bin/sh
# Pages as users ask for them.
exec bash test/cli/view.sh "$DELASSUS"
