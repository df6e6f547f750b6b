package change

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Attached are the forms and the structured properties that a catalog has of a dataset, or of one of its columns.
type Attached struct{ Forms, Properties []AttachedTo }

// AttachedTo is a form, or a structured property with a value.
type AttachedTo struct{ URN, Name string }

// attached finds which forms and structured properties lose their subject: of a dropped or renamed column the
// answers and values stay behind at the former name, and of a removed table they are about nothing.
func (o *outside) attached(ctx context.Context, r *Result, c *Change, n *Node) error {
	if !c.Loses() && c.Kind != TableRemoved {
		return nil
	}
	for _, urn := range n.URNs {
		if !o.ask() {
			return nil
		}
		found, err := o.catalog.Attached(ctx, urn, cmp.Or(c.Path, c.Column))
		if err != nil {
			return err
		}
		about, verb := c.Table, "removes"
		if c.Column != "" {
			about, verb = c.Column, "drops"
		}
		if c.Kind == ColumnRenamed {
			verb = "renames to " + c.NewName
		}
		hurt := func(list *[]Hurt, one AttachedTo, why string) {
			h := Hurt{URN: one.URN, Name: one.Name, Table: c.Table, Column: c.Column, Owners: []Owner{}, Effect: Certain, Why: why, File: c.File, Line: c.Line}
			if c.Sure < 1 && c.Kind != ColumnRenamed {
				h.Effect = Possible
			}
			if !slices.ContainsFunc(*list, func(o Hurt) bool { return o.URN == h.URN && o.Table == h.Table && o.Column == h.Column }) {
				*list = append(*list, h)
			}
		}
		for _, form := range found.Forms {
			hurt(&r.Forms, form, fmt.Sprintf("it is about %s, which the change %s", about, verb))
		}
		for _, property := range found.Properties {
			hurt(&r.Properties, property, fmt.Sprintf("%s has a value of it, and the change %s it", about, verb))
		}
	}
	return nil
}

// Attached returns the file's forms and structured properties of a dataset. The file has none of columns.
func (f *CatalogFile) Attached(_ context.Context, dataset, column string) (Attached, error) {
	e := f.byURN[dataset]
	if e == nil || column != "" {
		return Attached{}, nil
	}
	named := func(urns []string) (all []AttachedTo) {
		for _, urn := range urns {
			all = append(all, AttachedTo{urn, urn[strings.LastIndexByte(urn, ':')+1:]})
		}
		return all
	}
	return Attached{named(e.Forms), named(e.Properties)}, nil
}
