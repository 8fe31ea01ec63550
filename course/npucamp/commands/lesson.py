"""`npucamp lesson check ID`: what keeps a lesson from the course's form, for authors.

The same rules as in the tests, for one lesson and without running it.
"""

from __future__ import annotations

from pathlib import Path

from npucamp.build.coverage import not_shown, tagged_cells, unknown_tags
from npucamp.build.glossary import glossary_entries, twice
from npucamp.build.headers import lesson_header
from npucamp.build.lessons import build_lesson
from npucamp.build.lint import Lesson, lint
from npucamp.material import load_material
from npucamp.paths import repository
from npucamp.speech import say


def complaints(lesson: str, root: Path | None = None) -> list[str]:
    """Everything that is wrong with the lesson's source and data, a line each.

    ValueError, located, for a source or a data file that cannot be read, and one that
    names the lessons where `lesson` is none."""
    sources = (root or repository()) / "course" / "src"
    path = sources / f"{lesson}.py"
    if not path.is_file():
        known = " ".join(sorted(one.stem for one in sources.glob("*.py")))
        raise ValueError(say("progress-none", lesson=lesson, known=known))
    built, material = build_lesson(path), load_material(lesson, sources)
    found = tagged_cells({path.name: built["en"]})
    lines = [*unknown_tags(found), *not_shown(found, [lesson])]
    if not lesson_header(path).page:
        lines += [
            line for one in built.values() for line in lint(Lesson(one, material))
        ]
    own = (f"{lesson}: ", f"stands in {lesson} ")
    lines += [x for x in twice(glossary_entries(sources)) if any(o in x for o in own)]
    return list(dict.fromkeys(lines))
