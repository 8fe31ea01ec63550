"""Where the packages of the one distribution lie; everything else is in pyproject.toml.

The built notebooks go into the wheel as data of `npucamp.notebooks`.
"""

from setuptools import find_namespace_packages, setup

SOURCES = {"npusim": "simulator", "npugrade": "grader", "npucamp": "course"}
NOTEBOOKS = {
    "npucamp.notebooks.en": "course/en",
    "npucamp.notebooks.zh": "course/zh",
    "npucamp.notebooks.exercises": "exercises",
}

code = [
    package
    for name, folder in SOURCES.items()
    for package in find_namespace_packages(folder, include=[name, f"{name}.*"])
]
setup(
    packages=[*code, *NOTEBOOKS],
    package_dir={
        **{name: f"{folder}/{name}" for name, folder in SOURCES.items()},
        **NOTEBOOKS,
    },
    package_data={
        "": ["*.toml", "*.json", "*.csv", "*.ttf", "*.otf", "*.css", "*.txt"],
        "npucamp.build": ["requirements.in", "environment.sh"],
        "npucamp.notebooks.en": ["*.ipynb"],
        "npucamp.notebooks.zh": ["*.ipynb"],
        "npucamp.notebooks.exercises": ["*/*.ipynb"],
    },
)
