package change

import (
	"cmp"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/sql/lineage"
)

type source = lineage.Source

// rename is a column of base that is another one of the head by now.
type rename struct {
	from, to int
	sure     float64
	how      string
}

// renames pairs dropped columns with added ones: the surest pairs first, each column in one pair.
func (c *comparison) renames(was, n *Node, dropped, added []int) []rename {
	var all []rename
	for _, from := range dropped {
		for _, to := range added {
			if sure, how := c.renamed(was, n, from, to, len(dropped), len(added)); sure > 0 {
				all = append(all, rename{from, to, sure, how})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b rename) int { return cmp.Compare(b.sure, a.sure) })
	var chosen []rename
	for _, r := range all {
		if !slices.ContainsFunc(chosen, func(x rename) bool { return x.from == r.from || x.to == r.to }) {
			chosen = append(chosen, r)
		}
	}
	return chosen
}

// renamed says how sure it is that a column was renamed, and why. 0 means that nothing speaks for it.
func (c *comparison) renamed(was, n *Node, from, to, dropped, added int) (float64, string) {
	before, now := &was.Columns[from], &n.Columns[to]
	if slices.Contains(now.formerly, strings.ToLower(before.Name)) {
		if n.nested {
			return 1, "the schema names it as the former name"
		}
		return 1, "the script renames it"
	}
	if before.number != "" && now.number != "" { // another number is another field
		if before.number == now.number {
			return 1, "the field of its number has another name"
		}
		return 0, ""
	}
	if was.statement != nil && n.statement != nil && len(was.statement.Defines)+len(n.statement.Defines) == 0 {
		same := before.form == now.form && now.form != ""
		switch {
		case same && len(before.sources) > 0 && from == to:
			return 0.99, "the same expression in the same place has another name"
		case same && len(before.sources) > 0:
			return 0.95, "the same expression has another name"
		case len(before.sources) > 0 && c.sameSources(before, now) && from == to && sameKind(before, now):
			return 0.7, "a column with the same sources is in its place"
		}
		return 0, ""
	}
	if n.nested && !sameHolder(before.Name, now.Name) {
		return 0, ""
	}
	place := from == to && len(was.Columns) == len(n.Columns) && !n.nested // the members of a schema have no order that lasts
	kind := before.Type != "" && now.Type != "" && sameType(before.Type, now.Type)
	unknown := before.Type == "" || now.Type == ""
	switch {
	case place && kind && dropped == 1 && added == 1:
		return 0.8, "the only new column is in its place and has its type"
	case place && kind:
		return 0.6, "a new column of its type is in its place"
	case place && unknown && dropped == 1 && added == 1:
		return 0.6, "the only new column is in its place"
	case kind && dropped == 1 && added == 1 && alike(before.Name, now.Name):
		return 0.5, "the only new column has its type and a name like it"
	}
	return 0, ""
}

func sameKind(a, b *Column) bool {
	return a.how == b.how && (a.Type == "" || b.Type == "" || sameType(a.Type, b.Type))
}

// alike reports whether one name is a part of the other, or has a word of it.
func alike(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if strings.Contains(a, b) || strings.Contains(b, a) {
		return true
	}
	return slices.ContainsFunc(strings.Split(a, "_"), func(word string) bool {
		return len(word) > 2 && slices.Contains(strings.Split(b, "_"), word)
	})
}

// sameHolder reports whether two fields are inside the same one.
func sameHolder(a, b string) bool {
	return a[:strings.LastIndexByte(a, '.')+1] == b[:strings.LastIndexByte(b, '.')+1]
}
