"""Answers of lesson P2, by cell id: what stands in its cells when solved."""

ANSWERS = {
    "p2-predict-tile-cell": [("my_tile = None", "my_tile = 6144")],
    "p2-turn-banks-cell": [("my_tile = 6144", "my_tile = 6112")],
    "p2-claim-predict": [("my_ratio = None", "my_ratio = 1")],
    "p2-stride-predict": [("my_cycles = None", "my_cycles = 8")],
    "p2-quiz-stride": [('quiz("p2-stride")', 'quiz("p2-stride", "b")')],
    "p2-align-predict": [("my_alignment = None", "my_alignment = 512")],
    "p2-turn-hidden-cell": [("return 128  #", "return 512 // itemsize  #")],
    "p2-cache-predict": [
        ("my_factor, factor = None, rates", "my_factor, factor = 3.6, rates")
    ],
    "p2-explain-cell": [
        (
            "my_answer = None",
            'my_answer = (\n    "True for float32 only; each small copy pays a start, "\n'
            '    "and the buffers begin in one bank group."\n)',
        )
    ],
}
