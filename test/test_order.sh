#!/bin/sh
# delassus order as its users call it.
exec bash test/cli/order.sh "$DELASSUS"
