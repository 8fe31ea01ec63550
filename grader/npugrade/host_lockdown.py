"""What the host process does to itself before it runs a learner's code.

Standard library only: `host_worker.py` loads it by path. Every step can only take away:
user id, resources, files (Landlock), system calls (seccomp). Numbers of the kernel's
interface: include/uapi/linux/{prctl,landlock,seccomp,bpf_common}.h. A step that fails
raises; the worker then ends before it says hello, which the judge takes as a fault of
its own. Left out: namespaces (bubblewrap makes them before this process starts).
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import struct
import sys

PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SIGKILL = 1, 22, 38, 9
SECCOMP_FILTER, RET_ALLOW, RET_ERRNO = 2, 0x7FFF0000, 0x00050000
LOAD, AND, IS, RETURN = 0x20, 0x54, 0x15, 0x06  # of the filter's machine
AT_CALL, AT_AUDIT, AT_ARGUMENTS = 0, 4, 16  # in struct seccomp_data
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
READ_FILE, READ_DIR = 1 << 2, 1 << 3
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}  # Landlock version → number of rights
OWN_PROCESS = -1


def apply(limits: dict) -> list:
    """Do all that `limits` asks for; the names of the mechanisms now in force."""
    done = ["limits"]
    if limits["uid"] and os.getuid() == 0:
        take_user(limits["uid"])
        done.append("uid")
    if sys.platform.startswith("linux"):
        prctl(PR_SET_PDEATHSIG, SIGKILL)
    limit_resources(limits["resources"])
    if limits["readable"]:
        close_files(limits["readable"])
        done.append("landlock")
    if limits["calls"]:
        close_calls(limits["calls"])
        done.append("seccomp")
    return done


def take_user(uid: int) -> None:
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)


def limit_resources(values: dict) -> None:
    for name, value in values.items():
        number = getattr(resource, name, None)
        if number is not None:
            _, hard = resource.getrlimit(number)
            value = value if hard < 0 else min(value, hard)
            resource.setrlimit(number, (value, value))


# -------------------------------------------------------------------------- Landlock
def close_files(paths: list) -> None:
    """No file but what lies below `paths`, and that only to read; no TCP."""
    abi = syscall(CREATE_RULESET, None, 0, 1)
    rights = (1 << FILE_RIGHTS[max(v for v in FILE_RIGHTS if v <= abi)]) - 1
    attributes = struct.pack("QQQ", rights, 0b11, 0b11)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    ruleset = syscall(CREATE_RULESET, ctypes.c_char_p(attributes), size, 0)
    for path in paths:
        _allow_reading(ruleset, path)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    syscall(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _allow_reading(ruleset: int, path: str) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # closed to this user already
        return
    rights = READ_FILE | READ_DIR if os.path.isdir(path) else READ_FILE
    rule = struct.pack("=Qi", rights, descriptor)
    syscall(ADD_RULE, ruleset, 1, ctypes.c_char_p(rule), 0)
    os.close(descriptor)


# --------------------------------------------------------------------------- seccomp
def close_calls(calls: dict) -> None:
    """No system call but those of the list."""
    code = b"".join(struct.pack("HBBI", *step) for step in program(calls, os.getpid()))
    buffer = ctypes.create_string_buffer(code)
    head = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_SECCOMP, SECCOMP_FILTER, ctypes.c_char_p(head))


def program(calls: dict, process: int) -> list:
    """The filter as steps (operation, jump if true, jump if false, constant)."""
    allow, refuse = (RETURN, 0, 0, RET_ALLOW), (RETURN, 0, 0, RET_ERRNO | errno.EPERM)
    again = (RETURN, 0, 0, RET_ERRNO | errno.EAGAIN)
    steps = [(LOAD, 0, 0, AT_AUDIT), (IS, 1, 0, calls["audit"]), refuse]
    steps.append((LOAD, 0, 0, AT_CALL))
    for numbers, end in ((calls["again"], again), (calls["allow"], allow)):
        for number in numbers:
            steps += [(IS, 0, 1, number), end]
    for number, argument, mask, values in calls["rules"]:
        inner = [(LOAD, 0, 0, AT_ARGUMENTS + 8 * argument), (AND, 0, 0, mask)]
        for value in values:
            value = process if value == OWN_PROCESS else value
            inner += [(IS, 0, 1, value), allow]
        steps += [(IS, 0, len(inner) + 1, number), *inner, refuse]
    return [*steps, refuse]


# ------------------------------------------------------------------------ the kernel
def prctl(option: int, value: int, pointer: object = None) -> None:
    result = _libc().prctl(option, ctypes.c_ulong(value), pointer, None, None)
    if result < 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def syscall(number: int, *arguments: object) -> int:
    result = _libc().syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), f"system call {number}")
    return result


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
