"""Answers of lesson Z6, by cell id: what stands in its cells when solved."""

ANSWERS = {
    "z6-predict-repeats": [("my_repeats = None", "my_repeats = 64")],
    "z6-predict-cycles-cell": [("my_cycles = None", "my_cycles = 222.5")],
    "z6-scalar-cell": [("my_factor = None", "my_factor = 240")],
    "z6-mask-cell": [("my_count = None", "my_count = 2048")],
    "z6-quiz-mask": [('quiz("z6-mask")', 'quiz("z6-mask", "c")')],
    "z6-turn-bias-cell": [
        (
            "BinaryRepeatParams(1, 1, 1, 8, 8, 8)",
            "BinaryRepeatParams(1, 1, 1, 8, 8, 0)",
        )
    ],
    "z6-bias-loop-cell": [("my_ratio = None", "my_ratio = 6.3")],
    "z6-sinh-half": [("my_result = None", 'my_result = "inf"')],
    "z6-sinh-kernel": [("my_number = None", "my_number = 7")],
    "z6-turn-sigmoid-cell": [
        (
            "asc.reciprocal(t, t, n)  #",
            "asc.duplicate(one, 1.0, n)\n    asc.div(t, one, t, n)  #",
        )
    ],
    "z6-quiz-approximate": [
        ('quiz("z6-approximate")', 'quiz("z6-approximate", "b")')
    ],
    "z6-explain-cell": [
        (
            "my_answer = None",
            'my_answer = (\n    "An intermediate value, e to the x, was above 65504 and became "\n'
            '    "Inf, although the result fits. I cast to float32, compute inside and "\n'
            '    "cast back at the end."\n)',
        )
    ],
}
