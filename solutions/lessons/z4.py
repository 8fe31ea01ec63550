"""Answers of lesson Z4, by cell id: what stands in the cells when solved."""

ANSWERS = {
    "z4-predict-calls-cell": [("my_calls = None", "my_calls = 128")],
    "z4-quiz-states-cell": [('quiz("z4-states")', 'quiz("z4-states", "b")')],
    "z4-forget-free-predict": [("my_tiles = None", "my_tiles = 3")],
    "z4-plan-predict": [("my_num = None", "my_num = 6")],
    "z4-measure-predict": [("my_percent = None", "my_percent = 10")],
    "z4-depth-predict": [("my_ratio = None", "my_ratio = 1.0")],
    "z4-limit-predict-cell": [("my_limit = None", "my_limit = 1.5")],
    "z4-quiz-limit-cell": [('quiz("z4-limit")', 'quiz("z4-limit", "a")')],
    "z4-audit-predict": [("my_pipes = None", "my_pipes = 1")],
    "z4-fuse-predict": [("my_bytes = None", "my_bytes = 3.7")],
    "z4-turn-fuse": [
        (
            "        # your three lines / 在这里补三行",
            "        asc.sub(t, x_ub, y_ub, TILE)\n"
            "        asc.mul(t, t, t, TILE)\n"
            "        asc.add(z_ub, z_ub, t, TILE)",
        )
    ],
    "z4-explain-cell": [
        (
            "my_answer = None",
            "my_answer = (\n"
            '    "MTE2 copies the next tile in while V computes this one, so they "\n'
            '    "overlap. It brings nothing where the busiest pipe never rests."\n'
            ")",
        )
    ],
}
