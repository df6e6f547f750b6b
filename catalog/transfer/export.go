package transfer

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
)

// ExportFormat is the version of the format of exports.
const ExportFormat = 1

// ExportLine is one line of an export. Exactly one of its members is set.
type ExportLine struct {
	Header     *ExportHeader `json:"header,omitempty"`
	Entity     *ExportEntity `json:"entity,omitempty"`
	TimeSeries *ExportSeries `json:"timeSeries,omitempty"`
	End        *ExportEnd    `json:"end,omitempty"`
}

// Encode writes the line. Values are written byte for byte as they are stored.
func (l *ExportLine) Encode(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(l)
}

// ExportHeader is the first line of an export.
type ExportHeader struct {
	Format int `json:"format"`
	// Time is when the export began, epoch milliseconds.
	Time int64 `json:"time"`
}

// ExportEntity is an entity with all versions of its aspects, and with all current and ended
// edges that they state.
type ExportEntity struct {
	URN      string          `json:"urn"`
	Versions []ExportVersion `json:"versions"`
	Edges    []ExportEdge    `json:"edges,omitempty"`
}

// ExportVersion is one version of an aspect.
type ExportVersion struct {
	Aspect string `json:"aspect"`
	// Seq is the number of the version in the order of writing.
	Seq    int64 `json:"seq"`
	Latest bool  `json:"latest,omitempty"`
	ExportStamp
}

// ExportStamp is a value with its stamps and system metadata.
type ExportStamp struct {
	Value json.RawMessage `json:"value"`
	// CreatedOn is when the value was written, epoch milliseconds; CreatedBy is the actor who
	// wrote it.
	CreatedOn int64                  `json:"createdOn"`
	CreatedBy string                 `json:"createdBy"`
	System    catalog.SystemMetadata `json:"systemMetadata"`
}

// ExportEdge is an edge that an aspect states. If Until is set, the edge has ended.
type ExportEdge struct {
	Aspect          string          `json:"aspect"`
	Path            string          `json:"path"`
	Type            string          `json:"type"`
	Source          string          `json:"source"`
	SourceType      string          `json:"sourceType"`
	Destination     string          `json:"destination"`
	DestinationType string          `json:"destinationType"`
	CreatedOn       int64           `json:"createdOn,omitempty"`
	CreatedActor    string          `json:"createdActor,omitempty"`
	UpdatedOn       int64           `json:"updatedOn,omitempty"`
	UpdatedActor    string          `json:"updatedActor,omitempty"`
	Properties      json.RawMessage `json:"properties,omitempty"`
	Via             string          `json:"via,omitempty"`
	Since           int64           `json:"since"`
	SinceRun        string          `json:"sinceRun,omitempty"`
	SinceActor      string          `json:"sinceActor,omitempty"`
	Resumed         int64           `json:"resumed,omitempty"`
	ResumedActor    string          `json:"resumedActor,omitempty"`
	Until           int64           `json:"until,omitempty"`
	UntilRun        string          `json:"untilRun,omitempty"`
	UntilActor      string          `json:"untilActor,omitempty"`
}

// ExportSeries has values of a time-series aspect, the oldest first.
type ExportSeries struct {
	URN    string        `json:"urn"`
	Aspect string        `json:"aspect"`
	Values []ExportStamp `json:"values"`
}

// ExportEnd is the last line of an export. ExportEnd counts the contents of the other lines. An
// export without an ExportEnd is incomplete.
type ExportEnd struct {
	Entities int64 `json:"entities"`
	Versions int64 `json:"versions"`
	Edges    int64 `json:"edges"`
	Values   int64 `json:"values"`
	// ChangesMeanwhile counts the writes during the export. The export may or may not contain
	// them.
	ChangesMeanwhile int64 `json:"changesMeanwhile"`
}

// These bound the entities and the time-series values that an export has in memory at once.
const (
	exportedEntities = 100
	exportedValues   = 200
)

// enterExport waits a short time for a place among the exports. Each export holds its largest
// line in memory for as long as its reader takes.
func (s *Service) enterExport(ctx context.Context) (leave func(), err error) {
	leave, err = s.exports.EnterSoon(ctx)
	return leave, catalog.StoreFailure(err)
}

// Export writes the whole catalog, entity by entity in the order of URNs: every version, every
// edge with its past, and every time-series value. Export leaves out the change log and the
// cursors of its followers.
func (s *Service) Export(ctx context.Context, write func(*ExportLine) error) error {
	leave, err := s.enterExport(ctx)
	if err != nil {
		return err
	}
	defer leave()
	began, err := s.store.EndCursor(ctx)
	if err != nil {
		return catalog.StoreFailure(err)
	}
	if err := write(&ExportLine{Header: &ExportHeader{Format: ExportFormat, Time: s.now().UnixMilli()}}); err != nil {
		return err
	}
	e := &export{c: s, write: write}
	for after := ""; ; {
		urns, err := s.store.ScanEntities(ctx, after, exportedEntities)
		if err != nil {
			return catalog.StoreFailure(err)
		}
		if len(urns) == 0 {
			break
		}
		if err := e.entities(ctx, urns); err != nil {
			return err
		}
		after = urns[len(urns)-1]
	}
	if e.end.ChangesMeanwhile, err = s.store.Lag(ctx, began); err != nil {
		return catalog.StoreFailure(err)
	}
	return write(&ExportLine{End: &e.end})
}

// export is the state of an export.
type export struct {
	c     *Service
	write func(*ExportLine) error
	end   ExportEnd
}

