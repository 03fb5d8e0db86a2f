# %% [markdown]
# Other answers to the tasks: wrong ones, each of which must lose its task's points, and right ones by other methods.

# %% task="q1" name="spoken-aloud" kind="right"
RIGHT = {{right}}
reviews = {f"change {number}": (f" {verdict.capitalize()} ", lines[-1]) for number, (verdict, lines) in RIGHT.items()}

# %% task="q1" name="lists-and-numpy" kind="right"
RIGHT = {{right}}
reviews = {f"change {n}": [verdict.replace("'", "\u2019"), np.int64(lines[0])] for n, (verdict, lines) in RIGHT.items()}

# %% task="q1" name="always-breaks"
RIGHT = {{right}}
reviews = {f"change {number}": ("breaks", lines[0]) for number, (_, lines) in RIGHT.items()}

# %% task="q1" name="whatever-isnt-shown-cant-be-said"
RIGHT = {{right}}
SHOWN = {number: "keeps" if verdict != "breaks" else verdict for number, (verdict, _) in RIGHT.items()}
reviews = {f"change {number}": (SHOWN[number], RIGHT[number][1][0]) for number in RIGHT}

# %% task="q1" name="lines-of-another-change"
RIGHT = {{right}}
reviews = {f"change {number}": (verdict, RIGHT[number % 10 + 1][1][0]) for number, (verdict, _) in RIGHT.items()}

# %% task="q1" name="always-the-first-line"
RIGHT = {{right}}
reviews = {f"change {number}": (verdict, 1) for number, (verdict, _) in RIGHT.items()}

# %% task="q1" name="keep-and-break"
RIGHT = {{right}}
SAID = {"keeps": "keep", "breaks": "breaks it", "can't be said": "unclear"}
reviews = {f"change {number}": (SAID[verdict], lines[0]) for number, (verdict, lines) in RIGHT.items()}

# %% task="q1" name="lines-as-text"
RIGHT = {{right}}
reviews = {f"change {number}": (verdict, str(lines[0])) for number, (verdict, lines) in RIGHT.items()}

# %% task="q1" name="a-list"
RIGHT = {{right}}
reviews = [(verdict, lines[0]) for verdict, lines in RIGHT.values()]

# %% task="q1" name="counted-from-zero"
RIGHT = {{right}}
reviews = {f"change {number - 1}": (verdict, lines[0]) for number, (verdict, lines) in RIGHT.items()}

# %% task="q1" name="numbers-as-keys"
RIGHT = {{right}}
reviews = {number: (verdict, lines[0]) for number, (verdict, lines) in RIGHT.items()}

# %% task="q1" name="line-before-verdict"
RIGHT = {{right}}
reviews = {f"change {number}": (lines[0], verdict) for number, (verdict, lines) in RIGHT.items()}


# %% task="q2" name="by-corners" kind="right"
def noise_scale(columns, low, high, neighbours, epsilon):
    ends = (low, high)
    others = (0,) if neighbours == "add/remove" else ends
    return max(abs(end - other) for end in ends for other in others) / (epsilon / columns)


# %% task="q2" name="one-column"
# - return columns * step / epsilon
# + return step / epsilon

# %% task="q2" name="the-larger-end-only"
# - max(abs(low), abs(high))
# + abs(high)

# %% task="q2" name="always-the-width"
# - max(abs(low), abs(high)) if neighbours == "add/remove" else high - low
# + high - low

# %% task="q2" name="always-twice"
# - else high - low
# + else 2 * max(abs(low), abs(high))

# %% task="q2" name="a-length-for-normal-noise"
# - return columns * step / epsilon
# + return math.sqrt(columns) * step / epsilon


# %% task="q3" name="with-numpy" kind="right"
def loss(first, second, scales):
    moved = np.abs(np.subtract(first, second))
    scales = np.asarray(scales, dtype=float)
    if np.any(moved[scales == 0]):
        return math.inf
    return float(np.sum(moved[scales > 0] / scales[scales > 0]))


# %% task="q3" name="the-largest-only"
# - total += abs(one - other) / scale if scale else math.inf
# + total = max(total, abs(one - other) / scale if scale else math.inf)

# %% task="q3" name="up-and-down-cancel"
# - total += abs(one - other) / scale if scale else math.inf
# + total += (other - one) / scale if scale else math.inf

# %% task="q3" name="no-noise-no-cost"
# - if scale else math.inf
# + if scale else 0.0

# %% task="q3" name="no-noise-is-never-private"
# - if one != other:
# + if one != other or not scale:

# %% task="q3" name="as-a-length"
# - return total
# + moved = [(one - other) / (scale or 1) for one, other, scale in zip(first, second, scales, strict=True)]
# +     return math.hypot(*moved) if total < math.inf else total
