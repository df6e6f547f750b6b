package resolver

import (
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/gql/object"
)

// ingestionSource reads an ingestion source from the input of a mutation. It refuses members
// that have an effect only on a server that runs recipes.
func ingestionSource(input *object.UpdateIngestionSourceInput) (*edits.IngestionSource, error) {
	if input.Schedule != nil {
		return nil, errNoSchedule
	}
	if object.Or(input.Description, "") != "" {
		return nil, errNoDescription
	}
	source := &edits.IngestionSource{
		Name: input.Name, Type: input.Type, Recipe: input.Config.Recipe, ExecutorID: input.Config.ExecutorID,
		Version: object.Or(input.Config.Version, ""), DebugMode: input.Config.DebugMode, ExtraArgs: textsOf(input.Config.ExtraArgs),
	}
	if input.Source != nil {
		source.Maker = string(input.Source.Type)
	}
	return source, nil
}
