package embedded

import (
	"encoding/json"

	"github.com/headwater-io/headwater/graphstore"
)

// What little system metadata has besides run and registry is in one column: the
// properties as an object or, if there is more, all of it as an array.

// detailsOf is the content of the column, nil for NULL.
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

// readDetails reads the column where it is not NULL.
func readDetails(text string, system *graphstore.SystemMetadata) error {
	if text[0] != '[' {
		return json.Unmarshal([]byte(text), &system.Properties)
	}
	return json.Unmarshal([]byte(text), &[]any{&system.PipelineName, &system.SchemaVersion, &system.Properties})
}
