#!/bin/sh
# Pictures of mechanisms as users ask for them.
exec bash test/cli/strobe.sh "$DELASSUS"
