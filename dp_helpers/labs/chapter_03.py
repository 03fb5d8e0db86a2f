"""The labs of chapter 3, Differential privacy."""

import math

import numpy as np
import pandas as pd

from ..audit import audit
from .judging import NotYet, NumberLab, close, function, number

lab_1 = NumberLab(
    right=math.log(20) / 10,
    praise="Errors beyond 10 now have probability e^(-10ε) = 5%.",
    mistakes={
        math.log(40) / 10: "e^(-tε) is already the probability of both tails together; don't halve the 5%.",
        math.log(10) / 10: "e^(-tε) is already the probability of both tails together; don't double the 5%.",
        10 / math.log(20): "that is the scale of the noise; ε is one over it.",
        math.log(20): "that would keep the error within 1 person; you may allow 10.",
        -math.log(0.95) / 10: "then 95% of the errors would be beyond 10; it should be 5%.",
        1.96 * math.sqrt(2) / 10: "1.96 belongs to the normal curve; Laplace noise has other tails.",
        0.1: "with ε = 0.1 the error is 10 people on average, and more than a third of the errors are larger.",
    },
    otherwise="an error beyond 10 people has probability e^(-10ε). For which ε is that 5%?",
)

lab_2 = NumberLab(
    right=math.exp(0.5) / (9 + math.exp(0.5)),
    digits=2,
    praise="A suspicion of 10% can grow to about 15%, whatever the answer is.",
    mistakes={
        0.1 * math.exp(0.5): "the factor applies to odds, not to probabilities.",
        math.exp(0.5) / 9: "those are the odds afterwards; turn them back into a probability.",
        100 * math.exp(0.5) / (9 + math.exp(0.5)): "as a number between 0 and 1, please.",
        math.exp(-0.5) / (9 + math.exp(-0.5)): "that is how little sure they may be; the question is how much.",
        math.exp(0.5) / (1 + math.exp(0.5)): "that starts at 50%; this attacker starts at 10%.",
        math.e / (9 + math.e): "that is for ε = 1; here it is 0.5.",
        math.exp(0.5) / (10 + math.exp(0.5)): "10% are odds of 1 to 9, not of 1 to 10.",
        0.15: "0.5 is no factor: the odds are multiplied by e^0.5.",
    },
    otherwise="turn 10% into odds of 1 to 9, multiply by e^0.5, and turn the result back.",
)


def lab_3(answer) -> str:
    """Check the epsilon of a mechanism with a few answers, from their probabilities in two worlds."""
    epsilon_of = function(answer)
    cases = [
        ([0.75, 0.25], [0.25, 0.75]),
        ([0.5, 0.3, 0.2], [0.1, 0.6, 0.3]),  # the largest ratio is p to q ...
        ([0.1, 0.6, 0.3], [0.5, 0.3, 0.2]),  # ... and here q to p
        ([0.25, 0.25, 0.5], [0.25, 0.25, 0.5]),
        ([0.2, 0.8, 0.0], [0.4, 0.6, 0.0]),
        ([0.5, 0.5, 0.0], [0.5, 0.4, 0.1]),
        ([0.5, 0.4, 0.1], [0.5, 0.5, 0.0]),
    ]
    for p, q in cases:
        both = [(a, b) for a, b in zip(p, q, strict=True) if a > 0 or b > 0]
        ratios = [a / b if b else math.inf for a, b in both]
        inverse = [b / a if a else math.inf for a, b in both]
        right = math.log(max(ratios + inverse))
        try:
            with np.errstate(divide="ignore", invalid="ignore"):
                given = number(epsilon_of(np.array(p), np.array(q)))
        except (ValueError, ZeroDivisionError) as error:
            if 0 not in p + q:
                raise
            raise NotYet(
                f"for p = {p} and q = {q} your function stopped: {error}. Look at answers of probability 0."
            ) from None
        _same_epsilon(given, right, p, q, ratios, inverse)
    return "Three quarters against one quarter is ln 3, and what happens in one world only is infinite."


def _same_epsilon(given, right, p, q, ratios, inverse):
    """Raise NotYet unless ``given`` is ``right``, the log of the largest of the ratios."""
    where = f"for p = {p} and q = {q}"
    one_way = [math.log(max(side)) for side in (ratios, inverse)]
    if math.isnan(given):
        raise NotYet(f"{where} you return nan: leave out answers that occur in neither world.")
    if given == right or abs(given - right) < 1e-3:
        return
    if math.isinf(right):
        raise NotYet(f"{where} an answer occurs in one world only; no finite ε covers that, so return infinity.")
    if close(given, math.exp(right)):
        raise NotYet(f"{where} the largest ratio is {given:.3g}; ε is its logarithm.")
    if any(math.isclose(given, math.log(math.exp(right), base), rel_tol=5e-3) for base in (2, 10) if right):
        raise NotYet(f"{where} the ratio is right, but take the natural logarithm.")
    if any(abs(given - side) < 1e-3 for side in one_way):
        raise NotYet(f"{where} the two worlds may be swapped, so the ratio must be bounded both ways.")
    if abs(given + right) < 1e-3:
        raise NotYet(f"{where} you found -{right:.3g}; swap the worlds, and ε is {right:.3g}.")
    if abs(given - max(abs(a - b) for a, b in zip(p, q, strict=True))) < 1e-3:
        raise NotYet(f"{where} you took the largest difference; the definition speaks of ratios.")
    raise NotYet(f"{where} ε is {right:.3g}, you found {given:.3g}. Which answer has the largest ratio?")


