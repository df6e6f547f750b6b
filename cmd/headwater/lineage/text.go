package lineage

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
	"github.com/headwater-io/headwater/model"
)

// writeTree draws the reached entities below the start of the walk. An entity on several
// paths has its branch once, at its smallest distance; at other places an arrow points up
// or down to that branch. Lines are cut to the width of the screen, except lines with URNs,
// because people copy URNs.
func writeTree(to io.Writer, page *lineage.Result, urns bool) error {
	w := bufio.NewWriter(to)
	t := &tree{w: w, width: screen.WidthOf(to), urns: urns, labels: map[string]string{}, degrees: map[string]int{}, next: map[string][]lineage.Link{}, drawn: map[string]bool{}}
	for i := range page.Entities {
		t.labels[page.Entities[i].URN] = t.labelOf(&page.Entities[i])
		t.degrees[page.Entities[i].URN] = page.Entities[i].Degree
	}
	starts := []string{}
	for _, edge := range page.Edges {
		from, _ := along(page.Direction, &edge)
		if _, reached := t.degrees[from]; !reached && t.next[from] == nil && from != page.URN {
			starts = append(starts, from) // the start is a column of the entity
		}
		t.next[from] = append(t.next[from], edge)
	}
	t.direction = page.Direction
	t.line("%s  (%s, %s)", t.label(page.Name, page.URN), strings.ToLower(page.Direction), wording.Counted(page.Total, "entity", "entities"))
	t.drawn[page.URN] = true
	t.branches(page.URN, "")
	for _, start := range starts {
		if !t.drawn[start] {
			t.drawn[start] = true
			t.line("%s", t.label("", start))
			t.branches(start, "")
		}
	}
	// The remaining entities have no drawn path, because of a filter or because the path is
	// on another page.
	for i := range page.Entities {
		if e := &page.Entities[i]; !t.drawn[e.URN] {
			t.line("… %s  (%s)", t.labelOf(e), wording.Counted(e.Degree, "hop", "hops"))
			t.drawn[e.URN] = true
			t.branches(e.URN, "  ")
		}
	}
	return w.Flush()
}

// along returns the two ends of an edge in the direction of the walk.
func along(direction string, e *lineage.Link) (from, to string) {
	if direction == lineage.Downstream {
		return e.Upstream, e.Downstream
	}
	return e.Downstream, e.Upstream
}

// tree draws branches.
type tree struct {
	w         io.Writer
	width     int
	urns      bool
	direction string
	labels    map[string]string
	degrees   map[string]int
	next      map[string][]lineage.Link
	drawn     map[string]bool
}

func (t *tree) branches(urn, indent string) {
	edges := t.next[urn]
	for i := range edges {
		stem, below := "├─ ", "│  "
		if i == len(edges)-1 {
			stem, below = "└─ ", "   "
		}
		_, to := along(t.direction, &edges[i])
		label := cmp.Or(t.labels[to], t.label("", to))
		if t.drawn[to] || t.degrees[to] != t.degrees[urn]+1 {
			t.line("%s%s%s%s%s", indent, stem, label, howMade(&edges[i]), t.whereDrawn(to))
			continue
		}
		t.drawn[to] = true
		t.line("%s%s%s%s", indent, stem, label, howMade(&edges[i]))
		t.branches(to, indent+below)
	}
}

// whereDrawn returns the arrow that points to the branch of an entity.
func (t *tree) whereDrawn(urn string) string {
	switch {
	case t.drawn[urn]:
		return "  ↑"
	case t.labels[urn] != "":
		return "  ↓"
	}
	return ""
}

// line writes a line, cut to the width of the screen. The indentation and the stems of the
// tree stay complete.
func (t *tree) line(format string, args ...any) {
	width := t.width
	if t.urns {
		width = 0
	}
	fmt.Fprintln(t.w, screen.Cut(fmt.Sprintf(format, args...), width))
}