func (e *export) entities(ctx context.Context, urns []string) error {
	histories, err := e.c.store.History(ctx, urns)
	if err != nil {
		return catalog.StoreFailure(err)
	}
	held, err := e.c.store.Holdings(ctx, urns)
	if err != nil {
		return catalog.StoreFailure(err)
	}
	for _, urn := range urns {
		if history, ok := histories[urn]; ok { // an entity without a history was deleted meanwhile
			entity := exportEntity(urn, &history)
			e.end.Entities++
			e.end.Versions += int64(len(entity.Versions))
			e.end.Edges += int64(len(entity.Edges))
			if err := e.write(&ExportLine{Entity: entity}); err != nil {
				return err
			}
		}
		delete(held[urn].TimeSeries, catalog.RolledBackSeries) // these series are internal: no model has them
		delete(held[urn].TimeSeries, catalog.RollbacksSeries)
		for _, aspect := range slices.Sorted(maps.Keys(held[urn].TimeSeries)) {
			if err := e.series(ctx, urn, aspect); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *export) series(ctx context.Context, urn, aspect string) error {
	query := graphstore.TimeSeriesQuery{URN: urn, Aspect: aspect, Ascending: true, Limit: exportedValues}
	for {
		page, err := e.c.store.TimeSeries(ctx, query)
		if err != nil {
			return catalog.StoreFailure(err)
		}
		if len(page) == 0 {
			return nil
		}
		line := &ExportSeries{URN: urn, Aspect: aspect, Values: make([]ExportStamp, len(page))}
		for i := range page {
			v := &page[i]
			line.Values[i] = ExportStamp{Value: v.Value, CreatedOn: v.CreatedOn, CreatedBy: v.CreatedBy, System: *catalog.SystemOf(&v.System)}
		}
		e.end.Values += int64(len(page))
		if err := e.write(&ExportLine{TimeSeries: line}); err != nil {
			return err
		}
		last := &page[len(page)-1]
		query.After = &graphstore.TimeSeriesPosition{Timestamp: last.Timestamp, Key: last.Key}
	}
}

// EntityOf returns an entity in the form of an export.
func EntityOf(urn string, h *graphstore.History) *ExportEntity { return exportEntity(urn, h) }

// History returns the entity in the store's form, without a check.
func (e *ExportEntity) History() graphstore.History {
	var h graphstore.History
	for i := range e.Versions {
		h.Versions = append(h.Versions, e.Versions[i].stored(e.URN))
	}
	for i := range e.Edges {
		h.Add(e.Edges[i].statement(e.URN))
	}
	return h
}

func (v *ExportVersion) stored(urn string) graphstore.Aspect {
	return graphstore.Aspect{
		URN: urn, Name: v.Aspect, Version: graphstore.VersionNumber(v.Seq, v.Latest), Seq: v.Seq,
		Value: v.Value, CreatedOn: v.CreatedOn, CreatedBy: v.CreatedBy, System: v.System.Stored(),
	}
}

func exportEntity(urn string, h *graphstore.History) *ExportEntity {
	e := &ExportEntity{URN: urn, Versions: make([]ExportVersion, len(h.Versions))}
	for i := range h.Versions {
		v := &h.Versions[i]
		e.Versions[i] = ExportVersion{
			Aspect: v.Name, Seq: v.Seq, Latest: v.IsLatest(),
			ExportStamp: ExportStamp{Value: v.Value, CreatedOn: v.CreatedOn, CreatedBy: v.CreatedBy, System: *catalog.SystemOf(&v.System)},
		}
	}
	for i := range h.Current {
		e.Edges = append(e.Edges, exportEdge(&graphstore.EndedStatement{EdgeStatement: h.Current[i]}))
	}
	for i := range h.Ended {
		e.Edges = append(e.Edges, exportEdge(&h.Ended[i]))
	}
	return e
}

func exportEdge(e *graphstore.EndedStatement) ExportEdge {
	return ExportEdge{
		Aspect: e.Aspect, Path: e.Path, Type: e.Type,
		Source: e.Source, SourceType: e.SourceType, Destination: e.Destination, DestinationType: e.DestinationType,
		CreatedOn: e.CreatedOn, CreatedActor: e.CreatedActor, UpdatedOn: e.UpdatedOn, UpdatedActor: e.UpdatedActor, Properties: e.Properties, Via: e.Via,
		Since: e.Since, SinceRun: e.SinceRun, SinceActor: e.SinceActor, Resumed: e.Resumed, ResumedActor: e.ResumedActor,
		Until: e.Until, UntilRun: e.UntilRun, UntilActor: e.UntilActor,
	}
}

// statement returns the edge in the store's form.
func (e *ExportEdge) statement(owner string) graphstore.EndedStatement {
	return graphstore.EndedStatement{
		EdgeStatement: graphstore.EdgeStatement{
			EdgeID: graphstore.EdgeID{
				Owner: owner, Aspect: e.Aspect, Path: e.Path, Source: e.Source, Type: e.Type, Destination: e.Destination,
			},
			SourceType: e.SourceType, DestinationType: e.DestinationType,
			EdgeAttributes: graphstore.EdgeAttributes{
				CreatedOn: e.CreatedOn, CreatedActor: e.CreatedActor, UpdatedOn: e.UpdatedOn, UpdatedActor: e.UpdatedActor, Properties: e.Properties, Via: e.Via,
			},
			Since: e.Since, SinceRun: e.SinceRun, SinceActor: e.SinceActor, Resumed: e.Resumed, ResumedActor: e.ResumedActor,
		},
		Until: e.Until, UntilRun: e.UntilRun, UntilActor: e.UntilActor,
	}
}
