"""The codebook of the census: its columns and, for each question, every possible answer.

The answers are those in the documentation of the data set (``adult.names``), never what somebody found in the data:
a domain read off the data would tell who is in it.  So a domain may hold answers that nobody gave.

References
----------
B. Becker and R. Kohavi (1996). Adult. UCI Machine Learning Repository, https://doi.org/10.24432/C5XW20.
"""

#: The columns of the census, in the order of the file.
CENSUS_COLUMNS = (
    "Name",
    "DOB",
    "SSN",
    "Zip",
    "Workclass",
    "Education",
    "Education-Num",
    "Marital Status",
    "Occupation",
    "Relationship",
    "Race",
    "Sex",
    "Hours per week",
    "Country",
    "Target",
    "Age",
    "Capital Gain",
    "Capital Loss",
)

#: Those of its columns that say who a person is; they are invented.
IDENTIFYING_COLUMNS = ("Name", "DOB", "SSN", "Zip")

#: The columns in which an answer can be missing.
MAY_BE_MISSING = ("Workclass", "Occupation", "Country")

#: The columns of ``adult.data`` and ``adult.test``, which have no header; ``fnlwgt`` is a sampling weight.
UCI_COLUMNS = (
    "Age",
    "Workclass",
    "fnlwgt",
    "Education",
    "Education-Num",
    "Marital Status",
    "Occupation",
    "Relationship",
    "Race",
    "Sex",
    "Capital Gain",
    "Capital Loss",
    "Hours per week",
    "Country",
    "Target",
)

#: Every possible answer to each question of the census, in a fixed order and public: a list of strings, in order of
#: level for Education and alphabetical elsewhere, or a ``range`` of whole numbers.  The bounds of a number are
#: ``CENSUS_DOMAINS["Age"][0]`` and ``CENSUS_DOMAINS["Age"][-1]``.  An answer that is missing (Workclass, Occupation,
#: Country) isn't in the domain.
#:
#: The documentation calls the numbers "continuous" and gives no bounds.  Age starts at 17 by the documented selection
#: and is top-coded at 90; hours have two digits, a capital gain five.  A capital loss is at most the largest amount in
#: the published file, 4,356 dollars, which is public as that file is; in a census of your own you would have to choose
#: this bound without looking.
CENSUS_DOMAINS: dict = {
    "Workclass": [
        "Federal-gov",
        "Local-gov",
        "Never-worked",
        "Private",
        "Self-emp-inc",
        "Self-emp-not-inc",
        "State-gov",
        "Without-pay",
    ],
    "Education": [
        "Preschool",
        "1st-4th",
        "5th-6th",
        "7th-8th",
        "9th",
        "10th",
        "11th",
        "12th",
        "HS-grad",
        "Some-college",
        "Assoc-voc",
        "Assoc-acdm",
        "Bachelors",
        "Masters",
        "Prof-school",
        "Doctorate",
    ],
    "Education-Num": range(1, 17),
    "Marital Status": [
        "Divorced",
        "Married-AF-spouse",
        "Married-civ-spouse",
        "Married-spouse-absent",
        "Never-married",
        "Separated",
        "Widowed",
    ],
    "Occupation": [
        "Adm-clerical",
        "Armed-Forces",
        "Craft-repair",
        "Exec-managerial",
        "Farming-fishing",
        "Handlers-cleaners",
        "Machine-op-inspct",
        "Other-service",
        "Priv-house-serv",
        "Prof-specialty",
        "Protective-serv",
        "Sales",
        "Tech-support",
        "Transport-moving",
    ],
    "Relationship": ["Husband", "Not-in-family", "Other-relative", "Own-child", "Unmarried", "Wife"],
    "Race": ["Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other", "White"],
    "Sex": ["Female", "Male"],
    "Hours per week": range(1, 100),
    "Country": [
        "Cambodia",
        "Canada",
        "China",
        "Columbia",
        "Cuba",
        "Dominican-Republic",
        "Ecuador",
        "El-Salvador",
        "England",
        "France",
        "Germany",
        "Greece",
        "Guatemala",
        "Haiti",
        "Holand-Netherlands",
        "Honduras",
        "Hong",
        "Hungary",
        "India",
        "Iran",
        "Ireland",
        "Italy",
        "Jamaica",
        "Japan",
        "Laos",
        "Mexico",
        "Nicaragua",
        "Outlying-US(Guam-USVI-etc)",
        "Peru",
        "Philippines",
        "Poland",
        "Portugal",
        "Puerto-Rico",
        "Scotland",
        "South",
        "Taiwan",
        "Thailand",
        "Trinadad&Tobago",
        "United-States",
        "Vietnam",
        "Yugoslavia",
    ],
    "Target": ["<=50K", ">50K"],
    "Age": range(17, 91),
    "Capital Gain": range(100_000),
    "Capital Loss": range(4357),
}
