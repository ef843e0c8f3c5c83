"""Merges: three states are compared by ids, and the result is a draft.

`sides` reads the states, `choice` is the rule, `things` compares what has names, `table_rows` compares rows, and
`lay_out` puts the results into a draft. docs/spec/merge.md states what each of them does.
"""
