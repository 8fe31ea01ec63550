"""Where the packages of the one distribution lie; everything else is in pyproject.toml.

The built notebooks go into the wheel as data of `npucamp.notebooks`, the data files of
the lessons (quizzes, hints, terms, course map) as `npucamp.lessons`.
"""

from setuptools import find_namespace_packages, setup
from setuptools.command.build_py import build_py

SOURCES = {"npusim": "simulator", "npugrade": "grader", "npucamp": "course"}
NOTEBOOKS = {
    "npucamp.notebooks.en": "course/en",
    "npucamp.notebooks.zh": "course/zh",
    "npucamp.notebooks.exercises": "exercises",
}
DATA = {**NOTEBOOKS, "npucamp.lessons": "course/src"}


class Build(build_py):
    """Packages that are only data bring no modules: sources of lessons stay out."""

    def find_package_modules(self, package, package_dir):
        found = super().find_package_modules(package, package_dir)
        return [] if package in DATA else found


code = [
    package
    for name, folder in SOURCES.items()
    for package in find_namespace_packages(folder, include=[name, f"{name}.*"])
]
setup(
    cmdclass={"build_py": Build},
    packages=[*code, *DATA],
    package_dir={
        **{name: f"{folder}/{name}" for name, folder in SOURCES.items()},
        **DATA,
    },
    package_data={
        "": ["*.toml", "*.json", "*.csv", "*.ttf", "*.otf", "*.css", "*.txt", "*.html"],
        "npucamp.build": ["requirements.in", "environment.sh"],
        "npucamp.notebooks.en": ["*.ipynb"],
        "npucamp.notebooks.zh": ["*.ipynb"],
        "npucamp.notebooks.exercises": ["*/*.ipynb"],
    },
)
