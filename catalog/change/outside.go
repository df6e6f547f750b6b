package change

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// The changes of a column about which a catalog is asked.
const (
	Drop   = "drop"
	Rename = "rename"
	Retype = "retype"
)

// Affected is an entity of a catalog that a change affects.
type Affected struct {
	Impact
	// Effect is Certain or Possible.
	Effect string
}

// Details are facts of an entity of a catalog.
type Details struct {
	Owners  []Owner
	Domains []string
}

// Catalog knows entities that the project does not define. All URNs are those of the catalog; unknown ones are left out.
type Catalog interface {
	// Readers returns the readers of a column of a dataset, one hop from it. The column is a name, or a path with types. change is
	// Drop, Rename or Retype.
	Readers(ctx context.Context, dataset, column, change string) ([]Affected, error)
	// Behind returns the entities downstream of an entity: one hop if direct, and else all of them.
	Behind(ctx context.Context, urn string, direct bool) ([]Affected, error)
	// Attached returns the forms and structured properties of a dataset, or of one of its columns if column is not "".
	Attached(ctx context.Context, dataset, column string) (Attached, error)
	// Details returns the owners and domains of entities, by URN.
	Details(ctx context.Context, urns []string) (map[string]Details, error)
}

// outside is a search for affected entities beyond the project.
type outside struct {
	catalog           Catalog
	defined           map[string]bool
	certain, possible map[string]*Impact
	asked             int
	incomplete        string
	// seen has the answers of Behind.
	seen map[string][]Affected
}

// Beyond adds to a result a catalog's knowledge of the changes: affected entities outside the project, owners and domains. It
// returns a sentence if not everything could be asked.
func (r *Result) Beyond(ctx context.Context, base, head *State, catalog Catalog) (string, error) {
	o := &outside{catalog: catalog, defined: map[string]bool{}, certain: map[string]*Impact{}, possible: map[string]*Impact{}, seen: map[string][]Affected{}}
	for _, s := range []*State{base, head} {
		for _, n := range s.Nodes {
			for _, urn := range n.URNs {
				o.defined[strings.ToLower(urn)] = true
			}
		}
	}
	for i := range r.Changes {
		c := &r.Changes[i]
		n := cmp.Or(head.Nodes[c.node], base.Nodes[c.node])
		if err := o.change(ctx, c, n); err != nil {
			return "", err
		}
	}
	for i := range r.Certain {
		at := &r.Certain[i]
		n := head.Nodes[at.node]
		if n == nil || !n.isTable() {
			continue
		}
		for _, urn := range n.URNs {
			if err := o.behind(ctx, urn, at, Certain); err != nil {
				return "", err
			}
		}
	}
	o.asked = 0 // these questions have a bound of their own: effects come first
	for i := range r.Changes {
		c := &r.Changes[i]
		if err := o.attached(ctx, r, c, cmp.Or(head.Nodes[c.node], base.Nodes[c.node])); err != nil {
			return "", err
		}
	}
	var err error
	if r.Unused, err = o.unused(ctx, r.Unused); err != nil {
		return "", err
	}
	o.put(r)
	return o.incomplete, r.details(ctx, catalog)
}

// change asks about a change.
func (o *outside) change(ctx context.Context, c *Change, n *Node) error {
	kind := map[string]string{ColumnDropped: Drop, ColumnRenamed: Rename, ColumnRetyped: Retype, MeaningChanged: Retype, LineageLost: Retype}[c.Kind]
	if kind == "" && c.Kind != TableRemoved {
		return nil
	}
	for _, urn := range n.URNs {
		if !o.ask() {
			return nil
		}
		var found []Affected
		var err error
		if c.Kind == TableRemoved {
			found, err = o.catalog.Behind(ctx, urn, true)
		} else {
			found, err = o.catalog.Readers(ctx, urn, cmp.Or(c.Path, c.Column), kind)
		}
		if err != nil {
			return err
		}
		via := strings.TrimSuffix(c.Table+"."+c.Column, ".")
		for i := range found {
			a := &found[i]
			if o.defined[strings.ToLower(a.URN)] {
				continue
			}
			if kind == Retype || c.Sure < 1 && c.Kind != ColumnRenamed {
				a.Effect = Possible
			}
			if c.Kind == TableRemoved {
				a.Effect, a.Why = Certain, "it reads "+c.Table+", which the change removes"
			}
			a.Via, a.Column = []string{via, a.Name}, via
			o.note(&a.Impact, a.Effect)
			if err := o.behind(ctx, a.URN, &a.Impact, a.Effect); err != nil {
				return err
			}
		}
	}
	return nil
}

