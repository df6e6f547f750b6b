package relational

import (
	"strings"

	"github.com/headwater-io/headwater/connectors/internal/settings"
	"github.com/headwater-io/headwater/internal/limits"
)

// Config are the settings that all databases have in common.
type Config struct {
	// Platform is the name of the platform, such as postgres. Instance is the platform instance, which may be "".
	Platform, Instance, Env string
	// TwoLevels: tables are in databases, without schemas between.
	TwoLevels bool

	Databases, Schemas, Tables, Views, Profiles, Procedures settings.Pattern

	IncludeTables, IncludeViews, IncludeProcedures bool
	ViewLineage, ViewColumnLineage                 bool

	Profiling Profiling
	Usage     Usage
}

// Usage says which statements are read that the database has counted.
type Usage struct {
	Enabled bool
	// Most is how many statements are read: the statements that ran most often come first; Least how often
	// each must have run.
	Most, Least int64
	// Exclude are texts; a statement that has one of them in any letter case is left out.
	Exclude []string
}

// ReadUsage reads the settings of usage.
func (c *Config) ReadUsage(r *settings.Reader) {
	c.Usage = Usage{
		Enabled: r.Bool("include_usage_statistics", false), Most: r.Whole("max_queries_to_extract", 1000, 1, limits.MaxCountedStatements),
		Least: r.Whole("min_query_calls", 1, 0, 1<<50), Exclude: r.Texts("query_exclude_patterns", 100),
	}
}

// Profiling says which profiles are made.
type Profiling struct {
	Enabled bool
	// TableOnly: only the numbers of rows and columns, and the size.
	TableOnly bool
	// Estimate: the number of rows is the database's estimate.
	Estimate bool
	// The statistics of columns.
	Nulls, Distinct, Min, Max, Mean, Median, Deviation, Samples bool
	// MaxColumns is how many columns of a table are profiled, 0 for all of them.
	MaxColumns int
	// MaxSamples is how many values a column shows.
	MaxSamples int
	// MaxRows is how many rows a table may have, by estimate, for its columns to be profiled; MaxBytes how large it may
	// be, 0 for any size.
	MaxRows, MaxBytes int64
	// StatementSeconds is how long one statement may run.
	StatementSeconds int64
}

// environments are the environments that the client takes.
var environments = []string{"DEV", "TEST", "QA", "UAT", "EI", "PRE", "STG", "NON_PROD", "PROD", "CORP", "RVW", "PRD", "TST", "SIT", "SBX", "SANDBOX", "CERT"}

// Common reads the settings that all databases have.
func Common(r *settings.Reader, platform string, schemas settings.Pattern) *Config {
	c := &Config{
		Platform: platform, Instance: r.Text("platform_instance", ""), Env: r.OneOf("env", "PROD", environments...),
		Schemas: r.Pattern("schema_pattern", schemas), Tables: r.Pattern("table_pattern", settings.Pattern{}),
		IncludeTables: r.Bool("include_tables", true), IncludeViews: r.Bool("include_views", true),
		ViewLineage: r.Bool("include_view_lineage", true), ViewColumnLineage: r.Bool("include_view_column_lineage", true),
		Profiles: r.Pattern("profile_pattern", settings.Pattern{}),
	}
	c.Views = r.Pattern("view_pattern", c.Tables)
	r.WithoutEffect("use_file_backed_cache", "include_table_location_lineage")
	r.OnlyFalse("convert_urns_to_lowercase", "incremental_lineage", "classification", "domain")
	if strings.ContainsAny(c.Instance, "(),") {
		r.Fail("platform_instance", "must not contain parentheses or commas: it is a part of URNs")
	}
	Stateful(r)
	return c
}

// ReadProcedures reads the settings of stored procedures.
func (c *Config) ReadProcedures(r *settings.Reader) {
	c.IncludeProcedures = r.Bool("include_stored_procedures", true)
	c.Procedures = r.Pattern("procedure_pattern", settings.Pattern{})
}

// Stateful reads the settings of stateful ingestion, which package run follows.
func Stateful(r *settings.Reader) {
	s := r.Section("stateful_ingestion")
	s.Bool("enabled", false)
	s.Bool("remove_stale_metadata", true)
	s.Bool("ignore_old_state", false)
	s.Bool("ignore_new_state", false)
	s.Number("fail_safe_threshold", 75, 0, 100)
	s.WithoutEffect("max_checkpoint_state_size")
}

// ReadProfiling reads the section profiling. Expensive statistics, which are off by default, are for the Python client.
func (c *Config) ReadProfiling(r *settings.Reader, maxRows int64) {
	s := r.Section("profiling")
	p := Profiling{Enabled: s.Bool("enabled", false), TableOnly: s.Bool("profile_table_level_only", false), Estimate: s.Bool("profile_table_row_count_estimate_only", false)}
	cheap := s.Bool("turn_off_expensive_profiling_metrics", false)
	for name, statistic := range map[string]*bool{
		"null_count": &p.Nulls, "distinct_count": &p.Distinct, "min_value": &p.Min, "max_value": &p.Max, "mean_value": &p.Mean,
		"median_value": &p.Median, "stddev_value": &p.Deviation, "sample_values": &p.Samples,
	} {
		name = "include_field_" + name
		*statistic = s.Bool(name, !p.TableOnly && !(cheap && name == "include_field_sample_values"))
		if p.TableOnly && *statistic {
			s.Fail(name, "cannot be true together with profile_table_level_only")
		}
	}
	most := int64(0)
	if cheap {
		most = 10
	}
	p.MaxColumns = int(s.Whole("max_number_of_fields_to_profile", most, 1, 1<<20))
	p.MaxSamples = int(s.Whole("field_sample_values_limit", 20, 0, limits.MaxProfileSamples))
	p.MaxRows = s.Whole("profile_table_row_limit", maxRows, 1, 1<<50)
	p.MaxBytes = s.Whole("profile_table_size_limit", 0, 1, 1<<20) << 30
	p.StatementSeconds = s.Whole("query_timeout_seconds", limits.ProfileStatementSeconds, 1, 2147483)
	s.OnlyFalse("include_field_quantiles", "include_field_histogram", "include_field_distinct_value_frequencies", "profile_nested_fields", "tags_to_ignore_sampling", "operation_config", "limit", "offset")
	s.WithoutEffect("max_workers", "query_combiner_enabled", "query_combiner_flatten_enabled", "max_queries_to_combine", "max_distinct_per_statement", "catch_exceptions",
		"report_dropped_profiles", "profiling_isolation_level", "partition_profiling_enabled", "partition_datetime", "use_sampling", "sample_size", "profile_external_tables",
		"profile_if_updated_since_days", "nested_field_max_depth", "method")
	c.Profiling = p
}
