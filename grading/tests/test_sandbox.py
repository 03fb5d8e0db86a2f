"""A student's code gives answers, and does no harm: whatever it tries ends with its own answers missing."""

import errno
import os
import platform
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pytest

from grading import sandbox, seccomp, student_checks, usage, wire

HERE = Path(__file__)

GOOD = "def good(x):\n    return x + 1"
WORKS = """
def works(action, *given):
    try:
        action(*given)
        return True
    except OSError:
        return False
"""


# What honest notebooks need


def test_values_and_functions_of_a_notebook(run):
    box = run(
        "import numpy as np\nimport pandas as pd\nvisits = pd.read_csv('visits.csv')\n",
        "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig('figure.png')\nplt.show()",
        "from checks import check\ncheck('q1', globals())",
        "!pip list\nif True:\n    %pip install numpy\nratio = 3\ndisplay(visits)",
        "def noisy(values, *, scale, rng):\n    return values['age'].sum() + rng.laplace(scale=scale)",
    )
    pd.testing.assert_frame_equal(box.get("visits"), pd.DataFrame({"ward": ["A", "B"], "age": [41, 57]}))
    assert box.get("ratio") == 3
    noise = box.get("noisy")(box.get("visits"), scale=2.0, rng=np.random.default_rng(3)) - 98
    assert noise == pytest.approx(np.random.default_rng(3).laplace(scale=2.0))
    assert box.log == {}


def test_a_call_looks_as_if_it_had_happened_here(run):
    box = run(
        "def change(array, things, table, mapping, rng):\n"
        "    array[0] = rng.random()\n    things.append(2)\n    table['new'] = 1\n    mapping['key'] = 3\n"
    )
    array, things, table, mapping = np.zeros(2), [1], pd.DataFrame({"old": [5, 6]}), {}
    rng, same = np.random.default_rng(1), np.random.default_rng(1)
    assert box.get("change")(array, things, table, mapping=mapping, rng=rng) is None
    assert array.tolist() == [same.random(), 0]
    assert (things, mapping, list(table)) == ([1, 2], {"key": 3}, ["old", "new"])
    assert rng.random() == same.random()


def test_what_a_function_raises_is_raised_here(run):
    box = run(
        "class TooSmall(ValueError):\n    pass\n\ndef f(x):\n    raise TooSmall(f'x is {x}')",
        "def g(x):\n    raise SystemExit(3)\n\ndef h(x):\n    assert False, 'looks like a check'",
        "def k(x):\n    b''.decode('utf-8')\n    b'\\xff'.decode('utf-8')",
    )
    with pytest.raises(ValueError, match="x is 5") as caught:
        box.get("f")(5)
    assert type(caught.value).__name__ == "TooSmall"
    for name, kind in (("g", Exception), ("h", sandbox.StudentError), ("k", ValueError)):
        with pytest.raises(kind):
            box.get(name)(5)
    box.discreet = True
    with pytest.raises(ValueError, match="isn't shown") as caught:
        box.get("f")(5)
    assert "5" not in f"{type(caught.value)}{caught.value}"


def test_a_cell_that_fails_costs_only_what_depends_on_it(run):
    box = run("first = 1", "second = 1 / 0", "third = (", "fourth = first + 3", "raise SystemExit")
    assert (box.get("first"), box.get("fourth")) == (1, 4)
    for name in ("second", "third"):
        with pytest.raises(LookupError, match=name):
            box.get(name)
    assert box.log[2] == "ZeroDivisionError, line 1: division by zero"
    assert box.log[3].startswith("SyntaxError, line 1")
    assert box.log[5].startswith("SystemExit")


NOT_SENT = ["...", "object()", "{1: 2}", "np.array([print])", "'x' * (100 << 20)"]


def test_a_value_that_can_not_be_handed_over_is_as_good_as_none(run):
    each = [f"value{i} = {value}\ndef answer{i}():\n    return value{i}" for i, value in enumerate(NOT_SENT)]
    box = run("import numpy as np", *each, GOOD)
    for i in range(len(NOT_SENT)):
        with pytest.raises(LookupError, match=f"value{i}"):
            box.get(f"value{i}")
        with pytest.raises(TypeError):
            box.get(f"answer{i}")()
        assert box.get("good")(1) == 2


