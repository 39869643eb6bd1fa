#!/bin/sh
# A tour of the command line on the Turkish nouns that ship with stepwrite; `make demo` runs it.
set -eu
cd "$(dirname "$0")/.."
data=examples/turkish-nouns
out=runs/demo
mkdir -p "$out"

title() { printf '\n== %s\n' "$1"; }
run() {
  printf '$ %s\n' "$1"
  sh -c "$1"
}

title "Align lemmas with forms, and show the actions that write them: step, write, end"
run "stepwrite align --actions $data/train.tsv > $out/aligned.txt"
run "grep -A 3 -E '^(kayıp|cumartesi|müze) ' $out/aligned.txt"

title "Learn prefix and suffix rules, the baseline without a network"
run "stepwrite baseline $data/train.tsv $data/test.tsv --out $out/baseline.tsv"

title "See the stems that training makes up; their vowels stay, as endings follow them"
run "stepwrite augment $data/train.tsv --random -n 4"

title "Train two edit transducers that vote, on the same 300 examples"
rm -rf "$out/model"
run "stepwrite train $data/train.tsv --dev $data/dev.tsv --out $out/model --members 2"

title "Inflect words that training has not seen, and see how"
run "stepwrite inflect $out/model yazılım 'N;DAT;PL;PSS1P'"
run "stepwrite inflect $out/model --n-best 3 köpek 'N;GEN;SG'"
run "stepwrite inflect $out/model --explain sözlük 'N;LOC;PL;PSS2S'"

title "Score both on $(wc -l < $data/test.tsv) other nouns, the networks against the rules"
run "stepwrite inflect $out/model --file $data/test.tsv > $out/network.tsv"
run "stepwrite evaluate --gold $data/test.tsv --predictions $out/network.tsv \\
    --against $out/baseline.tsv > $out/scores.txt"
run "sed -n 1,6p $out/scores.txt"
run "grep -A 4 '^against' $out/scores.txt"
