"""The mechanisms behind Sliding Epsilon, the book on differential privacy that runs."""

from dp_helpers.accounting import (
    BudgetExceeded,
    PrivacyLedger,
    group_privacy,
    parallel_composition,
    sequential_composition,
)
from dp_helpers.advanced import advanced_composition, optimal_composition
from dp_helpers.anonymity import equivalence_classes
from dp_helpers.attacks import differencing, link, membership_advantage, reconstruct, uniqueness
from dp_helpers.audit import AuditResult, audit
from dp_helpers.data import CENSUS_DOMAINS, census_features, download_uci_adult, load_census
from dp_helpers.figures import NEUTRAL, PRIVATE, TRUE, explore, use_style
from dp_helpers.labs import check
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
from dp_helpers.local import RandomizedResponse, UnaryEncoding, unary_epsilon
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
from dp_helpers.synthetic import MarginalTree, noisy_marginal, range_query, sample_marginal, total_variation

__all__ = [
    "CENSUS_DOMAINS",
    "NEUTRAL",
    "PRIVATE",
    "TRUE",
    "AuditResult",
    "BudgetExceeded",
    "MarginalTree",
    "PrivacyLedger",
    "PrivateClassifier",
    "RandomizedResponse",
    "UnaryEncoding",
    "above_threshold",
    "accuracy",
    "advanced_composition",
    "audit",
    "census_features",
    "check",
    "clip",
    "clip_norm",
    "differencing",
    "download_uci_adult",
    "dp_sgd",
    "dp_sgd_epsilon",
    "equivalence_classes",
    "explore",
    "exponential_mechanism",
    "exponential_probabilities",
    "gaussian_mechanism",
    "gaussian_mechanism_rdp",
    "gaussian_mechanism_zcdp",
    "gaussian_sigma",
    "geometric_mechanism",
    "gradient_descent",
    "group_privacy",
    "laplace_mechanism",
    "laplace_scale",
    "link",
    "load_census",
    "logistic_gradients",
    "logistic_loss",
    "membership_advantage",
    "noise_multiplier",
    "noisy_gradient_descent",
    "noisy_marginal",
    "numeric_sparse",
    "optimal_composition",
    "parallel_composition",
    "predict",
    "private_count",
    "private_crosstab",
    "private_histogram",
    "private_mean",
    "private_median",
    "private_quantile",
    "private_sum",
    "propose_test_release_mean",
    "range_query",
    "rdp_gaussian",
    "rdp_laplace",
    "rdp_randomized_response",
    "rdp_subsampled_gaussian",
    "rdp_to_dp",
    "reconstruct",
    "report_noisy_max",
    "sample_and_aggregate",
    "sample_marginal",
    "sequential_composition",
    "smooth_sensitivity_median",
    "sparse",
    "total_variation",
    "unary_epsilon",
    "uniqueness",
    "use_style",
    "zcdp_gaussian",
    "zcdp_to_dp",
]
