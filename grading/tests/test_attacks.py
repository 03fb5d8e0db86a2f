"""What a hostile notebook tries to reach, to fill and to outlive; each limit is seen to hold."""

import errno
import os
import socket
import subprocess
import sys

import psutil
import pytest

from grading import sandbox

from .test_sandbox import GOOD, WORKS

# Memory and files


SHARED = """
import mmap, os

def ask(make):
    try:
        held = make()
        held[0] = 1
        return True
    except OSError as error:
        return error.errno

def from_zero():
    return mmap.mmap(os.open("/dev/zero", os.O_RDWR), 1 << 20)

def anonymous():
    return ask(lambda: mmap.mmap(-1, 1 << 20)), ask(from_zero)

def private():
    return ask(lambda: mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))

def of_a_file():
    with open("room", "w+b") as file:
        file.write(bytes(1 << 20))
        file.flush()
        return ask(lambda: mmap.mmap(file.fileno(), 1 << 20))
"""


def test_there_is_no_memory_that_counts_for_nobody(run):
    """Shared memory that nobody looks at is no process's own: eight processes could hold 16 GB of it, uncounted."""
    box = run(SHARED)
    assert box.get("anonymous")() == (errno.EPERM, errno.ENOENT)
    assert box.get("private")() is True
    assert box.get("of_a_file")() is True  # which counts as a file


def test_there_is_one_place_to_write_and_it_is_small(run):
    box = run(
        "import os\n"
        "def places():\n"
        "    return [path for path in ('/dev/shm', '/var/tmp', '/home', '/root', '/run', '/proc', '/sys')"
        " if os.path.lexists(path)]\n"
        "def fill():\n"
        "    written = 0\n"
        "    try:\n"
        "        for i in range(100):\n"
        "            with open(f'/tmp/{i}', 'wb') as file:\n"
        "                written += file.write(bytes(1 << 20))\n"
        "    except OSError as error:\n        return written, error.errno\n"
        "home = os.path.realpath(os.path.expanduser('~')), os.path.realpath('/tmp')\n",
        GOOD,
    )
    assert box.get("places")() == []
    assert box.get("home") == ("/submission", "/submission")
    written, error = box.get("fill")()
    assert written <= sandbox.SPACE
    assert error == errno.ENOSPC
    assert box.get("good")(1) == 2


def test_open_files_are_few(run):
    box = run(
        "import os\n"
        "def bad():\n"
        "    held = []\n"
        "    try:\n"
        "        while len(held) < 10_000:\n            held += os.pipe()\n"
        "    except OSError as error:\n        return len(held), error.errno\n",
        GOOD,
    )
    held, error = box.get("bad")()
    assert held < sandbox.LIMITS["NOFILE"]
    assert error == errno.EMFILE


def test_no_open_file_is_inherited_but_the_pipes_of_the_talk(run):
    """Above all no folder: from one, paths go on to everything outside."""
    code = (
        "import os, stat\n"
        "def kinds():\n"
        "    found = []\n"
        "    for number in range(1024):\n"
        "        try:\n            found.append(stat.S_IFMT(os.fstat(number).st_mode))\n"
        "        except OSError:\n            pass\n"
        "    return [{stat.S_IFIFO: 'pipe', stat.S_IFCHR: 'device'}.get(kind, 'else') for kind in found]\n"
    )
    assert sorted(set(run(code).get("kinds")())) == ["device", "pipe"]


def test_a_link_leads_nowhere(run):
    here = os.path.realpath(__file__)
    box = run(
        f"import os\n{WORKS}\n"
        "def follow(path):\n"
        "    os.path.lexists('way') and os.remove('way')\n"
        "    os.symlink(path, 'way')\n    return works(open, 'way')\n"
        "def replace(path):\n    return works(os.link, path, 'hard')\n"
    )
    follow = box.get("follow")
    for path in (here, "../" * 9 + here, "/etc/passwd", "/proc/self/environ", "/root/.ssh/id_rsa"):
        assert not follow(path), path
    assert follow("visits.csv")
    assert not box.get("replace")("/box/worker.py")


# The network


FAMILIES = ["AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_ALG", "AF_BLUETOOTH", "AF_CAN", "AF_TIPC"]


def test_sockets_are_for_the_processes_of_the_box_alone(run, tmp_path):
    """Those of a name that a file has, too: such a file of ours isn't seen."""
    numbers = [int(getattr(socket, name)) for name in FAMILIES if hasattr(socket, name)]
    box = run(
        f"import socket\n{WORKS}\n"
        "def refused(numbers, kind):\n"
        "    return [not works(socket.socket, number, kind) for number in numbers]\n"
        "def call(path):\n    return works(socket.socket(socket.AF_UNIX).connect, path)\n"
        "def among_us():\n    one, other = socket.socketpair()\n    one.send(b'x')\n    return other.recv(1)\n"
    )
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        assert all(box.get("refused")(numbers, int(kind)))
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        server.listen()
        assert not box.get("call")(str(tmp_path / "s"))


