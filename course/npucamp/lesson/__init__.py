"""What lessons call: begin, check, expect, explain, hint, predict, progress, quiz.

One file each; `showing` has what they share in a notebook.
"""
