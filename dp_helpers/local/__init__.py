"""Local differential privacy: each person randomizes their own answer, and nobody ever holds the true ones.

A protocol for counting is an object.  `encode` turns answers into what a person's device works with, `perturb`
randomizes it on that device, `tally` sums the reports up for each possible answer, and `estimate_from` takes the
randomness out of the sums on average.  `aggregate` is the last two steps, `estimate` all of them, and `simulate`
draws an estimate directly from the true counts, with the same distribution.  For the mean of a number there are three
functions, which simulate every person's report.

Everything here is epsilon-locally differentially private: for any two answers of one person and any report, the
probabilities (or densities) of that report differ at most by the factor e^epsilon.  Neighbours are therefore two
answers of the same person (replace-one); the number of people is public, and so is the domain, the list of possible
answers.  Reports that one person sends about several questions, or again and again, add up by composition.
What a shuffler adds, who mixes everybody's reports, is `shuffled_epsilon`: a promise for the whole table, with a delta.

Wrong types raise ``TypeError`` and wrong values ``ValueError``, before anything is drawn.  ``rng`` is a numpy
Generator, the source of all randomness; None draws fresh entropy.
"""

from dp_helpers.local.direct import DirectEncoding
from dp_helpers.local.hashing import LocalHashing
from dp_helpers.local.histogram import HistogramEncoding, ThresholdHistogramEncoding
from dp_helpers.local.means import duchi_mean, laplace_mean, piecewise_mean
from dp_helpers.local.randomized_response import RandomizedResponse
from dp_helpers.local.shuffling import shuffled_epsilon
from dp_helpers.local.unary import UnaryEncoding, unary_epsilon
