"""Measures what the audits notice: the factor by which a solution must overspend its ε before it loses points.

The guide's table names the smallest factor for each task.
"""

import inspect

from grading import own_answers, source

# Tasks that promise an ε: the functions that get it, and the name of the argument (noise has an ε the other way round).
PROMISES = {
    ("2-laplace", "q1"): ("epsilon", "private_ticks"),
    ("2-laplace", "q4"): ("epsilon", "answer_all"),
    ("2-laplace", "q5"): ("epsilon", "answer_periods"),
    ("3-clipping", "q2"): ("epsilon", "private_takings"),
    ("3-clipping", "q3"): ("epsilon", "mean_income_of_branch"),
    ("3-clipping", "q4"): ("epsilon", "favourite"),
    ("3-clipping", "q5"): ("epsilon", "mean_income"),
    ("4-accounting", "q6"): ("epsilon", "noise_plan"),
    ("5-selection", "q3"): ("epsilon", "private_quartiles"),
    ("5-selection", "q4"): ("epsilon", "season"),
    ("5-selection", "q5"): ("epsilon", "first_alarm"),
    ("5-selection", "q6"): ("epsilon", "ticket_price"),
    ("6-dp-sgd", "q2"): ("sigma", "train_by_person"),
    ("6-dp-sgd", "q4"): ("sigma", "layered_step"),
    ("6-dp-sgd", "q6"): ("epsilon", "plan"),
    ("7-local", "q1"): ("epsilon", "private_bits"),
    ("7-local", "q4"): ("epsilon", "direct_reports"),
    ("7-local", "q5"): ("epsilon", "unary_rows"),
    ("7-local", "q6"): ("epsilon", "ask", "shares"),
    ("8-synthetic", "q1"): ("epsilon", "topic_counts"),
    ("8-synthetic", "q4"): ("epsilon", "publish_pairs"),
    ("8-synthetic", "q6"): ("epsilon", "measure"),
    ("10-week-of-visits", "q3"): ("epsilon", "page_counts"),
    ("10-week-of-visits", "q4"): ("epsilon", "frequent_pages"),
}
LOUDER = """

def louder(function):
    def with_another_epsilon(*arguments):
        return function(*arguments[:{place}], arguments[{place}] * {factor}, *arguments[{place} + 1 :])

    return with_another_epsilon


{name} = louder({name})
"""


def noticed(assignment: source.Assignment, task: str, factor: float) -> bool:
    """Tell whether the solution loses points when it is run at so many times its ε."""
    argument, *names = PROMISES[assignment.name, task]
    (text,) = (one.cells["solution"].text for one in assignment.tasks if one.name == task)
    honest = own_answers.namespace(assignment, {})
    for name in names:
        place = list(inspect.signature(honest[name]).parameters).index(argument)
        text += LOUDER.format(name=name, place=place, factor=factor if argument == "epsilon" else 1 / factor)
    (verdict,) = own_answers.run(assignment, {task: text}, only=task)
    return verdict.earned < verdict.points
