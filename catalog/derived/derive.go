package derived

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
)

// inputs are the aspects, by the type of the entity, from which the derived aspect of the entity follows.
var inputs = map[string][]string{
	model.EntityDataset: {
		model.AspectViewProperties, model.AspectSchemaMetadata, model.AspectUpstreamLineage, model.AspectSiblings, model.AspectDataPlatformInstance,
	},
	model.EntityDataJob: {model.AspectDataTransformLogic, model.AspectDataJobInfo, model.AspectDataJobInputOutput},
	model.EntityQuery:   {model.AspectQueryProperties, model.AspectQuerySubjects, model.AspectDataPlatformInstance},
}

// textAspects are the aspects that may have SQL, and those that were derived from it. An entity without any of them has
// nothing to derive and nothing to take back.
var textAspects = []string{
	model.AspectViewProperties, model.AspectDataTransformLogic, model.AspectDataJobInfo, model.AspectQueryProperties,
	model.AspectDerivedLineage, model.AspectDerivedSubjects,
}

// aspectOf returns the name of the derived aspect of entities of a type.
func aspectOf(entityType string) string {
	if entityType == model.EntityQuery {
		return model.AspectDerivedSubjects
	}
	return model.AspectDerivedLineage
}

// derivation is the derivation of one entity.
type derivation struct {
	*Service
	urn model.URN
	// values are the aspects of the entity.
	values map[string]catalog.Tree
	tables *tables
	// columns is the lineage of the columns of a saved query, which is beside its derived subjects; nil for none.
	columns catalog.Tree
	// whole: the SQL was understood completely.
	whole bool
}

// derive derives the lineage of an entity, or takes it back. The reason says why SQL gives no lineage; "" if that is no
// problem. An error comes from the store or the writer.
func (s *Service) derive(ctx context.Context, urn string, mode Mode) (outcome Outcome, reason string, err error) {
	d, err := s.load(ctx, urn)
	if err != nil || d == nil {
		return None, "", err
	}
	var value catalog.Tree
	if !mode.Remove {
		value, outcome, reason, err = d.value(ctx, mode.Prefer)
	}
	if err != nil {
		return outcome, reason, err
	}
	if d.tables != nil { // the waiting is stored first, because the server may end before the lineage is written
		if err := d.wait(ctx); err != nil {
			return outcome, reason, err
		}
	}
	if d.urn.EntityType() == model.EntityQuery {
		if err := d.store(ctx, model.AspectDerivedLineage, d.columns); err != nil {
			return outcome, reason, err
		}
	}
	return outcome, reason, d.store(ctx, aspectOf(d.urn.EntityType()), value)
}