# Other processes


SIGNALS = {
    "all": "os.kill(-1, 9)",
    "its parent": "os.kill(os.getppid(), 9)",
    "the first": "os.kill(1, 9), os.kill(1, 19)",
    "its group": "os.killpg(0, 9)",
    "its parent stopped": "os.kill(os.getppid(), 19)",
}


@pytest.mark.parametrize("code", SIGNALS.values(), ids=SIGNALS)
def test_signals_reach_the_box_alone(run, code):
    box = run(
        f"import os\ndef bad(x):\n    try:\n        {code}\n    except OSError:\n        pass\n    return x", GOOD
    )
    try:
        assert box.get("bad")(5) == 5
    except sandbox.StudentError as error:
        assert "ended the process" in str(error)
    assert box.get("good")(1) == 2
    assert box.fault is None


def test_daemons_that_hear_nothing_end_with_the_box(run):
    box = run(
        "import os, signal, time\n"
        "for _ in range(3):\n"
        "    if not os.fork():\n"
        "        os.setsid()\n"
        "        if os.fork():\n            os._exit(0)\n"
        "        for number in range(1, 65):\n"
        "            try:\n                signal.signal(number, signal.SIG_IGN)\n"
        "            except (OSError, ValueError):\n                pass\n"
        "        time.sleep(1000)\n",
        GOOD,
    )
    assert box.get("good")(1) == 2
    first = psutil.Process(box._process.pid)
    family = [first, *first.children(recursive=True)]
    assert len(family) >= 5
    box.stop()
    assert psutil.wait_procs(family, 60)[1] == []


def test_the_calls_of_another_machine_end_the_process(run):
    """On x86_64 a program may call the kernel as 32-bit programs do, by other numbers: the filter ends it."""
    if os.uname().machine != "x86_64":
        pytest.skip("this machine has one way to call")
    box = run(
        "import ctypes, mmap\n"
        "def bad(x):\n"
        "    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS\n"
        "    code = mmap.mmap(-1, 4096, flags=flags, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)\n"
        "    code.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))  # mov eax, getpid; int 0x80; ret\n"
        "    place = ctypes.addressof(ctypes.c_char.from_buffer(code))\n"
        "    return ctypes.CFUNCTYPE(ctypes.c_int)(place)()\n",
        GOOD,
    )
    with pytest.raises(sandbox.StudentError, match="ended the process"):
        box.get("bad")(1)
    assert box.get("good")(1) == 2


# What the lecturer knows


def test_secrets_of_the_environment_stay_outside(run, monkeypatch):
    monkeypatch.setenv("TOKEN_OF_THE_COURSE_SYSTEM", "secret")
    box = run("import os\ndef known():\n    return sorted(os.environ), sorted(map(repr, os.environ.values()))\n")
    names, values = box.get("known")()
    assert "TOKEN_OF_THE_COURSE_SYSTEM" not in names
    assert not any("secret" in value for value in values)


def test_one_student_sees_nothing_of_another(prepared):
    """Two at a time: neither the other's files, nor processes, nor sockets without a file."""
    first = (
        "import os, socket\nopen('mine', 'w').write('my answer')\n"
        "server = socket.socket(socket.AF_UNIX)\nserver.bind('\\0here')\nserver.listen()\npid = os.getpid()\n"
    )
    second = (
        f"import os, socket\n{WORKS}\nfiles = sorted(os.listdir('/submission'))\n"
        "def call():\n    return works(socket.socket(socket.AF_UNIX).connect, '\\0here')\n"
        "def others():\n    return [pid for pid in range(2, 300) if pid != os.getpid() and works(os.kill, pid, 0)]\n"
    )
    with sandbox.Box(prepared, [(1, first)]) as one, sandbox.Box(prepared, [(1, second)]) as other:
        assert one.get("pid") < 10
        assert "mine" not in other.get("files")
        assert not other.get("call")()
        assert other.get("others")() == []


def test_a_grader_that_is_killed_takes_the_box_along(prepared, tmp_path):
    """Not even then a daemon stays: the box dies with the process that has started it."""
    code = (
        "import sys\nfrom grading import sandbox\ncells = [(1, 'import os\\nos.fork() or os.setsid()\\nx = 1')]\n"
        "with sandbox.prepare({}) as ready, sandbox.Box(ready, cells) as box:\n"
        "    box.get('x')\n    print('ready', flush=True)\n    sys.stdin.read()\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    place = os.environ | {"TMPDIR": str(tmp_path)}
    with psutil.Popen([sys.executable, "-c", code], env=place, **pipes) as process:
        assert process.stdout.readline() == b"ready\n"
        family = process.children(recursive=True)
        assert len(family) >= 3
        process.kill()
        process.wait(60)
        assert psutil.wait_procs(family, 60)[1] == []
