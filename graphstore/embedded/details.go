package embedded

import (
	"encoding/json"

	"github.com/headwater-io/headwater/graphstore"
)

// The rare parts of system metadata, besides run and registry, are in one column: an object
// with the properties or, if there is more than properties, an array with all of them.

// detailsOf returns the content of the column, nil for NULL.
func detailsOf(system *graphstore.SystemMetadata) (any, error) {
	var details any = system.Properties
	switch {
	case system.PipelineName != "" || system.SchemaVersion != 0:
		details = []any{system.PipelineName, system.SchemaVersion, system.Properties}
	case len(system.Properties) == 0:
		return nil, nil
	}
	text, err := json.Marshal(details)
	return string(text), err
}

// readDetails decodes the content of the column, which is not NULL.
func readDetails(text string, system *graphstore.SystemMetadata) error {
	if text[0] != '[' {
		return json.Unmarshal([]byte(text), &system.Properties)
	}
	return json.Unmarshal([]byte(text), &[]any{&system.PipelineName, &system.SchemaVersion, &system.Properties})
}