// label returns the name of an entity with its type, platform and path or, if URNs are
// wanted, with its URN. Commands accept the path as an argument too.
func (t *tree) label(name, urn string) string {
	at := show.PlaceOf(urn)
	name = screen.Line(cmp.Or(name, at.Path))
	if t.urns {
		return name + "  " + screen.Line(urn)
	}
	path := at.Path
	if path == name {
		path = ""
	}
	return name + "  " + screen.Line(show.TypeWord(at.Type)+" "+at.Platform+" "+path)
}

// labelOf returns the label of a reached entity, with a note if the entity is deleted or
// does not exist.
func (t *tree) labelOf(e *lineage.Entity) string {
	label := t.label(e.Name, e.URN)
	if note := show.Unusual(e); note != "" {
		label += "  " + note
	}
	return label
}

// howMade returns the statements of column-level lineage about an edge, and whether the edge fades.
func howMade(e *lineage.Link) string {
	var words []string
	if e.TransformOperation != "" {
		words = append(words, screen.Line(e.TransformOperation))
	}
	if e.ConfidenceScore != nil && *e.ConfidenceScore != 1 {
		words = append(words, fmt.Sprintf("confidence %g", *e.ConfidenceScore))
	}
	if e.Fading != nil {
		words = append(words, "fading: "+screen.Line(e.Fading.Text()))
	}
	if len(words) == 0 {
		return ""
	}
	return "  [" + strings.Join(words, ", ") + "]"
}

// quoted returns a text in quotes for Graphviz.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(screen.Line(text)) + `"`
}

// writeDot writes a graph for Graphviz. Edges point downstream.
func writeDot(to io.Writer, page *lineage.Result) error {
	w := bufio.NewWriter(to)
	fmt.Fprintln(w, "digraph lineage {\n  rankdir=LR;\n  node [shape=box];")
	fmt.Fprintf(w, "  %s [label=%s, style=bold];\n", quoted(page.URN), quoted(startOf(page)))
	for i := range page.Entities {
		e := &page.Entities[i]
		fmt.Fprintf(w, "  %s [label=%s];\n", quoted(e.URN), quoted(e.Name+" ("+e.Type+")"))
	}
	for i := range page.Edges {
		e := &page.Edges[i]
		faint := ""
		if e.Fading != nil {
			faint = ", style=dashed, tooltip=" + quoted(e.Fading.Text())
		}
		fmt.Fprintf(w, "  %s -> %s [label=%s%s];\n", quoted(e.Upstream), quoted(e.Downstream), quoted(flowOf(e.Type)), faint)
	}
	fmt.Fprintln(w, "}")
	return w.Flush()
}

// writeMermaid writes a flowchart for Mermaid. Edges point downstream.
func writeMermaid(to io.Writer, page *lineage.Result) error {
	w := bufio.NewWriter(to)
	ids := map[string]string{}
	id := func(urn, label string) string {
		if ids[urn] == "" {
			ids[urn] = "n" + strconv.Itoa(len(ids))
			fmt.Fprintf(w, "  %s[\"%s\"]\n", ids[urn], mermaidText(label))
		}
		return ids[urn]
	}
	fmt.Fprintln(w, "flowchart LR")
	id(page.URN, startOf(page))
	for i := range page.Entities {
		e := &page.Entities[i]
		id(e.URN, e.Name+" ("+e.Type+")")
	}
	for i := range page.Edges {
		e := &page.Edges[i]
		from, to := id(e.Upstream, e.Upstream), id(e.Downstream, e.Downstream)
		arrow, word := "-->", flowOf(e.Type)
		if e.Fading != nil {
			arrow, word = "-.->", word+", fading"
		}
		fmt.Fprintf(w, "  %s %s|%s| %s\n", from, arrow, mermaidText(word), to)
	}
	return w.Flush()
}

// startOf returns the name of the walk's start in a drawing.
func startOf(page *lineage.Result) string {
	if page.Name == "" {
		return page.URN
	}
	return page.Name + " (" + page.Type + ")"
}