def lab_4(answer) -> str:
    """Check a simulation of the guessing game: the coin, the noise and the threshold, by all rounds together."""
    play, rounds = function(answer), 20_000
    for epsilon in [0.5, 1.0, 3.0]:
        coin, guess = _two_columns(play(epsilon, rounds, _stream(4, 0)), rounds)
        again, _ = _two_columns(play(epsilon, rounds, _stream(4, 1)), rounds)
        _fair_coin(coin, again)
        if (coin != _two_columns(play(epsilon, rounds, _stream(4, 0)), rounds)[0]).any():
            raise NotYet("the same generator gave another game: draw from rng, and from nothing else.")
        _best_guess(coin, guess, epsilon)
    return "Your attacker wins as often as the best one."


def _two_columns(played, rounds):
    """Return the coin and the guesses as arrays of zeros and ones, or say what is wrong with them."""
    if isinstance(played, (int, float, np.number)):
        raise NotYet("return both: what the coin chose in each round, and what was guessed.")
    try:
        coin, guess = (np.asarray(column, dtype=float) for column in played)
    except (TypeError, ValueError):
        raise NotYet("return two arrays: what the coin chose in each round, and what was guessed.") from None
    if coin.shape != (rounds,) or guess.shape != (rounds,):
        raise NotYet(f"for {rounds:,} rounds, return {rounds:,} choices and {rounds:,} guesses.")
    if not np.isin([coin, guess], [0, 1]).all():
        raise NotYet("use 1 for with you and 0 for without you, in the choices and in the guesses.")
    return coin, guess


def _fair_coin(coin, again):
    """Raise NotYet unless the coin is fair and fresh in every round: each margin is 5.5 deviations, 4e-8 to fail."""
    allowed = 5.5 / math.sqrt(len(coin))
    if coin.min() == coin.max():
        raise NotYet("your coin fell once, for all rounds; toss it in each.")
    if (coin == again).all():
        raise NotYet("two generators gave the same game: draw from rng.")
    if abs(2 * coin.mean() - 1) > allowed:
        raise NotYet(f"your coin chose the table with you in {coin.mean():.1%} of the rounds; a fair one chooses half.")
    signs = 2 * coin - 1
    if abs((signs[1:] * signs[:-1]).mean()) > allowed:
        raise NotYet("one round of your coin tells the next; toss it afresh.")


def _best_guess(coin, guess, epsilon):
    """Raise NotYet unless the attacker wins as often as the best, in each world."""
    exact = 1 - math.exp(-epsilon / 2) / 2
    worlds = [(guess[coin == world] == world).mean() for world in (0, 1)]
    share = (guess == coin).mean()
    if share == 1 or all(won in (0, 1) for won in worlds):
        raise NotYet(f"within a world, every round ends alike at ε = {epsilon:g}: each round needs noise of its own.")
    allowed = 5.5 * math.sqrt(exact * (1 - exact) / len(coin))
    if abs(share - exact) > allowed or max(abs(np.subtract(worlds, exact))) > 2 * allowed:
        raise NotYet(
            f"at ε = {epsilon:g} the best attacker wins {exact:.3f} of the rounds; yours wins {worlds[0]:.3f} of those "
            f"without you and {worlds[1]:.3f} of those with you. Which scale, which threshold?"
        )
    luck = guess - np.where(coin == 1, guess[coin == 1].mean(), guess[coin == 0].mean())
    if abs(np.corrcoef(luck[1:], luck[:-1])[0, 1]) > 5.5 / math.sqrt(len(coin)):
        raise NotYet("the noise of one round tells that of the next; draw it afresh for each.")


def lab_5(answer) -> str:
    """Check the attack on two answers that share their noise."""
    attack, rng, cases = function(answer), _stream(5), []
    for _ in range(200):
        rest, noise, present = int(rng.integers(0, 100)), rng.laplace(0, 100), bool(rng.integers(2))
        first, second = round(rest + present + noise, 1), round(rest + noise, 1)
        said = attack(first, second)
        if not isinstance(said, (bool, np.bool_)):
            raise NotYet(f"return True or False, not {said!r}.")
        cases.append((bool(said), present, first, second))
    wrong = [case for case in cases if case[0] != case[1]]
    if not wrong:
        return "Two hundred tables, noise of scale 100, no mistake: shared noise protects nobody."
    said, present, first, second = wrong[0]
    if len(wrong) == len(cases):
        raise NotYet("yours says True where it should say False, and the other way round.")
    if len({case[0] for case in cases}) == 1:
        raise NotYet(f"yours says {said} whatever was published. What is left of the noise in first - second?")
    if all(case[1] for case in wrong):
        raise NotYet(
            f"you are in the table of {first} and {second}, and yours says False: {first} - {second} is "
            f"{first - second} in floating-point numbers. Don't ask whether it is exactly 1."
        )
    raise NotYet(
        f"{first} and {second} were published, yours says {said}. What is left of the noise in first - second?"
    )


