/* What the planner gives to take away: programs that do what was planned, by four libraries. */
window.planCode = (function () {
  "use strict";
  const TEXTS = [
    ["dpHelpers", "dp_helpers", "plan_dp_helpers.py"],
    ["opendp", "OpenDP", "plan_opendp.py"],
    ["tumult", "Tumult Analytics", "plan_tumult.py"],
    ["pipelinedp", "PipelineDP", "plan_pipelinedp.py"],
  ];
  const LAPLACE_ONLY = ["opendp", "tumult"]; // they price normal noise by ρ, and Tumult finds no groups then
  const said = ({ mostGroups, mostRows, epsilon, delta, noiseDelta }) =>
    `# A person counts in ${mostGroups} groups at most, ${mostRows ? `with ${mostRows} rows in each at most` : "once in each"}; ε = ${epsilon}${delta + noiseDelta ? `, δ = ${delta + noiseDelta}` : ""}.`;

  function dpHelpers(asked) {
    const { mostGroups, mostRows, epsilon, delta, noiseDelta } = asked;
    const normal = noiseDelta ? `, delta=${noiseDelta}` : "";
    const bounded = `data, person="person", group="group", most_groups=${mostGroups}`;
    const keys = delta
      ? `keys = dp.select_keys(\n    ${bounded},\n    epsilon=${epsilon / 2}, delta=${delta}, rng=rng,\n)`
      : "keys = [...]  # the public list of groups";
    return `${said(asked)}\n# dp_helpers teaches: for real people use one of the others.\nimport numpy as np\nimport pandas as pd\n\nimport dp_helpers as dp\n\nrng = np.random.default_rng()\ndata = pd.read_csv("data.csv")  # columns person and group\n${keys}\ncounts = dp.private_group_counts(\n    ${bounded},\n    keys=keys, most_rows=${mostRows || 1}, epsilon=${delta ? epsilon / 2 : epsilon}${normal}, rng=rng,\n)\nprint(counts)\n`;
  }

  function opendp(asked) {
    const { mostGroups, mostRows, epsilon, delta } = asked;
    const keys = delta ? "" : `    .with_keys(pl.LazyFrame({"group": [...]}))  # the public list of groups\n`;
    return `${said(asked)}\n# One noisy count serves for the list of groups and for what is published, so it has less noise than planned.\nimport opendp.prelude as odp\nimport polars as pl\n\nodp.enable_features("contrib")\ncontext = odp.Context.compositor(\n    data=pl.scan_csv("data.csv"),  # columns person and group\n    privacy_unit=odp.unit_of(contributions=1, identifier=pl.col("person")),\n    privacy_loss=odp.loss_of(epsilon=${epsilon.toFixed(6)}${delta ? `, delta=${delta}` : ""}),\n    split_evenly_over=1,\n)\nquery = (\n    context.query()\n    .truncate_per_group(${mostRows || 1}, by=["group"])\n    .truncate_num_groups(${mostGroups}, by=["group"], keep="first")\n    .group_by("group")\n    .agg(odp.len(signed=True).alias("count"))\n${keys})\nprint(query.release().collect())\n`;
  }

  function tumult(asked) {
    const { mostGroups, mostRows, epsilon, delta } = asked;
    const budget = delta ? `ApproxDPBudget(${epsilon}, ${delta})` : `PureDPBudget(${epsilon})`;
    const keys = delta
      ? `groups = session.evaluate(\n    QueryBuilder("bounded").get_groups(["group"]), ApproxDPBudget(${epsilon / 2}, ${delta})\n)\nkeys = KeySet.from_dataframe(groups)`
      : `keys = KeySet.from_dict({"group": [...]})  # the public list of groups`;
    return `${said(asked)}\nfrom pyspark.sql import SparkSession\nfrom tmlt.analytics import (\n    AddRowsWithID, ApproxDPBudget, KeySet, MaxGroupsPerID,\n    MaxRowsPerGroupPerID, PureDPBudget, QueryBuilder, Session,\n)\n\nspark = SparkSession.builder.getOrCreate()\ndata = spark.read.csv("data.csv", header=True, inferSchema=True).select("person", "group")\nsession = Session.from_dataframe(\n    privacy_budget=${budget}, source_id="data", dataframe=data,\n    protected_change=AddRowsWithID(id_column="person"),\n)\nbounded = (\n    QueryBuilder("data")\n    .enforce(MaxGroupsPerID("group", ${mostGroups}))\n    .enforce(MaxRowsPerGroupPerID("group", ${mostRows || 1}))\n)\nsession.create_view(bounded, source_id="bounded", cache=True)\n${keys}\ncounts = QueryBuilder("bounded").groupby(keys).count(name="count")\nsession.evaluate(counts, ${delta ? `ApproxDPBudget(${epsilon / 2}, 0)` : budget}).show()\n`;
  }

  function pipelinedp(asked) {
    const { mostGroups, mostRows, epsilon, delta, noiseDelta } = asked;
    return `${said(asked)}\nimport csv\nimport operator\n\nimport pipeline_dp\n\nwith open("data.csv", encoding="utf-8", newline="") as file:  # columns person and group\n    data = [(row["person"], row["group"]) for row in csv.DictReader(file)]\naccountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=${epsilon}, total_delta=${delta + noiseDelta})\nengine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())\nparams = pipeline_dp.AggregateParams(\n    metrics=[pipeline_dp.Metrics.COUNT],\n    noise_kind=pipeline_dp.NoiseKind.${noiseDelta ? "GAUSSIAN" : "LAPLACE"},\n    max_partitions_contributed=${mostGroups},\n    max_contributions_per_partition=${mostRows || 1},\n)\nextractors = pipeline_dp.DataExtractors(\n    privacy_id_extractor=operator.itemgetter(0),\n    partition_extractor=operator.itemgetter(1),\n    value_extractor=lambda row: 1,\n)\npublished = engine.aggregate(data, params, extractors${delta ? "" : ", public_partitions=[...]"})\naccountant.compute_budgets()\nprint({group: counts.count for group, counts in published})\n`;
  }

  // ---- The other two sheets, by dp_helpers.
  const TEACHES = "# dp_helpers teaches: for real people use a library that is made for it.";
  const HEAD = `import numpy as np\nimport pandas as pd\n\nimport dp_helpers as dp\n\nrng = np.random.default_rng()\n`;

  function few({ kind, lower, upper, epsilon }) {
    const call = kind === "mean"
      ? `data = pd.read_csv("data.csv")  # one row a person, column value\nprint(dp.private_mean(data["value"], lower=${lower}, upper=${upper}, epsilon=${epsilon}, rng=rng))`
      : `data = pd.read_csv("data.csv")  # one row a person, column answer\nprint(dp.private_count(data[data["answer"] == "yes"], epsilon=${epsilon}, rng=rng))`;
    return `# One answer of ε = ${epsilon} about people of one row each (added or removed).\n${TEACHES}\n${HEAD}${call}\n`;
  }

  function training({ batch, steps, sigma, delta }) {
    return `# DP-SGD by Poisson sampling: ${judging.thousands(steps)} steps, noise of σ = ${sigma} (a row added or removed).\n${TEACHES}\n${HEAD}data = pd.read_csv("data.csv")  # one row a person: numbers from -1 to 1, and label, -1 or 1\nX, y = data.drop(columns="label").to_numpy(), data["label"].to_numpy()\nfit = dp.dp_sgd(X, y, steps=${steps}, batch=${batch}, clip=1.0, sigma=${sigma}, rate=1.0, delta=${delta}, rng=rng)\nloss = dp.PrivacyLoss.subsampled_gaussian(q=${batch} / len(data), sigma=${sigma}).compose_self(${steps})\nprint(fit.theta, f"at epsilon {loss.epsilon(${delta}):.3g}, delta ${delta}")\n`;
  }

  return { TEXTS, LAPLACE_ONLY, dpHelpers, opendp, tumult, pipelinedp, few, training };
})();
