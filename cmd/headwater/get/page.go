package get

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/quality"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/model"
)

// page is the text page about an entity.
type page struct {
	urn string
	// asked is the argument that named the entity, for suggested commands.
	asked      string
	self       show.Card
	entity     *client.Entity
	aspects    map[string]jsontree.Object
	upstream   *lineage.Result
	downstream *lineage.Result
	related    []relatedList
	// cards has the names of the entities that the page mentions.
	cards show.CardsByURN
	// all: the page shows complete lists.
	all bool
	// quality is nil in the past, and for entities without freshness and checks.
	quality *quality.State
	// past is the answer about a past moment, nil for now.
	past *pastAnswer
}

// The number of items that a page shows of a list, and the number that it asks the server
// for if it is to show all.
const (
	pageItems   = 5
	pageColumns = 40
	allItems    = 1000
)

// readPage reads the neighbourhood of an entity from the server: its lists, its lineage and
// the names on its page.
func readPage(ctx context.Context, e *cli.Environment, entity *client.Entity, v *entityView, state *quality.State) (*page, error) {
	p := &page{urn: entity.URN, asked: v.asked, self: show.CardOf(entity), entity: entity, aspects: show.Trees(entity), all: v.all, quality: state, past: v.past}
	var err error
	if hasLineage(entity.EntityName) {
		if p.upstream, err = neighbours(ctx, e, p, lineage.Upstream); err != nil {
			return nil, err
		}
		if p.downstream, err = neighbours(ctx, e, p, lineage.Downstream); err != nil {
			return nil, err
		}
	}
	if p.related, err = relatedTo(ctx, e, p); err != nil {
		return nil, err
	}
	p.cards, err = show.ReadCards(ctx, e.Client(), p.mentioned())
	return p, err
}

// hasLineage reports whether the model has lineage of the entity type.
func hasLineage(entityType string) bool {
	return slices.ContainsFunc(model.Default().LineageKinds(), func(k model.LineageKind) bool {
		return k.SourceType == entityType || k.DestinationType == entityType
	})
}

// neighbours reads the entities that are one hop of lineage away.
func neighbours(ctx context.Context, e *cli.Environment, p *page, direction string) (*lineage.Result, error) {
	query := url.Values{"direction": {direction}, "hops": {"1"}, "count": {strconv.Itoa(p.limit(pageItems))}, "paths": {"0"}}
	p.at(query)
	var found lineage.Result
	_, err := e.Ask(ctx, "/lineage/"+model.EncodeURN(p.urn)+"?"+query.Encode(), &found)
	return &found, err
}

// at adds the moment of the page to a query.
func (p *page) at(query url.Values) {
	if p.past != nil {
		query.Set("asOf", strconv.FormatInt(p.past.AsOf, 10))
	}
}

// limit returns the number of items to show of a list: n, or allItems with --all.
func (p *page) limit(n int) int {
	if p.all {
		return allItems
	}
	return n
}

// mentioned returns the URNs whose names the page shows.
func (p *page) mentioned() []string {
	found := map[string]bool{}
	for name, tree := range p.aspects {
		if name == model.AspectSchemaMetadata || name == model.AspectUpstreamLineage {
			continue // the URNs in a schema are columns, which have names already; the answer about lineage has names too
		}
		collectURNs(tree, found)
	}
	for _, urn := range qualityURNs(p.quality) {
		found[urn] = true
	}
	for i := range p.related {
		for _, urn := range p.related[i].urns[:min(len(p.related[i].urns), p.limit(pageItems))] {
			found[urn] = true
		}
	}
	for _, c := range p.columns() {
		for _, urn := range slices.Concat(c.Tags, c.Terms) {
			found[urn] = true
		}
	}
	urns := slices.Sorted(maps.Keys(found))
	return urns[:min(len(urns), allItems)]
}

// collectURNs adds the URNs in a JSON value to found.
func collectURNs(node any, found map[string]bool) {
	switch v := node.(type) {
	case string:
		if strings.HasPrefix(v, "urn:") && show.PlaceOf(v).Type != model.EntitySchemaField {
			found[v] = true
		}
	case []any:
		for _, item := range v {
			collectURNs(item, found)
		}
	case map[string]any:
		for _, item := range v {
			collectURNs(item, found)
		}
	}
}

