"""Answers of lesson Z5, by cell id: what stands in its cells when solved."""

ANSWERS = {
    "z5-predict-tile-cell": [("my_tile = None", "my_tile = 24576")],
    "z5-predict-dropped": [("my_dropped = None", "my_dropped = 19")],
    "z5-predict-core0": [("my_units = None", "my_units = 48")],
    "z5-turn-even-cell": [
        (
            "return 1, (each + rest) * unit, each * unit",
            "return rest, (each + 1) * unit, each * unit",
        )
    ],
    "z5-predict-even": [("my_gain = None", "my_gain = 1.0")],
    "z5-quiz-slowest": [('quiz("z5-slowest")', 'quiz("z5-slowest", "a")')],
    "z5-predict-cores": [("my_cores = None", "my_cores = 8")],
    "z5-turn-cores-cell": [
        (
            "return 48  #",
            "return max(1, min(48, round((n * work_us / start_us) ** 0.5)))  #",
        )
    ],
    "z5-quiz-budget": [('quiz("z5-budget")', 'quiz("z5-budget", "a")')],
    "z5-explain-cell": [
        (
            "my_answer = None",
            'my_answer = (\n    "Every core costs a start, so more cores cost more; the work "\n'
            '    "is divided by the number of cores. Twice the data is worth only "\n'
            '    "the square root of two times as many cores."\n)',
        )
    ],
}
