"""Answers of lesson Z2, by cell id: what stands in the cells to fill when solved."""

ANSWERS = {
    "z2-predict-address": [("my_guess = None", "my_guess = 5 * 2048 + 7 * 2")],
    "z2-predict-column-cell": [("my_guess = None", "my_guess = 10")],
    "z2-turn-window-cell": [
        (
            "gap = 0  # change this number / 修改这个数",
            "gap = (768 - 128) * 4",
        )
    ],
    "z2-predict-loop": [("my_guess = None", "my_guess = 0.25")],
    "z2-predict-shift": [("my_guess = None", "my_guess = 512")],
    "z2-predict-piece": [("my_guess = None", "my_guess = 4096")],
    "z2-quiz-units": [('quiz("z2-units")', 'quiz("z2-units", "d")')],
    "z2-quiz-three": [('quiz("z2-three")', 'quiz("z2-three", "b")')],
    "z2-explain-cell": [
        (
            "my_answer = None",
            'my_answer = "The column is 1,024 scattered bursts, and each moves a whole '
            'line of 512 B; I would convert the layout first with a transpose."',
        )
    ],
}
