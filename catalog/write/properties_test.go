package write_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

const propertyURN = "urn:li:structuredProperty:io.acme."

// about is a proposal about an entity of any type.
func about(change, urn, aspect, value string) write.Proposal {
	p := catalogtest.Proposal(change, urn, aspect, value)
	p.EntityType = catalogtest.URN(urn).EntityType()
	return p
}

// definition is a propertyDefinition of the property with a name; more are further members, which replace
// members of the same name.
func definition(name, valueType, more string) write.Proposal {
	if more != "" {
		more = "," + more
	}
	return about(write.Upsert, propertyURN+name, "propertyDefinition",
		`{"qualifiedName":"io.acme.`+name+`","valueType":"urn:li:dataType:datahub.`+valueType+`","entityTypes":["urn:li:entityType:datahub.dataset"]`+more+`}`)
}

// assignment is an entry of structuredProperties.
func assignment(property, values string) string {
	return `{"propertyUrn":"` + propertyURN + property + `","values":[` + values + `]}`
}

// assign is a write of structuredProperties.
func assign(urn string, entries ...string) write.Proposal {
	return about(write.Upsert, urn, "structuredProperties", `{"properties":[`+strings.Join(entries, ",")+`]}`)
}

// assigning is a patch that sets the values of one property.
func assigning(urn, property, values string) write.Proposal {
	p := about(write.Patch, urn, "structuredProperties",
		`[{"op":"add","path":"/properties/`+propertyURN+property+`","value":`+assignment(property, values)+`}]`)
	p.Aspect.ContentType = "application/json-patch+json"
	return p
}

// onStore is a catalog with a harness on a store.
func onStore(t *testing.T, store graphstore.Store) *catalogtest.Harness {
	t.Helper()
	f := &catalogtest.Faulty{Store: store}
	return &catalogtest.Harness{Services: services.New(services.Options{Store: f, Now: testclock.Now}), T: t, Store: f}
}

// refused expects a refusal whose message has all the words.
func refused(t *testing.T, h *catalogtest.Harness, p write.Proposal, words ...string) {
	t.Helper()
	_, err := h.Ingest(context.Background(), p, catalog.WriteOptions{})
	if catalog.CodeOf(err) != catalog.Validation || err == nil {
		t.Errorf("%s %s %s: %v", p.ChangeType, p.EntityURN, p.Aspect.Value, err)
		return
	}
	for _, word := range words {
		if !strings.Contains(catalog.MessageOf(err), word) {
			t.Errorf("%s: %q does not name %s", p.Aspect.Value, catalog.MessageOf(err), word)
		}
	}
}

