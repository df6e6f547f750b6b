package openlineage

import (
	"encoding/json"
	"strings"

	"github.com/headwater-io/headwater/catalog/openlineage/naming"
)

// The members of facets that are read. Facets with other types of members are read as far as they fit.
type (
	jobType struct {
		ProcessingType string `json:"processingType"`
		Integration    string `json:"integration"`
		JobType        string `json:"jobType"`
	}
	processingEngine struct {
		Version string `json:"version"`
		Name    string `json:"name"`
		Adapter string `json:"openlineageAdapterVersion"`
	}
	documentation struct {
		Description string `json:"description"`
	}
	sourceCodeLocation struct {
		URL string `json:"url"`
	}
	sourceCode struct {
		Language string `json:"language"`
		Code     string `json:"sourceCode"`
	}
	sqlFacet struct {
		Query   string `json:"query"`
		Dialect string `json:"dialect"`
	}
	ownership struct {
		Owners []struct {
			Name string `json:"name"`
			Type string `json:"type"`
		} `json:"owners"`
	}
	tagsFacet struct {
		Tags []struct {
			Key   string `json:"key"`
			Value string `json:"value"`
			Field string `json:"field"`
		} `json:"tags"`
	}
	schemaFacet struct {
		Fields []schemaField `json:"fields"`
	}
	schemaField struct {
		Name        string        `json:"name"`
		Type        string        `json:"type"`
		Description string        `json:"description"`
		Position    *int          `json:"ordinal_position"`
		Fields      []schemaField `json:"fields"`
	}
	datasetType struct {
		Type    string `json:"datasetType"`
		SubType string `json:"subType"`
	}
	storage struct {
		Layer  string `json:"storageLayer"`
		Format string `json:"fileFormat"`
	}
	catalogFacet struct {
		Framework string `json:"framework"`
	}
	hierarchy struct {
		Levels []struct {
			Type string `json:"type"`
			Name string `json:"name"`
		} `json:"hierarchy"`
	}
	executionParameters struct {
		Parameters []struct {
			Key   string          `json:"key"`
			Value json.RawMessage `json:"value"`
		} `json:"parameters"`
	}
	testFacet struct {
		Tests []struct {
			Name   string `json:"name"`
			Status string `json:"status"`
		} `json:"tests"`
	}
	subset struct {
		Condition struct {
			Type       string `json:"type"`
			Partitions []struct {
				Identifier string                     `json:"identifier"`
				Dimensions map[string]json.RawMessage `json:"dimensions"`
			} `json:"partitions"`
		} `json:"outputCondition"`
	}
	symlinks struct {
		Identifiers []struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
			Type      string `json:"type"`
		} `json:"identifiers"`
	}
	lifecycle struct {
		Change string `json:"lifecycleStateChange"`
	}
	version struct {
		Version string `json:"datasetVersion"`
	}
	statistics struct {
		RowCount  *int64 `json:"rowCount"`
		Size      *int64 `json:"size"`
		FileCount *int64 `json:"fileCount"`
	}
	qualityMetrics struct {
		RowCount *int64                   `json:"rowCount"`
		Bytes    *int64                   `json:"bytes"`
		Columns  map[string]columnMetrics `json:"columnMetrics"`
	}
	columnMetrics struct {
		NullCount     *int64                     `json:"nullCount"`
		DistinctCount *int64                     `json:"distinctCount"`
		Min           json.RawMessage            `json:"min"`
		Max           json.RawMessage            `json:"max"`
		Quantiles     map[string]json.RawMessage `json:"quantiles"`
	}
	qualityAssertions struct {
		Assertions []assertion `json:"assertions"`
	}
	assertion struct {
		Assertion   string         `json:"assertion"`
		Success     *bool          `json:"success"`
		Column      string         `json:"column"`
		Severity    string         `json:"severity"`
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Expected    string         `json:"expected"`
		Actual      string         `json:"actual"`
		Content     string         `json:"content"`
		Params      map[string]any `json:"params"`
	}
	columnLineage struct {
		Fields map[string]struct {
			Inputs      []inputField `json:"inputFields"`
			Type        string       `json:"transformationType"`
			Description string       `json:"transformationDescription"`
		} `json:"fields"`
		Dataset []inputField `json:"dataset"`

		// named are the datasets that the facet names, each once.
		named []naming.Dataset
		known map[naming.Dataset]bool
	}
	inputField struct {
		Namespace       string `json:"namespace"`
		Name            string `json:"name"`
		Field           string `json:"field"`
		Transformations []struct {
			Type    string `json:"type"`
			Subtype string `json:"subtype"`
			Masking bool   `json:"masking"`
		} `json:"transformations"`
	}
	jobDependencies struct {
		Upstream []struct {
			Job struct {
				Namespace string `json:"namespace"`
				Name      string `json:"name"`
			} `json:"job"`
			Run struct {
				RunID string `json:"runId"`
			} `json:"run"`
		} `json:"upstream"`
	}
)

func lower(text string) string { return strings.ToLower(text) }
