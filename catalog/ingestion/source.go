package ingestion

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Source is a recipe with a name. Type is the kind of source, such as snowflake.
type Source struct {
	Name, Type string
	// Schedule says when the source runs, nil if it runs only when somebody asks for that.
	Schedule *Schedule
	// Recipe is JSON.
	Recipe string
	// ExecutorID names the executors that run the source.
	ExecutorID string
	// Version is the version of the client that runs the recipe, "" for any.
	Version   string
	DebugMode *bool
	ExtraArgs map[string]string
	// Maker says who made the source, SYSTEM for a server. If Maker is "", the stored maker is
	// not changed.
	Maker string
}

// retriesArg is the further argument of a source that says how often its runs are tried again.
const retriesArg = "retries"

// check refuses sources that cannot run.
func (i *Source) check() error {
	for _, text := range []struct{ name, text string }{
		{"the name", i.Name}, {"the type", i.Type}, {"the executor ID", i.ExecutorID}, {"the version", i.Version},
	} {
		if err := checkText(text.name, text.text); err != nil {
			return err
		}
	}
	if strings.TrimSpace(i.Name) == "" {
		return catalog.Errorf(catalog.Invalid, "the name must not be blank")
	}
	if strings.TrimSpace(i.Type) == "" {
		return catalog.Errorf(catalog.Invalid, "the type must not be blank")
	}
	if _, err := readRecipe(i.Recipe); err != nil {
		return err
	}
	if err := catalog.TooMany("further arguments", len(i.ExtraArgs), limits.IngestionExtraArgs); err != nil {
		return err
	}
	for name, value := range i.ExtraArgs {
		if len(name)+len(value) > limits.IngestionExtraArg {
			return catalog.Errorf(catalog.Invalid, "the further argument %s has more than %d bytes, the limit", name, limits.IngestionExtraArg)
		}
	}
	if text, stated := i.ExtraArgs[retriesArg]; stated {
		if n, err := strconv.Atoi(text); err != nil || n < 0 || n > limits.IngestionRetries {
			return catalog.Errorf(catalog.Invalid, "the further argument %s must be a number from 0 to %d, and not %q", retriesArg, limits.IngestionRetries, text)
		}
	}
	if i.Schedule == nil {
		return nil
	}
	_, err := i.Schedule.parse()
	return err
}

func checkText(name, text string) error {
	if len(text) > limits.IngestionText {
		return catalog.Errorf(catalog.Invalid, "%s has more than %d bytes, the limit", name, limits.IngestionText)
	}
	return nil
}

// readRecipe decodes a recipe, and checks that it names the type of its source.
func readRecipe(text string) (map[string]json.RawMessage, error) {
	if strings.TrimSpace(text) == "" {
		return nil, catalog.Errorf(catalog.Invalid, "the recipe must not be blank")
	}
	if len(text) > limits.IngestionRecipe {
		return nil, catalog.Errorf(catalog.Invalid, "the recipe has %d bytes, at most %d are allowed", len(text), limits.IngestionRecipe)
	}
	var recipe map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &recipe); err != nil || recipe == nil {
		return nil, catalog.Errorf(catalog.Invalid, "the recipe must be a JSON object, such as {\"source\": {\"type\": \"postgres\", \"config\": {}}}")
	}
	var source struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(recipe["source"], &source); err != nil || strings.TrimSpace(source.Type) == "" {
		return nil, catalog.Errorf(catalog.Invalid, "the recipe must name the type of its source, such as {\"source\": {\"type\": \"postgres\", \"config\": {}}}")
	}
	return recipe, nil
}

// Create stores a new source and returns its URN.
func (s *Service) Create(ctx context.Context, source *Source, o catalog.WriteOptions) (model.URN, error) {
	dialect, known := s.Registry.DialectOf(model.StoredURN(o.Actor))
	if !known {
		dialect = s.Registry.Dialects()[0]
	}
	u, err := model.BuildURN(dialect.Namespace, model.EntityDataHubIngestionSource, uuid.NewString())
	if err != nil {
		return model.URN{}, catalog.Errorf(catalog.Internal, "the URN of a source: %w", err)
	}
	return u, s.Put(ctx, u, source, o)
}

