"""Run the audits of all changes and write ``reviews/runs.csv``, half a minute: ``make reviews``."""

from reviews.runs import TABLE, all_runs


def main() -> None:
    """Write and print the table."""
    table = all_runs()
    table.to_csv(TABLE, index=False, lineterminator="\n")
    print(table.to_string())


if __name__ == "__main__":
    main()
