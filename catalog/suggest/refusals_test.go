package suggest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/catalog/suggest"
	"github.com/headwater-io/headwater/internal/limits"
)

var table = catalogtest.URN(catalogtest.Table)

// suggested are the suggestions for a table as text.
func suggested(t *testing.T, s *suggest.Service, tags []string, columns ...statements.Column) string {
	t.Helper()
	found, err := s.Tags(t.Context(), table, tags, columns)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range found {
		if found[i].Reason == "" {
			t.Errorf("%+v has no reason", found[i])
		}
		all = append(all, found[i].Column+":"+strings.TrimPrefix(found[i].Tag.String(), "urn:li:tag:"))
	}
	return strings.Join(all, " ")
}

// newSuggesting is a catalog with a table and two tags.
func newSuggesting(t *testing.T) *catalogtest.Harness {
	h := catalogtest.NewSearchHarness(t).Harness
	h.Say(catalogtest.Table, "status", `{"removed":false}`)
	for _, id := range []string{"Email", "PII"} {
		h.Say("urn:li:tag:"+id, "tagProperties", `{"name":"t"}`)
	}
	return h
}

// TestTags: the best tag that exists is suggested for each column and for the dataset, and none where there is
// one already.
func TestTags(t *testing.T) {
	h := newSuggesting(t)
	columns := []statements.Column{{Path: "id"}, {Path: "email"}, {Path: "phone"}, {Path: "fax", Tags: []string{"urn:li:tag:PII"}}}
	for _, c := range []struct {
		tags    []string
		columns []statements.Column
		want    string
	}{
		{nil, columns, ":PII email:Email phone:PII"},
		{[]string{"urn:li:tag:Personal"}, columns, "email:Email phone:PII"},
		{nil, columns[:1], ""},
		{nil, columns[3:], ":PII"},
	} {
		if got := suggested(t, h.Suggest, c.tags, c.columns...); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}

// TestRefusals: a refused tag is suggested to nobody, until the refusal is taken back; a column whose tag is
// refused holds no personal data. The one who refused it is known.
func TestRefusals(t *testing.T) {
	h := newSuggesting(t)
	email, pii := catalogtest.URN("urn:li:tag:Email"), catalogtest.URN("urn:li:tag:PII")
	column := statements.Column{Path: "email"}
	for range 2 {
		h.Want("", h.Suggest.Refuse(t.Context(), table, "email", email, catalogtest.Ada))
	}
	if got := suggested(t, h.Suggest, nil, column); got != "" {
		t.Error(got)
	}
	refused, err := h.Suggest.Refused(t.Context(), table)
	if err != nil || len(refused) != 1 || refused[0].By != catalogtest.Ada || refused[0].Column != "email" || refused[0].Time == 0 {
		t.Errorf("%+v %v", refused, err)
	}
	h.Want("", h.Suggest.TakeBack(t.Context(), table, "email", email))
	h.Want(catalog.NotFound, h.Suggest.TakeBack(t.Context(), table, "email", email))
	h.Want("", h.Suggest.Refuse(t.Context(), table, "", pii, ""))
	if got := suggested(t, h.Suggest, nil, column); got != "email:Email" {
		t.Error(got)
	}
	h.Want(catalog.Invalid, h.Suggest.Refuse(t.Context(), table, "order_id", email, ""))
	h.Want(catalog.Invalid, h.Suggest.Refuse(t.Context(), table, "email", catalogtest.URN("urn:li:tag:Hourly"), ""))
	h.Want(catalog.Invalid, h.Suggest.Refuse(t.Context(), pii, "email", email, ""))
	h.Want(catalog.NotFound, h.Suggest.Refuse(t.Context(), catalogtest.URN(catalogtest.Upstream), "email", email, ""))
	if _, err := h.Removal.Delete(t.Context(), table, false, catalogtest.ByAda); err != nil {
		t.Fatal(err)
	}
	if refused, err := h.Suggest.Refused(t.Context(), table); err != nil || len(refused) > 0 {
		t.Errorf("of a deleted dataset: %+v %v", refused, err)
	}
}

// tagless are the permissions of somebody who may not edit tags of columns.
type tagless struct{ permission.Everything }

func (tagless) Allowed(_ context.Context, questions []permission.Question) ([]bool, error) {
	allowed := make([]bool, len(questions))
	for i, q := range questions {
		allowed[i] = q.Privileges[0] != permission.PrivilegeTagColumns
	}
	return allowed, nil
}

// TestRefusalsNeedARight: whoever may not edit the tags may not answer for others.
func TestRefusalsNeedARight(t *testing.T) {
	h := newSuggesting(t)
	ctx := permission.With(t.Context(), tagless{})
	email, pii := catalogtest.URN("urn:li:tag:Email"), catalogtest.URN("urn:li:tag:PII")
	h.Want(catalog.Forbidden, h.Suggest.Refuse(ctx, table, "email", email, catalogtest.Ada))
	h.Want("", h.Suggest.Refuse(t.Context(), table, "email", email, catalogtest.Ada))
	h.Want(catalog.Forbidden, h.Suggest.TakeBack(ctx, table, "email", email))
	h.Want("", h.Suggest.Refuse(ctx, table, "", pii, catalogtest.Ada))
}

// TestLimitsOfSuggestions: no more than the limits are suggested and refused.
func TestLimitsOfSuggestions(t *testing.T) {
	h := newSuggesting(t)
	columns := make([]statements.Column, limits.MaxTagSuggestions)
	for i := range columns {
		columns[i].Path = fmt.Sprint("email_", i)
	}
	for n, want := range map[int]int{limits.MaxTagSuggestions - 1: limits.MaxTagSuggestions, limits.MaxTagSuggestions: limits.MaxTagSuggestions} {
		if got := len(strings.Fields(suggested(t, h.Suggest, nil, columns[:n]...))); got != want {
			t.Errorf("%d suggestions for %d columns, not %d", got, n, want)
		}
	}
	email := catalogtest.URN("urn:li:tag:Email")
	for i := range limits.MaxTagRefusals {
		h.Want("", h.Suggest.Refuse(t.Context(), table, fmt.Sprint("email_", i), email, ""))
	}
	h.Want("", h.Suggest.Refuse(t.Context(), table, "email_0", email, ""))
	h.Want(catalog.Invalid, h.Suggest.Refuse(t.Context(), table, "email_more", email, ""))
}
