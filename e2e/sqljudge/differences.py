"""Cases of other people's tests in which the command sql differs on purpose, with the reasons."""

TWICE = "two outputs have one name; the command says of each what it is computed from"
ROWS = "the rows of a function come from its arguments"
WINDOW = "a column of PARTITION BY or ORDER BY is read, but its values do not flow"
DICTIONARY = "the name of a dictionary is not a column"
SUFFIX = "the name of the table stays as it is written"

DIFFERENCES = {
    "sqlglot qualify_columns 246": TWICE,
    "sqlglot qualify_columns 247": TWICE,
    "sqlglot qualify_columns 250": TWICE,
    "sqlglot qualify_columns 253": TWICE,
    "sqlglot qualify_columns 254": TWICE,
    "sqlglot qualify_columns 255": TWICE,
    "sqlglot eliminate_subqueries 16": TWICE,
    "sqlglot merge_subqueries 59": TWICE,
    "sqlglot optimizer 80": ROWS,
    "sqlglot unnest_subqueries 33": ROWS,
    "sqlglot optimizer 50": "of a join in parentheses, only the named columns are read",
    "sqlglot pushdown_projections 69": "a query in ORDER BY is read",
    "datahub test_cross_join": TWICE,
    "datahub test_self_join_with_cte": WINDOW,
    "datahub test_lateral_join": "a column that a query in FROM compares with is read, but its values do not flow",
    "datahub test_dialect_specific_operators": "the rows after MINUS are compared, their values do not flow",
    "datahub test_clickhouse_dictget": DICTIONARY,
    "datahub test_clickhouse_dictget_in_materialized_view": DICTIONARY,
    "datahub test_bigquery_sharded_table_normalization": SUFFIX,
    "datahub test_bigquery_from_sharded_table_wildcard": SUFFIX,
    "datahub test_bigquery_partitioned_table_insert": SUFFIX,
    "datahub test_invalid_sql": "the text is not SQL",
}
