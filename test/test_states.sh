#!/bin/sh
# States from recordings and files, and options that mean nothing.
exec bash test/cli/states.sh "$DELASSUS"
