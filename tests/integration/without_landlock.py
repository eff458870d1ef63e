"""Runs a program for which the kernel has no Landlock: python3 without_landlock.py PROGRAM [ARGUMENT...]"""

import ctypes
import errno
import os
import struct
import sys

LANDLOCK_CREATE_RULESET = 444  # on all architectures
PR_SET_SECCOMP, SECCOMP_MODE_FILTER, PR_SET_NO_NEW_PRIVS = 22, 2, 38
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06  # of the classic BPF
SECCOMP_RET_ERRNO, SECCOMP_RET_ALLOW = 0x00050000, 0x7FFF0000


class Program(ctypes.Structure):
    """struct sock_fprog"""
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def answer_enosys(system_call):
    """From now on, in this process and those that it starts (seccomp(2))."""
    steps = [(LOAD, 0, 0, 0), (JUMP_IF_EQUAL, 0, 1, system_call),
             (RETURN, 0, 0, SECCOMP_RET_ERRNO | errno.ENOSYS), (RETURN, 0, 0, SECCOMP_RET_ALLOW)]
    program = Program(len(steps), b"".join(struct.pack("=HBBI", *step) for step in steps))
    libc = ctypes.CDLL(None, use_errno=True)
    for call in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
                 (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0)):
        if libc.prctl(*call) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    answer_enosys(LANDLOCK_CREATE_RULESET)
    os.execvp(sys.argv[1], sys.argv[1:])
