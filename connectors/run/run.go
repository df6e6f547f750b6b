package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/connectors"
	"github.com/headwater-io/headwater/connectors/dbt"
	"github.com/headwater-io/headwater/connectors/internal/settings"
	"github.com/headwater-io/headwater/connectors/mysql"
	"github.com/headwater-io/headwater/connectors/postgres"
	"github.com/headwater-io/headwater/connectors/sqlite"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// made are the connectors by the types of recipes.
var made = map[string]func(*lineage.Reader) connectors.Connector{
	"mariadb":    func(sql *lineage.Reader) connectors.Connector { return &mysql.Connector{Platform: "mariadb", SQL: sql} },
	"dbt":        func(sql *lineage.Reader) connectors.Connector { return &dbt.Connector{SQL: sql} },
	"mysql":      func(sql *lineage.Reader) connectors.Connector { return &mysql.Connector{Platform: "mysql", SQL: sql} },
	"postgres":   func(sql *lineage.Reader) connectors.Connector { return &postgres.Connector{SQL: sql} },
	"sqlalchemy": func(sql *lineage.Reader) connectors.Connector { return &sqlite.Connector{SQL: sql} },
}

// Types are the types of sources that are read without Python, sorted.
func Types() []string { return slices.Sorted(maps.Keys(made)) }

// Connector returns the connector of a type. An error names the types that there are.
func Connector(kind string, sql *lineage.Reader) (connectors.Connector, error) {
	if build := made[kind]; build != nil {
		return build(sql), nil
	}
	text := fmt.Sprintf("sources of the type %q need the Python client (datahub ingest); read without it: %s", kind, strings.Join(Types(), ", "))
	if near := nearest.Names(kind, maps.Keys(made)); len(near) > 0 {
		text += nearest.Question(near)
	}
	return nil, errors.New(text)
}

// Run is one run of a recipe.
type Run struct {
	Recipe    *Recipe
	Connector connectors.Connector
	// Checkpoints has the state of the source's last run; nil: nothing is removed and no state is written.
	Checkpoints connectors.Checkpoints
	// Report is the report of the run. It is complete when the proposals have ended.
	Report connectors.Report

	stale  *connectors.Stale
	memory *connectors.Memory
}

// New returns a run of a recipe. An error describes the fault of the recipe.
func New(r *Recipe, sql *lineage.Reader, states connectors.Checkpoints) (*Run, error) {
	connector, err := Connector(r.Source.Type, sql)
	if err != nil {
		return nil, err
	}
	if stored, ok := states.(dbt.Stored); ok {
		if project, is := connector.(*dbt.Connector); is {
			project.Stored = stored
		}
	}
	run := &Run{Recipe: r, Connector: connector, Checkpoints: states}
	if err := run.stateful(); err != nil {
		return nil, err
	}
	if counting, is := connector.(connectors.Counting); is && run.stale != nil {
		run.memory = &connectors.Memory{Platform: run.platform(), Pipeline: r.Pipeline, Checkpoints: states}
		counting.Remember(run.memory)
	}
	return run, nil
}

// stateful reads the section stateful_ingestion. As in the client, a recipe with a name has a state unless it says
// otherwise.
func (r *Run) stateful() error {
	reader := settings.New(map[string]any{"stateful_ingestion": r.Recipe.Source.Config["stateful_ingestion"]})
	s := reader.Section("stateful_ingestion")
	enabled := s.Bool("enabled", !reader.Has("stateful_ingestion") && r.Recipe.Pipeline != "")
	stale := &connectors.Stale{
		Platform: r.platform(), Pipeline: r.Recipe.Pipeline, Checkpoints: r.Checkpoints,
		Threshold: s.Number("fail_safe_threshold", 75, 0, 100), IgnoreOld: s.Bool("ignore_old_state", false), IgnoreNew: s.Bool("ignore_new_state", false),
	}
	wanted := s.Bool("remove_stale_metadata", true)
	switch {
	case !enabled || !wanted || r.Checkpoints == nil:
		return nil
	case r.Recipe.Pipeline == "":
		return errors.New("stateful_ingestion.enabled needs the recipe's pipeline_name, which names the state")
	case strings.ContainsAny(r.Recipe.Pipeline, "(),"):
		return errors.New("pipeline_name must not contain parentheses or commas: it is a part of a URN")
	}
	r.stale = stale
	return nil // a fault of the section is an error of the connector
}

// platform is the platform of the source's datasets.
func (r *Run) platform() string {
	if name, has := r.Recipe.Source.Config["platform"].(string); has {
		return name
	}
	return r.Recipe.Source.Type
}

// Proposals returns the proposals that state the source's contents, and the proposals that remove entities
// that are gone from the source.
func (r *Run) Proposals(ctx context.Context) iter.Seq2[*model.FileProposal, error] {
	proposals := r.Connector.Read(ctx, r.Recipe.Source.Config, &r.Report)
	if r.stale == nil {
		return proposals
	}
	return r.stale.Follow(ctx, proposals, &r.Report)
}

// State returns the proposals that write the state of the source, to be sent when all others are written.
func (r *Run) State(runID string) []*model.FileProposal {
	if r.stale == nil {
		return nil
	}
	now := time.Now()
	return append(r.stale.State(runID, now, &r.Report), r.memory.State(runID, now, &r.Report)...)
}