// TestPropertyDefinitions: a definition that cannot be used is refused, and so is a
// change that breaks values which the former definition allows.
func TestPropertyDefinitions(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for _, one := range []struct {
		name, valueType, more string
		words                 []string
	}{
		{"of an unknown type", "string", "", []string{"blank"}},
		{"a", "colour", "", []string{propertyURN + "a", "colour", "number"}},
		{"a", "string", `"entityTypes":["urn:li:entityType:datahub.nothing"]`, []string{"nothing"}},
		{"a", "string", `"qualifiedName":"a b"`, []string{"qualifiedName", "a b"}},
		{"a", "string", `"qualifiedName":""`, []string{"qualifiedName"}},
		{"a", "urn", `"typeQualifier":{"allowedTypes":["urn:li:entityType:datahub.person"]}`, []string{"person"}},
		{"a", "string", `"allowedPlatforms":["urn:li:tag:hive"]`, []string{"urn:li:tag:hive"}},
		{"a", "string", `"version":"2"`, []string{"version", "14 digits"}},
		{"a", "number", `"allowedValues":[{"value":{"double":1}},{"value":{"string":"two"}}]`, []string{"allowed value", "two", "number"}},
		{"a", "string", `"allowedValues":[{"value":{"double":1}}]`, []string{"allowed value", "1"}},
		{"a", "date", `"allowedValues":[{"value":{"string":"2026-02-30"}}]`, []string{"2026-02-30"}},
		{"a", "string", `"allowedValues":[` + strings.Repeat(`{"value":{"string":"x"}},`, limits.MaxAllowedValues) + `{"value":{"string":"x"}}]`, []string{"10001", "10000"}},
	} {
		refused(t, h, definition(one.name, one.valueType, one.more), one.words...)
	}
	for _, valueType := range []string{"string", "rich_text", "number", "date", "urn"} {
		h.Attempt("", definition("of."+valueType, valueType, ""))
	}
	ab := `"allowedValues":[{"value":{"string":"a"}},{"value":{"string":"b"}}]`
	for i, one := range []struct{ before, after, word string }{
		{`"cardinality":"MULTIPLE"`, ``, "SINGLE"},
		{``, `"valueType":"urn:li:dataType:datahub.number"`, "number"},
		{``, `"qualifiedName":"io.acme.other"`, "qualifiedName"},
		{ab, `"allowedValues":[{"value":{"string":"b"}},{"value":{"string":"c"}}]`, `"a"`},
		{``, ab, "allowedValues"},
		{`"version":"20260101000000","cardinality":"MULTIPLE"`, `"version":"20250101000000"`, "SINGLE"},
		// These definitions are wider, or have a later version.
		{``, `"cardinality":"MULTIPLE","description":"d"`, ""},
		{``, `"valueType":"urn:li:dataType:string"`, ""},
		{ab, ``, ""},
		{`"allowedValues":[{"value":{"string":"a"}}]`, ab, ""},
		{`"immutable":true`, ``, ""},
		{`"cardinality":"MULTIPLE"`, `"valueType":"urn:li:dataType:datahub.number","version":"20260101000000"`, ""},
	} {
		name := fmt.Sprintf("changed%d", i)
		h.Attempt("", definition(name, "string", one.before))
		if one.word != "" {
			refused(t, h, definition(name, "string", one.after), propertyURN+name, one.word)
			h.Attempt("", definition(name, "string", one.before)) // the stored definition is still the former one
			continue
		}
		h.Attempt("", definition(name, "string", one.after))
	}
	h.Attempt("", definition("removed", "string", ""))
	h.Say(propertyURN+"removed", "status", `{"removed":true}`)
	for _, more := range []string{`"description":"d"`, ""} { // the stored definition too
		refused(t, h, definition("removed", "string", more), propertyURN+"removed", "Cannot mutate a soft deleted Structured Property Definition")
	}
	h.Say(propertyURN+"removed", "status", `{"removed":false}`)
	h.Attempt("", definition("removed", "string", `"description":"d"`))
}

// properties are the properties whose values TestPropertyValues assigns.
var properties = []write.Proposal{
	definition("text", "string", ""),
	definition("texts", "string", `"cardinality":"MULTIPLE"`),
	definition("days", "number", `"allowedValues":[{"value":{"double":30}},{"value":{"double":90}}]`),
	definition("size", "number", ""),
	definition("date", "date", ""),
	definition("colour", "string", `"allowedValues":[{"value":{"string":"red"}}]`),
	definition("owner", "urn", `"typeQualifier":{"allowedTypes":["urn:li:entityType:datahub.corpuser","urn:li:entityType:datahub.corpGroup"]}`),
	definition("any", "urn", `"entityTypes":[]`),
	definition("ofColumns", "string", `"entityTypes":["urn:li:entityType:datahub.schemaField"],"allowedPlatforms":["urn:li:dataPlatform:hive"]`),
	definition("ofKafka", "string", `"allowedPlatforms":["urn:li:dataPlatform:kafka"]`),
	definition("ofBoxes", "string", `"entityTypes":["urn:li:entityType:datahub.container"],"allowedPlatforms":["urn:li:dataPlatform:hive"]`),
	definition("gone", "string", ""),
	about(write.Upsert, propertyURN+"gone", "status", `{"removed":true}`),
}