# What brings a process down


BROKEN = {
    "endless": "while True: pass",
    "deaf": "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)), time.sleep(1000)",
    "exit": "os._exit(0)",
    "crash": "ctypes.string_at(0)",
    "stopped": "os.kill(os.getpid(), 19)",
    "forged": "forge(b'\\xff' * 8)",
}
TOOLS = """
import ctypes, os, signal, time

def forge(data):
    for fd in range(3, 20):
        try:
            os.write(fd, data)
        except OSError:
            pass
    time.sleep(100)
"""


@pytest.mark.parametrize("code", BROKEN.values(), ids=BROKEN)
def test_a_function_that_ends_its_process_costs_itself_alone(run, code):
    box = run(TOOLS, GOOD, f"def bad(x):\n    if x:\n        {code}", seconds=0.5)
    good = box.get("good")
    bad = box.get("bad")
    for _ in range(2):  # the second time, nothing is waited for
        with pytest.raises(sandbox.StudentError, match="`bad`"):
            bad(1)
    assert good(1) == 2
    assert box.fault is None


@pytest.mark.parametrize("code", ["exit", "forged", "endless"])
def test_a_cell_that_ends_its_process_or_does_not_end_costs_itself_alone(run, code):
    box = run(TOOLS, f"if True:\n        {BROKEN[code]}", GOOD, seconds=0.5)
    assert box.get("good")(1) == 2
    assert list(box.log) == [2]
    assert ("took longer than 1 s" if code == "endless" else "left out") in box.log[2]


def test_a_notebook_that_breaks_again_and_again_is_given_up(run):
    box = run("import os", *["os._exit(1)"] * 10, GOOD)
    with pytest.raises(LookupError, match="stopped"):
        box.get("good")
    assert "too often" in box.log[0]


GREEDY = {
    "memory": "bytearray(8 << 30)",
    "tables": "np.ones((1 << 15, 1 << 15))",
    "recursion": "recursion = lambda: recursion() + 1\n    recursion()",
    "answer": "return 'x' * (100 << 20)",
    "file": "open('large', 'wb').write(bytes(32 << 20))",
}


def test_greed_is_an_error(run):
    bad = [f"def {name}(x):\n    {code}" for name, code in GREEDY.items()]
    box = run(f"import numpy as np\n{GOOD}", *bad)
    for name in GREEDY:
        with pytest.raises((MemoryError, OSError, RecursionError, TypeError)):
            box.get(name)(1)
        assert box.get("good")(1) == 2


def test_files_have_little_room_all_together(run):
    box = run(
        "def bad():\n    try:\n        for i in range(40):\n            open(f'{i}', 'wb').write(bytes(8 << 20))\n"
        "    except OSError as error:\n        return error.strerror\n"
    )
    assert box.get("bad")() == os.strerror(28)


def test_processes_and_threads_are_few(run):
    box = run(
        "import os, threading, time\n"
        "def bomb():\n"
        "    for number in range(1000):\n"
        "        try:\n            child = os.fork()\n"
        "        except OSError:\n            return number\n"
        "        if not child:\n            time.sleep(1000)\n"
        "def threads():\n"
        "    for number in range(1000):\n"
        "        try:\n            threading.Thread(target=time.sleep, args=[1000], daemon=True).start()\n"
        "        except RuntimeError:\n            return number\n"
    )
    assert 0 < box.get("bomb")() <= sandbox.PROCESSES
    box.stop()
    assert 0 < box.get("threads")() <= sandbox.PROCESSES


@pytest.mark.parametrize("code", ["while True:\n    os.fork()", "def bad(x):\n    return os.fork() and x"])
def test_what_a_notebook_forks_has_no_part_in_the_talk(run, code):
    box = run(f"import os\n{code}", "def bad(x):\n    return x" if "while" in code else "", GOOD)
    assert box.get("bad")(5) == 5
    assert box.get("good")(1) == 2


