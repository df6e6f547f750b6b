package cases

import (
	"fmt"
	"strings"
)

// The operations of the page about lineage: graphs, impact and differences.

// shownNode is an entity as these operations show it.
type shownNode struct {
	URN, Name, Platform string
	Parent              *struct{ URN string }
	Degree              int
	DegreeBefore        int
	Exists, Removed     bool
}

const nodeFields = " urn name platform parent { urn } degree degreeBefore exists removed "

// shownLink is an edge as these operations show it.
type shownLink struct {
	Upstream, Downstream string
	SinceRun, UntilRun   string
	SinceActor           struct{ URN string }
	UntilActor           struct{ URN string }
}

const linkFields = " upstream downstream sinceRun sinceActor { urn } untilRun untilActor { urn } "

const basisFields = " basis { entities walked withoutColumnLineage moreSources summary sources { name source entities lastSeen failedSince { run status at } } } "

// distance is a degree regardless of the direction.
func distance(degree int) int { return max(degree, -degree) }

// graphInput is the input of a graph or a difference.
func graphInput(w *walk) (map[string]any, error) {
	if w.MergeSiblings || w.Reach != 0 || w.From != 0 || w.To != 0 || w.direction() != "UPSTREAM" && w.direction() != "DOWNSTREAM" {
		return nil, errNotExpressible
	}
	return map[string]any{"urn": w.Of, "direction": w.direction(), "hops": w.Hops, "columns": w.Columns}, nil
}

// graph asks for the parts that a search cannot find: columns, edges, and soft-deleted entities.
func (d graphQLDoor) graph(q *lineageQuestion) (answer, error) {
	narrowed := len(q.Where.Types)+len(q.Where.Platforms)+len(q.Where.Owners)+len(q.Where.Tags)+len(q.Where.Terms)+len(q.Where.Domains) > 0
	if narrowed || q.Start != 0 || q.Count != 0 || q.Removed != "" && q.Removed != "show" && q.Removed != "pass" {
		return nil, errNotExpressible
	}
	input, err := graphInput(&q.walk)
	if err != nil {
		return nil, err
	}
	if input["limit"] = 10_000; q.AsOf != "" {
		input["asOf"] = millis(q.AsOf)
	}
	var value struct {
		Nodes   []shownNode
		Edges   []shownLink
		Total   int
		Partial bool
		Reason  string
		Basis   *basis
	}
	selected := ""
	if q.Basis {
		selected = basisFields
	}
	refused, err := d.query("lineageGraph", "LineageGraphInput", "{ total partial reason nodes {"+nodeFields+"} edges {"+linkFields+"} "+selected+"}", input, &value)
	if err != nil || refused != nil {
		return refused, err
	}
	// A graph contains soft-deleted entities, and the start.
	pass := q.Removed == "pass" || q.Removed == "" && q.AsOf == ""
	shown, found, missing, known := map[string]bool{}, []string{}, []string{}, map[string]string{}
	reached := 0
	for _, n := range value.Nodes {
		if n.Degree != 0 {
			reached++
		}
		if shown[n.URN] = n.Degree == 0 || !pass || !n.Removed; n.Degree == 0 || !shown[n.URN] {
			continue
		}
		found = append(found, degree(distance(n.Degree), n.URN))
		if !n.Exists {
			missing = append(missing, n.URN)
		}
		parts := []string{n.Name}
		if n.Platform != "" {
			parts = append(parts, n.Platform)
		}
		if n.Parent != nil {
			parts = append(parts, n.Parent.URN)
		}
		known[n.URN] = strings.Join(parts, ", ")
	}
	a := answer{"total": len(found), "reached": reached, "partial": value.Partial, "because": value.Reason != "", "missing": missing, "names": known}
	if q.Edges {
		links := []string{}
		for _, e := range value.Edges {
			if shown[e.Upstream] && shown[e.Downstream] {
				links = append(links, e.Upstream+" to "+e.Downstream)
			}
		}
		a["edges"] = links
	}
	a.list(found)
	value.Basis.tell(a)
	return a, nil
}

