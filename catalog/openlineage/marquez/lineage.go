package marquez

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Edge is an edge of a graph, in the direction in which the data flows.
type Edge struct {
	Origin      string `json:"origin"`
	Destination string `json:"destination"`
}

// Node is a dataset or a job in a graph.
type Node struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	// Data is a [Dataset] or a [Job], without facets.
	Data     any    `json:"data"`
	InEdges  []Edge `json:"inEdges"`
	OutEdges []Edge `json:"outEdges"`
}

// Graph is the lineage around a node, ordered by the ids of its nodes.
type Graph struct {
	Graph []Node `json:"graph"`
	// Partial says why nodes are missing, "" if none are. Marquez has no such member.
	Partial string `json:"partial,omitempty"`
}

// Lineage returns the jobs around a node and the datasets that they read and write. The depth counts the steps
// from job to job, in both directions: 0 has the jobs of the node itself. A dataset without jobs is alone. Lineage
// fails with NotFound for an unknown node.
func (s *Service) Lineage(ctx context.Context, node string, depth int) (*Graph, error) {
	if err := depthOf(depth); err != nil {
		return nil, err
	}
	kind, rest, err := kindOf(node, datasetKind, jobKind)
	if err != nil {
		return nil, err
	}
	find := s.datasetNode
	if kind == jobKind {
		find = s.jobNode
	}
	urn, ok, err := find(ctx, rest)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, noNode(node)
	}
	g := &growing{service: s, ctx: ctx, inputs: ends{}, outputs: ends{}, datasets: map[string]ID{}, jobs: map[string]ID{}}
	if err := g.grow(urn, kind == jobKind, depth); err != nil {
		return nil, err
	}
	return g.graph()
}

// growing is a graph in the making.
type growing struct {
	service *Service
	ctx     context.Context
	// jobs and datasets are the nodes with their names, inputs and outputs the datasets of the jobs.
	jobs, datasets  map[string]ID
	inputs, outputs ends
	partial         string
}

// flows are the relationships between jobs and datasets.
var flows = []string{model.RelationshipConsumes, model.RelationshipProduces}

// grow adds the jobs of the start, and then, depth times, the jobs next to the added ones.
func (g *growing) grow(start string, isJob bool, depth int) error {
	names, err := g.service.named(g.ctx, []string{start})
	if err != nil {
		return err
	}
	id, named := names[start]
	if !named {
		return noNode(start)
	}
	jobs := []entry{{start, id}}
	if !isJob {
		g.datasets[start] = id
		if jobs, err = g.jobsOf([]string{start}); err != nil {
			return err
		}
	}
	for step := 0; len(jobs) > 0; step++ {
		added, err := g.add(jobs)
		if err != nil || step == depth || g.partial != "" {
			return err
		}
		if jobs, err = g.jobsOf(added); err != nil {
			return err
		}
	}
	return nil
}

// full reports whether the graph has as many nodes as it may have.
func (g *growing) full() bool {
	if len(g.jobs)+len(g.datasets) < limits.MarquezNodes {
		return false
	}
	g.partial = "the graph has more nodes than an answer may have; ask for a smaller depth"
	return true
}

// add adds jobs and their datasets, and returns the datasets that are new.
func (g *growing) add(jobs []entry) (added []string, err error) {
	var urns []string
	for _, job := range jobs {
		if _, known := g.jobs[job.urn]; known {
			continue
		}
		if g.full() {
			break
		}
		g.jobs[job.urn] = job.id
		urns = append(urns, job.urn)
	}
	for relationship, side := range map[string]ends{model.RelationshipConsumes: g.inputs, model.RelationshipProduces: g.outputs} {
		read, err := g.service.datasetsAt(g.ctx, urns, relationship)
		if err != nil {
			return nil, err
		}
		maps.Copy(side, read)
	}
	for _, urn := range urns {
		for _, d := range slices.Concat(g.inputs[urn], g.outputs[urn]) {
			if _, known := g.datasets[d.urn]; known {
				continue
			}
			if g.full() {
				return added, nil
			}
			g.datasets[d.urn] = d.id
			added = append(added, d.urn)
		}
	}
	return added, nil
}

// jobsOf reads the jobs that read or write datasets, ordered by URN.
func (g *growing) jobsOf(datasets []string) ([]entry, error) {
	pages, err := g.service.edgesOf(g.ctx, datasets, graphstore.Incoming, graphstore.Page{Count: limits.MarquezNodes}, flows...)
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		if page.Total > int64(len(page.Edges)) {
			g.partial = "a dataset has more jobs than an answer may have"
		}
	}
	jobBeginning := beginningOf(model.EntityDataJob)
	found, err := g.service.endsOf(g.ctx, pages, graphstore.Incoming, func(urn string) bool { return strings.HasPrefix(urn, jobBeginning) })
	if err != nil {
		return nil, err
	}
	var jobs []entry
	for _, of := range found {
		jobs = append(jobs, of...)
	}
	slices.SortFunc(jobs, func(a, b entry) int { return cmp.Compare(a.urn, b.urn) })
	return slices.Compact(jobs), nil
}

// graph reads the data of the nodes.
func (g *growing) graph() (*Graph, error) {
	ofJobs, ofDatasets := entriesOf(g.jobs), entriesOf(g.datasets)
	jobs, err := g.service.readJobs(g.ctx, ofJobs)
	if err != nil {
		return nil, err
	}
	datasets, err := g.service.readDatasets(g.ctx, ofDatasets)
	if err != nil {
		return nil, err
	}
	nodes := map[string]*Node{}
	for i, e := range ofDatasets {
		id := nodeID(datasetKind, e.id)
		nodes[id] = &Node{ID: id, Type: "DATASET", Data: datasets[i], InEdges: []Edge{}, OutEdges: []Edge{}}
	}
	for i, e := range ofJobs {
		id := nodeID(jobKind, e.id)
		nodes[id] = &Node{ID: id, Type: "JOB", Data: jobs[i], InEdges: []Edge{}, OutEdges: []Edge{}}
	}
	link := func(origin, destination string) {
		from, to := nodes[origin], nodes[destination]
		if from == nil || to == nil { // the limit of nodes has cut it off
			return
		}
		e := Edge{origin, destination}
		if !slices.Contains(from.OutEdges, e) {
			from.OutEdges, to.InEdges = append(from.OutEdges, e), append(to.InEdges, e)
		}
	}
	for _, e := range ofJobs {
		for _, d := range g.inputs[e.urn] {
			link(nodeID(datasetKind, d.id), nodeID(jobKind, e.id))
		}
		for _, d := range g.outputs[e.urn] {
			link(nodeID(jobKind, e.id), nodeID(datasetKind, d.id))
		}
	}
	answer := &Graph{Graph: []Node{}, Partial: g.partial}
	for _, id := range slices.Sorted(maps.Keys(nodes)) {
		sortEdges(nodes[id].InEdges)
		sortEdges(nodes[id].OutEdges)
		answer.Graph = append(answer.Graph, *nodes[id])
	}
	return answer, nil
}

func entriesOf(of map[string]ID) []entry {
	found := make([]entry, 0, len(of))
	for _, urn := range slices.Sorted(maps.Keys(of)) {
		found = append(found, entry{urn, of[urn]})
	}
	return found
}

func sortEdges(edges []Edge) {
	slices.SortFunc(edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.Origin, b.Origin), cmp.Compare(a.Destination, b.Destination))
	})
}
