"""Writes a page for each student: what each task earned, what to look at, and what went wrong in the notebook.

`show` prints more, for the lecturer alone.
"""

import argparse
import io
import zipfile
from html import escape
from pathlib import Path

from .made import Made
from .marks import Mark, Marks, combine, read_hand, read_results
from .texts import FormatError, clean, line

# Nothing in a page may load or run anything, whatever a student has written.
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.4rem; }}
h2 {{ font-size: 1.1rem; margin: 1.5rem 0 0.25rem; }}
p, li {{ white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.25rem 0; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{student}</p>
<p><strong>{total}</strong></p>
{parts}
</body>
</html>
"""


def feedback(options: argparse.Namespace) -> None:
    """Write ``student/assignment.html`` for each student, and the ZIP file where one is asked for."""
    results = read_results(options.results)
    everybody = combine(results, read_hand(options, results))
    if options.zip:
        _write_zip(options.zip, results, everybody)
    to = options.to or Path("feedback")
    output = Made(to, results["whose"])
    pages = {f"{marks.student}/{results['assignment']}.html": page(results["title"], marks) for marks in everybody}
    for name in pages:
        output.refuse(name)
    for name, text in pages.items():
        output.write(name, text.encode())
    print(f"{len(everybody)} pages: {to}")


def _write_zip(path, results, everybody):
    """Write the pages under the names by which a course system knows whose they are."""
    if strangers := ", ".join(marks.student for marks in everybody if not marks.reply):
        raise FormatError(f"--zip needs submissions that `collect` has taken from Moodle or Canvas, unlike {strangers}")
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for marks in everybody:
            archive.writestr(f"{marks.reply}{results['assignment']}.html", page(results["title"], marks))
    Made(path.parent, results["whose"]).write(path.name, held.getvalue())


def show(options: argparse.Namespace) -> None:
    """Print all about one student: messages, and what the hidden checks' messages leave out."""
    records = {record["student"]: record for record in read_results(options.results)["students"]}
    if options.student not in records:
        raise FormatError(f"{options.results} has no student {options.student!r}; it has {', '.join(records)}")
    record = records[options.student]
    print(f"{record['student']}: {line(record['notebook'])}")
    for task, verdict in record["tasks"].items():
        print(f"\n{task}: {verdict['earned']} points")
        for text in (*verdict["messages"], *verdict["errors"]):
            print(f"  - {clean(text)}")
    for text in (*record["log"], *filter(None, [record["fault"]])):
        print(f"\n{clean(text)}")


def page(title: str, marks: Marks) -> str:
    """Return one student's page."""
    parts = [_task(mark) for mark in marks.tasks]
    if marks.log:
        parts.append(f"<h2>What went wrong when your notebook ran</h2>\n{_list(marks.log)}")
    of = sum(mark.points for mark in marks.tasks)
    total = "Not all tasks are marked yet." if marks.total is None else f"{marks.total} of {of} points"
    if marks.late not in ("", "0"):
        total += f" (handed in {marks.late} {'day' if marks.late == '1' else 'days'} late)"
    return PAGE.format(title=escape(title), student=escape(marks.student), total=escape(total), parts="\n".join(parts))


def _task(mark: Mark) -> str:
    points = "not marked yet" if mark.earned is None else f"{mark.earned} of {mark.points} points"
    lines = [f"<h2>{escape(mark.task)}: {points}</h2>"]
    if mark.title:
        lines.append(f"<p>{escape(mark.title)}</p>")
    if mark.answer:
        lines.append(f"<blockquote><p>{escape(mark.answer)}</p></blockquote>")
    if mark.messages:
        lines.append(_list(mark.messages))
    elif mark.earned == mark.points and not mark.written:
        lines.append("<p>All checks pass.</p>")
    if mark.comment:
        lines.append(f"<p>{escape(mark.comment)}</p>")
    return "\n".join(lines)


def _list(texts):
    return "\n".join(["<ul>", *(f"<li>{escape(text)}</li>" for text in texts), "</ul>"])
