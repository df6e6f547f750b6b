package write_test

import (
	"context"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// TestDomainsAndAssociations: domains and domainAssociations stay one set, whichever of the two
// aspects a whole value, a patch, an edit or a batch changes.
func TestDomainsAndAssociations(t *testing.T) {
	const domain = "urn:li:domain:"
	plain := func(names ...string) string {
		return `"domains":["` + domain + strings.Join(names, `","`+domain) + `"]`
	}
	of := func(name string) string { return `{"domain":"` + domain + name + `"}` }
	by := func(name string) string {
		return `{"domain":"` + domain + name + `","context":"c","attribution":{"time":1,"actor":"` + catalogtest.Ada + `","source":"urn:li:dataHubAction:s"}}`
	}
	associations := func(entries ...string) string { return `"domainAssociations":[` + strings.Join(entries, ",") + `]` }
	object := func(members ...string) string { return "{" + strings.Join(members, ",") + "}" }
	patch := func(operations string) string {
		return `{"arrayPrimaryKeys":{"domainAssociations":["attribution␟source","domain"]},"patch":[` + operations + `]}`
	}
	source := "urn:li:dataHubAction:s"
	steps := []struct {
		name, change, value string
		knows               bool
		want                string // "" is a refusal
	}{
		{"an older client", write.Upsert, object(plain("a")), false, object(plain("a"))},
		{"a patch of the other list", write.Patch, patch(`{"op":"add","path":"/domainAssociations/` + source + `/` + domain + `b","value":` + by("b") + `}`), true, object(plain("a", "b"), associations(of("a"), by("b")))},
		{"an older client again", write.Upsert, object(plain("b", "c")), false, object(plain("b", "c"), associations(by("b"), of("c")))},
		{"a patch of the plain list", write.Patch, `[{"op":"remove","path":"/domains/` + domain + `c"}]`, false, object(plain("b"), associations(by("b")))},
		{"a removal of an association", write.Patch, patch(`{"op":"remove","path":"/domainAssociations/` + source + `/` + domain + `b"}`), true, object(`"domains":[]`, associations())},
		{"today's client", write.Upsert, object(plain("a")), true, object(plain("a"), associations(of("a")))},
		{"both differ", write.Upsert, object(plain("b"), associations()), true, ""},
		{"a read value with another plain list", write.Upsert, object(plain("a", "b"), associations(of("a"))), true, object(plain("a", "b"), associations(of("a"), of("b")))},
		{"a read value with other associations", write.Upsert, object(plain("a", "b"), associations(of("b"), by("c"))), true, object(plain("b", "c"), associations(of("b"), by("c")))},
		{"associations alone", write.Upsert, object(associations(by("a"))), true, object(plain("a"), associations(by("a")))},
		{"an edit", "", "b", false, object(plain("b"), associations(of("b")))},
		{"an edit that removes", "", "", false, object(`"domains":[]`, associations())},
		{"a wrong list", write.Upsert, object(plain("b"), `"domainAssociations":[{}]`), true, ""},
	}
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		h, ctx := onStore(t, store), context.Background()
		h.Say(domain+"b", "domainProperties", `{"name":"b"}`)
		for _, s := range steps {
			before := h.Value(catalogtest.Table, "domains", 0)
			var err error
			switch s.change {
			case "":
				var u model.URN // none removes the domain
				if s.value != "" {
					u = catalogtest.URN(domain + s.value)
				}
				err = h.Edits.SetDomain(ctx, u, catalogtest.URNs(catalogtest.Table), catalog.WriteOptions{})
			default:
				p := about(s.change, catalogtest.Table, "domains", s.value)
				if s.change == write.Patch {
					p.Aspect.ContentType = "application/json-patch+json"
				}
				_, err = h.Ingest(ctx, p, catalog.WriteOptions{AddDerived: s.knows})
			}
			want := s.want
			if want == "" {
				if want = before; catalog.CodeOf(err) != catalog.Validation {
					t.Errorf("%s: %v", s.name, err)
				}
			} else if err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
			if got := h.Value(catalogtest.Table, "domains", 0); !jsontree.EqualText([]byte(got), []byte(want)) {
				t.Errorf("%s: %s", s.name, got)
			}
		}
		// In a batch, each value is compared with the one before it.
		items, err := h.IngestBatch(ctx, []write.Proposal{
			about(write.Upsert, catalogtest.Upstream, "domains", object(associations(by("a")))),
			about(write.Upsert, catalogtest.Upstream, "domains", object(plain("a", "b"), associations(by("a")))),
			about(write.Upsert, catalogtest.Upstream, "domains", object(plain("c"), associations(by("b")))),
		}, catalog.WriteOptions{})
		h.Want("", err)
		if items[0].Err != nil || items[1].Err != nil || catalog.CodeOf(items[2].Err) != catalog.Validation {
			t.Errorf("%+v", items)
		}
		if got := h.Value(catalogtest.Upstream, "domains", 0); !jsontree.EqualText([]byte(got), []byte(object(plain("a", "b"), associations(by("a"), of("b"))))) {
			t.Errorf("after a batch: %s", got)
		}
	})
}