// Put stores a source, or replaces a stored one. A source without a schedule then has none, whatever it
// had before.
func (s *Service) Put(ctx context.Context, u model.URN, source *Source, o catalog.WriteOptions) error {
	if err := catalog.RequireType(u, model.EntityDataHubIngestionSource); err != nil {
		return err
	}
	if err := source.check(); err != nil {
		return err
	}
	if err := s.putInfo(ctx, u, source, o.WithoutWait()); err != nil {
		return err
	}
	if err := s.plan(ctx, u.String(), source.Schedule); err != nil {
		return err
	}
	return s.Writer.Settle(ctx, o)
}

func (s *Service) putInfo(ctx context.Context, u model.URN, source *Source, o catalog.WriteOptions) error {
	return write.EditOrCreate(ctx, s.Writer, []write.Edit{{URN: u, Aspect: model.AspectDataHubIngestionSourceInfo, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		source.state(value)
		return nil
	}}}, catalog.AuditStamp{}, o)
}

// state sets the members of the aspect.
func (i *Source) state(value catalog.Tree) {
	value["name"], value["type"], value["config"] = strings.TrimSpace(i.Name), i.Type, i.config()
	if i.Maker != "" {
		value["source"] = catalog.Tree{"type": i.Maker}
	}
	delete(value, "schedule")
	if i.Schedule != nil {
		schedule := i.Schedule.plain()
		value["schedule"] = catalog.Tree{"interval": schedule.Interval, "timezone": schedule.Zone}
	}
}

func (i *Source) config() catalog.Tree {
	config := catalog.Tree{"recipe": i.Recipe, "executorId": executorOr(i.ExecutorID)}
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

func executorOr(id string) string {
	if strings.TrimSpace(id) == "" {
		return DefaultExecutor
	}
	return id
}

// info is the aspect of a source.
type info struct {
	Name     string    `json:"name"`
	Type     string    `json:"type"`
	Schedule *Schedule `json:"schedule"`
	Config   struct {
		Recipe     string            `json:"recipe"`
		ExecutorID string            `json:"executorId"`
		Version    string            `json:"version"`
		DebugMode  bool              `json:"debugMode"`
		ExtraArgs  map[string]string `json:"extraArgs"`
	} `json:"config"`
}

// infoOf returns the aspect of a source, nil if it is not stored.
func infoOf(ctx context.Context, store Store, source string) (*info, error) {
	stored, err := latest(ctx, store, source, model.AspectDataHubIngestionSourceInfo)
	if err != nil {
		return nil, err
	}
	aspect := stored[model.AspectDataHubIngestionSourceInfo]
	if aspect == nil {
		return nil, nil
	}
	return decodeInfo(source, aspect.Value)
}

func decodeInfo(source string, value json.RawMessage) (*info, error) {
	found := &info{}
	if err := json.Unmarshal(value, found); err != nil {
		return nil, catalog.Errorf(catalog.Internal, "the aspect of %s: %w", source, err)
	}
	return found, nil
}

// Delete deletes a source. A run that goes on is cancelled, and one that waits does not begin. The runs that
// have ended stay.
func (s *Service) Delete(ctx context.Context, u model.URN, o catalog.WriteOptions) error {
	if err := catalog.RequireType(u, model.EntityDataHubIngestionSource); err != nil {
		return err
	}
	if err := s.require(ctx, "ask for the deletion", u, deleteSource); err != nil {
		return err
	}
	if err := s.requireSource(ctx, u); err != nil {
		return err
	}
	ctx = permission.Decided(ctx)
	if err := s.cancelRecord(ctx, ofSource(u.String()), "", o.WithoutWait()); err != nil {
		return err
	}
	if err := s.plan(ctx, u.String(), nil); err != nil {
		return err
	}
	if _, err := s.Writer.DeleteEntities(ctx, []model.URN{u}, false, o); err != nil {
		return err
	}
	return s.histories.Forget(ctx, u.String())
}

// requireSource fails with NotFound unless the caller sees a source.
func (s *Service) requireSource(ctx context.Context, u model.URN) error {
	found, err := infoOf(ctx, seen{s}, u.String())
	if err == nil && found == nil {
		err = catalog.NotStored(u, "there is no ingestion source %s")
	}
	return err
}
