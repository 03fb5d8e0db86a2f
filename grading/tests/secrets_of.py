"""What of an assignment's source only the lecturer may have."""


def secrets(assignment):
    """Return names and lines of text that must not be in a student's file."""
    public = "\n".join(
        cell.text for cell in assignment.cells if cell.role in (None, "setup", "starter", "visible", "written")
    )
    private = [cell.text for cell in assignment.cells if cell.role in ("term", "data", "solution", "hidden", "rubric")]
    lines = {line.strip() for text in private for line in text.splitlines()}
    telling = {line for line in lines if len(line) >= 25 and line not in public}
    assert len(telling) > 20  # there is something to search for
    return telling | {check.name for task in assignment.tasks for check in task.hidden} | {str(assignment.seed)}


def notebook_text(notebook):
    """Return the text of all cells as it was written, not as JSON escapes it."""
    return "\n".join("".join(cell["source"]) for cell in notebook["cells"])
