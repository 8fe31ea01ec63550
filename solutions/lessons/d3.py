"""Answers of lesson D3, by cell id: what stands in its cells when solved."""

ANSWERS = {
    "d3-predict-message-cell": [("my_time = None", "my_time = 10 + 1_000_000 / 18_300")],
    "d3-quiz-which": [('quiz("d3-which")', 'quiz("d3-which", "c")')],
    "d3-turn-ring-cell": [
        ("arriving = (r - k) % p", "arriving = (r - 1 - k) % p"),
    ],
    "d3-law-cell": [
        ("my_ring = None", "my_ring = 14 * (10 + 4_194_304 / 8 / 18_300)")
    ],
    "d3-quiz-levels": [('quiz("d3-levels")', 'quiz("d3-levels", "b")')],
    "d3-compare-cell": [("my_growth = None", "my_growth = 14.4")],
    "d3-audit-ms-cell": [("my_limit = None", "my_limit = 23")],
    "d3-turn-bus-cell": [
        ("return alg_gb_s  #", "return alg_gb_s * 2 * (p - 1) / p  #"),
        ("return gb_s  #", "return gb_s * 1e9 / 2**30  #"),
    ],
    "d3-explain-cell": [
        (
            "my_answer = None",
            'my_answer = (\n    "How many bytes, over how many cards and servers, and where the "\n'
            '    "stop watch stood: latency decides small messages, the rate of the "\n'
            '    "links large ones."\n)',
        )
    ],
}
