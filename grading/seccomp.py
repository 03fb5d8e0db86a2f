"""The calls to the kernel that a student's code may not make, as a filter that bubblewrap installs.

Everything that numbers, tables and figures need is left. What goes is a way to other students' work (keyrings), to
memory that no limit counts (shared memory), to new namespaces, and to rarely used parts of the kernel.
"""

import ctypes
import os
import platform
import struct

# The number of a call by machine: x86_64, aarch64. None: that machine doesn't have it.
DENIED = {
    # what outlives the process, or is shared by all that run as one user
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    # its caller sleeps where nobody counts it, until the child ends; the C library takes fork instead
    "vfork": (58, None),
    # other namespaces, other files, other processes
    "unshare": (272, 97),
    "setns": (308, 268),
    "chroot": (161, 51),
    "pivot_root": (155, 41),
    "mount": (165, 40),
    "umount2": (166, 39),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # parts of the kernel that had the most faults, or need rights that nobody has here
    "bpf": (321, 280),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "vmsplice": (278, 75),
    "personality": (135, 92),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "syslog": (103, 116),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "settimeofday": (164, 170),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "iopl": (172, None),
    "ioperm": (173, None),
}
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column above, and the kernel's own name
SOCKET, CLONE, CLONE3, MMAP = (41, 198), (56, 220), (435, 435), (9, 222)
SHARED, ANONYMOUS = 0x01, 0x20  # flags of memory that counts for no process while nobody looks at it
NAMESPACES, VFORK = 0x7E020000, 0x4000  # clone's flags for new ones, and for a caller that sleeps until its child ends
OTHER_ABI = 0x40000000  # calls from here on are x86_64's second set of numbers
LOAD, EQUAL, GREATER, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # instructions
ALLOW, REFUSE, ABSENT, KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000  # 1 is EPERM, 0x26 ENOSYS
NUMBER, MACHINE, FIRST_ARGUMENT, FOURTH_ARGUMENT = 0, 4, 16, 40  # places in what the kernel tells the filter


def program() -> bytes:
    """Return the filter, in the kernel's format.

    Raises
    ------
    OSError
        If this machine is neither x86_64 nor aarch64.
    """
    column, machine = _machine()
    steps = [(LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, machine), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER)]
    steps += [(GREATER, 0, 1, OTHER_ABI), (RETURN, 0, 0, REFUSE)]
    for numbers in DENIED.values():
        if numbers[column] is not None:
            steps += [(EQUAL, 0, 1, numbers[column]), (RETURN, 0, 0, REFUSE)]
    # Its flags lie in memory, where a filter can't look; without it, the C library takes clone.
    steps += [(EQUAL, 0, 1, CLONE3[column]), (RETURN, 0, 0, ABSENT)]
    steps += [(EQUAL, 0, 4, CLONE[column]), (LOAD, 0, 0, FIRST_ARGUMENT), (ANY_BIT, 0, 1, NAMESPACES | VFORK)]
    steps += [(RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    steps += [(EQUAL, 0, 5, MMAP[column]), (LOAD, 0, 0, FOURTH_ARGUMENT), (ANY_BIT, 0, 2, SHARED)]
    steps += [(ANY_BIT, 0, 1, ANONYMOUS), (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    # Sockets between processes of the box only: no other family, however rare.
    steps += [(EQUAL, 0, 3, SOCKET[column]), (LOAD, 0, 0, FIRST_ARGUMENT), (EQUAL, 1, 0, 1)]
    steps += [(RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def leave_keyring():
    """Give this process, and those that it will start, a session keyring of its own, an empty one."""
    column, _ = _machine()
    join = 1  # KEYCTL_JOIN_SESSION_KEYRING
    if ctypes.CDLL(None, use_errno=True).syscall(DENIED["keyctl"][column], join, None) < 0:
        error = ctypes.get_errno()
        if error not in (1, 38):  # a container may forbid keyrings, a kernel may have none: then there is none to leave
            raise OSError(error, os.strerror(error))


def _machine():
    if platform.machine() not in MACHINES:
        raise OSError(f"the sandbox works on {' and '.join(MACHINES)}, and this is {platform.machine()}")
    return MACHINES[platform.machine()]