// TestPropertyValues: values that the definition of their property does not allow are
// refused, whether the whole value, a patch or an edit has them.
func TestPropertyValues(t *testing.T) {
	const column, box, boxed = "urn:li:schemaField:(" + catalogtest.Table + ",id)", "urn:li:container:box", "urn:li:container:boxed"
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		h := onStore(t, store)
		for _, p := range properties {
			h.Attempt("", p)
		}
		h.Say(boxed, "dataPlatformInstance", `{"platform":"urn:li:dataPlatform:hive"}`)
		for _, one := range []struct {
			urn, property, values string
			word                  string // a word of the refusal, "" for none
		}{
			{catalogtest.Table, "text", `{"string":"a"}`, ""},
			{catalogtest.Table, "text", `{"double":1}`, `"1"`},
			{catalogtest.Table, "text", `{"string":"a"},{"string":"b"}`, "SINGLE"},
			{catalogtest.Table, "texts", `{"string":"a"},{"string":"b"}`, ""},
			{catalogtest.Table, "days", `{"double":30.0}`, ""},
			{catalogtest.Table, "days", `{"string":"90"}`, ""},
			{catalogtest.Table, "days", `{"double":31}`, `value: {double=31} should be one of [{double=30}, {double=90}]`},
			{catalogtest.Table, "size", `{"string":"many"}`, `"many" is not a number`},
			{catalogtest.Table, "size", `{"string":"NaN"}`, `"NaN" is not a number`},
			{catalogtest.Table, "date", `{"string":"2026-11-22"}`, ""},
			{catalogtest.Table, "date", `{"string":"22.11.2026"}`, `"22.11.2026" is not a date`},
			{catalogtest.Table, "date", `{"double":20261122}`, "is not a date"},
			{catalogtest.Table, "colour", `{"string":"red"}`, ""},
			{catalogtest.Table, "colour", `{"string":"blue"}`, `value: {string=blue} should be one of [{string=red}]`},
			{catalogtest.Table, "owner", `{"string":"` + catalogtest.Ada + `"}`, ""},
			{catalogtest.Table, "owner", `{"string":"urn:li:corpGroup:all"}`, ""},
			{catalogtest.Table, "owner", `{"string":"urn:li:tag:a"}`, "corpuser or corpGroup"},
			{catalogtest.Table, "owner", `{"string":"ada"}`, `"ada" is not the URN`},
			{catalogtest.Table, "any", `{"string":"urn:li:tag:a"}`, ""},
			{catalogtest.Table, "ofColumns", `{"string":"x"}`, "schemaField"},
			{column, "ofColumns", `{"string":"x"}`, ""},
			{catalogtest.Table, "ofKafka", `{"string":"x"}`, "urn:li:dataPlatform:hive"},
			{boxed, "ofBoxes", `{"string":"x"}`, ""},
			{box, "ofBoxes", `{"string":"x"}`, "platform"},
			{catalogtest.Table, "gone", `{"string":"x"}`, "Cannot apply a soft deleted Structured Property value"},
			{catalogtest.Table, "never", `{"string":"x"}`, "is not defined"},
		} {
			for _, p := range []write.Proposal{assign(one.urn, assignment(one.property, one.values)), assigning(one.urn, one.property, one.values)} {
				if one.word != "" {
					refused(t, h, p, propertyURN+one.property, one.word)
				} else {
					h.Attempt("", p)
				}
			}
		}
		refused(t, h, assign(catalogtest.Table, assignment("text", `{"string":"a"}`), assignment("text", `{"string":"b"}`)), "more than once")
		refused(t, h, about(write.Upsert, catalogtest.Table, "structuredProperties", `{"properties":[{"propertyUrn":"urn:li:tag:a","values":[]}]}`), "urn:li:tag:a")
		refused(t, h, assign(catalogtest.Table, slices.Repeat([]string{assignment("text", `{"string":"x"}`)}, limits.MaxProperties+1)...), "1001")
	})
}

// TestPropertyValuesThatStay: stored values are not checked again, whatever happens to the definition.
func TestPropertyValuesThatStay(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for _, p := range properties {
		h.Attempt("", p)
	}
	old, more := assignment("text", `{"string":"old"}`), assignment("date", `{"string":"2026-11-22"}`)
	h.Attempt("", assign(catalogtest.Table, old, assignment("days", `{"double":30}`)))
	h.Say(propertyURN+"text", "status", `{"removed":true}`)
	h.Attempt("", about(write.Delete, propertyURN+"days", "structuredPropertyKey", ""))

	h.Attempt("", assigning(catalogtest.Table, "date", `{"string":"2026-11-22"}`))
	h.Attempt("", assign(catalogtest.Table, more, assignment("days", `{"double":30.0}`), old))
	refused(t, h, assigning(catalogtest.Table, "days", `{"double":90}`), propertyURN+"days", "is not defined")
	refused(t, h, assign(catalogtest.Table, more, assignment("text", `{"string":"new"}`)), propertyURN+"text", "deleted")
	h.Attempt("", assign(catalogtest.Table, more))
	refused(t, h, assign(catalogtest.Table, more, old), propertyURN+"text")
}

// TestImmutableProperties: a value of an immutable property can be set, but not changed
// or removed.
func TestImmutableProperties(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Attempt("", definition("fixed", "string", `"immutable":true`))
	h.Attempt("", definition("free", "string", ""))
	fixed, free := assignment("fixed", `{"string":"a"}`), assignment("free", `{"string":"a"}`)
	h.Attempt("", assign(catalogtest.Table, free))
	h.Attempt("", assigning(catalogtest.Table, "fixed", `{"string":"a"}`))
	h.Attempt("", assign(catalogtest.Table, fixed))
	refused(t, h, assigning(catalogtest.Table, "fixed", `{"string":"b"}`), propertyURN+"fixed", "immutable")
	refused(t, h, assign(catalogtest.Table, free), propertyURN+"fixed", "immutable")
	refused(t, h, about(write.Delete, catalogtest.Table, "structuredProperties", ""), propertyURN+"fixed", "immutable")
	h.Attempt("", about(write.Delete, catalogtest.Table, "datasetKey", ""))
	h.Attempt("", assign(catalogtest.Table, assignment("fixed", `{"string":"b"}`)))
}

