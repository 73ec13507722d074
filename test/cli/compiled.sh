# Compiled equations: simulate and order with --native give the same bytes, or say why not.
. "$(dirname "$0")/common.sh"

export XDG_CACHE_HOME=$work/cache
compiled() { find "$work/cache" -name '*.so' 2>/dev/null | wc -l; }

# numbers of seconds aside
for call in "chain moreau 1e-3 0.1" "double-pendulum-wall radau5 1e-3 0.3" "bouncing-ball herk3 1e-2 2" \
  "block-stack moreau-projected 1e-3 0.05"; do
  read -r model scheme step until <<<"$call"
  rm -rf cache
  invoke 0 simulate "$examples/$model.dls" --scheme "$scheme" --step "$step" --until "$until" -o tape.csv --quiet
  [ "$(compiled)" = 0 ] || fail "compiled without --native"
  for turn in made found; do
    invoke 0 simulate "$examples/$model.dls" --scheme "$scheme" --step "$step" --until "$until" -o "$turn.csv" \
      --quiet --native
    no_err
    same tape.csv "$turn.csv"
  done
  [ "$(compiled)" -gt 0 ] || fail "nothing was compiled"
  [ "$(find cache | grep -cv '\.so$')" = 2 ] || fail "the cache keeps more than results"
done

invoke 0 order "$examples/bouncing-ball.dls" --scheme moreau,radau5 --steps 0.1:0.01:2 --until 1 -o tape.csv --quiet
invoke 0 order "$examples/bouncing-ball.dls" --scheme moreau,radau5 --steps 0.1:0.01:2 --until 1 -o c.csv --quiet --native
no_err
same tape.csv c.csv

# several at once, from nothing
rm -rf cache
running=()
for k in 1 2 3 4; do
  "$program" simulate "$examples/chain.dls" --step 1e-3 --until 0.05 --native -o "all$k.csv" --quiet 2>"err$k" &
  running+=($!)
done
for k in 1 2 3 4; do wait "${running[k - 1]}" || fail "run $k of four failed"; done
cat err1 err2 err3 err4 >err
no_err
for k in 2 3 4; do same all1.csv "all$k.csv"; done

# what cannot be compiled is the same, with one line that says so
again() { invoke 0 simulate "$examples/chain.dls" --step 1e-3 --until 0.05 --native -o again.csv --quiet; }
refused() {  # WORDS
  again
  err "--native: "
  err "$1"
  err "; going on without"
  [ "$(wc -l <err)" = 1 ] || fail "more than one line"
  same all1.csv again.csv
}
real=$program
printf '#!/bin/sh\nPATH= exec %s "$@"\n' "$real" >bare
chmod +x bare
program=$work/bare
refused "no C compiler"
program=$real
XDG_CACHE_HOME=/proc/none refused "/proc/none"
for file in cache/delassus/*.so; do printf x >>"$file"; done
refused "holds something else than was stored there"
for file in cache/delassus/*.so; do ln -sf /bin/true "$file"; done
refused "a symbolic link"
rm cache/delassus/*.so
chmod 777 cache/delassus
refused "can be written by others"
chmod 700 cache/delassus
mv cache/delassus cache/moved
ln -s "$work/cache/moved" cache/delassus
refused "is a symbolic link"
rm cache/delassus
again
no_err
same all1.csv again.csv

summary
