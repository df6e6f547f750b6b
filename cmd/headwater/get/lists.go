package get

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/model"
)

// relatedKind is a kind of list on the page of an entity type: the entities at the other
// ends of some relationships.
type relatedKind struct {
	entityType, head string
	relationships    []string
	// filter is the search field that finds all entities of the list, "" if there is none.
	filter string
	// outgoing: the edges lead from the entity of the page to the entities of the list.
	outgoing bool
}

var relatedKinds = []relatedKind{
	{entityType: model.EntityCorpGroup, head: "Members", relationships: []string{model.RelationshipIsMemberOfGroup, model.RelationshipIsMemberOfNativeGroup}},
	{entityType: model.EntityCorpGroup, head: "Owns", relationships: []string{model.RelationshipOwnedBy}, filter: "owners"},
	{entityType: model.EntityCorpuser, head: "Owns", relationships: []string{model.RelationshipOwnedBy}, filter: "owners"},
	{entityType: model.EntityTag, head: "Used on", relationships: []string{
		model.RelationshipTaggedWith, model.RelationshipSchemaFieldTaggedWith, model.RelationshipEditableSchemaFieldTaggedWith,
	}, filter: "tags"},
	{entityType: model.EntityGlossaryTerm, head: "Used on", relationships: []string{
		model.RelationshipTermedWith, model.RelationshipSchemaFieldWithGlossaryTerm, model.RelationshipEditableSchemaFieldWithGlossaryTerm,
	}, filter: "glossaryTerms"},
	{entityType: model.EntityGlossaryNode, head: "Contents", relationships: []string{model.RelationshipIsPartOf}},
	{entityType: model.EntityDomain, head: "Contents", relationships: []string{model.RelationshipAssociatedWith}, filter: "domains"},
	{entityType: model.EntityDomain, head: "Domains in it", relationships: []string{model.RelationshipIsPartOf}},
	{entityType: model.EntityContainer, head: "Contents", relationships: []string{model.RelationshipIsPartOf}, filter: "container"},
	{entityType: model.EntityDataFlow, head: "Jobs", relationships: []string{model.RelationshipIsPartOf}},
	{entityType: model.EntityDataProduct, head: "Contents", relationships: []string{model.RelationshipDataProductContains}, outgoing: true},
	{entityType: model.EntityDataJob, head: "Runs", relationships: []string{model.RelationshipInstanceOf}},
}

// relatedList is a list on the page of one entity.
type relatedList struct {
	relatedKind
	urns []string
	// total is the number of entities in the list. urns has the first entities, at most allItems.
	total int64
}

// relatedTo reads the lists of an entity from the server.
func relatedTo(ctx context.Context, e *cli.Environment, p *page) ([]relatedList, error) {
	entity := p.entity
	var lists []relatedList
	for _, kind := range relatedKinds {
		if kind.entityType != entity.EntityName {
			continue
		}
		query := url.Values{"urn": {entity.URN}, "direction": {"INCOMING"}, "types": kind.relationships, "count": {strconv.Itoa(allItems)}}
		if kind.outgoing {
			query.Set("direction", "OUTGOING")
		}
		p.at(query)
		var found struct {
			Total    int64    `json:"total"`
			Entities []string `json:"entities"`
		}
		if _, err := e.Ask(ctx, "/relationships?"+query.Encode(), &found); err != nil {
			return nil, err
		}
		list := relatedList{relatedKind: kind, total: found.Total}
		for _, urn := range found.Entities { // an entity can come twice, if it has the tag and its column has it too
			if !slices.Contains(list.urns, urn) {
				list.urns = append(list.urns, urn)
			}
		}
		if found.Total <= allItems {
			list.total = int64(len(list.urns))
		}
		if list.total > 0 {
			lists = append(lists, list)
		}
	}
	return lists, nil
}

func (p *page) writeRelated(w io.Writer, list *relatedList, width int) error {
	fmt.Fprintf(w, "\n%s (%d)\n", list.head, list.total)
	table := placeTable()
	shown := list.urns[:min(len(list.urns), p.limit(pageItems))]
	for _, urn := range shown {
		c := p.cards[urn]
		addPlace(table, c.Name, c.Place, "")
	}
	if err := table.Write(w, width); err != nil {
		return err
	}
	if more := list.total - int64(len(shown)); more > 0 {
		fmt.Fprintf(w, "  and %d more", more)
		if list.filter != "" {
			fmt.Fprintf(w, ": headwater search --filter %s", show.ShellWord(list.filter+"="+p.urn))
		}
		fmt.Fprintln(w)
	}
	return nil
}

// placeTable returns an empty table of entities, with name, type, platform and path.
func placeTable() *screen.Table {
	return &screen.Table{Columns: []screen.Column{{Least: 12}, {}, {}, {Least: 12, Front: true}, {}}, Indent: 2}
}

// addPlace adds an entity to a table. It leaves out the path if it equals the name.
func addPlace(table *screen.Table, name string, at show.Place, note string) {
	path := at.Path
	if path == name {
		path = ""
	}
	table.Add(name, show.TypeWord(at.Type), at.Platform, path, note)
}

func (p *page) writeNeighbours(w io.Writer, found *lineage.Result, head, flag string, width int) error {
	if found == nil || found.Total == 0 {
		return nil
	}
	fmt.Fprintf(w, "\n%s (%d)\n", head, found.Total)
	table := placeTable()
	for i := range found.Entities {
		at := show.PlaceOf(found.Entities[i].URN)
		if at.Platform == "" {
			at.Platform = show.LeafOf(found.Entities[i].Platform)
		}
		addPlace(table, found.Entities[i].Name, at, show.Unusual(&found.Entities[i]))
	}
	if err := table.Write(w, width); err != nil {
		return err
	}
	if more := found.Total - len(found.Entities); more > 0 {
		fmt.Fprintf(w, "  and %d more: headwater lineage %s%s\n", more, show.ShellWord(p.asked), flag)
	}
	return nil
}

// columns returns the columns of the entity, or none if it has no schema or its schema cannot be
// read.
func (p *page) columns() []statements.Column {
	schema, edited := p.entity.Aspects[model.AspectSchemaMetadata], p.entity.Aspects[model.AspectEditableSchemaMetadata]
	columns, err := statements.ColumnsOf(schema.Value, edited.Value)
	if err != nil {
		return nil
	}
	return columns
}

func (p *page) writeColumns(w io.Writer, width int) error {
	columns := p.columns()
	if len(columns) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nColumns (%d)\n", len(columns))
	table := &screen.Table{Columns: []screen.Column{
		{Head: "NAME"}, {Head: "TYPE", Least: 8}, {Head: "KEY"}, {Head: "NULL"}, {Head: "DESCRIPTION", Least: 16}, {Head: "TAGS AND TERMS", Least: 10},
	}, Indent: 2}
	shown := columns[:min(len(columns), p.limit(pageColumns))]
	for i := range shown {
		c, key, null := &shown[i], "", "no"
		if c.Key {
			key = "key"
		}
		if c.Nullable {
			null = "yes"
		}
		var labels []string
		for _, urn := range slices.Concat(c.Tags, c.Terms) {
			labels = append(labels, p.cards.NameOf(urn))
		}
		table.Add(model.PlainPath(c.Path), c.NativeType, key, null, c.Description, strings.Join(labels, ", "))
	}
	if err := table.Write(w, width); err != nil {
		return err
	}
	if more := len(columns) - len(shown); more > 0 {
		fmt.Fprintf(w, "  and %d more: headwater get %s --all\n", more, show.ShellWord(p.asked))
	}
	return nil
}