// TestPropertiesInBatches: a value may follow its definition in one request, and a
// refused member of a batch does not disturb the others.
func TestPropertiesInBatches(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		h := onStore(t, store)
		put := func(whole bool, proposals ...write.Proposal) (codes []catalog.Code) {
			t.Helper()
			ingest := h.IngestBatch
			if whole {
				ingest = h.IngestWhole
			}
			items, err := ingest(context.Background(), proposals, catalog.WriteOptions{})
			if err != nil {
				return []catalog.Code{catalog.CodeOf(err)}
			}
			for _, item := range items {
				code := catalog.Code("")
				if item.Err != nil {
					code = catalog.CodeOf(item.Err)
				}
				codes = append(codes, code)
			}
			return codes
		}
		expect := func(what string, got []catalog.Code, want ...catalog.Code) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		a, wrong := assign(catalogtest.Table, assignment("a", `{"string":"x"}`)), assign(catalogtest.Table, assignment("a", `{"double":1}`))
		expect("before the definition", put(true, a, definition("a", "string", "")), catalog.Validation)
		expect("after the definition", put(true, definition("a", "string", ""), a), "", "")
		deleted := about(write.Delete, propertyURN+"a", "structuredPropertyKey", "")
		expect("after its end", put(false, deleted, assigning(catalogtest.Upstream, "a", `{"string":"x"}`)), "", catalog.Validation)
		expect("again", put(false, definition("a", "string", ""), wrong, a), "", catalog.Validation, "")
		// Large patches are drafted, each on the result of the patch before it.
		long := strings.Repeat("x", 2<<20)
		expect("drafts", put(false, definition("b", "string", ""),
			assigning(catalogtest.Table, "b", `{"string":"`+long+`"},{"string":"y"}`), assigning(catalogtest.Table, "b", `{"string":"`+long+`"}`)),
			"", catalog.Validation, "")
	})
}

// TestValuesOfDeletedProperties: reads of the latest values leave out values of soft-deleted properties,
// which stay stored.
func TestValuesOfDeletedProperties(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		h, ctx := onStore(t, store), context.Background()
		h.Attempt("", definition("hidden", "string", ""))
		h.Attempt("", definition("shown", "number", ""))
		a, b := assignment("hidden", `{"string":"x"}`), assignment("shown", `{"double":1.5}`)
		h.Attempt("", assign(catalogtest.Table, a, b))
		h.Attempt("", assign(catalogtest.Upstream, a))
		want := func(removed string, of map[string]string) {
			t.Helper()
			h.Say(propertyURN+"hidden", "status", `{"removed":`+removed+`}`)
			urns := catalogtest.URNs(catalogtest.Table, catalogtest.Upstream)
			entities, err := h.Entities(ctx, urns, nil)
			h.Want("", err)
			stored, err := h.Stored(ctx, urns, catalog.StoredAspects{Names: []string{"structuredProperties"}})
			h.Want("", err)
			for i, u := range urns {
				single, err := h.Entity(ctx, u, []string{"structuredProperties"})
				h.Want("", err)
				legacy, err := h.Aspect(ctx, u, "structuredProperties", graphstore.LatestVersion)
				h.Want("", err)
				for where, got := range map[string]string{
					"Entities": string(entities[u.String()].Aspects["structuredProperties"].Value), "Entity": string(single.Aspects["structuredProperties"].Value),
					"Stored": string(stored[i].Aspects[0].Value), "Aspect": string(legacy.Value),
				} {
					if got != of[u.String()] {
						t.Errorf("removed %s: %s of %s: %s", removed, where, u, got)
					}
				}
			}
		}
		whole := func(entries ...string) string { return `{"properties":[` + strings.Join(entries, ",") + `]}` }
		before := map[string]string{catalogtest.Table: whole(a, b), catalogtest.Upstream: whole(a)}
		want("false", before)
		want("true", map[string]string{catalogtest.Table: whole(b), catalogtest.Upstream: whole()})
		h.Attempt("", assigning(catalogtest.Table, "shown", `{"double":2}`)) // a patch keeps the values that are not shown
		before[catalogtest.Table] = whole(a, assignment("shown", `{"double":2}`))
		want("false", before)
	})
}
