"""What turns sources into the files that a learner receives.

`lessons` builds course/en and course/zh, `assignments` builds exercises/, `lock` builds
requirements.lock and environment.yml, `leaks` looks for solutions in all of it.
"""