def test_what_is_printed_goes_nowhere(run):
    box = run("for _ in range(100_000):\n    print('q1: 100 of 100 points' * 10)", GOOD)
    assert box.get("good")(1) == 2


def test_nothing_is_left_running(run):
    box = run(
        "import atexit, os, signal, threading, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "atexit.register(time.sleep, 1000)\n"
        "threading.Thread(target=time.sleep, args=[1000]).start()\n"
        "if not os.fork():\n    os.setsid()\n    time.sleep(1000)\n",
        GOOD,
    )
    assert box.get("good")(1) == 2
    group, start = box._process, time.monotonic()
    box.stop()
    assert time.monotonic() - start < 60
    assert group.poll() is not None


# What it may not reach


def test_the_sandbox_shows_neither_the_project_nor_anything_secret(run):
    secrets = [HERE, HERE.parents[2], Path(sandbox.__file__), "/etc/passwd", "/proc/self/environ", "/proc/1", "/sys"]
    box = run(
        "import os\n"
        "def there(path):\n    return os.path.lexists(path)\n"
        "def places():\n    return sorted(os.listdir('/')), sorted(os.listdir('.'))\n"
        "def modules(names):\n    import importlib.util\n"
        "    return [name for name in names if importlib.util.find_spec(name)]\n"
        "environment = dict(os.environ)\n"
    )
    there = box.get("there")
    assert [str(path) for path in secrets if there(str(path))] == []
    top, here = box.get("places")()
    assert set(top) <= {"box", "dev", "etc", "lib", "lib64", "python", "submission", "tmp", "usr"}
    assert [name for name in here if not name.startswith("fontlist")] == ["visits.csv"]
    names = ["dp_helpers", "scipy", "grading", "jupytext", "ipykernel", "pytest", "numpy", "pandas", "matplotlib"]
    assert box.get("modules")(names) == ["numpy", "pandas", "matplotlib"]
    assert set(box.get("environment")) <= {*sandbox.surroundings("/"), "LD_LIBRARY_PATH", "PWD", "LC_CTYPE"}


def test_it_writes_in_its_own_folder_only(run):
    box = run(
        f"import os\n{WORKS}\n"
        "def write(path):\n    return works(open, path, 'w')\n"
        "def write_again():\n"
        "    return works(os.chmod, 'visits.csv', 0o777) or works(os.remove, 'visits.csv') or write('visits.csv')\n"
    )
    write = box.get("write")
    assert write("/submission/new")
    assert write("/tmp/new")
    for path in ("/new", "/box/new", "/box/worker.py", "/python/new", "/dev/new", "/usr/lib/new", "/lib/new"):
        assert not write(path), path
    assert not box.get("write_again")()


