package edits

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// IngestionSource is a recipe with a name. Type is the kind of source, such as
// snowflake.
type IngestionSource struct {
	Name, Type string
	// Recipe is JSON.
	Recipe     string
	ExecutorID string
	// Version is the version of the client that runs the recipe, "" for any.
	Version   string
	DebugMode *bool
	ExtraArgs map[string]string
	// Maker says who made the source, SYSTEM for a server. If Maker is "", the stored maker is
	// not changed.
	Maker string
}

// PutIngestionSource stores an ingestion source, or replaces the recipe of a stored one. It
// does not change other members of a stored source, such as the schedule.
func (s *Service) PutIngestionSource(ctx context.Context, urn model.URN, source *IngestionSource, o catalog.WriteOptions) error {
	if err := catalog.RequireType(urn, model.EntityDataHubIngestionSource); err != nil {
		return err
	}
	if err := requireName(&source.Name); err != nil {
		return err
	}
	if strings.TrimSpace(source.Recipe) == "" {
		return catalog.Errorf(catalog.Invalid, "the recipe must not be blank")
	}
	return s.editOrMake(ctx, write.Edit{URN: urn, Aspect: model.AspectDataHubIngestionSourceInfo, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		value["name"], value["type"], value["config"] = source.Name, source.Type, source.config()
		if source.Maker != "" {
			value["source"] = catalog.Tree{"type": source.Maker}
		}
		return nil
	}}, o)
}

func (i *IngestionSource) config() catalog.Tree {
	config := catalog.Tree{"recipe": i.Recipe, "executorId": i.ExecutorID}
	if i.Version != "" {
		config["version"] = i.Version
	}
	if i.DebugMode != nil {
		config["debugMode"] = *i.DebugMode
	}
	if len(i.ExtraArgs) > 0 {
		extra := catalog.Tree{}
		for name, text := range i.ExtraArgs {
			extra[name] = text
		}
		config["extraArgs"] = extra
	}
	return config
}
