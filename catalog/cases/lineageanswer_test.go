package cases

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// These are answers about lineage as the interface writes them.
type (
	reachedEntity struct {
		URN      string   `json:"urn"`
		Name     string   `json:"name"`
		Platform string   `json:"platform"`
		Entity   string   `json:"entity"`
		Degree   int      `json:"degree"`
		Before   int      `json:"degreeBefore"`
		Exists   bool     `json:"exists"`
		Paths    [][]step `json:"paths"`
		Effect   string   `json:"effect"`
		Because  string   `json:"because"`
		Why      string   `json:"why"`
		Behind   string   `json:"behind"`
		Columns  []string `json:"columns"`
	}
	step struct {
		URN string `json:"urn"`
	}
	edge struct {
		Upstream   string                `json:"upstream"`
		Downstream string                `json:"downstream"`
		Type       string                `json:"type"`
		StatedBy   []string              `json:"statedBy"`
		Transform  string                `json:"transformOperation"`
		Confidence *float64              `json:"confidenceScore"`
		Updated    *struct{ Time int64 } `json:"updated"`
		SinceRun   string                `json:"sinceRun"`
		SinceActor string                `json:"sinceActor"`
		UntilRun   string                `json:"untilRun"`
		UntilActor string                `json:"untilActor"`
	}
	group struct {
		Value string `json:"value"`
		Count int    `json:"count"`
	}
	basis struct {
		Entities, Walked, WithoutColumnLineage, MoreSources int
		Summary                                             string
		Sources                                             []struct {
			Name        string
			Source      string
			Entities    int
			LastSeen    int64
			FailedSince *struct{ Run, Status string }
		}
	}
	owner struct {
		URN   string `json:"urn"`
		Name  string `json:"name"`
		Email string `json:"email"`
		Count int    `json:"count"`
	}
)

// lineageAnswer reads a page of lineage.
func lineageAnswer(text []byte, err error) (answer, error) {
	if err != nil {
		return nil, err
	}
	var page struct {
		Total    *int            `json:"total"`
		Reached  *int            `json:"reached"`
		Partial  bool            `json:"partial"`
		Reason   string          `json:"reason"`
		Entities []reachedEntity `json:"entities"`
		Edges    []edge          `json:"edges"`
		Basis    *basis          `json:"basis"`
	}
	if err := json.Unmarshal(text, &page); err != nil {
		return nil, err
	}
	paths, known, missing := map[string][]string{}, map[string]string{}, []string{}
	for _, e := range page.Entities {
		known[e.URN] = strings.Join(slices.DeleteFunc([]string{e.Name, e.Platform, e.Entity}, func(part string) bool { return part == "" }), ", ")
		if !e.Exists {
			missing = append(missing, e.URN)
		}
		for _, path := range e.Paths {
			var urns []string
			for _, s := range path {
				urns = append(urns, s.URN)
			}
			paths[e.URN] = append(paths[e.URN], strings.Join(urns, " > "))
		}
		slices.Sort(paths[e.URN])
	}
	a := answer{
		"total": page.Total, "reached": page.Reached, "partial": page.Partial, "because": page.Reason != "",
		"paths": paths, "names": known, "missing": missing, "edges": edges(page.Edges), "stated": statedBy(page.Edges),
	}
	page.Basis.tell(a)
	a.list(degrees(page.Entities))
	return a, nil
}

// impactAnswer reads the entities that depend on an entity.
func impactAnswer(text []byte, err error) (answer, error) {
	if err != nil {
		return nil, err
	}
	var impact struct {
		Total      int             `json:"total"`
		Partial    bool            `json:"partial"`
		ByType     []group         `json:"byType"`
		ByPlatform []group         `json:"byPlatform"`
		ByOwner    []group         `json:"byOwner"`
		ByDegree   []group         `json:"byDegree"`
		ByEffect   []group         `json:"byEffect"`
		Owners     []owner         `json:"owners"`
		Entities   []reachedEntity `json:"entities"`
		Basis      *basis          `json:"basis"`
	}
	if err := json.Unmarshal(text, &impact); err != nil {
		return nil, err
	}
	effects, owners, reasons, behind, why := []string{}, []string{}, []string{}, map[string]string{}, map[string]string{}
	for _, e := range impact.Entities {
		reasons = append(reasons, strings.TrimSpace(e.Because+" "+e.URN))
		if e.Behind != "" {
			behind[e.URN] = e.Behind
		}
		why[e.URN] = e.Why
		effects = append(effects, strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Effect, e.URN, strings.Join(e.Columns, ","))))
	}
	for _, o := range impact.Owners {
		owners = append(owners, fmt.Sprintf("%s %s <%s> %d", o.URN, o.Name, o.Email, o.Count))
	}
	a := answer{
		"total": impact.Total, "partial": impact.Partial, "effects": effects, "owners": owners,
		"reasons": reasons, "behind": behind, "why": why,
		"byType": groups(impact.ByType), "byPlatform": groups(impact.ByPlatform), "byOwner": groups(impact.ByOwner),
		"byDegree": groups(impact.ByDegree), "byEffect": groups(impact.ByEffect),
	}
	impact.Basis.tell(a)
	a.list(degrees(impact.Entities))
	return a, nil
}

