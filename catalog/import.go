package catalog

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// ImportOptions say what an import does with what is there already.
type ImportOptions struct {
	// Replace: an entity that is stored otherwise is deleted first; without it
	// that is a failure of this entity.
	Replace bool
	// DryRun checks and compares, and changes nothing.
	DryRun bool
}

// ImportResult says what an import wrote.
type ImportResult struct {
	// Entities counts those written, Unchanged those that were there just so.
	Entities  int64 `json:"entities"`
	Unchanged int64 `json:"unchanged"`
	Versions  int64 `json:"versions"`
	Edges     int64 `json:"edges"`
	Values    int64 `json:"values"`
	// Failures are the entities that were not written, nor their time series.
	Failures []ImportFailure `json:"failures"`
}

// ImportFailure is an entity that was not written.
type ImportFailure struct {
	URN     string `json:"urn"`
	Message string `json:"message"`
}

// Bounds of one transaction of an import.
const (
	importedEntities = 200
	importedVersions = 2000
	importedBytes    = 8 << 20
	// edgeBytes is what an edge counts as.
	edgeBytes = 512
	// failureBytes is what a failure takes beside its texts.
	failureBytes = 256
)

// Import takes lines of an export, some entities in one transaction, each of
// them wholly or not at all. It may be repeated: what is there is compared.
type Import struct {
	c       *Catalog
	o       WriteOptions
	options ImportOptions
	result  ImportResult
	failed  map[string]bool
	// waiting are the entities of the next transaction, series the values that
	// are written after them.
	waiting         []*imported
	series          []graphstore.TimeSeriesValue
	versions, bytes int
	// noted is the size of the failures, refusals what is wrong with them.
	noted    int64
	refusals RefusedMembers
}

// imported is an entity that was read and found good.
type imported struct {
	*ExportEntity
	urn     model.URN
	dialect model.Dialect
	entity  *model.Entity
	// values are those of the versions, in their order.
	values []*model.Value
	// statements are what the latest of them state, once that was worked out.
	statements [][]graphstore.EdgeStatement
	// replaces: it is stored otherwise.
	replaces bool
}

// NewImport begins an import.
func (c *Catalog) NewImport(options ImportOptions, o WriteOptions) *Import {
	return &Import{c: c, o: o, options: options, result: ImportResult{Failures: []ImportFailure{}}, failed: map[string]bool{}}
}

// Add takes the next line. What is wrong with one entity is its failure alone;
// the error is of the whole import.
func (i *Import) Add(ctx context.Context, line *ExportLine) error {
	switch {
	case len(i.result.Failures) >= limits.MaxImportFailures:
		return Errorf(Invalid, "%d entities failed, the limit of an import; the last one is %s: %s",
			limits.MaxImportFailures, i.result.Failures[limits.MaxImportFailures-1].URN, i.result.Failures[limits.MaxImportFailures-1].Message)
	case line.Header != nil:
		if line.Header.Format != ExportFormat {
			return Errorf(Invalid, "the export is of format %d, this server reads %d", line.Header.Format, ExportFormat)
		}
	case line.Entity != nil:
		return i.addEntity(ctx, line.Entity)
	case line.TimeSeries != nil:
		return i.addSeries(ctx, line.TimeSeries)
	case line.End == nil:
		return Errorf(Invalid, "a line has none of header, entity, timeSeries and end")
	}
	return nil
}

// Finish writes what waits and returns what was done.
func (i *Import) Finish(ctx context.Context) (*ImportResult, error) {
	if err := i.flush(ctx); err != nil {
		return &i.result, err
	}
	if i.options.DryRun || i.result.Entities+i.result.Values == 0 {
		return &i.result, nil
	}
	return &i.result, i.c.settle(ctx, i.o)
}

// Refused is nil when no entity failed, and else a *RefusedError. The index of
// a member is its place among the failures.
func (i *Import) Refused() error {
	outcome := "the others were written"
	if i.options.DryRun {
		outcome = "nothing was written"
	}
	return i.refusals.Err(len(i.result.Failures)+int(i.result.Entities+i.result.Unchanged), outcome)
}

// Noted is about how many bytes the failures so far take.
func (i *Import) Noted() int64 { return i.noted }

// Waiting reports whether lines that were added are not yet written.
func (i *Import) Waiting() bool { return len(i.waiting)+len(i.series) > 0 }