// flows has a word for each relationship, in the direction of the arrows of drawings, which
// is the flow of data. Some relationships are stated in the opposite direction: for
// DownstreamOf, the word is "feeds".
var flows = map[string]string{
	model.RelationshipDownstreamOf:                "feeds",
	model.RelationshipIndirectlyDownstreamOf:      "is read for",
	model.RelationshipDerivedFrom:                 "feeds",
	model.RelationshipSourcedFrom:                 "feeds",
	model.RelationshipConsumes:                    "is read by",
	model.RelationshipProduces:                    "writes",
	model.RelationshipDataProcessInstanceConsumes: "is read by",
	model.RelationshipDataProcessInstanceProduces: "writes",
	model.RelationshipContains:                    "is part of",
	model.RelationshipDashboardContainsDashboard:  "is part of",
	model.RelationshipTrainedBy:                   "trains",
	model.RelationshipUsedBy:                      "is used by",
	model.RelationshipMemberOf:                    "belongs to",
	model.RelationshipAgentUsesTool:               "is used by",
	model.RelationshipRepositoryForkOf:            "was forked to",
	model.RelationshipServiceComposesApi:          "composes",
	model.RelationshipConsumesMetric:              "is read by",
}

// flowOf returns the word for a relationship, or the name of a relationship without one,
// for example of a custom model.
func flowOf(relationship string) string { return cmp.Or(flows[relationship], relationship) }

// mermaidText escapes a text for quotes in Mermaid.
func mermaidText(text string) string {
	return strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;", "|", "#124;").Replace(screen.Line(text))
}

// writeDiff lists the changed edges, with the actors of the changes.
func writeDiff(to io.Writer, d *lineage.Diff, urns bool) error {
	w := bufio.NewWriter(to)
	moment := func(at int64) string {
		if at == 0 {
			return "now"
		}
		return show.TimeOf(at)
	}
	t := &tree{w: w, urns: urns}
	t.line("%s  (%s, %s to %s)", t.label("", d.URN), strings.ToLower(d.Direction), moment(d.Before), moment(d.After))
	for i := range d.Added {
		t.line("+ %s  (%s)", t.labelOf(&d.Added[i]), wording.Counted(d.Added[i].Degree, "hop", "hops"))
	}
	for i := range d.Ended {
		t.line("- %s  (%s)", t.labelOf(&d.Ended[i]), wording.Counted(d.Ended[i].Degree, "hop", "hops"))
	}
	for i := range d.Moved {
		t.line("~ %s  (%s, was %d)", t.labelOf(&d.Moved[i].Entity), wording.Counted(d.Moved[i].Degree, "hop", "hops"), d.Moved[i].DegreeBefore)
	}
	end := func(urn string) string {
		if urns {
			return screen.Line(urn)
		}
		return screen.Line(show.LeafOf(urn))
	}
	for i := range d.EdgesAdded {
		e := &d.EdgesAdded[i]
		at, run, actor := e.Began()
		how := ofRun(run)
		if e.ResumedActor != "" {
			how = ", with a rollback"
		}
		t.line("+ %s %s %s  %s by %s%s%s", end(e.Upstream), flowOf(e.Type), end(e.Downstream), moment(at), end(actor), how, howMade(e))
	}
	for i := range d.EdgesEnded {
		e := &d.EdgesEnded[i]
		t.line("- %s %s %s  %s by %s%s", end(e.Upstream), flowOf(e.Type), end(e.Downstream), moment(e.Until), end(e.UntilActor), ofRun(e.UntilRun))
	}
	if len(d.Added)+len(d.Ended)+len(d.Moved)+len(d.EdgesAdded)+len(d.EdgesEnded) == 0 {
		fmt.Fprintln(w, "nothing changed")
	}
	if d.Partial {
		fmt.Fprintf(w, "this is incomplete: %s\n", screen.Line(d.Reason))
	}
	return w.Flush()
}

func ofRun(run string) string {
	if run == "" || run == catalog.NoRunID {
		return ""
	}
	return ", run " + screen.Line(run)
}
