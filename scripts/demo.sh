#!/bin/sh
# A tour of the command line on the German nouns that ship with stepwrite; `make demo` runs it.
set -eu
cd "$(dirname "$0")/.."
data=examples/german-nouns
out=runs/demo
mkdir -p "$out"

title() { printf '\n== %s\n' "$1"; }
run() {
  printf '$ %s\n' "$1"
  sh -c "$1"
}

title "Align lemmas with forms, for programs"
run "stepwrite align --format jsonl $data/train.tsv > $out/aligned.jsonl"
run "grep Armenhaus $out/aligned.jsonl"

title "For people, with the actions that write the form: step to the lemma's next symbol, write one, end"
run "stepwrite align --actions $data/train.tsv > $out/aligned.txt"
run "grep -A 3 -E '^(Armenhaus|Lebensbaum|Baumblüte) .*PL' $out/aligned.txt"

title "Learn prefix and suffix rules, the baseline without a network; inflect nouns it has not seen"
run "stepwrite baseline $data/train.tsv $data/test.tsv --out $out/predictions.tsv"
run "head -3 $out/predictions.tsv"

title "Score the predictions"
run "stepwrite evaluate --gold $data/test.tsv --predictions $out/predictions.tsv \\
    --train $data/train.tsv --errors $out/errors.tsv"
run "head -4 $out/errors.tsv"
