"""A simulator of an Ascend-class NPU: function, time and hazards of one execution.

The packages are floors, each importing only floors below it: `chip` and `diagnostic`,
`lang`, `core`, `timing`, `check`, `launch`, `profile`, `view`. Kernel authors use
`from npusim import asc`. An independent project, not affiliated with Huawei.
"""