func (i *Import) fail(urn string, err error) {
	urn = beginning(urn)
	i.failed[urn] = true
	i.refusals.Add(RefusedMember{Index: len(i.result.Failures), URN: urn, Err: err})
	i.result.Failures = append(i.result.Failures, ImportFailure{urn, beginning(MessageOf(err))})
	i.noted += int64(len(urn)+len(i.result.Failures[len(i.result.Failures)-1].Message)) + failureBytes
}

// beginning is as much of a text as an import keeps of what is wrong.
func beginning(text string) string {
	if len(text) <= 2*limits.MaxURNBytes {
		return text
	}
	return strings.ToValidUTF8(text[:2*limits.MaxURNBytes], "") + "…"
}

func (i *Import) addEntity(ctx context.Context, e *ExportEntity) error {
	read, err := i.c.readImported(e)
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
func (c *Catalog) readImported(e *ExportEntity) (*imported, error) {
	u, d, err := c.entityURN(e.URN)
	if err != nil {
		return nil, err
	}
	entity, _ := c.registry.Entity(u.EntityType()) // entityURN refuses unknown types
	read := &imported{ExportEntity: e, urn: u, dialect: d, entity: entity, values: make([]*model.Value, len(e.Versions))}
	e.URN = u.String()
	type numbered struct {
		aspect string
		seq    int64
	}
	seen, latest := map[numbered]bool{}, map[string]int64{}
	for k := range e.Versions {
		v := &e.Versions[k]
		aspect, ok := c.registry.Aspect(v.Aspect)
		switch {
		case !ok || !entity.Has(v.Aspect) || aspect.TimeSeries:
			return nil, Errorf(Invalid, "%s is no versioned aspect of %s; a custom model may have to be loaded", v.Aspect, entity.Name)
		case v.Seq < 1 || seen[numbered{v.Aspect, v.Seq}]:
			return nil, Errorf(Invalid, "%s has no version of its own with the number %d", v.Aspect, v.Seq)
		case v.Latest && latest[v.Aspect] > 0:
			return nil, Errorf(Invalid, "%s has two latest versions", v.Aspect)
		}
		if read.values[k], err = c.parseValue(d, v.Aspect, v.Value); err != nil {
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
			return nil, Errorf(Invalid, "%s has a version above its latest one", v.Aspect)
		}
	}
	if latest[entity.KeyAspect] == 0 {
		return nil, Errorf(Invalid, "the key aspect %s is missing", entity.KeyAspect)
	}
	return read, c.checkImportedEdges(e)
}

func (c *Catalog) checkImportedEdges(e *ExportEntity) error {
	for k := range e.Versions {
		if err := checkActors(e.Versions[k].CreatedBy); err != nil {
			return err
		}
	}
	for k := range e.Edges {
		edge := &e.Edges[k]
		if err := checkActors(edge.CreatedActor, edge.UpdatedActor, edge.SinceActor, edge.UntilActor); err != nil {
			return err
		}
		for _, end := range []struct{ urn, entityType string }{{edge.Source, edge.SourceType}, {edge.Destination, edge.DestinationType}} {
			// What is only named, such as a column, may be longer than an entity's URN.
			u, err := model.ParseURN(end.urn)
			if err == nil {
				err = u.CheckLength()
			}
			if err != nil {
				return valueError(err)
			}
			entity, ok := c.registry.Entity(end.entityType)
			if !ok || u.String() != end.urn || u.EntityType() != entity.Name || entity.Name != end.entityType {
				return Errorf(Invalid, "%s, an end of an edge, is not a %s in its usual form", end.urn, end.entityType)
			}
		}
		if !slices.Contains(c.registry.RelationshipNames(), edge.Type) {
			return Errorf(Invalid, "%s is no relationship of the model", edge.Type)
		}
		if edge.Until != 0 && edge.Until < edge.Since {
			return Errorf(Invalid, "an edge to %s ended before it began", edge.Destination)
		}
	}
	return nil
}

// checkActors checks the length of who did something.
func checkActors(actors ...string) error {
	for _, actor := range actors {
		if len(actor) > limits.MaxURNBytes {
			return Errorf(Invalid, "an actor's URN has %d bytes, at most %d are taken", len(actor), limits.MaxURNBytes)
		}
	}
	return nil
}

// flush compares the entities that wait with what is stored, writes those that
// differ, and then the values that wait.
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

func (i *Import) writeEntities(ctx context.Context, write []*imported) error {
	urns := make([]string, len(write))
	for k, e := range write {
		urns[k] = e.URN
		e.work(i.c)
	}
	err := i.c.store.Update(ctx, urns, func(tx graphstore.Tx) error {
		held, err := tx.Holdings(urns)
		if err != nil {
			return err
		}
		s := i.c.newSession(tx, i.o.actorIn(write[0].dialect), newWork())
		for _, e := range write {
			if held[e.URN].Versions > 0 && !e.replaces {
				return Errorf(Conflict, "%s was written while it was imported; import again", e.URN)
			}
			if err := s.putImported(e); err != nil {
				return err
			}
		}
		return s.flush()
	})
	if err != nil {
		return storeFailure(err)
	}
	i.c.written.signal()
	return nil
}

// compare returns the entities that are to be written.
func (i *Import) compare(ctx context.Context, waiting []*imported) ([]*imported, error) {
	urns := make([]string, len(waiting))
	for k, e := range waiting {
		urns[k] = e.URN
	}
	stored, err := i.c.store.History(ctx, urns)
	if err != nil {
		return nil, storeFailure(err)
	}
	var write []*imported
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
			i.fail(e.URN, Errorf(Conflict, "the entity is there twice"))
		case same:
			i.result.Unchanged++
		case exists && !i.options.Replace && !ofTheStart(&history):
			i.fail(e.URN, Errorf(Conflict, "the entity is stored otherwise"))
		default:
			e.replaces = exists
			write = append(write, e)
		}
		seen[e.URN] = true
	}
	return write, nil
}

