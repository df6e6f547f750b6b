package marquez

import (
	"context"
	"regexp"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// The kinds of nodes begin their ids.
const (
	datasetKind = "dataset"
	jobKind     = "job"
	fieldKind   = "datasetField"
)

func nodeID(kind string, id ID) string { return kind + ":" + id.Namespace + ":" + id.Name }

func fieldID(id ID, field string) string { return nodeID(fieldKind, id) + ":" + field }

// version is the end of an id of a node that names a version.
var version = regexp.MustCompile(`#[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// kindOf splits the kind from the id of a node, which must be one of the kinds.
func kindOf(node string, kinds ...string) (kind, rest string, err error) {
	if len(node) > limits.OpenLineageName || strings.Count(node, ":") > limits.MarquezColons {
		return "", "", catalog.Errorf(catalog.Invalid, "nodeId has %d bytes and %d colons; at most %d bytes and %d colons are allowed", len(node), strings.Count(node, ":"), limits.OpenLineageName, limits.MarquezColons)
	}
	kind, rest, _ = strings.Cut(node, ":")
	for _, known := range kinds {
		if kind == known && rest != "" {
			if version.MatchString(rest) {
				return "", "", catalog.Errorf(catalog.Invalid, "nodeId names a version, and versions are not kept; leave out what follows #")
			}
			return kind, rest, nil
		}
	}
	return "", "", catalog.Errorf(catalog.Invalid, "nodeId must begin with %s: and a namespace, not %q", strings.Join(kinds, ": or "), node)
}

// splits are the ways to read a text as a namespace and a name, the longest namespace first: namespaces and names
// may both have colons.
func splits(text string) []ID {
	var found []ID
	for at := strings.LastIndexByte(text, ':'); at >= 0; at = strings.LastIndexByte(text[:at], ':') {
		if at+1 < len(text) {
			found = append(found, ID{Namespace: text[:at], Name: text[at+1:]})
		}
	}
	return found
}

// noNode is the error of a node that is not known.
func noNode(node string) error {
	return catalog.Errorf(catalog.NotFound, "there is no node %q", node)
}

// datasetNode finds the dataset that the rest of an id means.
func (s *Service) datasetNode(ctx context.Context, rest string) (string, bool, error) {
	return s.firstKnown(ctx, rest, func(id ID) (model.URN, error) { return s.states.DatasetURN(ctx, naming.Dataset(id)) })
}

// firstKnown returns the entity of the first way to read the rest of an id that names an entity which the caller
// may see.
func (s *Service) firstKnown(ctx context.Context, rest string, urnOf func(ID) (model.URN, error)) (string, bool, error) {
	var urns []string
	for _, id := range splits(rest) {
		u, err := urnOf(id)
		if err != nil {
			return "", false, err
		}
		if !u.IsZero() {
			urns = append(urns, u.String())
		}
	}
	known, err := s.existing(ctx, urns)
	if err != nil {
		return "", false, err
	}
	for _, urn := range urns {
		if known[urn] {
			return urn, true, nil
		}
	}
	return "", false, nil
}

// jobNode finds the job that the rest of an id means.
func (s *Service) jobNode(ctx context.Context, rest string) (string, bool, error) {
	urn, found, err := s.firstKnown(ctx, rest, func(id ID) (model.URN, error) { return s.states.JobURN(ctx, naming.JobName(id)) })
	if err != nil || found {
		return urn, found, err
	}
	all, err := s.entries(ctx, model.EntityDataJob, "")
	if err != nil {
		return "", false, err
	}
	for _, e := range all {
		if e.id.Namespace+":"+e.id.Name == rest {
			return e.urn, true, nil
		}
	}
	return "", false, nil
}

// depthOf checks how far a graph goes.
func depthOf(depth int) error {
	if depth < 0 || depth > limits.MarquezDepth {
		return catalog.Errorf(catalog.Invalid, "depth must be from 0 to %d", limits.MarquezDepth)
	}
	return nil
}