def lab_6(answer) -> str:
    """Check that a count's noise protects a household: by its size, and by an audit of two households' tables."""
    count = function(answer)
    home, others = pd.DataFrame({"Zip": [1] * 7}), pd.DataFrame({"Zip": np.repeat(np.arange(100, 130), 2)})
    table = pd.concat([others, home], ignore_index=True)
    published = {}
    cases = [("with", table, 1.0, 2_000), ("without", others, 1.0, 2_000), ("less", others.copy(), 0.25, 500)]
    for part, (name, data, epsilon, repetitions) in enumerate(cases):
        rng = _stream(6, part)
        published[name] = np.array([_noisy(count, data, epsilon, rng) for _ in range(repetitions)])
        _fresh(count, data, epsilon, published[name])
        if epsilon == 1:
            _about_right(published[name], len(data))
        _covers_seven(np.abs(published[name] - len(data)).mean(), epsilon, published, len(table))
    _audited(published)
    return "Seven rows more or less move the count by 7, and your noise covers that."


def _noisy(count, data, epsilon, rng):
    answer = count(data, epsilon, rng)
    if answer is None:
        raise NotYet("your function returned nothing; return the noisy number of rows.")
    return number(answer)


def _fresh(count, data, epsilon, answers):
    if len(np.unique(answers)) < 10:
        raise NotYet("every call needs a fresh draw from rng.")
    first, second = (_noisy(count, data, epsilon, _stream(6, 3)) for _ in range(2))
    if first != second:
        raise NotYet("draw all noise from rng, so that a run can be repeated.")


def _about_right(answers, people):
    """Raise NotYet if the answers lie elsewhere: at ε = 1 the median of 2,000 is off by 0.2 people."""
    if (answers >= people).all() or (answers <= people).all():
        raise NotYet(
            "your noise goes to one side only, so some answers belong to one of two neighbouring tables alone."
        )
    middle = np.median(answers)
    if abs(middle - people) > 3:
        raise NotYet(f"your answers lie around {middle:.0f}, and the table has {people} rows: count rows.")


def _covers_seven(size, epsilon, published, people):
    """Raise NotYet unless the noise is about as large as it must be.

    No ε-DP noise for sensitivity 7 has a mean absolute error below 7 e^(ε/2) / (e^ε - 1) (Geng and Viswanath 2014),
    0.96 of Laplace noise at ε = 1.  The mean size of n Laplace draws deviates by 1/√n of itself, and lies 5.4 such
    deviations below with probability 3e-8.
    """
    laplace, draws = 7 / epsilon, len(list(published.values())[-1])
    if abs(size * epsilon - 1) < 0.12:
        raise NotYet("your noise covers one row; a household has up to seven.")
    with_home = abs(published["with"] - people).mean()
    if len(published) == 2 and with_home > 1.25 * size:
        raise NotYet(
            f"your noise depends on the data: it is {with_home:.1f} where a household of seven is in the table, and "
            f"{size:.1f} where all are smaller. The size of the noise betrays the household."
        )
    if size < (1 - 5.4 / math.sqrt(draws)) * laplace:
        raise NotYet(
            f"at ε = {epsilon:g} your noise is {size:.1f} people in size on average; for seven rows it takes about "
            f"{laplace:.1f}."
        )
    if size > (1 + 5.4 / math.sqrt(draws)) * 10 / epsilon:
        raise NotYet(
            f"at ε = {epsilon:g} your noise is {size:.1f} people in size on average; {laplace:.1f} would be enough, "
            f"and the task allows {10 / epsilon:g}."
        )


def _audited(published):
    """Raise NotYet if the tails are thin, or if an audit proves more than ε = 1; wrong in 1 of 10 million."""
    noise = published["with"] - np.median(published["with"])
    laplace, normal = np.log(2 * math.e * np.abs(noise).mean()), np.log(2 * math.pi * math.e * noise.var()) / 2
    if normal < laplace:  # the average code lengths of the two; the right one is shorter by 0.07
        raise NotYet("your noise has thin tails, like normal noise; far out, no factor e^ε connects the two worlds.")
    with_home, without = (iter(published[name]) for name in ("with", "without"))
    result = audit(
        lambda which, rng: next(which),
        with_home,
        without,
        trials=len(published["with"]),
        confidence=1 - 1e-7,
        rng=_stream(6, 4),
    )
    if result.epsilon_lower_bound > 1:
        raise NotYet(
            f"the noise is large enough on average, but at ε = 1 an audit proves {result.epsilon_lower_bound:.1f}: "
            "some answers are too telling. Does the noise have Laplace's (or geometric) tails on both sides?"
        )


def _stream(lab, *part):
    """Return the random stream of a lab, or of a part of it."""
    return np.random.default_rng(np.random.SeedSequence(3, spawn_key=(lab, *part)))
