package lineage

// aggregates are the kinds of expressions and the names of functions that make one value of many
// rows.
var aggregates = setOf(
	"any_value", "approx_count_distinct", "approx_distinct", "approx_percentile", "approx_quantile", "approx_quantiles",
	"approx_top_k", "approx_top_count", "arbitrary", "arg_max", "arg_min", "argmax", "argmin", "array_agg", "array_concat_agg",
	"array_union_agg", "array_unique_agg", "avg", "avgif", "bit_and", "bit_or", "bit_xor", "bitwise_and_agg", "bitwise_or_agg",
	"bool_and", "bool_or", "checksum_agg", "collect_list", "collect_set", "corr", "count", "count_big", "count_if", "countif",
	"countdistinct", "covar_pop", "covar_samp", "every", "first", "first_value", "group_array", "group_concat", "group_uniq_array",
	"grouparray", "groupuniqarray", "grouping", "hll_count_distinct", "json_agg", "json_arrayagg", "json_object_agg",
	"json_objectagg", "jsonb_agg", "jsonb_object_agg", "kurtosis", "last", "last_value", "list_agg", "listagg", "logical_and",
	"logical_or", "map_agg", "max", "max_by", "max_if", "maxif", "median", "min", "min_by", "min_if", "minif", "mode",
	"multimap_agg", "object_agg", "percentile", "percentile_approx", "percentile_cont", "percentile_disc", "quantile",
	"quantile_cont", "quantile_disc", "regr_slope", "regr_intercept", "skewness", "stddev", "stddev_pop", "stddev_samp", "stdev",
	"stdevp", "string_agg", "sum", "sum_if", "sumif", "uniq", "uniqexact", "var", "var_pop", "var_samp", "variance", "xmlagg",
	"wm_concat", "array_agg_distinct", "histogram", "list", "product", "total", "std", "json_group_array", "json_group_object",
)

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}
