package catalog

import "encoding/json"

// FieldPathsOf lists the columns of a schema.
func FieldPathsOf(schema json.RawMessage) ([]string, error) {
	var value struct {
		Fields []struct {
			Path string `json:"fieldPath"`
		} `json:"fields"`
	}
	if err := json.Unmarshal(schema, &value); err != nil {
		return nil, err
	}
	paths := make([]string, len(value.Fields))
	for i, f := range value.Fields {
		paths[i] = f.Path
	}
	return paths, nil
}
