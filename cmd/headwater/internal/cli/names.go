package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/model"
)

// NameHelp is the part of a help text about names.
const NameHelp = `NAME is a URN, or a name: the display name, the name in the source
(analytics.marts.orders), or its end (marts.orders, orders). If several things have
the name, the command lists them and exits with 3; a platform or an entity type
before the name selects one (snowflake:orders, tag:PII).`

// ColumnHelp is NameHelp for verbs that also accept columns.
const ColumnHelp = NameHelp + ` A column is its entity's
name, a dot and its path: orders.net_revenue.`

// The values of client.NameQuery.Part.
const (
	EntityPart = "entity"
	ColumnPart = "column"
	EitherPart = ""
)

// ambiguous is the error of a name that means none or several things. Its text lists the
// candidates, and a command that works.
type ambiguous struct {
	answer *client.Error
	name   string
	// next returns the command line with another name in place of the ambiguous one.
	next func(c *client.Named) string
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
	table := &screen.Table{Columns: []screen.Column{{Head: "TYPE"}, {Head: "PLATFORM"}, {Head: "NAME"}, {Head: "URN"}}, Indent: 2}
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
		table.Add(kind, show.OrDash(c.Platform), name, c.URN)
	}
	_ = table.Write(&b, 0) // writing to a strings.Builder cannot fail
	fmt.Fprintf(&b, "\nFor example: %s", e.next(&listed[0]))
	return b.String()
}

// Resolve returns the entity or column that a name on the command line means. It does not
// ask the server about the URN of an entity: an error of the next request will say if the
// URN is wrong.
func (e *Environment) Resolve(ctx context.Context, name string, q client.NameQuery) (*client.Named, error) {
	if strings.HasPrefix(name, "urn:") && !strings.Contains(name, ").") {
		return &client.Named{URN: name, Entity: name, Type: model.StoredURN(name).EntityType(), Name: name}, nil
	}
	if strings.TrimSpace(name) == "" {
		return nil, BadUsage(errors.New("a name is empty"))
	}
	named, err := e.Client().Resolve(ctx, name, q)
	var answer *client.Error
	if errors.As(err, &answer) && len(answer.Candidates) > 0 {
		return nil, &ambiguous{answer: answer, name: name, next: func(c *client.Named) string { return e.CommandWith(name, c.Handle) }}
	}
	return named, err
}

// URNOf returns the URN that a name means: of an entity if part is EntityPart, otherwise
// also of a column.
func (e *Environment) URNOf(ctx context.Context, name, part string) (string, error) {
	named, err := e.Resolve(ctx, name, client.NameQuery{Part: part})
	if err != nil {
		return "", err
	}
	return named.URN, nil
}

// FilterTypes has the entity types of each filter's values.
var FilterTypes = map[string][]string{
	"platform": {model.EntityDataPlatform},
	"owner":    {model.EntityCorpuser, model.EntityCorpGroup},
	"tag":      {model.EntityTag},
	"term":     {model.EntityGlossaryTerm},
	"domain":   {model.EntityDomain},
}

// ResolveFilters replaces names in the filters of a walk by URNs. A name that the catalog
// does not know stays: it may be the end of the URN of an entity that nobody has described.
func (e *Environment) ResolveFilters(ctx context.Context, filters map[string]*[]string) error {
	for filter, types := range FilterTypes {
		values := *filters[filter]
		for i, value := range values {
			urn, err := e.ValueOf(ctx, value, types)
			if err != nil {
				return err
			}
			values[i] = urn
		}
	}
	return nil
}

// ValueOf returns the URN of the entity that a name means among some types, or the name if
// the catalog does not know it.
func (e *Environment) ValueOf(ctx context.Context, name string, types []string) (string, error) {
	if name == "" {
		return name, nil
	}
	named, err := e.Resolve(ctx, name, client.NameQuery{Part: EntityPart, Types: types})
	var answer *client.Error
	switch {
	case err == nil:
		return named.URN, nil
	case errors.As(err, &answer) && answer.Status == http.StatusNotFound:
		return name, nil
	}
	return "", err
}

// TellMeaning shows the meaning of a name before the command acts on it. With JSON output,
// TellMeaning shows nothing, because standard error may then have only JSON.
func (e *Environment) TellMeaning(format string, args ...any) {
	if e.Output != "json" {
		fmt.Fprintln(e.Stderr, screen.Line(fmt.Sprintf(format, args...)))
	}
}

// ResolveColumn returns a column of an entity, by the entity's name and the column's.
func (e *Environment) ResolveColumn(ctx context.Context, name, column string) (*client.Named, error) {
	whole := name + "." + column
	named, err := e.Client().Resolve(ctx, whole, client.NameQuery{Part: ColumnPart})
	var answer *client.Error
	if errors.As(err, &answer) && len(answer.Candidates) > 0 {
		return nil, &ambiguous{answer: answer, name: whole, next: func(c *client.Named) string {
			handle := c.Handle
			if c.Column != "" { // the candidate's column may differ in letter case
				handle = strings.TrimSuffix(handle, "."+c.Column)
			}
			return e.CommandWith(name, handle)
		}}
	}
	return named, err
}