// diffAnswer reads the difference between two moments.
func diffAnswer(text []byte, err error) (answer, error) {
	if err != nil {
		return nil, err
	}
	var diff struct {
		Added      []reachedEntity `json:"added"`
		Ended      []reachedEntity `json:"ended"`
		Moved      []reachedEntity `json:"moved"`
		EdgesAdded []edge          `json:"edgesAdded"`
		EdgesEnded []edge          `json:"edgesEnded"`
		Partial    bool            `json:"partial"`
	}
	if err := json.Unmarshal(text, &diff); err != nil {
		return nil, err
	}
	moved, by := []string{}, map[string]string{}
	for _, e := range diff.Moved {
		moved = append(moved, fmt.Sprintf("%s %d to %d", e.URN, e.Before, e.Degree))
	}
	for _, e := range diff.EdgesAdded {
		by[e.text()] = strings.TrimSpace(e.SinceRun + " " + e.SinceActor)
	}
	for _, e := range diff.EdgesEnded {
		by[e.text()] = strings.TrimSpace(e.UntilRun + " " + e.UntilActor)
	}
	return answer{
		"added": degrees(diff.Added), "ended": degrees(diff.Ended), "moved": moved, "partial": diff.Partial,
		"edgesAdded": edges(diff.EdgesAdded), "edgesEnded": edges(diff.EdgesEnded), "by": by,
	}, nil
}

func degrees(reached []reachedEntity) []string {
	list := []string{}
	for _, e := range reached {
		list = append(list, degree(e.Degree, e.URN))
	}
	return list
}

func degree(n int, urn string) string { return fmt.Sprintf("%d %s", n, urn) }

func (e edge) text() string { return e.Upstream + " to " + e.Downstream }

func edges(links []edge) []string {
	list := []string{}
	for _, e := range links {
		list = append(list, e.text())
	}
	return list
}

// statedBy returns the relationship of each edge and who stated it; if they are stated, also how one column
// was made of the other, how sure that is, and when the edge was updated.
func statedBy(links []edge) map[string]string {
	stated := map[string]string{}
	for _, e := range links {
		text := e.Type + " by " + strings.Join(e.StatedBy, ",")
		if e.Transform != "" {
			text += " " + e.Transform
		}
		if e.Confidence != nil {
			text += fmt.Sprintf(" %g", *e.Confidence)
		}
		if e.Updated != nil {
			text += fmt.Sprintf(" at %d", e.Updated.Time)
		}
		stated[e.text()] = text
	}
	return stated
}

func groups(list []group) []string {
	texts := []string{}
	for _, g := range list {
		texts = append(texts, strings.TrimSpace(fmt.Sprintf("%s %d", g.Value, g.Count)))
	}
	return texts
}

// tell adds the basis of an answer: each source with the number of its entities and, if its last run failed,
// that run.
func (b *basis) tell(a answer) {
	if b == nil {
		return
	}
	sources := []string{}
	for _, source := range b.Sources {
		text := fmt.Sprintf("%s %d", source.Name, source.Entities)
		if (source.LastSeen == 0) != (source.Entities == 0) {
			text += fmt.Sprintf(" last seen %d", source.LastSeen)
		}
		if f := source.FailedSince; f != nil {
			text += " " + f.Status + " " + f.Run
		}
		sources = append(sources, text)
	}
	a["basis"], a["walked"], a["withoutColumns"], a["summary"] = sources, fmt.Sprintf("%d of %d", b.Entities, b.Walked), b.WithoutColumnLineage, b.Summary
}