// write writes the page for a screen that is width characters wide; 0 means no limit.
func (p *page) write(w io.Writer, width int) error {
	p.writeHead(w)
	if text := p.description(); text != "" {
		fmt.Fprintln(w)
		for _, line := range screen.Wrap(screen.Text(text), proseWidth(width)) {
			fmt.Fprintln(w, line)
		}
	}
	if facts := p.facts(); len(facts) > 0 {
		fmt.Fprintln(w)
		show.WriteFacts(w, facts, width)
	}
	if err := p.writeColumns(w, width); err != nil {
		return err
	}
	if err := p.writeAssertions(w, width); err != nil {
		return err
	}
	for i := range p.related {
		if err := p.writeRelated(w, &p.related[i], width); err != nil {
			return err
		}
	}
	if err := p.writeNeighbours(w, p.upstream, "Upstream", "", width); err != nil {
		return err
	}
	return p.writeNeighbours(w, p.downstream, "Downstream", " --downstream", width)
}

// widestProse bounds the width of descriptions, because longer lines are hard to read.
const widestProse = 100

func proseWidth(width int) int {
	if width == 0 {
		return widestProse
	}
	return min(width, widestProse)
}

// writeHead writes the name, type and place of the entity, and whether it is deleted or
// deprecated.
func (p *page) writeHead(w io.Writer) {
	fmt.Fprintln(w, screen.Line(p.self.Name))
	kind := show.TypeWord(p.entity.EntityName)
	for _, stated := range jsontree.Texts(p.aspects[model.AspectSubTypes], "typeNames") {
		if stated = screen.Line(stated); stated != "" {
			kind = stated
			break
		}
	}
	line := capital(kind)
	if p.self.Platform != "" {
		line += " in " + p.self.Platform
	}
	if p.self.Path != p.self.Name && p.self.Path != "" {
		line += ": " + p.self.Path
	}
	if p.self.Env != "" {
		line += " (" + p.self.Env + ")"
	}
	fmt.Fprintf(w, "%s\n%s\n", screen.Line(line), screen.Line(p.urn))
	p.writePast(w)
	if p.self.Removed {
		fmt.Fprintf(w, "\nSoft-deleted: searches hide it; headwater delete %s --undo shows it again\n", show.ShellWord(p.asked))
	}
	if d := p.aspects[model.AspectDeprecation]; d["deprecated"] == true {
		text := "Deprecated"
		if at := jsontree.Integer(d["decommissionTime"]); at > 0 {
			text += ", to be removed " + show.TimeOf(at)
		}
		if note := jsontree.Text(d, "note"); note != "" {
			text += ": " + note
		}
		if instead := jsontree.Text(d, "replacement"); instead != "" {
			text += "; use " + p.cards.NameOf(instead)
		}
		fmt.Fprintf(w, "\n%s\n", screen.Line(text))
	}
}

// writePast writes the past moment of the page, and which data is not known at that moment.
func (p *page) writePast(w io.Writer) {
	if p.past == nil {
		return
	}
	fmt.Fprintf(w, "\nAs of %s\n", show.TimeOf(p.past.AsOf))
	if len(p.past.Unsure) > 0 {
		fmt.Fprintf(w, "Removed at a time that is not known, perhaps before that: %s\n", strings.Join(p.past.Unsure, ", "))
	}
	if len(p.past.Lost) > 0 {
		fmt.Fprintf(w, "Versions of that time are not kept any more of: %s\n", strings.Join(p.past.Lost, ", "))
	}
}

// capital returns a text with a capital first letter.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// description returns the description that people wrote or, without one, that of the
// source.
func (p *page) description() string {
	text := show.FirstText(p.aspects, "description", "definition", "aboutMe")
	for _, statement := range []string{
		jsontree.Text(jsontree.Member(p.aspects[model.AspectQueryProperties], "statement"), "value"), jsontree.Text(p.aspects[model.AspectViewProperties], "viewLogic"),
	} {
		if statement != "" {
			text = strings.TrimLeft(text+"\n\n"+statement, "\n")
		}
	}
	return strings.TrimSpace(text)
}
