package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// ImportOptions tell how an import treats entities that are already stored.
type ImportOptions struct {
	// Replace deletes a stored entity that differs from the import, and writes the imported one.
	// Without Replace, such an entity fails.
	Replace bool
	// DryRun checks and compares, but changes nothing.
	DryRun bool
}

// ImportResult counts the contents that an import wrote.
type ImportResult struct {
	// Entities counts the entities that were written. Unchanged counts the entities that were
	// already stored with the same contents.
	Entities  int64 `json:"entities"`
	Unchanged int64 `json:"unchanged"`
	Versions  int64 `json:"versions"`
	Edges     int64 `json:"edges"`
	Values    int64 `json:"values"`
	// Failures lists the entities that were not written. Their time series were not written
	// either.
	Failures []ImportFailure `json:"failures"`
}

// ImportFailure is an entity that was not written.
type ImportFailure struct {
	URN     string `json:"urn"`
	Message string `json:"message"`
}

// These bound one transaction of an import.
const (
	importedEntities = 200
	importedVersions = 2000
	importedBytes    = 8 << 20
	// edgeBytes is the size that an edge counts as.
	edgeBytes = 512
	// failureBytes is the size of a failure without its texts.
	failureBytes = 256
)

// Import writes the lines of an export, several entities in each transaction, each entity
// completely or not at all. Import may be repeated: entities that are already stored with the
// same contents are not written again.
type Import struct {
	c       *Service
	o       catalog.WriteOptions
	options ImportOptions
	result  ImportResult
	failed  map[string]bool
	// waiting has the entities of the next transaction, series the values to write after them.
	waiting         []*imported
	series          []graphstore.TimeSeriesValue
	versions, bytes int
	// failedBytes is the size of the failures, refusals has their errors.
	failedBytes int64
	refusals    catalog.RefusedMembers
}

// imported is an entity that was read and is valid.
type imported struct {
	*ExportEntity
	urn     model.URN
	dialect model.Dialect
	// values has the values of the versions, in the same order.
	values []*model.Value
	// replaces tells that the entity is stored with other contents.
	replaces bool
}

// NewImport starts an import.
func (s *Service) NewImport(options ImportOptions, o catalog.WriteOptions) *Import {
	return &Import{c: s, o: o, options: options, result: ImportResult{Failures: []ImportFailure{}}, failed: map[string]bool{}}
}

// Add takes the next line. An invalid entity is added to the failures; an error of Add ends the
// whole import.
func (i *Import) Add(ctx context.Context, line *ExportLine) error {
	if err := i.c.writer.RequireWritableUnless(ctx, i.options.DryRun); err != nil {
		return err
	}
	switch {
	case len(i.result.Failures) >= limits.MaxImportFailures:
		return catalog.Errorf(catalog.Invalid, "%d entities failed, the limit of an import; the last one is %s: %s",
			limits.MaxImportFailures, i.result.Failures[limits.MaxImportFailures-1].URN, i.result.Failures[limits.MaxImportFailures-1].Message)
	case line.Header != nil:
		if line.Header.Format != ExportFormat {
			return catalog.Errorf(catalog.Invalid, "the export is of format %d, this server reads %d", line.Header.Format, ExportFormat)
		}
	case line.Entity != nil:
		return i.addEntity(ctx, line.Entity)
	case line.TimeSeries != nil:
		return i.addSeries(ctx, line.TimeSeries)
	case line.End == nil:
		return catalog.Errorf(catalog.Invalid, "a line has none of header, entity, timeSeries and end")
	}
	return nil
}

// Finish writes the waiting lines and returns the counts of the whole import.
func (i *Import) Finish(ctx context.Context) (*ImportResult, error) {
	if err := i.flush(ctx); err != nil {
		return &i.result, err
	}
	if i.options.DryRun || i.result.Entities+i.result.Values == 0 {
		return &i.result, nil
	}
	return &i.result, i.c.writer.Settle(ctx, i.o)
}

// Refused returns nil if no entity failed, and else a *RefusedError. The index of a member is
// its index in the failures.
func (i *Import) Refused() error {
	outcome := "the others were written"
	if i.options.DryRun {
		outcome = "nothing was written"
	}
	return i.refusals.Err(len(i.result.Failures)+int(i.result.Entities+i.result.Unchanged), outcome)
}

