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
run "awk 'NR % 5 == 1' $data/train.tsv > $out/train.tsv    # 1,000 examples"
run "stepwrite baseline $out/train.tsv $data/unseen.tsv --out $out/baseline.tsv"

title "See what splicing makes of training examples: more compounds, as German has them"
run "stepwrite augment $out/train.tsv --splicing 1 --random -n 4"

title "Train edit transducers that vote, on the same examples"
rm -rf "$out/model"
run "stepwrite train $out/train.tsv --dev $data/dev.tsv --out $out/model --model edit \\
    --members 4 --direction alternate --splicing 0.3 --hallucination 0 --exploration 0.5 \\
    --batch 16 --dropout 0.4 --epochs 40"

title "Inflect nouns that training has not seen, and see how"
run "stepwrite inflect $out/model Nachtzug 'N;MASC;DAT;PL'"
run "stepwrite inflect $out/model --n-best 3 Zauberwald 'N;MASC;NOM;PL'"
run "stepwrite inflect $out/model --explain Apfelbaum 'N;MASC;NOM;PL'"

title "Score both on $(wc -l < $data/unseen.tsv) other nouns, the networks against the rules"
run "stepwrite inflect $out/model --file $data/unseen.tsv > $out/network.tsv"
run "stepwrite evaluate --gold $data/unseen.tsv --predictions $out/network.tsv \\
    --against $out/baseline.tsv > $out/scores.txt"
run "sed -n 1,6p $out/scores.txt"
run "grep -A 4 '^against' $out/scores.txt"
