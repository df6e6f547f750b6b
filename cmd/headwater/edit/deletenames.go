package edit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/model"
)

// namedToDelete resolves the arguments of delete to URNs, and shows the meaning of each
// name. byName reports whether any argument was a name.
func namedToDelete(ctx context.Context, e *cli.Environment, names []string, o *deleteOptions) (urns []string, byName bool, err error) {
	for _, name := range names {
		if strings.HasPrefix(name, "urn:") {
			urns = append(urns, name)
			continue
		}
		named, err := e.Resolve(ctx, name, client.NameQuery{Part: cli.EntityPart, Removed: o.undo || o.hard})
		if err != nil {
			return nil, false, err
		}
		e.TellMeaning("%s is the %s %s", name, named.Type, named.URN)
		urns, byName = append(urns, named.URN), true
	}
	return urns, byName, nil
}

// resolveWhole is ResolveCriteria for deletes. It accepts URNs and complete names, but not
// the ends of names, and shows the meaning of each name.
func resolveWhole(ctx context.Context, e *cli.Environment, all []*cli.Criterion) error {
	for _, c := range all {
		types, ok := cli.FieldTypes[c.Field]
		if !ok {
			continue
		}
		for i, value := range c.Values {
			if value == "" || strings.HasPrefix(value, "urn:") {
				continue
			}
			named, err := e.Resolve(ctx, value, client.NameQuery{Part: cli.EntityPart, Types: types})
			var answer *client.Error
			switch {
			case errors.As(err, &answer) && answer.Status == http.StatusNotFound && c.Field == "platform":
				c.Values[i] = "urn:li:dataPlatform:" + value // a platform exists even if nothing is stored of it
				continue
			case err != nil:
				return err
			case !isWhole(value, named):
				return cli.BadUsage(fmt.Errorf("%s=%s: %q is only the end of the name of %s; delete takes complete names and URNs", c.Field, value, value, named.URN))
			}
			e.TellMeaning("%s=%s is %s", c.Field, value, named.URN)
			c.Values[i] = named.URN
		}
	}
	return nil
}

// isWhole reports whether a text is the complete name of the resolved entity, possibly with
// its type and platform before the name.
func isWhole(text string, named *client.Named) bool {
	names := []string{named.Name, show.LeafOf(named.URN), model.StoredURN(named.URN).Key()}
	same := func(name string) bool { return strings.EqualFold(name, strings.TrimSpace(text)) }
	for ok := true; ok; _, text, ok = strings.Cut(text, ":") {
		if slices.ContainsFunc(names, same) {
			return true
		}
	}
	return false
}
