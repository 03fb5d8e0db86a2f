"""The census that the book works on: 32,561 invented people whose counts are those of the UCI Adult data set.

:func:`load_census` gives the embedded census or reads a file, :func:`census_features` turns it into numbers for a
classifier, ``CENSUS_DOMAINS`` lists every possible answer and :func:`download_uci_adult` fetches the real file.
:func:`load_visits` gives a table in which a person has many rows: two weeks of a web site's log, invented from stated
laws. :func:`load_runs` gives results of what takes too long for a chapter, :func:`load_deployments` what
organisations promise about what they publish.
"""

from dp_helpers.data.codebook import CENSUS_DOMAINS
from dp_helpers.data.deployments import load_deployments
from dp_helpers.data.download import download_uci_adult
from dp_helpers.data.features import census_features
from dp_helpers.data.loading import load_census
from dp_helpers.data.runs import load_runs
from dp_helpers.data.visits import load_visits
