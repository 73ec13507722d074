# Pictures of mechanisms: check -o x.svg, simulate --strobe.
. "$(dirname "$0")/common.sh"

# a complete XML text, as far as this machine can tell
well_formed() {
  [ -s "$1" ] || fail "$1 is missing"
  tail -c 8 "$1" | grep -q '</svg>' || fail "$1 has no end"
  command -v xmllint >/dev/null || return 0
  xmllint --noout "$1" 2>err || fail "$1 is not well formed"
}

cat >rod.dls <<'END'
# Rod & <floor>
parameter a = 1, bad = 0
coordinate th = 1.1, x, y = a*sin(th)
kinetic (x'^2 + y'^2)/2 + th'^2/6
potential 9.81*y
unilateral floor: y - a*sin(th) >= 0 { slip x' - a*sin(th)*th'; friction 0.3 }
state sliding: x' = 2
state falling: y' = -1
draw segment (x + a*cos(th), y - a*sin(th)), (x - a*cos(th), y + a*sin(th)) { width 3 }
draw path (x, y)
draw text (x, y), "<rod> & co"
draw force floor at (x + a*cos(th), y - a*sin(th))
draw disc (sqrt(-bad), 0), 0.1
END
cat >plain.dls <<'END'
coordinate x
kinetic x'^2
unilateral wall: x >= 0
END

# check
for at in sliding falling "y = 5"; do
  invoke 0 check rod.dls --at "$at" -o rod.svg
  no_err
  no_out
  well_formed rod.svg
done
invoke 0 check rod.dls -o rod.png
cmp -s -n 4 rod.png <(printf '\x89PNG') || fail "rod.png is no PNG"
invoke 0 check rod.dls -o again.svg
invoke 0 check rod.dls -o rod.svg
same rod.svg again.svg
invoke 0 check rod.dls --set bad=1 -o rod.svg
well_formed rod.svg
invoke 0 check rod.dls -o rod.svg --json
out '"verdicts"'

# nothing to draw, and nothing is written
invoke 2 check plain.dls -o plain.svg
err "says nothing about what it looks like"
err "draw disc"
none_of 'plain.svg*'
invoke 2 check rod.dls -o rod.pdf
err ".json, .txt, .html, .svg or .png"

# a place that does not move with its contact
sed 's/^draw force.*/draw force floor at (x, y)/' rod.dls >wrong.dls
invoke 2 check wrong.dls -o wrong.svg
err "draw force floor"
none_of 'wrong.svg*'

# simulate
invoke 0 simulate rod.dls --at sliding --step 1e-3 --until 0.1 -o run.svg --strobe 5
well_formed run.svg
out "moreau"
invoke 0 simulate rod.dls --at sliding --step 1e-3 --until 0.1 -o again.svg --strobe 5 --quiet
same run.svg again.svg
invoke 0 simulate rod.dls --step 1e-3 --until 0.1 -o run.png --strobe 2 --quiet
cmp -s -n 4 run.png <(printf '\x89PNG') || fail "run.png is no PNG"
invoke 0 simulate rod.dls --at "y = 3" --scheme radau5 --step 1e-2 --until 1 -o run.svg --strobe 12 --quiet
well_formed run.svg
# more rows than are kept, and more instants than steps
invoke 0 simulate plain.dls --at "x = 1" --step 1e-4 --until 1 -o curves.svg --quiet
sed '$a draw disc (x, 0), 1' plain.dls >drawn.dls
invoke 0 simulate drawn.dls --at "x = 1, x' = 1" --step 1e-4 --until 1 -o run.svg --strobe 12 --quiet
invoke 0 simulate drawn.dls --at "x = 1, x' = 1" --step 0.5 --until 1 -o run.svg --strobe 40 --quiet
well_formed run.svg

for wrong in 1 0 -3 x 1001 2.5; do
  invoke 2 simulate rod.dls --step 1e-3 --until 0.1 -o none.svg --strobe "$wrong"
  err "--strobe $wrong"
done
invoke 2 simulate rod.dls --step 1e-3 --until 0.1 -o none.csv --strobe 5
err "--strobe draws"
invoke 2 simulate rod.dls --step 1e-3 --until 0.1 --strobe 5
err "--strobe draws"
invoke 2 simulate plain.dls --step 1e-3 --until 0.1 -o none.svg --strobe 5
err "says nothing about what it looks like"
none_of 'none*'

# every example says what it looks like, at all its states
for model in "$examples"/*.dls; do
  invoke 0 check "$model" -o example.svg
  well_formed example.svg
  for at in $(sed -n 's/^state \([a-z_]*\):.*/\1/p' "$model"); do
    invoke 0 check "$model" --at "$at" -o example.svg
    no_err
  done
done

summary
