#!/usr/bin/env bash
# OpenBLAS chooses its kernels by the processor, and each of them rounds differently. Verdicts, counts, modes, and which
# numbers are known must not depend on it, nor the numbers that are. Kernels that the processor cannot run are named.
#
#   test/cli/kernels.sh [PROGRAM]      PROGRAM defaults to $DELASSUS
# shellcheck source=test/cli/common.sh
. "$(dirname "$0")/common.sh"
export OPENBLAS_NUM_THREADS=1

states=(grasp-2d grasp-3d@holding hand@holding incline-block@sliding incline-block@resting ladder@falling
  massless-tray@standing natural-coordinates@lying newtons-cradle@struck painleve-klein@sliding painleve-rod@sliding
  rocking-block@landing shelf stacked-blocks three-finger@holding two-finger@slipping four-bar@flat pushed-block)

# able KERNEL: the processor has what it takes, and OpenBLAS takes it
able() {
  local flag flags
  case $1 in
  Prescott) flags=pni ;;
  Nehalem) flags=sse4_2 ;;
  Sandybridge) flags=avx ;;
  Haswell | Zen) flags="avx2 fma" ;;
  SkylakeX) flags="avx512f avx512dq avx512bw avx512vl" ;;
  esac
  for flag in $flags; do grep -qw "$flag" /proc/cpuinfo || return 1; done
  OPENBLAS_CORETYPE=$1 OPENBLAS_VERBOSE=2 "$program" --version 2>&1 | grep -q "Core: $1"
}

compared=()
for kernel in Prescott Nehalem Sandybridge Haswell Zen SkylakeX; do
  if ! able "$kernel"; then
    echo "skipped: $kernel"
    continue
  fi
  compared+=("$kernel")
  mkdir "$kernel"
  export OPENBLAS_CORETYPE=$kernel
  for state in "${states[@]}"; do
    at=()
    [ "${state%@*}" = "$state" ] || at=(--at "${state#*@}")
    invoke 0 check "$examples/${state%@*}.dls" "${at[@]}" --json
    mv out "$kernel/$state"
    : >out
  done
done
[ -n "$python" ] || { echo "skipped: no python3 to compare with"; summary; exit; }

# Forces that are not determined are one choice of many; margins, residuals, coverings and witnesses may be others.
label="on other kernels"
python3 - "${compared[@]}" <<'END' || fail "answers differ"
import json, os, sys

FREE = {"witness", "covering", "margin", "by", "eigenvalues", "singular_values", "residual", "low", "high", "extra_force",
        "reduced_coordinates", "gauss", "nonzero_above", "zero_below", "condition"}
failed = 0

def differ(name, path, a, b):
    global failed
    failed += 1
    print(f"  {name}: {path}: {a} and {b}")

def compare(name, path, a, b):
    number = lambda x: isinstance(x, (int, float)) and not isinstance(x, bool)
    if number(a) and number(b):
        if abs(a - b) > 1e-7 * max(1, abs(a), abs(b)): differ(name, path, a, b)
    elif isinstance(a, dict) and isinstance(b, dict):
        for key in sorted((set(a) | set(b)) - FREE):
            if key in a and key in b: compare(name, f"{path}/{key}", a[key], b[key])
            elif not key.endswith("_difference") and key != "reason": differ(name, path, key, "absent")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for k, (x, y) in enumerate(zip(a, b)): compare(name, f"{path}/{k}", x, y)
    elif a != b:
        differ(name, path, a, b)

def known(report):
    unique = report["verdicts"].get("forces_unique", {}).get("answer") == "yes"
    for solution in report.get("solutions") or []:
        if not unique: solution.pop("forces", None)
    if not unique: report.pop("force_ranges", None)
    for key in list(report):
        if key.endswith("_difference"): del report[key]
    return report

first, *others = sys.argv[1:]
for state in sorted(os.listdir(first)):
    one = known(json.load(open(f"{first}/{state}")))
    for kernel in others:
        compare(f"{state} on {first} and {kernel}", "", one, known(json.load(open(f"{kernel}/{state}"))))
sys.exit(failed > 0)
END
summary