// FailedBytes returns the approximate size of the failures so far, in bytes.
func (i *Import) FailedBytes() int64 { return i.failedBytes }

// Waiting reports whether any added line is not written yet.
func (i *Import) Waiting() bool { return len(i.waiting)+len(i.series) > 0 }

func (i *Import) fail(urn string, err error) {
	urn = catalog.Beginning(urn)
	i.failed[urn] = true
	i.refusals.Add(catalog.RefusedMember{Index: len(i.result.Failures), URN: urn, Err: err})
	i.result.Failures = append(i.result.Failures, ImportFailure{urn, catalog.Beginning(catalog.MessageOf(err))})
	i.failedBytes += int64(len(urn)+len(i.result.Failures[len(i.result.Failures)-1].Message)) + failureBytes
}

func (i *Import) addEntity(ctx context.Context, e *ExportEntity) error {
	read, err := i.c.readImported(e, i.o)
	if err != nil {
		i.fail(e.URN, err)
		return nil
	}
	i.waiting = append(i.waiting, read)
	i.versions += len(e.Versions)
	i.bytes += len(e.Edges) * edgeBytes
	for k := range e.Versions {
		i.bytes += len(e.Versions[k].Value)
	}
	return i.flushFull(ctx)
}

func (i *Import) flushFull(ctx context.Context) error {
	if len(i.waiting) < importedEntities && i.versions+len(i.series) < importedVersions && i.bytes < importedBytes {
		return nil
	}
	return i.flush(ctx)
}

// readImported checks an entity against the model and normalises it.
func (s *Service) readImported(e *ExportEntity, o catalog.WriteOptions) (*imported, error) {
	u, d, err := s.names.EntityURN(e.URN)
	if err != nil {
		return nil, err
	}
	entity, _ := s.names.Registry().Entity(u.EntityType()) // EntityURN refuses unknown types
	read := &imported{ExportEntity: e, urn: u, dialect: d, values: make([]*model.Value, len(e.Versions))}
	e.URN = u.String()
	type numbered struct {
		aspect string
		seq    int64
	}
	seen, latest := map[numbered]bool{}, map[string]int64{}
	for k := range e.Versions {
		v := &e.Versions[k]
		known := entity.Has(v.Aspect) || o.KeepUnknown && model.IsAspectName(v.Aspect)
		switch {
		case !known || s.names.Registry().AnyAspect(v.Aspect).TimeSeries:
			return nil, catalog.Errorf(catalog.Invalid, "%s is not a versioned aspect of %s; a custom model may need to be loaded", v.Aspect, entity.Name)
		case v.Seq < 1 || seen[numbered{v.Aspect, v.Seq}]:
			return nil, catalog.Errorf(catalog.Invalid, "%s has an invalid or repeated version number: %d", v.Aspect, v.Seq)
		case v.Latest && latest[v.Aspect] > 0:
			return nil, catalog.Errorf(catalog.Invalid, "%s has two latest versions", v.Aspect)
		}
		if read.values[k], err = s.writer.ParseImported(d, v.Aspect, v.Value, o); err != nil {
			return nil, err
		}
		v.Value = read.values[k].JSON
		if v.Latest {
			latest[v.Aspect] = v.Seq
		}
		seen[numbered{v.Aspect, v.Seq}] = true
	}
	for k := range e.Versions {
		if v := &e.Versions[k]; latest[v.Aspect] > 0 && v.Seq > latest[v.Aspect] {
			return nil, catalog.Errorf(catalog.Invalid, "%s has a version above its latest one", v.Aspect)
		}
	}
	if latest[entity.KeyAspect] == 0 {
		return nil, catalog.Errorf(catalog.Invalid, "the key aspect %s is missing", entity.KeyAspect)
	}
	return read, s.checkImportedEdges(e)
}

