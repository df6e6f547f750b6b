package copying

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/client/ingest"
	"github.com/headwater-io/headwater/internal/jsontree"
)

// content is a value of an aspect or of a time series, with the system metadata of the
// source.
type content struct {
	urn, aspect string
	value       json.RawMessage
	system      json.RawMessage
}

// copyEntities copies the given entities of one type, which the source has listed.
func (c *copier) copyEntities(ctx context.Context, k *kind, urns []string) error {
	found, err := c.readSource(ctx, k, urns)
	if err != nil {
		return err
	}
	return c.copyFound(ctx, k, urns, found)
}

// copyFound copies entities whose aspects in the source are found.
func (c *copier) copyFound(ctx context.Context, k *kind, urns []string, found map[string]entity) error {
	if !k.inTarget {
		c.report.note(k.name, func(t *TypeReport) { t.Entities.Source += len(urns) })
		return nil // an earlier step has recorded the difference
	}
	here, err := c.readTarget(ctx, k, urns)
	if err != nil {
		return err
	}
	missing := missingAspects(k, found, here)
	if len(missing) > 0 && !c.DryRun {
		refused, err := c.write(ctx, k, missing)
		if err != nil {
			return err
		}
		c.report.wrote(len(missing)-len(refused), 0)
		if here, err = c.readTarget(ctx, k, urns); err != nil {
			return err
		}
		c.compare(k, urns, found, here, refused)
	} else {
		c.compare(k, urns, found, here, nil)
	}
	for _, urn := range urns {
		if _, ok := found[normal(urn)]; !ok {
			continue
		}
		for _, aspect := range k.series {
			if err := c.copySeries(ctx, k, urn, aspect); err != nil {
				return err
			}
		}
	}
	return nil
}

// readSource reads entities of the source. An entity that the source fails to return
// becomes a difference.
func (c *copier) readSource(ctx context.Context, k *kind, urns []string) (map[string]entity, error) {
	found, failed, err := c.source.read(ctx, urns)
	switch {
	case err == nil:
		c.failing.Store(0)
		asked := map[string]entity{} // ignore entities that were not asked for
		for _, urn := range urns {
			one, ok := found[normal(urn)]
			reason, refused := failed[normal(urn)]
			switch {
			case ok && !refused:
				asked[normal(urn)] = one
				continue
			case !refused:
				reason = "it lists the entity and answers nothing about it"
			}
			c.report.differ(Difference{Type: k.name, URN: urn, Message: "the source does not answer: " + reason})
		}
		return asked, nil
	case len(urns) == 1:
		return nil, c.refusedRead(Difference{Type: k.name, URN: urns[0]}, err)
	case refusal(err) == nil && !errors.Is(err, client.ErrTooLong):
		return nil, err
	}
	return halves(urns, func(half []string) (map[string]entity, error) { return c.readSource(ctx, k, half) })
}

// readTarget reads entities of the target. An entity whose URN the target refuses counts as
// missing.
func (c *copier) readTarget(ctx context.Context, k *kind, urns []string) (map[string]entity, error) {
	here, err := c.target.stored(ctx, k.name, urns)
	switch {
	case err == nil || refusal(err) == nil:
		return here, err
	case len(urns) == 1:
		return nil, nil
	}
	return halves(urns, func(half []string) (map[string]entity, error) { return c.readTarget(ctx, k, half) })
}

// halves calls read with each half of a list and joins the results.
func halves(urns []string, read func([]string) (map[string]entity, error)) (map[string]entity, error) {
	all := map[string]entity{}
	for _, half := range [][]string{urns[:len(urns)/2], urns[len(urns)/2:]} {
		part, err := read(half)
		if err != nil {
			return nil, err
		}
		for urn, one := range part {
			all[urn] = one
		}
	}
	return all, nil
}

// missingAspects lists the values of the source that the target lacks or has otherwise.
func missingAspects(k *kind, found, here map[string]entity) []content {
	var missing []content
	for urn, one := range found {
		for name, aspect := range one.aspects {
			stored, ok := here[urn].aspects[name]
			if !k.isSeries(name) && !(ok && jsontree.EqualText(stored.Value, aspect.Value)) {
				missing = append(missing, content{urn, name, aspect.Value, aspect.System})
			}
		}
	}
	sort.Slice(missing, func(i, j int) bool {
		a, b := &missing[i], &missing[j]
		if a.urn != b.urn {
			return a.urn < b.urn
		}
		return a.aspect < b.aspect
	})
	return missing
}

func (k *kind) isSeries(aspect string) bool { return slices.Contains(k.series, aspect) }

