"""Tumult Analytics on Spark, here local; needs Java 17, and PYSPARK_PYTHON set to this environment's Python."""

from pyspark.sql import SparkSession
from query import DELTA, EPSILON, MOST_PAGES, answer
from tmlt.analytics import (
    AddRowsWithID,
    ApproxDPBudget,
    KeySet,
    MaxGroupsPerID,
    MaxRowsPerGroupPerID,
    QueryBuilder,
    Session,
)


def count(path: str) -> dict:
    """Select the pages with one half of epsilon and with delta, and count with the other half."""
    local = {"spark.driver.memory": "4g", "spark.sql.shuffle.partitions": 8, "spark.ui.showConsoleProgress": False}
    spark = SparkSession.builder.master("local[*]").config(map=local).getOrCreate()
    visits = spark.read.csv(path, header=True, inferSchema=True).select("person", "page")
    session = Session.from_dataframe(
        privacy_budget=ApproxDPBudget(EPSILON, DELTA),
        source_id="visits",
        dataframe=visits,
        protected_change=AddRowsWithID(id_column="person"),
    )
    bounded = (
        QueryBuilder("visits").enforce(MaxGroupsPerID("page", MOST_PAGES)).enforce(MaxRowsPerGroupPerID("page", 1))
    )
    session.create_view(bounded, source_id="bounded", cache=True)
    pages = session.evaluate(QueryBuilder("bounded").get_groups(["page"]), ApproxDPBudget(EPSILON / 2, DELTA))
    counts = QueryBuilder("bounded").groupby(KeySet.from_dataframe(pages)).count(name="people")
    published = session.evaluate(counts, ApproxDPBudget(EPSILON / 2, 0))
    return {row["page"]: row["people"] for row in published.collect()}


if __name__ == "__main__":
    answer(count)
