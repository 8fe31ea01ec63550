"""The auto-grader: tasks, the judge process, verdicts.

`npugrade.client.run_judge` is the way in for check cells and for autograding; both
send text and get a `Verdict` back. Importing this package loads nothing else.
"""
