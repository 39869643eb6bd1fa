"""Analysis of trained models: measuring first, drawing second.

`curves`, `alignments`, `attention`, `representations` and `errors` measure and return plain
values; `figures` draws them; `sections` and `report` combine them on one page.
"""