// load reads an entity; nil if it does not exist.
func (s *Service) load(ctx context.Context, urn string) (*derivation, error) {
	u, err := s.Registry.ReadURN(urn)
	if err != nil || inputs[u.EntityType()] == nil {
		return nil, nil //nolint:nilerr // the entity is of an earlier model
	}
	names := append([]string{aspectOf(u.EntityType()), model.AspectDerivedLineage}, inputs[u.EntityType()]...)
	stored, err := s.Store.LatestAspects(ctx, []string{urn}, names)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	if len(stored[urn]) == 0 {
		return nil, nil
	}
	d := &derivation{Service: s, urn: u, values: map[string]catalog.Tree{}}
	for i := range stored[urn] {
		if d.values[stored[urn][i].Name], err = catalog.TreeOf(stored[urn][i].Value); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// value returns the value of the derived aspect; nil if nothing is derived.
func (d *derivation) value(ctx context.Context, prefer bool) (value catalog.Tree, outcome Outcome, reason string, err error) {
	text := d.text()
	if text == "" {
		return nil, None, "", nil
	}
	statements, outcome, reason, err := d.read(ctx, text)
	if err != nil || statements == nil {
		return nil, outcome, reason, err
	}
	d.whole = isWhole(statements)
	switch d.urn.EntityType() {
	case model.EntityQuery:
		value = d.subjects(statements)
		if d.columns, err = d.ofQuery(statements); value == nil && d.columns != nil {
			return nil, Derived, "", err
		}
	case model.EntityDataJob:
		value, err = d.ofJob(statements, prefer)
	default:
		value, err = d.ofDataset(statements, prefer)
	}
	if err != nil || value != nil {
		return value, Derived, "", err
	}
	for i := range statements {
		for _, p := range statements[i].NotUnderstood {
			return nil, NotUnderstood, fmt.Sprintf("line %d: %s", p.Line, p.Why), nil
		}
	}
	return nil, None, "", nil
}

// read reads the lineage of a text; nil, with the reason, if it cannot be read.
func (d *derivation) read(ctx context.Context, text string) ([]lineage.Statement, Outcome, string, error) {
	if len(text) > limits.MaxSQLBytes {
		return nil, TooLong, fmt.Sprintf("the text has %d bytes; at most %d are read", len(text), limits.MaxSQLBytes), nil
	}
	place, err := d.place(ctx)
	if err != nil {
		return nil, None, "", err
	}
	if place == nil {
		return nil, NotUnderstood, "the dialect of its SQL is not known", nil
	}
	if d.Parser == nil {
		return nil, Failed, "this server does not read SQL", nil
	}
	d.tables = &tables{Service: d.Service, place: place, text: plainNames(text), found: map[string]*lineage.Table{}, missing: map[string]bool{}}
	limited, cancel := context.WithTimeout(ctx, d.Patience)
	defer cancel()
	statements, err := d.reader.Read(limited, text, lineage.Settings{Dialect: place.dialect, Database: place.database, Schema: place.schema, Tables: d.tables.find})
	var size *lineage.SizeError
	switch {
	case err == nil:
		return statements, Derived, "", nil
	case ctx.Err() != nil:
		return nil, None, "", ctx.Err()
	case limited.Err() != nil:
		return nil, TooLong, fmt.Sprintf("it was not read within %v", d.Patience), nil
	case errors.As(err, &size):
		return nil, TooLong, err.Error(), nil
	case d.tables.failure != nil:
		return nil, None, "", d.tables.failure
	case errors.Is(err, parser.ErrClosed):
		return nil, None, "", &catalog.Error{Code: catalog.Unavailable, Message: "the server is stopping", Err: err}
	}
	d.down.Store(true)
	return nil, Failed, err.Error(), nil
}

// text returns the SQL of the entity; "" if it has none.
func (d *derivation) text() string {
	switch d.urn.EntityType() {
	case model.EntityQuery:
		return jsontree.Text(jsontree.Member(d.values[model.AspectQueryProperties], "statement"), "value")
	case model.EntityDataJob:
		for _, t := range jsontree.Items(d.values[model.AspectDataTransformLogic], "transforms") {
			if text := jsontree.Text(jsontree.Member(t, "queryStatement"), "value"); text != "" {
				return text
			}
		}
		return jsontree.Text(jsontree.Member(d.values[model.AspectDataJobInfo], "customProperties"), sqlProperty)
	}
	view := d.values[model.AspectViewProperties]
	if compiled := jsontree.Text(view, "formattedViewLogic"); compiled != "" {
		return compiled // the code without templates
	}
	return jsontree.Text(view, "viewLogic")
}

// sqlProperty is the custom property of a job that has its SQL, as OpenLineage events state it.
const sqlProperty = "sql"

// store writes the value of a derived aspect, unless it is stored; nil deletes the aspect.
func (d *derivation) store(ctx context.Context, aspect string, value catalog.Tree) error {
	stored := d.values[aspect]
	if value == nil && stored == nil || value != nil && stored != nil && same(value, stored) {
		return nil
	}
	edit := write.Edit{URN: d.urn, Aspect: aspect, OrDelete: value == nil, Change: func(tree catalog.Tree, _ catalog.AuditStamp) error {
		clear(tree)
		if value == nil {
			return write.ErrNothingLeft
		}
		maps.Copy(tree, value)
		return nil
	}}
	err := d.Writer.EditWith(write.OwnWork(ctx), []write.Edit{edit}, map[string]string{"appSource": appSource}, catalog.WriteOptions{})
	if catalog.CodeOf(err) == catalog.Invalid {
		if nodes, failed := d.Store.Entities(ctx, []string{d.urn.String()}); failed == nil && (len(nodes) == 0 || !nodes[0].Exists) {
			return nil // it was deleted meanwhile
		}
	}
	return err
}

// appSource marks the writes of derived aspects in their system metadata.
const appSource = "sql"

// same reports whether two values are equal as JSON.
func same(a, b catalog.Tree) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// wait notes the tables that the SQL names and the catalog does not have.
func (d *derivation) wait(ctx context.Context) error {
	for urn := range d.tables.missing {
		if _, err := d.waits.Update(ctx, urn+waitsEnd+d.urn.String(), func(*struct{}) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}
