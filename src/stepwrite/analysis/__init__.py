"""A look inside trained models: numbers first, drawing second.

`curves`, `alignments`, `attention`, `representations` and `errors` measure and return plain
values; `figures` draws them; `sections` and `report` make one page of it all.
"""
