package change

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/dbt"
	"github.com/headwater-io/headwater/model"
)

// Overlay is a change as proposals that nobody has written. A server answers about lineage and impact over it.
type Overlay struct {
	Overlay []model.FileProposal `json:"overlay"`
}

// Packed returns the change as text that an address carries: base64url of deflated JSON. It is "" if it is longer than most bytes.
func (o *Overlay) Packed(most int) (string, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return "", err
	}
	_, err = w.Write(text)
	if err = cmp.Or(err, w.Close()); err != nil {
		return "", err
	}
	if base64.RawURLEncoding.EncodedLen(packed.Len()) > most {
		return "", nil
	}
	return base64.RawURLEncoding.EncodeToString(packed.Bytes()), nil
}

// ofProject is the project of a state of dbt.
type ofProject struct {
	project  *dbt.Project
	settings dbt.Settings
}

// overlayAspects are the aspects of dbt's proposals that an overlay has.
var overlayAspects = []string{model.AspectSchemaMetadata, model.AspectUpstreamLineage, model.AspectViewProperties, model.AspectDatasetProperties}

// Overlay returns the part of a catalog about the tables that change: their columns, the sources of these, and the
// removed tables. Tables that the states give no URN are left out. An error is one of the reader.
func (r *Result) Overlay(ctx context.Context, by SQLReader, base, head *State) (*Overlay, error) {
	o := &Overlay{Overlay: []model.FileProposal{}}
	changed := map[string]bool{}
	for i := range r.Changes {
		changed[r.Changes[i].node] = true
	}
	urns := map[string]bool{}
	for _, s := range []*State{head, base} {
		for _, id := range s.ids() {
			n := s.Nodes[id]
			if !changed[id] || !n.isTable() {
				continue
			}
			for _, urn := range n.URNs {
				switch now := head.Nodes[id]; {
				case now == nil:
					o.put(urn, model.AspectStatus, "", map[string]any{"removed": true})
					o.put(urn, model.AspectUpstreamLineage, "DELETE", nil)
				case s == head && head.made == nil:
					o.table(head, n, urn)
				}
				urns[urn] = true
			}
		}
	}
	if head.made == nil || len(changed) == 0 {
		return o, nil
	}
	if _, err := head.made.project.ReadColumns(ctx, by, head.made.settings.Platform, slices.Collect(maps.Keys(changed))...); err != nil {
		return nil, err
	}
	proposals, _ := head.made.project.Proposals(head.made.settings)
	for _, p := range proposals {
		if urns[p.EntityURN] && slices.Contains(overlayAspects, p.AspectName) && p.ChangeType != "PATCH" {
			o.Overlay = append(o.Overlay, p)
		}
	}
	return o, nil
}

// put adds a proposal for a dataset.
func (o *Overlay) put(urn, aspect, change string, value any) {
	p := model.FileProposal{EntityType: model.EntityDataset, EntityURN: urn, ChangeType: cmp.Or(change, "UPSERT"), AspectName: aspect}
	if value != nil {
		text, _ := json.Marshal(value) // maps of texts
		p.Aspect = &model.GenericContent{Value: string(text), ContentType: "application/json"}
	}
	o.Overlay = append(o.Overlay, p)
}

type object = map[string]any

// table adds the known facts about a table.
func (o *Overlay) table(s *State, n *Node, urn string) {
	if n.Known {
		fields := []object{}
		for i := range n.Columns {
			c := &n.Columns[i]
			for _, path := range append([]string{c.path()}, c.more...) {
				fields = append(fields, object{"fieldPath": path, "nativeDataType": cmp.Or(c.Type, "unknown"), "nullable": !c.NotNull, "type": object{"type": object{"com.linkedin.schema.NullType": object{}}}})
			}
		}
		o.put(urn, model.AspectSchemaMetadata, "", object{
			"schemaName": n.Name, "platform": "urn:li:dataPlatform:" + n.Platform, "version": 0, "hash": "", "platformSchema": object{"com.linkedin.schema.OtherSchema": object{"rawSchema": ""}}, "fields": fields,
		})
	}
	if n.Type == "view" && n.code != "" {
		o.put(urn, model.AspectViewProperties, "", object{"materialized": false, "viewLogic": n.code, "viewLanguage": "SQL"})
	}
	if n.statement == nil {
		return
	}
	upstreams, fine := []object{}, []object{}
	stamp := object{"time": 0, "actor": "urn:li:corpuser:unknown"}
	for _, from := range s.tablesBefore(n, map[string]bool{}) {
		upstreams = append(upstreams, object{"dataset": from.URN(), "type": "TRANSFORMED", "auditStamp": stamp})
	}
	for i := range n.Columns {
		c := &n.Columns[i]
		var sources []string
		for _, source := range c.sources {
			if from := s.Nodes[source.Table]; from != nil && from.isTable() && from.URN() != "" && source.Column != "*" {
				path := source.Column
				if known := from.column(source.Column); known != nil {
					path = known.path()
				}
				sources = append(sources, columnURN(from.URN(), path))
			}
		}
		if len(sources) > 0 {
			fine = append(fine, object{"upstreamType": "FIELD_SET", "upstreams": sources, "downstreamType": "FIELD", "downstreams": []string{columnURN(urn, c.path())}})
		}
	}
	o.put(urn, model.AspectUpstreamLineage, "", object{"upstreams": upstreams, "fineGrainedLineages": fine})
}

// path is the path of a column in the catalog.
func (c *Column) path() string { return cmp.Or(c.Path, c.Name) }

func columnURN(dataset, path string) string {
	return fmt.Sprintf("urn:li:%s:(%s,%s)", model.EntitySchemaField, dataset, model.EncodeFieldPath(path))
}

// tablesBefore returns the tables with URNs from which a node derives, also by statements that write it.
func (s *State) tablesBefore(n *Node, seen map[string]bool) []*Node {
	var found []*Node
	for _, id := range n.Upstreams {
		from := s.Nodes[id]
		if from == nil || seen[id] {
			continue
		}
		seen[id] = true
		switch {
		case !from.isTable():
			found = append(found, s.tablesBefore(from, seen)...)
		case from.URN() != "" && from != n:
			found = append(found, from)
		}
	}
	slices.SortFunc(found, func(a, b *Node) int { return strings.Compare(a.URN(), b.URN()) })
	return slices.CompactFunc(found, func(a, b *Node) bool { return a.URN() == b.URN() })
}