// compare counts which entities and aspects the target has, and records the differences.
func (c *copier) compare(k *kind, urns []string, found, here map[string]entity, refused map[string]string) {
	entities, aspects, read := Both{Source: len(urns)}, Both{}, map[string]int{}
	for _, urn := range urns {
		one, ok := found[normal(urn)]
		if !ok {
			continue // readSource has recorded this difference
		}
		stored, exists := here[normal(urn)]
		if exists {
			entities.Here++
		}
		reported := false
		for _, name := range slices.Sorted(maps.Keys(one.aspects)) {
			if k.isSeries(name) {
				continue
			}
			aspects.Source++
			read[name]++
			has, ok := stored.aspects[name]
			message := ""
			switch reason := refused[refusalKey(normal(urn), name)]; {
			case reason != "":
				message = "the server refused it: " + reason
			case !exists: // one difference for the whole entity follows
			case !ok:
				message = "the server does not have it"
			case !covers(has.Value, one.aspects[name].Value):
				message = "the server has another value"
			default:
				aspects.Here++
			}
			if message != "" {
				reported = true
				c.report.differ(Difference{Type: k.name, URN: urn, Aspect: name, Message: message})
			}
		}
		if !exists && !reported {
			c.report.differ(Difference{Type: k.name, URN: urn, Message: "the server does not have it"})
		}
	}
	c.report.note(k.name, func(t *TypeReport) {
		t.Entities.add(entities.Source, entities.Here)
		t.Aspects.add(aspects.Source, aspects.Here)
		for name, n := range read {
			t.aspects[name] += n
		}
	})
}

// covers reports whether a value has every member of another one. The target may have more
// members, because a server adds derived ones.
func covers(value, other json.RawMessage) bool {
	a, err := jsontree.Decode(value)
	if err != nil {
		return false
	}
	b, err := jsontree.Decode(other)
	return err == nil && coversTree(a, b)
}

func coversTree(a, b any) bool {
	switch b := b.(type) {
	case jsontree.Object:
		a, ok := a.(jsontree.Object)
		if !ok {
			return false
		}
		for name, member := range b {
			if has, ok := a[name]; !ok || !coversTree(has, member) {
				return false
			}
		}
		return true
	case []any:
		a, ok := a.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range b {
			if !coversTree(a[i], b[i]) {
				return false
			}
		}
		return true
	}
	return jsontree.Equal(a, b)
}

// refusalKey is the key of a value in the map of refused values.
func refusalKey(urn, aspect string) string { return urn + "\x00" + aspect }

// Limits of one writing request, in values and bytes.
const (
	writtenValues = 1000
	writtenBytes  = 4 << 20
)

// write writes values to the target. It returns the reasons of refused values by
// refusalKey.
func (c *copier) write(ctx context.Context, k *kind, values []content) (refused map[string]string, err error) {
	refused = map[string]string{}
	for len(values) > 0 {
		n, size := 0, 0
		for n < len(values) && n < writtenValues && (n == 0 || size+len(values[n].value) <= writtenBytes) {
			size += len(values[n].value)
			n++
		}
		batch := make([]*ingest.Outgoing, n)
		for i := range batch {
			if batch[i], err = outgoing(k, &values[i]); err != nil {
				return nil, err
			}
		}
		if err := ingest.SendProposals(ctx, c.writer, batch); err != nil {
			return nil, fmt.Errorf("writing to the server: %w", err)
		}
		for i := range batch {
			if batch[i].Refusal != "" {
				refused[refusalKey(values[i].urn, values[i].aspect)] = batch[i].Refusal
			}
		}
		values = values[n:]
	}
	return refused, nil
}

// origin is the copied part of a value's system metadata.
type origin struct {
	LastObserved    int64             `json:"lastObserved,omitempty"`
	RunID           string            `json:"runId,omitempty"`
	RegistryName    string            `json:"registryName,omitempty"`
	RegistryVersion string            `json:"registryVersion,omitempty"`
	Properties      map[string]string `json:"properties,omitempty"`
	PipelineName    string            `json:"pipelineName,omitempty"`
	SchemaVersion   int64             `json:"schemaVersion,omitempty"`
}

// outgoing makes the proposal that writes a value to the target.
func outgoing(k *kind, v *content) (*ingest.Outgoing, error) {
	system := &origin{}
	if len(v.system) == 0 || json.Unmarshal(v.system, system) != nil {
		system = nil // the value is copied without origin
	}
	type generic struct {
		Value       string `json:"value"`
		ContentType string `json:"contentType"`
	}
	body, err := json.Marshal(struct {
		EntityType string  `json:"entityType"`
		EntityURN  string  `json:"entityUrn"`
		ChangeType string  `json:"changeType"`
		AspectName string  `json:"aspectName"`
		Aspect     generic `json:"aspect"`
		System     *origin `json:"systemMetadata,omitempty"`
	}{k.name, v.urn, "UPSERT", v.aspect, generic{string(v.value), "application/json"}, system})
	if err != nil {
		return nil, err
	}
	return &ingest.Outgoing{Name: v.urn + " " + v.aspect, Key: v.urn, Body: body}, nil
}
