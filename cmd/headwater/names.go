package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/headwater-io/headwater/internal/client"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/model"
)

// nameHelp is the part of a verb's help about names.
const nameHelp = `NAME is a URN, or a name: the display name, the name in the source
(analytics.marts.orders), or its end (marts.orders, orders). If several things have
the name, the command lists them and exits with 3; a platform or an entity type
before the name selects one (snowflake:orders, tag:PII).`

// columnHelp is the same about columns.
const columnHelp = nameHelp + ` A column is its entity's
name, a dot and its path: orders.net_revenue.`

// Values of client.NameQuery.Part.
const (
	entityPart = "entity"
	columnPart = "column"
	eitherPart = ""
)

// ambiguous is a name that does not stand for one thing. Its text lists what it may
// stand for, and a command that works.
type ambiguous struct {
	answer *client.Error
	name   string
	// next is the command line with a place for the name.
	next func(handle string) string
}

func (e *ambiguous) Unwrap() error { return e.answer }

func (e *ambiguous) Error() string {
	var b strings.Builder
	listed := e.answer.Candidates
	switch {
	case e.answer.Ambiguous():
		fmt.Fprintf(&b, "%q stands for %d things", e.name, e.answer.CandidateCount)
		if len(listed) < e.answer.CandidateCount {
			fmt.Fprintf(&b, "; the first %d are", len(listed))
		}
	case listed[0].Removed:
		fmt.Fprintf(&b, "%q is soft-deleted", e.name)
	default:
		fmt.Fprintf(&b, "nothing is named %q; the nearest are", e.name)
	}
	b.WriteString("\n\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  TYPE\tPLATFORM\tNAME\tURN")
	for i := range listed {
		c := &listed[i]
		name := c.Handle
		if name == c.URN || strings.HasPrefix(name, "urn:") {
			name = c.Name
		}
		kind := c.Type
		if c.Column != "" {
			kind = "column"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", kind, orDash(c.Platform), name, c.URN)
	}
	_ = w.Flush() // a strings.Builder does not fail
	fmt.Fprintf(&b, "\nFor example: %s", e.next(listed[0].Handle))
	return b.String()
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// resolve returns what a name on the command line stands for. A URN of an entity is not
// sent to the server: the request that follows will say what is wrong with it.
func (e *environment) resolve(ctx context.Context, name string, q client.NameQuery) (*client.Named, error) {
	if strings.HasPrefix(name, "urn:") && !strings.Contains(name, ").") {
		return &client.Named{URN: name, Entity: name, Type: model.StoredURN(name).EntityType(), Name: name}, nil
	}
	if strings.TrimSpace(name) == "" {
		return nil, usageError{errors.New("a name is empty")}
	}
	named, err := e.client().Resolve(ctx, name, q)
	var answer *client.Error
	if errors.As(err, &answer) && len(answer.Candidates) > 0 {
		return nil, &ambiguous{answer: answer, name: name, next: func(handle string) string { return e.commandWith(name, handle) }}
	}
	return named, err
}

// urnOf resolves the name of an entity or, if the part is not entityPart, of a column.
func (e *environment) urnOf(ctx context.Context, name, part string) (string, error) {
	named, err := e.resolve(ctx, name, client.NameQuery{Part: part})
	if err != nil {
		return "", err
	}
	return named.URN, nil
}

// commandWith is the present command line with another name.
func (e *environment) commandWith(name, other string) string {
	words := []string{"headwater"}
	replaced := false
	for _, arg := range e.args {
		if flag, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(flag, "-") && value == name && !replaced {
			words, replaced = append(words, flag+"="+shellWord(other)), true
			continue
		}
		if arg == name && !replaced {
			arg, replaced = other, true
		}
		words = append(words, shellWord(arg))
	}
	return strings.Join(words, " ")
}

// shellWord writes a word, cleaned for terminals, so that a shell leaves it as it is.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.,:/@%+=", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(screen.Line(word), "'", `'\''`) + "'"
}

// filterTypes are the entity types that the values of a filter name.
var filterTypes = map[string][]string{
	"platform": {model.EntityDataPlatform},
	"owner":    {model.EntityCorpuser, model.EntityCorpGroup},
	"tag":      {model.EntityTag},
	"term":     {model.EntityGlossaryTerm},
	"domain":   {model.EntityDomain},
}

// resolveFilters replaces names in the filters of a walk by URNs. What the catalog does
// not have stays as it is: it may be the end of a URN that was never described.
func (e *environment) resolveFilters(ctx context.Context, filters map[string]*[]string) error {
	for filter, types := range filterTypes {
		values := *filters[filter]
		for i, value := range values {
			urn, err := e.valueOf(ctx, value, types)
			if err != nil {
				return err
			}
			values[i] = urn
		}
	}
	return nil
}

// valueOf returns the URN of one of some types that a name stands for, or the name if
// there is none.
func (e *environment) valueOf(ctx context.Context, name string, types []string) (string, error) {
	if name == "" {
		return name, nil
	}
	named, err := e.resolve(ctx, name, client.NameQuery{Part: entityPart, Types: types})
	var answer *client.Error
	switch {
	case err == nil:
		return named.URN, nil
	case errors.As(err, &answer) && answer.Status == http.StatusNotFound:
		return name, nil
	}
	return "", err
}

// fieldTypes are the fields of searches whose values are URNs, and of which types.
var fieldTypes = map[string][]string{
	"platform":      filterTypes["platform"],
	"owners":        filterTypes["owner"],
	"tags":          filterTypes["tag"],
	"fieldTags":     filterTypes["tag"],
	"glossaryTerms": filterTypes["term"],
	"domains":       filterTypes["domain"],
	"container":     {model.EntityContainer},
}

// resolveCriteria replaces names by URNs in the values of a filter of a search.
func (e *environment) resolveCriteria(ctx context.Context, all []*criterion) error {
	for _, c := range all {
		types, ok := fieldTypes[c.Field]
		if !ok {
			continue
		}
		for i, value := range c.Values {
			urn, err := e.valueOf(ctx, value, types)
			if err != nil {
				return err
			}
			if urn == value && !strings.HasPrefix(value, "urn:") && len(types) == 1 && slices.Contains(types, model.EntityDataPlatform) {
				urn = "urn:li:dataPlatform:" + value
			}
			c.Values[i] = urn
		}
	}
	return nil
}

// resolveColumn returns the column of an entity with a name.
func (e *environment) resolveColumn(ctx context.Context, name, column string) (*client.Named, error) {
	whole := name + "." + column
	named, err := e.client().Resolve(ctx, whole, client.NameQuery{Part: columnPart})
	var answer *client.Error
	if errors.As(err, &answer) && len(answer.Candidates) > 0 {
		return nil, &ambiguous{answer: answer, name: whole, next: func(handle string) string {
			return e.commandWith(name, strings.TrimSuffix(handle, "."+column))
		}}
	}
	return named, err
}

// namedToDelete resolves the names of what is deleted, shows what they stand for, and
// reports whether there were any.
func (e *environment) namedToDelete(ctx context.Context, names []string, o *deleteOptions) (urns []string, byName bool, err error) {
	for _, name := range names {
		if strings.HasPrefix(name, "urn:") {
			urns = append(urns, name)
			continue
		}
		named, err := e.resolve(ctx, name, client.NameQuery{Part: entityPart, Removed: o.undo || o.hard})
		if err != nil {
			return nil, false, err
		}
		fmt.Fprintf(e.stderr, "%s is the %s %s\n", name, named.Type, named.URN)
		urns, byName = append(urns, named.URN), true
	}
	return urns, byName, nil
}
