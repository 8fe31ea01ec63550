"""A class: its folder, its settings, and the way from submissions to grades.

A class lives outside the clone, in a folder that `npucamp class new` makes:

    class.toml  nbgrader_config.py  gradebook.db  keys/  exchange/
    source/  release/  submitted/  autograded/  feedback/

nbgrader keeps what it is good at (assignments, gradebook, formgrader, feedback). This
package makes the folder, tells nbgrader about it and wraps its commands; nothing here
deletes a file of a class.
"""
