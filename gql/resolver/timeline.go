package resolver

import (
	"strings"

	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/gql/object"
)

func versionsInOrder(versions []history.SchemaVersion) []*object.SemanticVersionStruct {
	list := make([]*object.SemanticVersionStruct, len(versions))
	for i, v := range versions {
		list[i] = &object.SemanticVersionStruct{SemanticVersion: &v.Semantic, SemanticVersionTimestamp: &v.Time, VersionStamp: &v.Stamp}
	}
	return list
}

// changeWords are the words for a change of a column, by the operation.
var changeWords = map[string]string{"ADD": "Added", "MODIFY": "Modified"}

// blameOf returns the last change of each column of a version. If no version is given, it is
// the newest one.
func blameOf(history *history.SchemaHistory, semantic string) *object.GetSchemaBlameResult {
	result := &object.GetSchemaBlameResult{SchemaFieldBlameList: []*object.SchemaFieldBlame{}}
	for _, v := range versionsInOrder(history.Versions) {
		if semantic == "" || *v.SemanticVersion == strings.TrimSuffix(semantic, "-computed") {
			result.Version = v
			break
		}
	}
	for _, f := range history.Fields {
		words := changeWords[f.Operation] + " in v" + f.Version.Semantic
		result.SchemaFieldBlameList = append(result.SchemaFieldBlameList, &object.SchemaFieldBlame{
			FieldPath: f.FieldPath, SchemaFieldChange: &object.SchemaFieldChange{
				TimestampMillis: f.Version.Time, LastSemanticVersion: f.Version.Semantic, VersionStamp: f.Version.Stamp,
				ChangeType: object.ChangeOperationType(f.Operation), LastSchemaFieldChange: &words,
			},
		})
	}
	return result
}