func (s *Service) checkImportedEdges(e *ExportEntity) error {
	for k := range e.Versions {
		if err := cmp.Or(checkActors(e.Versions[k].CreatedBy), write.CheckSystem(&e.Versions[k].System)); err != nil {
			return err
		}
	}
	for k := range e.Edges {
		edge := &e.Edges[k]
		if err := checkActors(edge.CreatedActor, edge.UpdatedActor, edge.SinceActor, edge.ResumedActor, edge.UntilActor); err != nil {
			return err
		}
		for _, end := range []struct{ urn, entityType string }{{edge.Source, edge.SourceType}, {edge.Destination, edge.DestinationType}} {
			// The URN of an entity that is only mentioned, such as a column, may be longer than the URN
			// of an entity that is written.
			u, err := model.ParseURN(end.urn)
			if err == nil {
				err = u.CheckLength()
			}
			if err != nil {
				return catalog.ValueError(err)
			}
			entity, ok := s.names.Registry().Entity(end.entityType)
			if !ok || u.String() != end.urn || u.EntityType() != entity.Name || entity.Name != end.entityType {
				return catalog.Errorf(catalog.Invalid, "%s, an end of an edge, is not a %s in its usual form", end.urn, end.entityType)
			}
		}
		if !slices.Contains(s.names.Registry().RelationshipNames(), edge.Type) {
			return catalog.Errorf(catalog.Invalid, "%s is not a relationship of the model", edge.Type)
		}
		if edge.Until != 0 && edge.Until < edge.Since {
			return catalog.Errorf(catalog.Invalid, "an edge to %s ended before it began", edge.Destination)
		}
	}
	return nil
}

// checkActors checks the length of the URNs of actors.
func checkActors(actors ...string) error {
	for _, actor := range actors {
		if len(actor) > limits.MaxURNBytes {
			return catalog.Errorf(catalog.Invalid, "an actor's URN has %d bytes, at most %d are allowed", len(actor), limits.MaxURNBytes)
		}
	}
	return nil
}

// flush compares the waiting entities with the stored entities, writes the entities that
// differ, and then writes the waiting values.
func (i *Import) flush(ctx context.Context) error {
	waiting, series := i.waiting, i.series
	i.waiting, i.series, i.versions, i.bytes = nil, nil, 0, 0
	write, err := i.compare(ctx, waiting)
	if err != nil {
		return err
	}
	for _, e := range write {
		i.result.Entities++
		i.result.Versions += int64(len(e.Versions))
		i.result.Edges += int64(len(e.Edges))
	}
	if len(write) > 0 && !i.options.DryRun {
		if err := i.writeEntities(ctx, write); err != nil {
			return err
		}
	}
	return i.writeSeries(ctx, series)
}

func (i *Import) writeEntities(ctx context.Context, due []*imported) error {
	histories := make([]*write.History, len(due))
	for k, e := range due {
		histories[k] = e.history()
	}
	return i.c.writer.ImportHistories(ctx, histories, i.o)
}

// history returns the entity in the form in which it is written.
func (e *imported) history() *write.History {
	h := &write.History{URN: e.urn, Dialect: e.dialect, Values: e.values, Replaces: e.replaces}
	for k := range e.Versions {
		h.Versions = append(h.Versions, e.Versions[k].stored(e.URN))
	}
	for k := range e.Edges {
		h.Edges = append(h.Edges, e.Edges[k].statement(e.URN))
	}
	return h
}

// compare returns the entities that must be written.
func (i *Import) compare(ctx context.Context, waiting []*imported) ([]*imported, error) {
	urns := make([]string, len(waiting))
	for k, e := range waiting {
		urns[k] = e.URN
	}
	stored, err := i.c.store.History(ctx, urns)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	var due []*imported
	seen := map[string]bool{}
	for _, e := range waiting {
		history, exists := stored[e.URN]
		same := false
		if exists {
			if same, err = sameExport(e.ExportEntity, exportEntity(e.URN, &history)); err != nil {
				return nil, err
			}
		}
		switch {
		case seen[e.URN]:
			i.fail(e.URN, catalog.Errorf(catalog.Conflict, "the entity occurs twice"))
		case same:
			i.result.Unchanged++
		case exists && !i.options.Replace && !write.OfTheStart(&history):
			i.fail(e.URN, catalog.Errorf(catalog.Conflict, "the entity is already stored with other contents"))
		default:
			e.replaces = exists
			due = append(due, e)
		}
		seen[e.URN] = true
	}
	return due, nil
}

func sameExport(a, b *ExportEntity) (bool, error) {
	x, err := json.Marshal(a)
	if err != nil {
		return false, catalog.Errorf(catalog.Invalid, "%s: %w", a.URN, err)
	}
	y, err := json.Marshal(b)
	if err != nil {
		return false, catalog.Errorf(catalog.Internal, "%s: %w", a.URN, err)
	}
	return string(x) == string(y), nil
}