func sameExport(a, b *ExportEntity) (bool, error) {
	x, err := json.Marshal(a)
	if err != nil {
		return false, Errorf(Invalid, "%s: %w", a.URN, err)
	}
	y, err := json.Marshal(b)
	if err != nil {
		return false, Errorf(Internal, "%s: %w", a.URN, err)
	}
	return string(x) == string(y), nil
}

// work works out what the latest versions state, before the transaction.
func (e *imported) work(c *Catalog) {
	e.statements = make([][]graphstore.EdgeStatement, len(e.Versions))
	for k := range e.Versions {
		if v := &e.Versions[k]; v.Latest {
			aspect, _ := c.registry.Aspect(v.Aspect) // it was read
			e.statements[k] = c.statements(e.change(aspect, v), e.values[k])
		}
	}
}

func (e *imported) change(aspect *model.Aspect, v *ExportVersion) *change {
	return &change{urn: e.urn, dialect: e.dialect, entity: e.entity, aspect: aspect, system: graphstore.SystemMetadata(v.System)}
}

// putImported writes an entity as it was exported. Its current edges are what
// its latest versions say; since when, is told by the export.
func (s *session) putImported(e *imported) error {
	known := map[graphstore.EdgeID]graphstore.EdgeStatement{}
	for k := range e.Edges {
		statement := e.Edges[k].statement(e.URN)
		if statement.Until != 0 {
			s.pending.AddEnded = append(s.pending.AddEnded, statement)
		} else {
			known[statement.EdgeID] = statement.EdgeStatement
		}
	}
	if e.replaces {
		s.pending.DeleteEntities = append(s.pending.DeleteEntities, e.URN)
	}
	for k := range e.Versions {
		v := &e.Versions[k]
		version := graphstore.Aspect{
			URN: e.URN, Name: v.Aspect, Version: v.Seq, Seq: v.Seq, Value: v.Value, CreatedOn: v.CreatedOn, CreatedBy: v.CreatedBy, System: graphstore.SystemMetadata(v.System),
		}
		if !v.Latest {
			s.pending.PutArchived = append(s.pending.PutArchived, version)
			continue
		}
		version.Version = 0
		s.pending.PutVersions = append(s.pending.PutVersions, version)
		aspect, _ := s.c.registry.Aspect(v.Aspect) // it was read
		ch := e.change(aspect, v)
		if err := s.updateNode(ch, nil, e.values[k]); err != nil {
			return err
		}
		for _, statement := range e.statements[k] {
			statement.Since, statement.SinceRun, statement.SinceActor = v.CreatedOn, v.System.RunID, v.CreatedBy
			if told, ok := known[statement.EdgeID]; ok {
				statement.Since, statement.SinceRun, statement.SinceActor = told.Since, told.SinceRun, told.SinceActor
			}
			s.pending.AddEdges = append(s.pending.AddEdges, statement)
		}
		record := s.record(ch, graphstore.ChangeUpsert)
		record.Becomes(&version)
		s.pending.Changes = append(s.pending.Changes, record)
	}
	return nil
}
