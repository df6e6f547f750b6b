package limits

// Limits of the artifacts of dbt that headwater ingest dbt reads.
const (
	// DBTArtifactBytes is how large an artifact may be.
	DBTArtifactBytes = 512 << 20
	// DBTNodes is how many nodes, sources, exposures and semantic models a manifest may have together.
	DBTNodes = 100_000
	// DBTRunResults is how many files of run results one command reads.
	DBTRunResults = 100
	// DBTRules is how many rules a mapping of a recipe may have.
	DBTRules = 1000
)

// dbt lists the limits of artifacts of dbt.
func dbt() []Limit {
	return []Limit{
		{Name: "dbt artifact", Value: DBTArtifactBytes, Unit: "bytes", Meaning: "A file that headwater ingest dbt reads: manifest.json, catalog.json, sources.json, run results. A larger one is an error."},
		{Name: "dbt nodes", Value: DBTNodes, Unit: "nodes", Meaning: "The nodes, sources, exposures and semantic models of a dbt manifest together. A manifest with more is an error."},
		{Name: "dbt rules", Value: DBTRules, Unit: "rules", Meaning: "The rules of meta_mapping, column_meta_mapping and query_tag_mapping, each, in a recipe for dbt. More are an error."},
		{Name: "dbt run results", Value: DBTRunResults, Unit: "files", Meaning: "The files of run results that one headwater ingest dbt reads. More are an error."},
	}
}
