"""Runs one student's notebook and answers calls of its functions; the only place where a student's code is executed.

Started by sandbox.py as a process of its own, with wire.py beside it and nothing else of the grader. Nothing here is
trusted: the student's code shares this process and can change whatever it holds, so no verdict is made here, and no
secret comes here but the arguments of the calls.
"""

import os
import resource

import numpy as np
import standins
import wire

MESSAGE = 500  # characters of an error's text


def main():
    """Take the orders that come on standard input until it closes; answer each on standard output."""
    orders, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):  # what the student prints goes nowhere
        os.dup2(nothing, fd)
    setup = wire.receive(orders)
    restrict(**setup["limits"])
    space = {"__name__": "__main__"}
    standins.install(space)
    process = os.getpid()

    def reply(message):
        if os.getpid() != process:  # forked by the notebook: it has no part in the talk
            os._exit(0)
        wire.send(answers, message)

    reply("ready")
    for number, source in setup["cells"]:
        reply([number, run_cell(number, source, space)])
    while True:
        reply(answer(wire.receive(orders), space))


def restrict(user, **limits):
    """Give up the rights of root, where this is root, and set the limits that hold for everything that follows."""
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    for name, value in limits.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))


def run_cell(number, source, space):
    """Execute one cell; return what went wrong, in words, or None."""
    try:
        standins.run(source, f"<cell {number}>", space)
    except BaseException as error:
        return describe(error)
    return None


def answer(order, space):
    """Return the answer to one order: the value of a name, or what calling it gives."""
    try:
        if order["name"] not in space:
            return {"missing": True}
        found = (called if order["call"] else shown)(space[order["name"]], order)
        wire.pack(found)  # what can't be handed over is an error like others
    except BaseException as error:
        return {"raised": [kind.__name__ for kind in type(error).__mro__], "message": text(error)}
    return found


def shown(value, _):
    """Return a value, or that it is a function."""
    return {"function": True} if callable(value) else {"value": value}


def called(function, order):
    """Return the result of a call, or the array of the results of many, and the arguments that the call changed."""
    arguments, keywords, times = order["arguments"], order["keywords"], order["times"]
    given = {str(i): argument for i, argument in enumerate(arguments)} | keywords
    before = {name: wire.pack(argument) for name, argument in given.items()}
    if times is None:
        result = function(*arguments, **keywords)
    else:
        result = np.array([function(*arguments, **keywords) for _ in range(times)])
    return {"value": result, "changed": {name: new for name, new in given.items() if wire.pack(new) != before[name]}}


def describe(error):
    """Return an error as its name and text, with the line of the cell where it happened."""
    trace, line = error.__traceback__, getattr(error, "lineno", None)
    while trace:
        if trace.tb_frame.f_code.co_filename.startswith("<cell "):
            line = trace.tb_lineno
        trace = trace.tb_next
    return f"{type(error).__name__}{f', line {line}' if line else ''}: {text(error)}"


def text(error):
    """Return an error's own words, as far as they fit."""
    try:
        return str(error)[:MESSAGE]
    except Exception:  # the student's own error may fail to describe itself
        return ""


if __name__ == "__main__":
    main()
