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

title "Align lemmas with forms, and show the actions that write them: step, write, end"
run "stepwrite align --actions $data/train.tsv > $out/aligned.txt"
run "grep -A 3 -E '^(Armenhaus|Lebensbaum|Baumblüte) .*PL' $out/aligned.txt"

title "Learn prefix and suffix rules, the baseline without a network"
run "stepwrite baseline $data/train.tsv $data/test.tsv --out $out/baseline.tsv"

title "Train two small networks that vote, on $(wc -l < $data/train.tsv) examples"
rm -rf "$out/model"
run "stepwrite train $data/train.tsv --dev $data/dev.tsv --out $out/model --members 2 --epochs 18"

title "Inflect nouns that training has not seen, and see how"
run "stepwrite inflect $out/model Traumhaus 'N;NEUT;DAT;PL'"
run "stepwrite inflect $out/model --n-best 3 Zauberwald 'N;MASC;NOM;PL'"
run "stepwrite inflect $out/model --explain Apfelbaum 'N;MASC;NOM;PL'"

title "Score both on the test set, the network against the rules"
run "stepwrite inflect $out/model --file $data/test.tsv > $out/network.tsv"
run "stepwrite evaluate --gold $data/test.tsv --predictions $out/network.tsv \\
    --against $out/baseline.tsv > $out/scores.txt"
run "sed -n 1,6p $out/scores.txt"
run "grep -A 4 '^against' $out/scores.txt"
