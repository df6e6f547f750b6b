package write_test

import (
	"context"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/write"
)

// Values of a client that is newer than the model are kept and returned, also when an older client changes
// another part of them.
func TestNewerWriters(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	newer := catalog.WriteOptions{KeepUnknown: true}
	const tag = "urn:li:tag:x"
	put := func(aspect, value string, o catalog.WriteOptions) error {
		_, err := h.Ingest(ctx, write.Proposal{
			EntityType: "tag", EntityURN: tag, AspectName: aspect, Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"},
		}, o)
		return err
	}
	for _, c := range []struct{ aspect, value string }{
		{"tagProperties", `{"name":"x","shape":{"corners":[4,null]}}`},
		{"tagShape", `{"corners":4,"owner":null}`},
		{"tagShape", `{"corners":5}`},
		{"upstreamLineage", `{"upstreams":[]}`}, // the model has this aspect, but not for tags
	} {
		if err := put(c.aspect, c.value, catalog.WriteOptions{}); c.value != `{"corners":5}` && catalog.CodeOf(err) != catalog.Validation && catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("%s by an older client: %v", c.aspect, err)
		}
		if err := put(c.aspect, c.value, newer); err != nil {
			t.Fatalf("%s: %v", c.aspect, err)
		}
		if got := h.Value(tag, c.aspect, 0); got != c.value {
			t.Errorf("%s: %s", c.aspect, got)
		}
	}
	if n := h.KeptUnknown(); n != 4 {
		t.Errorf("%d values were counted", n)
	}
	response, err := h.Entity(ctx, catalogtest.URN(tag), nil)
	if err != nil || string(response.Aspects["tagShape"].Value) != `{"corners":5}` {
		t.Errorf("read with all aspects: %+v %v", response, err)
	}
	edit := write.Edit{URN: catalogtest.URN(tag), Aspect: "tagProperties", Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		value["description"] = "square"
		return nil
	}}
	if err := h.Edit(ctx, []write.Edit{edit}, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := h.Value(tag, "tagProperties", 0); !strings.Contains(got, `"corners":[4,null]`) || !strings.Contains(got, "square") {
		t.Errorf("after an edit: %s", got)
	}
	edit.Change = func(value catalog.Tree, _ catalog.AuditStamp) error {
		value["sides"] = 4
		return nil
	}
	h.Want(catalog.Validation, h.Edit(ctx, []write.Edit{edit}, catalog.WriteOptions{}))
	for name, c := range map[string]struct{ aspect, value string }{
		"a name that no aspect has": {"tag shape", `{}`}, "a value that does not fit": {"status", `{"removed":"no","x":1}`},
	} {
		if err := put(c.aspect, c.value, newer); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if err := put("tagPropertys", `{}`, catalog.WriteOptions{}); err == nil || !strings.Contains(err.Error(), "did you mean tagProperties") {
		t.Errorf("the nearest aspect: %v", err)
	}
}
