"""How rows are read, computed and written.

`engine` is the protocol of engines. `spark` implements it; `local` reads small tables in this process.
"""
