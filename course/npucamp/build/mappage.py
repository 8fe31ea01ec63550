"""The course map for readers: in the README and on the start page of each language.

A lesson that exists is a link; one that does not is named as planned.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from npucamp.build.headers import LessonHeader, lesson_headers
from npucamp.coursemap import CourseMap, Lesson, Track, course_map

BEGIN, END = "<!-- course map: made by npucamp build -->", "<!-- end of course map -->"
_WORDS = {
    "en": {
        "head": "| lesson | title | minutes | needs |",
        "planned": "planned: {names}",
        "between": "; ",
        "cuts": "Three ways through:",
        "cut": "* **{name}**: {lessons}",
        "every": "every lesson",
    },
    "zh": {
        "head": "| 课 | 标题 | 分钟 | 先修 |",
        "planned": "计划中：{names}",
        "between": "；",
        "cuts": "三种学法：",
        "cut": "* **{name}**：{lessons}",
        "every": "全部课程",
    },
}


def _built(sources: Path) -> dict[str, LessonHeader]:
    return {header.id: header for header in lesson_headers(sources)}


# ------------------------------------------------------------------------------ README
def with_map(readme: str, sources: Path) -> str:
    """The README with the map between its two marks; as it is if it has none."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        return readme
    return f"{before}{BEGIN}\n{readme_map(sources)}{END}{after}"


def readme_map(sources: Path) -> str:
    """One row a track: its lessons as links in both languages, or as planned."""
    course, built = course_map(sources), _built(sources)
    rows = [_readme_row(track, course, built) for track in course.track]
    return "| track / 系列 | lessons / 课程 |\n|---|---|\n" + "".join(rows)


def _readme_row(
    track: Track, course: CourseMap, built: Mapping[str, LessonHeader]
) -> str:
    own = [one for one in course.lesson if one.track == track.id]
    cells = [_both_links(built[one.id]) for one in own if one.id in built]
    planned = [one.id.upper() for one in own if one.id not in built]
    if planned:
        cells.append(f"*planned / 计划中: {' '.join(planned)}*")
    return f"| **{track.id}** {track.en} / {track.zh} | {' · '.join(cells)} |\n"


def _both_links(header: LessonHeader) -> str:
    links = (f"[{one}](course/{one}/{header.file_name})" for one in ("en", "zh"))
    return f"{header.id.upper()} {header.titles['en']} ({' '.join(links)})"


# -------------------------------------------------------------------------- start page
def map_cell(sources: Path, language: str) -> str:
    """The map as Markdown in one language: a table for each track, then the cuts."""
    course, built = course_map(sources), _built(sources)
    blocks = [_track(track, course, built, language) for track in course.track]
    words = _WORDS[language]
    cuts = [
        words["cut"].format(
            name=getattr(cut, language), lessons=_names(course, cut.lessons, words)
        )
        for cut in course.cut
    ]
    return "\n\n".join([*blocks, words["cuts"], "\n".join(cuts)])


def _names(course: CourseMap, ids: tuple[str, ...], words: Mapping[str, str]) -> str:
    return " ".join(one.upper() for one in ids) or words["every"]


def _track(
    track: Track,
    course: CourseMap,
    built: Mapping[str, LessonHeader],
    language: str,
) -> str:
    own = [one for one in course.lesson if one.track == track.id]
    written = [one for one in own if one.id in built]
    planned = [f"{o.id.upper()} {getattr(o, language)}" for o in own if o not in written]
    words = _WORDS[language]
    lines = [f"### {track.id} · {getattr(track, language)}", ""]
    if written:
        rows = (_row(one, built[one.id], language) for one in written)
        lines += [words["head"], "|---|---|---|---|", *rows, ""]
    if planned:
        names = words["between"].join(planned)
        lines.append(words["planned"].format(names=names))
    return "\n".join(lines).rstrip()


def _row(lesson: Lesson, header: LessonHeader, language: str) -> str:
    link = f"[{header.titles[language]}]({header.file_name})"
    needs = " ".join(one.upper() for one in lesson.needs) or "–"
    return f"| {lesson.id.upper()} | {link} | {lesson.minutes} | {needs} |"