// behind notes the entities downstream of an entity that fails or may fail.
func (o *outside) behind(ctx context.Context, urn string, before *Impact, effect string) error {
	if o.certain[urn] != nil && effect == Possible {
		return nil
	}
	found, known := o.seen[urn]
	if !known {
		if !o.ask() {
			return nil
		}
		var err error
		if found, err = o.catalog.Behind(ctx, urn, false); err != nil {
			return err
		}
		o.seen[urn] = found
	}
	for i := range found {
		a := found[i]
		if o.defined[strings.ToLower(a.URN)] {
			continue
		}
		a.Via, a.Column, a.Clause = append(slices.Clone(before.Via), a.Name), before.Column, behindClause
		a.Why = "it stands behind " + before.Name + ", which fails"
		if effect == Possible {
			a.Why = "it stands behind " + before.Name + ", which may be affected"
		}
		o.note(&a.Impact, effect)
	}
	return nil
}

// ask counts a question, and reports whether it may be asked.
func (o *outside) ask() bool {
	if o.asked++; o.asked > limits.CheckQuestions {
		o.incomplete = fmt.Sprintf("the catalog was asked about %d columns and tables, and there are more", limits.CheckQuestions)
		return false
	}
	return true
}

// note keeps an effect. Of two effects on one entity, note keeps a certain one before a possible one, and
// otherwise the one with the shorter way.
func (o *outside) note(i *Impact, effect string) {
	i.Outside = true
	if i.Owners == nil {
		i.Owners = []Owner{}
	}
	into := o.certain
	if effect == Possible {
		into = o.possible
	}
	if known := into[i.URN]; known == nil || len(i.Via) < len(known.Via) {
		into[i.URN] = i
	}
}

// put adds the findings to the lists of the result.
func (o *outside) put(r *Result) {
	for _, effect := range []string{Certain, Possible} {
		from, list := o.certain, &r.Certain
		if effect == Possible {
			from, list = o.possible, &r.Possible
		}
		var found []Impact
		for urn, i := range from {
			hurt := Hurt{URN: urn, Name: i.Name, Table: i.Column, Owners: i.Owners, Effect: effect, Why: i.Why}
			switch {
			case effect == Possible && o.certain[urn] != nil:
			case i.Type == model.EntityAssertion:
				r.Assertions = append(r.Assertions, hurt)
			case i.Type == model.EntityDataContract:
				r.Contracts = append(r.Contracts, hurt)
			default:
				found = append(found, *i)
			}
		}
		slices.SortFunc(found, func(a, b Impact) int {
			return cmp.Or(cmp.Compare(len(a.Via), len(b.Via)), strings.Compare(a.Name, b.Name), strings.Compare(a.URN, b.URN))
		})
		*list = append(*list, found...)
	}
	for _, hurts := range [][]Hurt{r.Assertions, r.Contracts} {
		slices.SortStableFunc(hurts, func(a, b Hurt) int {
			return cmp.Or(strings.Compare(a.Effect, b.Effect), strings.Compare(a.Name, b.Name))
		})
	}
}

// details adds owners and domains that a catalog knows.
func (r *Result) details(ctx context.Context, catalog Catalog) error {
	var urns []string
	for _, list := range [][]Impact{r.Certain, r.Possible} {
		for i := range list {
			if list[i].URN != "" && !slices.Contains(urns, list[i].URN) {
				urns = append(urns, list[i].URN)
			}
		}
	}
	if len(urns) == 0 {
		return nil
	}
	known, err := catalog.Details(ctx, urns)
	if err != nil {
		return err
	}
	for _, list := range [][]Impact{r.Certain, r.Possible} {
		for i := range list {
			at := &list[i]
			at.Domains = known[at.URN].Domains
			for _, owner := range known[at.URN].Owners {
				if !slices.ContainsFunc(at.Owners, func(o Owner) bool { return o.URN == owner.URN }) {
					at.Owners = append(at.Owners, owner)
				}
			}
		}
	}
	return nil
}
