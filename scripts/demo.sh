#!/usr/bin/env bash
# The main job of `make demo`: scripts/demo.sh PROGRAM. Learns and forgets with four methods, then forgets one more class
# of the last run on request, and shows the ledger. The table of the methods is the last output.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

lethe=$1
run=runs/demo-contrastive
mkdir -p runs
"$lethe" suite demo --overwrite >runs/demo.txt

echo
echo "=== A request after training: forget Coat, with 500 images of each kept class, carried out twice"
status=0
"$lethe" forget "$run" --classes Coat --reason "demo: consent withdrawn" --data demo --set data.train_per_class=500 \
  --epochs 3 --replay || status=$?
# 4: not accepted, the run is as it was. That is a result, too.
if ((status != 0 && status != 4)); then
  exit "$status"
fi

echo
echo "=== lethe history $run"
"$lethe" history "$run"
echo
echo "=== lethe verify $run"
"$lethe" verify "$run"
echo
cat runs/demo.txt