def test_it_reaches_no_network(run):
    """Not even this computer: a server of ours that listens isn't found."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = "def call(port):\n    return works(socket.create_connection, ('127.0.0.1', port), 5)"
        box = run(f"import socket\n{WORKS}\n{code}")
        assert not box.get("call")(server.getsockname()[1])
        with socket.create_connection(server.getsockname(), 5):  # it does listen
            pass


def test_it_meets_nobody_on_the_network_of_processes(run):
    """Sockets without a file belong to a network: this one of ours would be reached from the same."""
    code = "def call(name):\n    return works(socket.socket(socket.AF_UNIX).connect, '\\0' + name)"
    name = f"grading-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0" + name)
        server.listen()
        assert not run(f"import socket\n{WORKS}\n{code}").get("call")(name)
        with socket.socket(socket.AF_UNIX) as there:
            there.connect("\0" + name)


def test_it_sees_no_other_process_and_has_no_rights(run):
    box = run(
        f"import ctypes, os\n{WORKS}\n"
        "def kill(pid):\n    return works(os.kill, pid, 0)\n"
        "def become_root():\n    return works(os.setuid, 0) and os.getuid() == 0\n"
        "def mount():\n"
        "    return ctypes.CDLL(None).mount(b'none', b'/submission', b'tmpfs', 0, None)\n"
        "pid, user = os.getpid(), os.getuid()\n"
    )
    assert box.get("pid") < 10
    assert not box.get("kill")(os.getpid())
    assert box.get("user") != 0
    assert not box.get("become_root")()
    assert box.get("mount")() == -1


# What a process may say that isn't true


def forging(*values):
    """Return the code of a function that writes these messages to the pipe before its own answer."""
    data = b"".join(len(wire.pack(value)).to_bytes(8, "big") + wire.pack(value) for value in values)
    return TOOLS.replace("    time.sleep(100)\n", "") + f"def bad(x):\n    forge({data!r})\n    return 1\n{GOOD}"


def test_a_forged_answer_is_an_answer_and_the_next_one_too(run):
    """Whoever can write to the pipe can only say what a function of his own could have returned."""
    box = run(forging({"value": 100, "changed": {}}))
    bad = box.get("bad")
    assert bad(1) == 100
    assert bad(1) == 1  # the answer to the first call


@pytest.mark.parametrize(
    "forged",
    [
        "ready",
        ["earned", 100],
        {},
        {"value": 1, "changed": {"7": 1}},
        {"value": 1, "changed": {"0": [1]}},
        {"value": 1, "changed": [1]},
        {"value": 1, "changed": {"1": np.random.default_rng(2)}},
        {"raised": 5},
        {"raised": ["KeyboardInterrupt"], "message": {"a": 1}},
        {"raised": ["GeneratorExit", "SystemExit"]},
    ],
)
def test_a_forged_message_that_is_no_answer_is_an_error(prepared, monkeypatch, forged):
    """The message comes from nowhere here: the test before this one forges in the process."""
    monkeypatch.setattr(sandbox.Box, "_start", lambda box: None)
    monkeypatch.setattr(sandbox.Box, "_exchange", lambda box, order, seconds: forged)
    with pytest.raises((sandbox.StudentError, LookupError)):
        sandbox.Function(sandbox.Box(prepared, []), "bad")(np.arange(3.0), np.random.default_rng(1))


def test_what_a_notebook_does_to_its_own_tools_stays_there(run):
    box = run(
        "import sys, wire, numpy as np\nnp.mean = lambda *_: 42\nnp.allclose = lambda *_: True",
        "import standins\nmain = sys.modules['__main__']\nmain.run_cell = main.describe = standins.run = None",
        GOOD,
        "sys.settrace(lambda *_: None)\nwire.pack = lambda value: b'nothing that can be read'",
    )
    with pytest.raises(LookupError):
        box.get("good")
    assert np.mean([1, 2]) == 1.5
    assert not np.allclose(1, 2)


# The sandbox itself


def test_without_isolation_a_notebook_runs_all_the_same():
    cells = [(1, "import pandas as pd\nvisits = pd.read_csv('visits.csv')"), (2, GOOD)]
    with sandbox.prepare({"visits.csv": "age\n41\n"}, isolated=False) as plain, sandbox.Box(plain, cells) as box:
        assert box.get("good")(1) == 2
        assert box.get("visits")["age"].tolist() == [41]


def test_a_sandbox_that_does_not_work_is_no_fault_of_the_students(prepared, monkeypatch):
    monkeypatch.setattr(sandbox, "bubblewrap", lambda *_: ["bwrap", "--no-such-option"])
    with sandbox.Box(prepared, [(1, GOOD)]) as box:
        with pytest.raises(LookupError):
            box.get("good")
        assert "no-such-option" in box.fault
    with pytest.raises(sandbox.SandboxError, match="no-such-option"):
        prepared.try_out()


def test_boxes_side_by_side_do_not_meet(prepared):
    results = {}

    def work(number):
        cell = f"import os\nopen('mine', 'w').write('{number}')\ndef look():\n    return open('mine').read()"
        with sandbox.Box(prepared, [(1, cell)]) as box:
            results[number] = box.get("look")()

    threads = [threading.Thread(target=work, args=[number]) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {0: "0", 1: "1", 2: "2"}


def test_an_ordinary_user_gets_a_user_namespace(prepared, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with sandbox.Box(prepared, [(1, "import os\npid = os.getpid()\nhome = os.path.exists('/root')")]) as box:
        assert box.get("pid") < 10
        assert box.get("home") is False
    command = sandbox.bubblewrap(prepared.program, prepared.given, 3)
    assert "--unshare-all" in command
    assert "--cap-add" not in command
    assert prepared.limits()["user"] is None


# Notebooks run here as Jupyter runs them


AT_HOME = {
    "display": "from IPython.display import HTML, clear_output, display\ndisplay(HTML('x'))\nclear_output(wait=True)",
    "a module of display": "import IPython.display as show\nshow.display(show.Markdown('x'))",
    "get_ipython": "get_ipython().run_line_magic('matplotlib', 'inline')\nget_ipython().system('ls')",
    "all outputs": "from IPython.core.interactiveshell import InteractiveShell\n"
    "InteractiveShell.ast_node_interactivity = 'all'",
    "bars": "from tqdm.auto import tqdm, trange\nassert [i for i in tqdm(range(3))] == [*trange(3)] == [0, 1, 2]\n"
    "with tqdm(total=3) as bar:\n    bar.update(2)\ntqdm.write('x')",
    "a bar by its module": "import tqdm\nassert len(tqdm.tqdm([1, 2], desc='x')) == 2",
    "help": "import numpy as np\nnp.where?\n?np.where\nnp.where??",
    "shell": "files = !ls\nassert list(files) == []\n!pip install tqdm\n%cd /nowhere\n%time x = 3\nassert x == 3",
    "time": "%%time\nx = 3\nassert x == 3",
    "capture": "%%capture out\nx = 2\nassert x == 2",
    "await": "import asyncio\nawait asyncio.sleep(0)\nx = await asyncio.gather(asyncio.sleep(0, 5))\nassert x == [5]",
    "figures": "import matplotlib.pyplot as plt\nimport pandas as pd\nplt.plot([1])\nplt.show()\nstr(pd.Series([1]))",
    "valid Python with a line that looks like magic": "text = '''\n%kept\n!kept\n'''\nassert text.count('kept') == 2",
}


def test_what_works_in_jupyter_works_here(run):
    """Each in a cell of its own, whose last line is run, too."""
    box = run("ran = 0", "%%html\n<b>no Python</b>", *(f"{code}\nran += 1" for code in AT_HOME.values()))
    assert (box.get("ran"), box.log) == (len(AT_HOME), {})


def test_a_line_that_is_no_python_costs_what_follows_it_and_not_what_is_above(run):
    box = run(f"{GOOD}\n\nx = 5\ntype Alias = int\nafter = 1", "def half(x):\n    y = 1\n    return (y")
    assert box.get("good")(1) == 2
    assert box.get("x") == 5
    for name in ("after", "half"):
        with pytest.raises(LookupError, match=name):
            box.get(name)
    assert box.log[1].startswith("SyntaxError, line 5")


# Time


def test_thousands_of_calls_use_one_generator_and_have_a_limit_in_portions_only(run, monkeypatch):
    """A portion takes a twentieth of a second, of one; all together take more."""
    monkeypatch.setattr(sandbox, "PORTION", 10)
    box = run(
        "import time\n"
        "def slow(values, rng):\n"
        "    end = time.process_time() + 0.005\n    while time.process_time() < end:\n        pass\n"
        "    return values.sum() + rng.random()\n",
        seconds=1,
    )
    rng, same = np.random.default_rng(1), np.random.default_rng(1)
    assert box.get("slow").sample(300, np.ones(5), rng=rng).tolist() == (5 + same.random(300)).tolist()
    assert rng.random() == same.random()


def test_a_late_look_charges_a_call_with_its_own_time_only(run, monkeypatch):
    """On a fast computer nothing is looked at until one call is held up: its second has then long been used before."""
    monkeypatch.setattr(usage, "INTERVAL", 1000)
    box = run(
        "import time\ndef work():\n    end = time.process_time() + 0.5\n    while time.process_time() < end: pass\n",
        seconds=1,
    )
    for _ in range(3):
        box.get("work")()
    monkeypatch.setattr(usage, "INTERVAL", 0)
    assert box.get("work")() is None


@pytest.mark.parametrize(
    ("running", "pause", "patient"),
    [(True, 1, True), (False, 1, False), (False, 20, True)],
    ids=["waits", "sleeps", "the-grader-waits"],
)
def test_who_waits_for_the_processor_has_not_used_its_time(monkeypatch, running, pause, patient):
    """Seconds of the clock go by between two looks, of which a busy computer gives the process a tenth of one."""
    clock = iter(range(0, 10_000, pause))
    monkeypatch.setattr(usage.time, "monotonic", lambda: float(next(clock)))
    own = usage.Meter(os.getpid())
    used = iter(number / 10 for number in range(1000))
    monkeypatch.setattr(own, "_used", lambda: next(used))
    monkeypatch.setattr(own, "_look", lambda: running)
    monkeypatch.setattr(usage, "SLOWEST", 1000)
    own.allow(4)
    if patient:
        for _ in range(6):
            own.tick()
    else:
        with pytest.raises(TimeoutError):
            for _ in range(20):
                own.tick()


def test_who_computes_has_its_time_and_no_more(monkeypatch):
    monkeypatch.setattr(usage, "SLOWEST", 1000)  # of a busy computer's clock
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        own = usage.Meter(process.pid)
        own.allow(0.3)
        try:
            with pytest.raises(TimeoutError):
                until_raised(own.tick)
            assert 0.3 < own.spent() < 10
        finally:
            process.kill()  # the context waits for its end


def test_who_sleeps_is_not_waited_for_much_longer_than_who_computes():
    with subprocess.Popen(["/bin/sleep", "100"]) as process:
        own, start = usage.Meter(process.pid), time.monotonic()
        own.allow(1)
        with pytest.raises(TimeoutError):
            until_raised(own.tick)
        assert 1 < time.monotonic() - start < 60
        process.kill()


def test_all_calls_together_have_a_limit(run):
    box = run("import time\ndef nap():\n    time.sleep(1)\n    return 1")
    nap = box.get("nap")
    box._left = 0.2  # so much is left of it, and each call may take longer
    with pytest.raises(sandbox.StudentError, match="took longer than"):
        nap()


def test_time_of_children_counts(run):
    box = run(
        "import os\n"
        "def bad(x):\n"
        "    while True:\n"
        "        child = os.fork()\n"
        "        if not child:\n            sum(range(10**6))\n            os._exit(0)\n"
        "        os.waitpid(child, 0)\n",
        seconds=0.5,
    )
    with pytest.raises(sandbox.StudentError, match=r"longer than 0\.5 s"):
        box.get("bad")(1)


def until_raised(tick):
    end = time.monotonic() + 120
    while time.monotonic() < end:
        tick()


# Attacks


SYSTEM_CALLS = """
import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    return libc.syscall(number, *arguments), ctypes.get_errno()
"""


@pytest.mark.parametrize("name", seccomp.DENIED)
def test_a_call_to_the_kernel_that_nobody_needs_is_refused(kernel, name):
    column = 0 if platform.machine() == "x86_64" else 1
    number = seccomp.DENIED[name][column]
    if number is None:
        pytest.skip("this machine has no such call")
    assert kernel(number, 0, 0, 0, 0, 0) == (-1, errno.EPERM)


@pytest.fixture(scope="module")
def kernel(prepared):
    with sandbox.Box(prepared, [(1, SYSTEM_CALLS)]) as box:
        yield box.get("call")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of x86_64")
def test_no_way_round_the_filter(kernel):
    keyctl, clone, clone3, new_user = 250, 56, 435, 0x10000000
    assert kernel(0x40000000 + keyctl, 0, 0) == (-1, errno.EPERM)  # the second set of numbers
    assert kernel(clone, new_user, 0, 0, 0, 0) == (-1, errno.EPERM)
    assert kernel(clone3, 0, 0) == (-1, errno.ENOSYS)
    assert kernel(41, socket.AF_INET, socket.SOCK_STREAM, 0) == (-1, errno.EPERM)
    assert kernel(39)[0] > 0  # getpid


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of x86_64")
def test_the_lecturers_keys_stay_with_the_lecturer(prepared, tmp_path):
    """A process started for a box has no key that was in the session keyring before, with or without the filter."""
    code = (
        "import ctypes\nfrom grading import seccomp\nlibc = ctypes.CDLL(None)\n"
        "key = libc.syscall(248, b'user', b'ticket', b'secret', 6, -3)\n"
        "found = lambda: libc.syscall(250, 10, -3, b'user', b'ticket', 0)\n"
        "assert key == -1 or found() == key\n"
        "seccomp.leave_keyring()\nassert found() == -1\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=HERE.parents[2])


def test_files_are_counted(run):
    box = run("import os\ndef bad(x):\n    for i in range(10**9):\n        os.mknod(f'{i}')\n", GOOD)
    with pytest.raises(sandbox.StudentError, match="more than 2,000 files"):
        box.get("bad")(1)
    assert box.get("good")(1) == 2


def test_processes_have_little_memory_all_together(run, monkeypatch):
    monkeypatch.setattr(usage, "MEMORY", 400 << 20)
    box = run(
        "import os, time\n"
        "def bad(x):\n"
        "    for _ in range(5):\n"
        "        if not os.fork():\n            held = bytearray(b'x' * (90 << 20))\n            time.sleep(100)\n"
        "    time.sleep(100)\n",
        GOOD,
        seconds=20,
    )
    with pytest.raises(sandbox.StudentError, match="of memory together"):
        box.get("bad")(1)
    assert box.get("good")(1) == 2


def test_nothing_runs_between_two_questions(run):
    box = run(
        "import os\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        while True:\n"
        "            pass\n    os._exit(0)\ndef ask():\n    return 1"
    )
    ask = box.get("ask")
    for _ in range(2):
        assert ask() == 1
        parts = [psutil.Process(box._process.pid), *psutil.Process(box._process.pid).children(recursive=True)]
        assert len(parts) >= 3  # the one that computes has left its family, and not the box
        ends = time.monotonic() + 10
        while any(part.status() not in (psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE) for part in parts):
            assert time.monotonic() < ends


def test_an_answer_that_comes_byte_by_byte_is_not_waited_for(run):
    drip = TOOLS.replace("time.sleep(100)", "time.sleep(0.05)")
    box = run(f"{drip}\ndef bad(x):\n    while True:\n        forge(b'\\0')\n", GOOD, seconds=0.5)
    with pytest.raises(sandbox.StudentError):
        box.get("bad")(1)


def test_a_process_that_reads_no_orders_is_not_waited_for(run):
    box = run(
        "def bad(x):\n    return 1\nimport threading, time\n",
        "import os\nfor fd in range(3, 20):\n"
        "    try:\n        os.set_blocking(fd, True)\n    except OSError:\n        pass\n"
        "import wire\nwire.receive = lambda *_: time.sleep(1000)",
        seconds=2,
    )
    with pytest.raises(LookupError):
        box.get("bad")


def test_a_cell_on_which_its_syntax_takes_for_ever_costs_itself_alone(run):
    box = run("(" * 50_000 + "\n" + "!x\n" * 50_000, GOOD, seconds=0.5)
    assert box.get("good")(1) == 2
    assert list(box.log) == [1]


def test_a_process_that_ends_while_it_is_looked_at_is_no_error(run, monkeypatch):
    good = run(GOOD).get("good")
    monkeypatch.setattr(Path, "glob", lambda *_: os.scandir("/proc/none"))
    assert good(1) == 2


def test_a_new_process_has_forgotten(run):
    box = run("kept = []\ndef ask(x):\n    kept.append(x)\n    return x\ndef known():\n    return len(kept)")
    ask, known = box.get("ask"), box.get("known")
    ask(1)
    assert known() == 1
    assert student_checks.fresh(known)() == 0