func (d graphQLDoor) impact(q *impactQuestion) (answer, error) {
	selected := len(q.Where.Types)+len(q.Where.Platforms)+len(q.Where.Owners)+len(q.Where.Tags)+len(q.Where.Terms)+len(q.Where.Domains) > 0
	if selected || q.Removed != "" || q.Direction != "" && q.direction() != "DOWNSTREAM" {
		return nil, errNotExpressible
	}
	w := q.walk
	w.Direction = "downstream"
	input, err := graphInput(&w)
	if err != nil {
		return nil, err
	}
	delete(input, "direction")
	delete(input, "columns")
	if input["count"] = page; q.AsOf != "" {
		input["asOf"] = millis(q.AsOf)
	}
	for name, value := range map[string]string{"change": q.Change, "only": q.Only} {
		if value != "" {
			input[name] = strings.ToUpper(value)
		}
	}
	var value struct {
		Total, Certain, Possible int
		Partial                  bool
		Owners                   []struct {
			Owner             *struct{ URN, Name string }
			Email             string
			Certain, Possible []string
		}
		Rows []struct {
			Entity  struct{ URN string }
			Degree  int
			Effect  string
			Reason  string
			Why     string
			Behind  *struct{ URN string }
			Columns []string
			Owners  []string
		}
		Basis *basis
	}
	refused, err := d.query("impact", "ImpactInput",
		"{ total certain possible partial owners { owner { urn name } email certain possible } rows { entity { urn } degree effect reason why behind { urn } columns owners } "+basisFields+"}", input, &value)
	if err != nil || refused != nil {
		return refused, err
	}
	if value.Certain+value.Possible != value.Total {
		return nil, fmt.Errorf("%d certain and %d possible are not %d", value.Certain, value.Possible, value.Total)
	}
	found, effects, owners, reasons, behind, why := []string{}, []string{}, []string{}, []string{}, map[string]string{}, map[string]string{}
	for _, r := range value.Rows {
		reasons = append(reasons, camel(r.Reason)+" "+r.Entity.URN)
		if r.Behind != nil {
			behind[r.Entity.URN] = r.Behind.URN
		}
		why[r.Entity.URN] = r.Why
		found = append(found, degree(r.Degree, r.Entity.URN))
		effects = append(effects, strings.TrimSpace(fmt.Sprintf("%s %s %s", strings.ToLower(r.Effect), r.Entity.URN, strings.Join(r.Columns, ","))))
	}
	for _, o := range value.Owners {
		if o.Owner != nil {
			owners = append(owners, fmt.Sprintf("%s %s <%s> %d", o.Owner.URN, o.Owner.Name, o.Email, len(o.Certain)+len(o.Possible)))
		}
	}
	a := answer{"total": value.Total, "partial": value.Partial, "owners": owners}
	if strings.HasPrefix(q.Of, "urn:li:schemaField:") { // for a whole entity, REST tells no effects
		a["effects"], a["reasons"], a["behind"], a["why"] = effects, reasons, behind, why
	}
	a.list(found)
	value.Basis.tell(a)
	return a, nil
}

func (d graphQLDoor) diff(q *diffQuestion) (answer, error) {
	input, err := graphInput(&q.walk)
	if err != nil || q.Before == "" {
		return nil, errNotExpressible
	}
	if input["before"] = millis(q.Before); q.After != "" {
		input["after"] = millis(q.After)
	}
	var value struct {
		Added, Ended, Moved    []shownNode
		EdgesAdded, EdgesEnded []shownLink
		Partial                bool
	}
	refused, err := d.query("lineageDiff", "LineageDiffInput",
		"{ partial added {"+nodeFields+"} ended {"+nodeFields+"} moved {"+nodeFields+"} edgesAdded {"+linkFields+"} edgesEnded {"+linkFields+"} }", input, &value)
	if err != nil || refused != nil {
		return refused, err
	}
	list := func(nodes []shownNode) []string {
		texts := []string{}
		for _, n := range nodes {
			texts = append(texts, degree(distance(n.Degree), n.URN))
		}
		return texts
	}
	moved, added, ended, by := []string{}, []string{}, []string{}, map[string]string{}
	for _, n := range value.Moved {
		moved = append(moved, fmt.Sprintf("%s %d to %d", n.URN, distance(n.DegreeBefore), distance(n.Degree)))
	}
	for _, e := range value.EdgesAdded {
		text := e.Upstream + " to " + e.Downstream
		added, by[text] = append(added, text), strings.TrimSpace(e.SinceRun+" "+e.SinceActor.URN)
	}
	for _, e := range value.EdgesEnded {
		text := e.Upstream + " to " + e.Downstream
		ended, by[text] = append(ended, text), strings.TrimSpace(e.UntilRun+" "+e.UntilActor.URN)
	}
	return answer{
		"added": list(value.Added), "ended": list(value.Ended), "moved": moved, "partial": value.Partial, "edgesAdded": added, "edgesEnded": ended, "by": by,
	}, nil
}

// camel turns COLUMN_LINEAGE into columnLineage.
func camel(name string) string {
	words := strings.Split(strings.ToLower(name), "_")
	for i := 1; i < len(words); i++ {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, "")
}
