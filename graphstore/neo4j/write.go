package neo4j

import (
	"maps"
	"slices"
	"strings"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

// rowsAtOnce bounds the rows of one statement.
const rowsAtOnce = 1000

// row is a row of a statement's parameter.
type row = map[string]any

// Write applies a batch in the order of its fields.
func (t *tx) Write(b graphstore.Batch) error {
	if err := t.usable(); err != nil {
		return err
	}
	t.written = true
	t.failed = t.write(&b)
	return t.failed
}

func (t *tx) write(b *graphstore.Batch) error {
	if err := t.checkNamed(b); err != nil {
		return err
	}
	t.changes = append(t.changes, b.Changes...)
	if !t.holdBack(b) {
		if err := t.flush(); err != nil {
			return err
		}
		clear(t.pending.states)
	}
	for _, step := range []func(*graphstore.Batch) error{
		t.deleteEntities, t.deleteVersions, t.observe, t.archive, t.restore, t.putArchived, t.putVersions, t.putNodes,
		t.endEdges, t.updateEdges, t.addEdges, t.ensureEdges, t.addEnded, t.putLabels, t.putTimeSeries, t.deleteTimeSeries, t.putRecords,
	} {
		if err := step(b); err != nil {
			return err
		}
	}
	return nil
}

// execRows runs a statement over rows, in portions.
func execRows[T any](t *tx, name string, rows []T) error {
	if len(rows) == 0 {
		return nil
	}
	return execRowsOf(t, name, nil, rows)
}

// execRowsOf is execRows of a statement with relationship names in its text.
func execRowsOf[T any](t *tx, name string, types []string, rows []T) error {
	statement, err := t.s.statements.Rows(name, types)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(rows, rowsAtOnce) {
		if err := t.execText(statement, batchOf(chunk)); err != nil {
			return err
		}
	}
	return nil
}

// batchOf returns the parameter of a statement from [cypher.Statements.Rows].
func batchOf[T any](rows []T) map[string]any { return map[string]any{"batch": row{"rows": rows}} }

// toRows converts items to rows.
func toRows[T any](items []T, convert func(*T) row) []row {
	rows := make([]row, len(items))
	for i := range items {
		rows[i] = convert(&items[i])
	}
	return rows
}

// deleteEntities deletes entities with all that they have and state.
func (t *tx) deleteEntities(b *graphstore.Batch) error {
	if len(b.DeleteEntities) == 0 {
		return nil
	}
	urns := map[string]any{"urns": b.DeleteEntities}
	urnOf := func(r *driver.Record) (string, error) { return text(r, "urn"), nil }
	ends, err := records(t, "write/entity_ends", urns, urnOf)
	if err != nil {
		return err
	}
	columns, err := records(t, "write/columns_of", urns, urnOf)
	if err != nil {
		return err
	}
	sources, err := records(t, "write/stated_elsewhere", urns, func(r *driver.Record) (row, error) {
		return row{"owner": text(r, "urn"), "source": text(r, "source")}, nil
	})
	if err != nil {
		return err
	}
	if len(sources) > 0 {
		_, err := records(t, "write/delete_statements", map[string]any{"rows": sources}, func(r *driver.Record) (row, error) {
			ends = append(ends, text(r, "source"), text(r, "destination"))
			return nil, nil
		})
		if err != nil {
			return err
		}
	}
	described := make([]row, len(b.DeleteEntities))
	for i, urn := range b.DeleteEntities {
		described[i] = t.s.describedRow(urn)
	}
	if err := execRows(t, "write/delete_entities", described); err != nil {
		return err
	}
	// Nodes that are no end of an edge are deleted at the end of the transaction, which may still
	// write about them.
	t.loose = slices.Concat(t.loose, ends, columns, b.DeleteEntities)
	return nil
}

func (t *tx) deleteVersions(b *graphstore.Batch) error {
	return execRows(t, "write/delete_versions", toRows(b.DeleteVersions, versionRangeRow))
}

func versionRangeRow(v *graphstore.VersionRange) row {
	return row{"urn": v.Key.URN, "name": v.Key.Name, "from": v.FromSeq, "to": v.ToSeq}
}

func (t *tx) observe(b *graphstore.Batch) error {
	return execRows(t, "write/observe", toRows(b.Observe, observationRow))
}

func observationRow(o *graphstore.Observation) row {
	return row{"urn": o.Key.URN, "name": o.Key.Name, "lastObserved": o.LastObserved}
}

func keyRow(k *graphstore.AspectKey) row { return row{"urn": k.URN, "name": k.Name} }

func (t *tx) archive(b *graphstore.Batch) error {
	return execRows(t, "write/archive", toRows(b.Archive, keyRow))
}

func (t *tx) restore(b *graphstore.Batch) error {
	return execRows(t, "write/restore", toRows(b.Restore, func(v *graphstore.VersionKey) row {
		return row{"urn": v.Key.URN, "name": v.Key.Name, "seq": v.Seq}
	}))
}

func (t *tx) putNodes(b *graphstore.Batch) error {
	err := execRows(t, "write/nodes", toRows(b.Nodes, func(n *graphstore.NodeUpdate) row {
		delete(t.fresh, n.URN)
		return t.s.nodeRow(n)
	}))
	if err != nil {
		return err
	}
	columns := t.s.newColumnRows()
	columns.addNodes(b.Nodes)
	return t.putColumns(columns)
}

func (s *Store) nodeRow(n *graphstore.NodeUpdate) row {
	r := s.describedRow(n.URN)
	properties := make(row, len(n.Properties)+len(n.Shown.Properties)+1)
	if shown, ok := r["shown"].(row); ok && shown["platformId"] != nil {
		properties["platformId"] = shown["platformId"]
	}
	maps.Copy(properties, n.Properties)
	maps.Copy(properties, n.Shown.Properties)
	r["type"], r["label"], r["exists"], r["removed"], r["properties"] = n.Type, s.label(n.Type), n.Exists, nil, properties
	if n.Removed != nil {
		r["removed"] = *n.Removed
	}
	return r
}

// identityRow returns the identity by which edges are found.
func identityRow(e *graphstore.EdgeID) row {
	return row{"owner": e.Owner, "aspect": e.Aspect, "path": e.Path, "source": e.Source, "destination": e.Destination, "type": e.Type}
}

// execByType runs a statement for the rows of each relationship name, with the name in its
// text.
func (t *tx) execByType(name string, rows []row) error {
	byType := rowsByType(rows)
	for _, edgeType := range slices.Sorted(maps.Keys(byType)) {
		if err := execRowsOf(t, name, []string{edgeType}, byType[edgeType]); err != nil {
			return err
		}
	}
	return nil
}

func rowsByType(rows []row) map[string][]row {
	byType := map[string][]row{}
	for _, r := range rows {
		edgeType, _ := r["type"].(string)
		byType[edgeType] = append(byType[edgeType], r)
	}
	return byType
}

// endRows returns the rows that end edges, and the rows that end their mirrors.
func (s *Store) endRows(ends []graphstore.EdgeEnd) (rows, mirrors []row) {
	rows = toRows(ends, func(e *graphstore.EdgeEnd) row {
		r := identityRow(&e.EdgeID)
		r["until"], r["untilRun"], r["untilActor"] = e.Until, e.UntilRun, e.UntilActor
		return r
	})
	for i := range ends {
		if s.mirrors(ends[i].Type) {
			mirrors = append(mirrors, rows[i])
		}
	}
	return rows, mirrors
}

func (t *tx) endEdges(b *graphstore.Batch) error {
	rows, mirrors := t.s.endRows(b.EndEdges)
	if err := execRows(t, "write/end_mirrors", mirrors); err != nil {
		return err
	}
	return t.execByType("write/end_edges", rows)
}

// attributeProperties returns the attributes that an aspect states of an edge. A null removes
// an older value.
func attributeProperties(a *graphstore.EdgeAttributes) row {
	p := row{"createdOn": nil, "createdActor": nil, "updatedOn": nil, "updatedActor": nil, "properties": nil, "via": nil}
	for name, n := range map[string]int64{"createdOn": a.CreatedOn, "updatedOn": a.UpdatedOn} {
		if n != 0 {
			p[name] = n
		}
	}
	for name, text := range map[string]string{
		"createdActor": a.CreatedActor, "updatedActor": a.UpdatedActor, "properties": string(a.Properties), "via": a.Via,
	} {
		if text != "" {
			p[name] = text
		}
	}
	return p
}

func (t *tx) updateEdges(b *graphstore.Batch) error {
	return t.execByType("write/update_edges", toRows(b.UpdateEdges, attributesRow))
}

func attributesRow(e *graphstore.EdgeStatement) row {
	r := identityRow(&e.EdgeID)
	p := attributeProperties(&e.EdgeAttributes)
	maps.Copy(p, e.Shown)
	r["properties"] = p
	return r
}

// addRows returns the rows that add edges, and the rows that add their mirrors.
func (s *Store) addRows(edges []graphstore.EdgeStatement) (rows, mirrors []row) {
	rows = toRows(edges, statementRow)
	for i := range edges {
		e := &edges[i]
		if s.mirrored[graphstore.EdgeKind{Type: e.Type, SourceType: e.SourceType, DestinationType: e.DestinationType}] {
			mirrors = append(mirrors, identityRow(&e.EdgeID))
		}
	}
	sortByDestination(rows)
	return rows, mirrors
}

func (t *tx) addEdges(b *graphstore.Batch) error {
	if len(b.AddEdges) == 0 {
		return nil
	}
	rows, mirrors := t.s.addRows(b.AddEdges)
	if err := t.prepareEnds(b.AddEdges); err != nil {
		return err
	}
	if err := t.execByType("write/add_edges", rows); err != nil {
		return err
	}
	return execRows(t, "write/add_mirrors", mirrors)
}

// ensureEdges finds the statements that are not current, and adds them.
func (t *tx) ensureEdges(b *graphstore.Batch) error {
	if len(b.EnsureEdges) == 0 {
		return nil
	}
	current := map[graphstore.EdgeID]bool{}
	byType := map[string][]row{}
	for i := range b.EnsureEdges {
		e := &b.EnsureEdges[i]
		r := identityRow(&e.EdgeID)
		r["n"] = i
		byType[e.Type] = append(byType[e.Type], r)
	}
	for _, edgeType := range slices.Sorted(maps.Keys(byType)) {
		statement, err := t.s.statements.Rows("write/current_edges", []string{edgeType})
		if err != nil {
			return err
		}
		for chunk := range slices.Chunk(byType[edgeType], rowsAtOnce) {
			result, err := t.run.Run(t.ctx, statement, batchOf(chunk))
			if err != nil {
				return err
			}
			if _, err = collect(t.ctx, result, func(r *driver.Record) (struct{}, error) {
				current[b.EnsureEdges[integer(r, "n")].EdgeID] = true
				return struct{}{}, nil
			}); err != nil {
				return err
			}
		}
	}
	add := graphstore.Batch{}
	for i := range b.EnsureEdges {
		if e := &b.EnsureEdges[i]; !current[e.EdgeID] {
			current[e.EdgeID] = true
			add.AddEdges = append(add.AddEdges, *e)
		}
	}
	return t.addEdges(&add)
}

func (t *tx) addEnded(b *graphstore.Batch) error {
	if len(b.AddEnded) == 0 {
		return nil
	}
	statements, rows := make([]graphstore.EdgeStatement, len(b.AddEnded)), make([]row, len(b.AddEnded))
	for i := range b.AddEnded {
		e := &b.AddEnded[i]
		statements[i], rows[i] = e.EdgeStatement, statementRow(&e.EdgeStatement)
		p := rows[i]["properties"].(row)
		p["type"], p["until"], p["untilRun"], p["untilActor"] = e.Type, e.Until, e.UntilRun, e.UntilActor
	}
	sortByDestination(rows)
	if err := t.prepareEnds(statements); err != nil {
		return err
	}
	return execRows(t, "write/add_ended", rows)
}

// statementRow returns the row of a relationship to create.
func statementRow(e *graphstore.EdgeStatement) row {
	p := attributeProperties(&e.EdgeAttributes)
	maps.Copy(p, e.Shown)
	p["owner"], p["aspect"], p["path"] = e.Owner, e.Aspect, e.Path
	p["since"], p["sinceRun"], p["sinceActor"] = e.Since, e.SinceRun, e.SinceActor
	if e.Resumed != 0 {
		p["resumed"], p["resumedActor"] = e.Resumed, e.ResumedActor
	}
	return row{"source": e.Source, "destination": e.Destination, "type": e.Type, "properties": p}
}

// sortByDestination sorts rows that add edges. Adding an edge locks both its ends, and the
// order makes all transactions lock hubs in the same order.
func sortByDestination(rows []row) { sortBy(rows, "destination") }

// sortBy sorts rows by members that are texts.
func sortBy(rows []row, members ...string) {
	slices.SortFunc(rows, func(a, b row) int {
		for _, member := range members {
			if order := strings.Compare(a[member].(string), b[member].(string)); order != 0 {
				return order
			}
		}
		return 0
	})
}

// prepareEnds creates the missing ends of statements, and records at their owners which other
// entities they make statements about.
func (t *tx) prepareEnds(statements []graphstore.EdgeStatement) error {
	missing, remembered := t.s.endsOf(statements, func(urn string) bool { return t.locked[urn] && !t.fresh[urn] })
	if err := execRows(t, "write/placeholders", missing); err != nil {
		return err
	}
	columns := t.s.newColumnRows()
	for _, r := range missing {
		columns.hang(r["urn"].(string))
	}
	if err := t.putColumns(columns); err != nil {
		return err
	}
	return execRows(t, "write/remember_sources", remembered)
}

// endsOf returns rows that create the missing ends of statements, in an order that cannot
// deadlock with other updates, and rows that record at owners which other entities they make
// statements about.
func (s *Store) endsOf(statements []graphstore.EdgeStatement, exists func(urn string) bool) (missing, remembered []row) {
	ends, elsewhere := map[string]string{}, map[string][]string{}
	for i := range statements {
		e := &statements[i]
		ends[e.Source], ends[e.Destination] = e.SourceType, e.DestinationType
		if e.Source != e.Owner && !slices.Contains(elsewhere[e.Owner], e.Source) {
			elsewhere[e.Owner] = append(elsewhere[e.Owner], e.Source)
		}
	}
	for _, urn := range slices.Sorted(maps.Keys(ends)) {
		if !exists(urn) {
			r := s.describedRow(urn)
			r["type"], r["label"] = ends[urn], s.label(ends[urn])
			missing = append(missing, r)
		}
	}
	for _, owner := range slices.Sorted(maps.Keys(elsewhere)) {
		remembered = append(remembered, row{"owner": owner, "sources": elsewhere[owner]})
	}
	return missing, remembered
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}
