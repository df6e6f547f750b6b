package derived

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/parser"
)

// place is where the tables of an entity's SQL are.
type place struct {
	dialect          string
	database, schema string
	// near are the datasets that the entity names itself, whose names count first.
	near []string
	// in are the places of other tables, the first choice first.
	in []sqllineage.Place
}

// dbtPlatform is the platform of dbt, whose SQL is that of another platform.
const dbtPlatform = "dbt"

// place returns where the tables of the entity's SQL are; nil if its dialect is not known.
func (d *derivation) place(ctx context.Context) (*place, error) {
	p := &place{}
	home := "" // the dataset whose name tells the default database and schema
	switch d.urn.EntityType() {
	case model.EntityDataset:
		home = d.urn.String()
	case model.EntityDataJob:
		io := d.values[model.AspectDataJobInputOutput]
		for _, list := range []string{"outputDatasets", "inputDatasets"} {
			p.near = append(p.near, jsontree.Texts(io, list)...)
		}
		for _, list := range []string{"outputDatasetEdges", "inputDatasetEdges"} {
			for _, edge := range jsontree.Items(io, list) {
				p.near = append(p.near, jsontree.Text(edge, "destinationUrn"))
			}
		}
	case model.EntityQuery:
		for _, s := range jsontree.Items(d.values[model.AspectQuerySubjects], "subjects") {
			if urn := jsontree.Text(s, "entity"); model.StoredURN(urn).EntityType() == model.EntityDataset {
				p.near = append(p.near, urn)
			}
		}
		home = jsontree.Text(d.values[model.AspectQueryProperties], "origin")
	}
	if home == "" && len(p.near) > 0 {
		home = p.near[0]
	}
	own := p.of(home, d.values)
	if own == nil {
		platform := model.StoredURN(jsontree.Text(d.values[model.AspectDataPlatformInstance], "platform")) // of a query
		own = &sqllineage.Place{Platform: platform.Key(), Env: "PROD", Namespace: d.urn.Namespace()}
	}
	if p.in = []sqllineage.Place{*own}; own.Platform == dbtPlatform {
		target, err := d.target(ctx, home)
		if err != nil || target == "" {
			return nil, err
		}
		if other := p.of(target, nil); other != nil {
			p.in = append(p.in, *other)
		}
	}
	for _, one := range p.in {
		if _, known := parser.DialectOf(one.Platform); known && one.Platform != "" {
			p.dialect = one.Platform
		}
	}
	if p.dialect == "" {
		return nil, nil
	}
	return p, nil
}

// of returns the place of a dataset, whose name sets the default database and schema; nil for other entities.
func (p *place) of(dataset string, values map[string]catalog.Tree) *sqllineage.Place {
	u := model.StoredURN(dataset)
	if u.EntityType() != model.EntityDataset || len(u.Parts()) < 3 {
		return nil
	}
	own := &sqllineage.Place{Platform: model.StoredURN(u.Parts()[0]).Key(), Env: u.Parts()[2], Namespace: u.Namespace()}
	name := u.Parts()[1]
	if instance := model.StoredURN(jsontree.Text(values[model.AspectDataPlatformInstance], "instance")); len(instance.Parts()) == 2 {
		if rest, begins := strings.CutPrefix(name, instance.Parts()[1]+"."); begins {
			own.Instance, name = instance.Parts()[1], rest
		}
	}
	parts := strings.Split(name, ".")
	if n := len(parts); p.schema == "" && n > 1 {
		p.schema, p.database = parts[n-2], strings.Join(parts[:n-2], ".")
	}
	return own
}

// target returns the table that a model of dbt makes: its sibling, or the table of the same name that derives from it;
// else any dataset of another platform from which it derives, because its dialect is the same.
func (d *derivation) target(ctx context.Context, urn string) (string, error) {
	for _, sibling := range jsontree.Texts(d.values[model.AspectSiblings], "siblings") {
		if platformOf(sibling) != dbtPlatform && platformOf(sibling) != "" {
			return sibling, nil
		}
	}
	for _, direction := range []graphstore.Direction{graphstore.Incoming, graphstore.Outgoing} {
		page, err := d.Store.Edges(ctx, graphstore.EdgeQuery{URNs: []string{urn}, Direction: direction, Kinds: readerKinds[:1], Page: graphstore.Page{Count: edgesAtOnce}})
		if err != nil {
			return "", catalog.StoreFailure(err)
		}
		var others []string
		for i := range page[urn].Edges {
			if other := page[urn].Edges[i].OtherEnd(direction); platformOf(other) != dbtPlatform {
				others = append(others, other)
			}
		}
		at := slices.IndexFunc(others, func(other string) bool { return strings.EqualFold(lastName(other), lastName(urn)) })
		if len(others) > 0 {
			return others[max(0, at)], nil
		}
	}
	return "", nil
}

// platformOf returns the name of the platform of a dataset, "" for other entities.
func platformOf(urn string) string {
	u := model.StoredURN(urn)
	if u.EntityType() != model.EntityDataset || len(u.Parts()) < 3 {
		return ""
	}
	return model.StoredURN(u.Parts()[0]).Key()
}

// partsOf returns the parts of the name of a dataset.
func partsOf(urn string) []string {
	if u := model.StoredURN(urn); u.EntityType() == model.EntityDataset && len(u.Parts()) == 3 {
		return strings.Split(u.Parts()[1], ".")
	}
	return nil
}

func lastName(urn string) string {
	parts := partsOf(urn)
	if len(parts) == 0 {
		return ""
	}
	return cmp.Or(parts[len(parts)-1], urn)
}
