"""The mechanisms behind Sliding Epsilon, the book on differential privacy that runs.

At the top stand the mechanisms, queries and accounting, in `local` the local protocols; `data` holds the census.
Packages of their own are `slider_figures`, which draws figures under sliders and is loaded when one is drawn, and
`dp_labs`, which checks a reader's answers.
"""

from importlib import import_module as _import_module
from inspect import ismodule as _ismodule

from dp_helpers.accounting import (
    BudgetExceeded,
    PrivacyLedger,
    advanced_composition,
    amplification_by_sampling,
    group_privacy,
    optimal_composition,
    parallel_composition,
    sequential_composition,
)
from dp_helpers.anonymity import (
    equivalence_classes,
    generalize,
    generalize_hierarchy,
    k_anonymity,
    l_diversity,
    suppress,
    t_closeness,
)
from dp_helpers.attacks import differencing, link, membership_advantage, reconstruct, uniqueness
from dp_helpers.audit import AuditResult, audit, one_run_epsilon, round_down
from dp_helpers.claims import JudgedClaim, claim_cards, judge_claim
from dp_helpers.continual import continual_counts
from dp_helpers.conversions import largest_rho, pure_to_zcdp, rdp_to_delta, zcdp_to_delta
from dp_helpers.data import (
    CENSUS_DOMAINS,
    census_features,
    download_uci_adult,
    load_census,
    load_deployments,
    load_runs,
    load_visits,
)
from dp_helpers.grouping import (
    bound_contributions,
    key_probabilities,
    key_threshold,
    private_group_counts,
    private_group_sums,
    select_keys,
)
from dp_helpers.learning import (
    PrivateClassifier,
    accuracy,
    dp_sgd,
    gradient_descent,
    logistic_gradients,
    logistic_loss,
    noisy_gradient_descent,
    predict,
)
from dp_helpers.local import (
    DirectEncoding,
    HistogramEncoding,
    LocalHashing,
    RandomizedResponse,
    ThresholdHistogramEncoding,
    UnaryEncoding,
    duchi_mean,
    laplace_mean,
    piecewise_mean,
    shuffled_epsilon,
    unary_epsilon,
)
from dp_helpers.local_sensitivity import (
    private_median,
    propose_test_release_mean,
    sample_and_aggregate,
    smooth_sensitivity_median,
)
from dp_helpers.mechanisms import (
    gaussian_mechanism,
    gaussian_mechanism_rdp,
    gaussian_mechanism_zcdp,
    gaussian_sigma,
    geometric_mechanism,
    laplace_mechanism,
    laplace_scale,
)
from dp_helpers.noise_accuracy import (
    gaussian_accuracy,
    gaussian_sigma_for_accuracy,
    geometric_accuracy,
    geometric_scale_for_accuracy,
    laplace_accuracy,
    laplace_scale_for_accuracy,
)
from dp_helpers.planning import CountsPlan, FewPlan, plan_count, plan_group_counts, plan_mean
from dp_helpers.privacy_loss import PrivacyLoss, trade_off_gaussian, trade_off_laplace
from dp_helpers.queries import (
    clip,
    clip_norm,
    private_count,
    private_crosstab,
    private_histogram,
    private_mean,
    private_quantile,
    private_sum,
)
from dp_helpers.renyi import (
    dp_sgd_epsilon,
    noise_multiplier,
    rdp_gaussian,
    rdp_laplace,
    rdp_randomized_response,
    rdp_subsampled_gaussian,
    rdp_to_dp,
    zcdp_gaussian,
    zcdp_to_dp,
)
from dp_helpers.selection import exponential_mechanism, exponential_probabilities, report_noisy_max
from dp_helpers.sparse_vector import above_threshold, numeric_sparse, sparse
from dp_helpers.style import NEUTRAL, PRIVATE, TRUE, use_style
from dp_helpers.synthetic import MarginalTree, noisy_marginal, range_query, sample_marginal, total_variation

_LATE = ["drawing", "explore", "play"]  # what draws: matplotlib takes longer to load than all the rest
__all__ = sorted([*_LATE, *(name for name, thing in vars().items() if name[0] != "_" and not _ismodule(thing))])


def __getattr__(name):
    """Load what draws when it is asked for."""
    if name == "drawing":
        return _import_module("dp_helpers.drawing")
    if name in _LATE:
        from dp_helpers.sliders import explore, play

        return {"explore": explore, "play": play}[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    """List the public names, those that are loaded late, too."""
    return __all__
