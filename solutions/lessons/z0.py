"""Answers of lesson Z0, by cell id: what stands in the cells to fill when solved."""

ANSWERS = {
    "z0-predict-slowest-cell": [("my_guess = None", 'my_guess = "gelu"')],
    "z0-turn-excess-cell": [
        (
            "asc.add(z_ub, x_ub, y_ub, count)  # change this line / 修改这一行",
            "asc.sub_relu(z_ub, x_ub, y_ub, count)",
        )
    ],
    "z0-predict-instructions": [("my_guess = None", "my_guess = 32")],
    "z0-predict-ratio": [("my_guess = None", "my_guess = 43")],
    "z0-quiz-kitchen": [('quiz("z0-kitchen")', 'quiz("z0-kitchen", "b,d")')],
    "z0-turn-order": [
        (
            'my_order = ["chip", "operator library", "your Python code", "driver",\n'
            '            "graph optimiser", "runtime", "framework"]  # fmt: skip',
            'my_order = ["your Python code", "framework", "graph optimiser",\n'
            '            "operator library", "runtime", "driver", "chip"]',
        )
    ],
    "z0-quiz-line": [('quiz("z0-line")', 'quiz("z0-line", "b")')],
    "z0-predict-findings-cell": [("my_guess = None", "my_guess = 3")],
    "z0-quiz-mode": [('quiz("z0-mode")', 'quiz("z0-mode", "a")')],
    "z0-quiz-place-wait": [('quiz("z0-place-wait")', 'quiz("z0-place-wait", "c")')],
    "z0-quiz-place-align": [('quiz("z0-place-align")', 'quiz("z0-place-align", "a")')],
    "z0-quiz-place-bound": [('quiz("z0-place-bound")', 'quiz("z0-place-bound", "b")')],
    "z0-explain-cell": [
        (
            "my_answer = None",
            'my_answer = "The profile first: if the time of each operator lies far '
            'above the floor, tiling or needless copies in the software are the cause."',
        )
    ],
}
