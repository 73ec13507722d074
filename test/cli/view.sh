# Pages for a browser: simulate -o x.html, check -o x.html, view.
. "$(dirname "$0")/common.sh"

cat >ball.dls <<'END'
# A ball & <floor>
parameter g = 9.81
coordinate x = 1
kinetic x'^2/2
potential g*x
unilateral floor: x >= 0 { restitution 0.5 }
state resting: x = 0
draw disc (0, x + 0.1), 0.1 { fill }
draw force floor at (0, x)
END
cat >crate.xml <<'END'
<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="crate" pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>
END

page() {
  [ -s "$1" ] || fail "$1 is missing"
  head -c 15 "$1" | grep -q '<!DOCTYPE html>' || fail "$1 is no page"
  tail -c 8 "$1" | grep -q '</html>' || fail "$1 has no end"
  rm -f "$1"
}

invoke 0 simulate ball.dls --step 0.01 --until 0.1 --quiet -o ball.h5 -o other.csv
if ! "$program" view ball.dls --no-open >out 2>err; then
  err "built without its viewer"
  invoke 2 simulate ball.dls --step 0.01 --until 0.1 -o ball.html
  err "built without its viewer"
  invoke 2 check ball.dls -o ball.html
  err "built without its viewer"
  echo "skipped: built without the page"
  summary
  exit
fi
page ball.html

# beside the file, or where -o says
invoke 0 view ball.h5 --no-open
out "Written to ball.html."
no_err
page ball.html
invoke 0 view ball.h5 ball.dls --no-open --quiet -o x.html
no_out
no_err
page x.html
invoke 0 view ball.dls --at resting --set g=1 --no-open
page ball.html
invoke 0 view crate.xml --no-open
page crate.html
invoke 0 simulate crate.xml --step 0.01 --until 0.1 --quiet -o crate.h5 -o crate.html
page crate.html
invoke 0 view crate.h5 crate.xml --no-open
page crate.html
invoke 0 check ball.dls --at resting -o a.html -o a.json
page a.html
invoke 0 simulate ball.dls --step 0.01 --until 0.1 -o a.html -o a.svg --json
page a.html

# values of --set that a recording was made with
sed 's/unilateral.*/unilateral floor: x >= 0/; s/^draw force.*//' ball.dls >free.dls
invoke 0 simulate free.dls --step 0.01 --until 0.1 --quiet --set g=1 -o free.h5
invoke 0 view free.h5 --no-open
no_err
page free.html
# another text with the same coordinates
invoke 0 view free.h5 ball.dls --no-open
err "is a recording of another text than ball.dls"
page free.html

# what is wrong with a call
invoke 2 view
err "view needs a recording or a model"
invoke 2 view ball.dls free.dls
err "or one model"
invoke 2 view ball.h5 --at resting
err "a whole motion"
invoke 2 view other.csv
err "as HDF5"
invoke 2 view ball.h5 -o x.svg
err "expected FILE.html"
invoke 2 view - -o x.txt
a_message
invoke 2 view none.h5 --no-open
a_message
invoke 2 view crate.h5 --no-open
err "made from an XML file"
invoke 2 view ball.h5 crate.xml --no-open
a_message
printf 'not a recording' >bad.h5
invoke 2 view bad.h5 --no-open
a_message
head -c 3000 ball.h5 >cut.h5
invoke 2 view cut.h5 --no-open
a_message
none_of bad.html cut.html x.html
# a state that violates a constraint is an error as in check
invoke 2 view ball.dls --at "x = -1" --no-open
err "--project"
summary
