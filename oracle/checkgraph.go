package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
)

// checker compares the server's answers with the sent data.
type checker struct {
	*maker
	client *client
	facts  *facts
	mirror *mirror
	graph  *graph
	index  *index
	sample int
}

// sampled returns at most n random items of a list.
func sampled[T any](r *checker, all []T, n int) []T {
	all = slices.Clone(all)
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

// aspects reads every entity back.
func (r *checker) aspects(ctx context.Context) (tally, error) {
	return over(ctx, "latest aspects, every entity", r.mirror.urns(), func(ctx context.Context, urn string) (string, error) {
		found, err := r.client.aspects(ctx, urn)
		if err != nil {
			return "", err
		}
		said, expected := map[string]string{}, map[string]string{}
		for name, value := range found {
			said[name] = text(value)
		}
		for name, value := range r.mirror.latest[urn] {
			expected[name] = text(value)
		}
		return differ("aspects of "+urn, expected, said), nil
	})
}

// seriesOf names the time-series values of an entity.
type seriesOf struct{ urn, aspect string }

// series reads every value of every time series back.
func (r *checker) series(ctx context.Context) (tally, error) {
	var all []seriesOf
	for urn, aspects := range r.mirror.series {
		for name := range aspects {
			all = append(all, seriesOf{urn, name})
		}
	}
	return over(ctx, "time-series values", all, func(ctx context.Context, of seriesOf) (string, error) {
		var answer struct {
			Value struct {
				Values []struct{ Aspect struct{ Value string } }
			}
		}
		err := r.client.action(ctx, "/aspects?action=getTimeseriesAspectValues", object{"urn": of.urn, "entity": typeOf(of.urn), "aspect": of.aspect}, &answer)
		if err != nil {
			return "", err
		}
		found, expected := map[string]int{}, map[string]int{}
		for _, v := range answer.Value.Values {
			found[text(canonical(raw(v.Aspect.Value)))]++
		}
		for _, v := range r.mirror.series[of.urn][of.aspect] {
			expected[text(v)]++
		}
		return differ(fmt.Sprint(of), expected, found), nil
	})
}

// raw is text that is already JSON.
type raw string

// MarshalJSON implements json.Marshaler.
func (t raw) MarshalJSON() ([]byte, error) { return []byte(t), nil }

// edgesOf is a question about the edges of an entity.
type edgesOf struct {
	urn      string
	incoming bool
	name     string // "" for all names
	page     int
}

// edges reads the edges of all entities and columns in both directions. It reads some edges
// by their names and in small pages.
func (r *checker) edges(ctx context.Context) (tally, error) {
	var questions []edgesOf
	nodes := r.graph.nodes(r.mirror)
	for _, urn := range nodes {
		questions = append(questions, edgesOf{urn, false, "", 1000}, edgesOf{urn, true, "", 1000})
	}
	for _, urn := range sampled(r, nodes, r.sample) {
		names := map[string]bool{}
		for e := range r.graph.to[urn] {
			names[e.name] = true
		}
		questions = append(questions, edgesOf{urn, true, "", 1 + r.IntN(7)}, edgesOf{urn, false, derives, 10})
		for name := range names {
			questions = append(questions, edgesOf{urn, true, name, 100})
		}
	}
	return over(ctx, "edges, every end, both directions", questions, r.askEdges)
}

func (r *checker) askEdges(ctx context.Context, q edgesOf) (string, error) {
	direction, edges := "OUTGOING", r.graph.from[q.urn]
	if q.incoming {
		direction, edges = "INCOMING", r.graph.to[q.urn]
	}
	expected, found := map[edge]bool{}, map[edge]bool{}
	for e := range edges {
		if q.name == "" || q.name == e.name {
			expected[e] = true
		}
	}
	question := url.Values{"urn": {q.urn}, "direction": {direction}, "count": {strconv.Itoa(q.page)}}
	if q.name != "" {
		question.Set("types", q.name)
	}
	for read := 0; ; {
		question.Set("start", strconv.Itoa(read))
		var answer struct {
			Total         int
			Relationships []struct{ Type, Entity string }
		}
		if err := r.client.get(ctx, "/relationships", question, &answer); err != nil {
			return "", err
		}
		for _, e := range answer.Relationships {
			this := edge{q.urn, e.Type, e.Entity}
			if q.incoming {
				this = edge{e.Entity, e.Type, q.urn}
			}
			if found[this] {
				return fmt.Sprintf("%+v: twice: %v", q, this), nil
			}
			found[this] = true
		}
		if answer.Total != len(expected) {
			return fmt.Sprintf("%+v: total %d where there are %d\n%s", q, answer.Total, len(expected), differ("first page", expected, found)), nil
		}
		if read += len(answer.Relationships); len(answer.Relationships) == 0 || read >= answer.Total {
			return differ(fmt.Sprintf("%+v", q), expected, found), nil
		}
	}
}

// walkFrom is a question about a walk.
type walkFrom struct {
	urn      string
	upstream bool
	columns  bool
	hops     int
	removed  string
}

// reached is an entity in the answer about a walk.
type reached struct {
	URN             string
	Degree          int
	Exists, Removed bool
}

// walks walks from entities upstream and downstream. Some walks have limits, and other
// rules about soft-deleted entities.
func (r *checker) walks(ctx context.Context) (tally, error) {
	var questions []walkFrom
	for _, urn := range sampled(r, r.graph.nodes(r.mirror), 10*r.sample) {
		if !r.hasLineage(typeOf(urn)) || typeOf(urn) == column {
			continue
		}
		questions = append(questions, walkFrom{urn, true, false, 0, "show"}, walkFrom{urn, false, false, 0, "pass"})
		questions = append(questions, walkFrom{urn, r.chance(50), false, 1 + r.IntN(4), pick(r.maker, []string{"show", "pass", "stop"})})
	}
	return over(ctx, "walks between entities", sampled(r, questions, 3*r.sample), r.askWalk)
}

// columnWalks walks from columns, and from all columns of entities.
func (r *checker) columnWalks(ctx context.Context) (tally, error) {
	var questions []walkFrom
	for _, urn := range r.graph.nodes(r.mirror) {
		switch typeOf(urn) {
		case column:
			questions = append(questions, walkFrom{urn, true, true, 0, "show"}, walkFrom{urn, false, true, r.IntN(3), "pass"})
		case "dataset", "chart", "dashboard", "dataJob":
			if len(r.graph.columnsOf(urn, true))+len(r.graph.columnsOf(urn, false)) > 0 {
				questions = append(questions, walkFrom{urn, true, true, 0, "show"}, walkFrom{urn, false, true, 0, "show"})
			}
		}
	}
	return over(ctx, "walks between columns", sampled(r, questions, 3*r.sample), r.askWalk)
}

func (r *checker) hasLineage(kind string) bool {
	for l := range r.facts.lineage {
		if l.source == kind || l.destination == kind {
			return true
		}
	}
	return false
}

func (r *checker) askWalk(ctx context.Context, q walkFrom) (string, error) {
	starts := []string{q.urn}
	if q.columns {
		starts = r.graph.columnsOf(q.urn, q.upstream)
	}
	expected := r.graph.walk(starts, q.upstream, q.hops, func(urn string) bool { return q.removed == "stop" && r.mirror.removed(urn) })
	for urn := range expected {
		if _, removed := r.mirror.state(urn); removed && q.removed == "pass" {
			delete(expected, urn)
		}
	}
	question := url.Values{"direction": {"DOWNSTREAM"}, "count": {"10000"}, "paths": {"0"}, "removed": {q.removed}}
	if q.upstream {
		question.Set("direction", "UPSTREAM")
	}
	if q.columns {
		question.Set("columns", "true")
	}
	if q.hops > 0 {
		question.Set("hops", strconv.Itoa(q.hops))
	}
	found := map[string]int{}
	var answer struct {
		Total    int
		Partial  bool
		Entities []reached
	}
	if err := r.client.get(ctx, "/lineage/"+url.PathEscape(q.urn), question, &answer); err != nil {
		return "", err
	}
	for _, e := range answer.Entities {
		if _, twice := found[e.URN]; twice {
			return fmt.Sprintf("%+v: twice: %s", q, e.URN), nil
		}
		found[e.URN] = e.Degree
		if exists, removed := r.mirror.state(e.URN); exists != e.Exists || removed != e.Removed {
			return fmt.Sprintf("%+v: exists is %t and removed %t of %s", q, e.Exists, e.Removed, e.URN), nil
		}
	}
	if answer.Partial || answer.Total != len(expected) && len(found) == len(expected) {
		return fmt.Sprintf("%+v: total %d, partial %t where there are %d", q, answer.Total, answer.Partial, len(expected)), nil
	}
	ordered := slices.IsSortedFunc(answer.Entities, func(a, b reached) int { return cmp.Compare(a.Degree, b.Degree) })
	if !ordered {
		return fmt.Sprintf("%+v: not the nearest first", q), nil
	}
	return differ(fmt.Sprintf("%+v", q), expected, found), nil
}
