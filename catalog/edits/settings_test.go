package edits_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// valueOf returns the stored value of an aspect.
func valueOf(s *catalogtest.SearchHarness, urn, aspect string) (value map[string]any) {
	s.T.Helper()
	found, err := s.Aspect(s.T.Context(), catalogtest.URN(urn), aspect, 0)
	if err != nil {
		s.T.Fatal(err)
	}
	if err := json.Unmarshal(found.Value, &value); err != nil {
		s.T.Fatal(err)
	}
	return value
}

// TestSettingsOfEverybody sets each part, and the others stay. Who has no privilege is refused.
func TestSettingsOfEverybody(t *testing.T) {
	h, ctx := newTagged(t), t.Context()
	const settings = "urn:li:globalSettings:0"
	if on, err := h.Edits.ColumnPropagation(ctx, catalogtest.Ada); err != nil || on {
		t.Errorf("without settings: %t, %v", on, err)
	}
	h.Want("", h.Edits.SetColumnPropagation(ctx, true, catalogtest.ByAda))
	h.Want("", h.Edits.SetApplications(ctx, true, catalogtest.ByAda))
	if diff := cmp.Diff(map[string]any{
		"docPropagation": map[string]any{"enabled": true, "columnPropagationEnabled": true}, "applications": map[string]any{"enabled": true},
	}, valueOf(h, settings, model.AspectGlobalSettingsInfo)); diff != "" {
		t.Error(diff)
	}
	if on, err := h.Edits.ColumnPropagation(ctx, catalogtest.Ada); err != nil || !on {
		t.Errorf("set: %t, %v", on, err)
	}
	if u, err := h.Edits.HomePage(ctx, catalogtest.Ada); err != nil || !u.IsZero() {
		t.Errorf("a home page that nobody has set: %s, %v", u, err)
	}
	h.Say(settings, model.AspectGlobalSettingsInfo, `{"homePage":{"defaultTemplate":"urn:li:dataHubPageTemplate:t"}}`)
	if u, err := h.Edits.HomePage(ctx, catalogtest.Ada); err != nil || u.String() != "urn:li:dataHubPageTemplate:t" {
		t.Errorf("the home page: %s, %v", u, err)
	}
	nobody := requestinfo.WithCaller(ctx, requestinfo.Caller{Actor: catalogtest.Ada, Means: requestinfo.ByToken})
	for _, err := range []error{
		h.Edits.SetColumnPropagation(nobody, true, catalogtest.ByAda), h.Edits.SetApplications(nobody, true, catalogtest.ByAda), h.Edits.SetDefaultView(nobody, model.URN{}, catalogtest.ByAda),
	} {
		if catalog.CodeOf(err) != catalog.Forbidden {
			t.Errorf("without a privilege: %v", err)
		}
	}
}

// TestOwnSettings sets each part of the actor's settings, and the others stay.
func TestOwnSettings(t *testing.T) {
	h, ctx := newTagged(t), t.Context()
	h.Say("urn:li:dataHubPageTemplate:t", model.AspectDataHubPageTemplateProperties, `{"rows":[],"surface":{"surfaceType":"HOME_PAGE"},"visibility":{"scope":"GLOBAL"},"created":`+catalogtest.Stamp+`,"lastModified":`+catalogtest.Stamp+`}`)
	template := catalogtest.URN("urn:li:dataHubPageTemplate:t")
	h.Want("", h.Edits.SetAppearance(ctx, "showThemeV2", true, catalogtest.ByAda))
	h.Want("", h.Edits.SetLanguage(ctx, strings.Repeat("d", limits.MaxLanguageTag), catalogtest.ByAda))
	h.Want("", h.Edits.SetLanguage(ctx, "de", catalogtest.ByAda))
	h.Want("", h.Edits.SetHomePage(ctx, edits.HomePageChoice{Template: template, Dismiss: catalogtest.URNs("urn:li:post:a", "urn:li:post:b")}, catalogtest.ByAda))
	h.Want("", h.Edits.SetHomePage(ctx, edits.HomePageChoice{Dismiss: catalogtest.URNs("urn:li:post:b", "urn:li:post:c")}, catalogtest.ByAda))
	want := map[string]any{
		"appearance": map[string]any{"showSimplifiedHomepage": false, "showThemeV2": true},
		"locale":     map[string]any{"language": "de"},
		"homePage":   map[string]any{"pageTemplate": "urn:li:dataHubPageTemplate:t", "dismissedAnnouncements": []any{"urn:li:post:a", "urn:li:post:b", "urn:li:post:c"}},
	}
	if diff := cmp.Diff(want, valueOf(h, catalogtest.Ada, model.AspectCorpUserSettings)); diff != "" {
		t.Error(diff)
	}
	for name, err := range map[string]error{
		"a long language":        h.Edits.SetLanguage(ctx, strings.Repeat("d", limits.MaxLanguageTag+1), catalogtest.ByAda),
		"chosen and removed":     h.Edits.SetHomePage(ctx, edits.HomePageChoice{Template: template, Default: true}, catalogtest.ByAda),
		"another type":           h.Edits.SetHomePage(ctx, edits.HomePageChoice{Template: catalogtest.URN("urn:li:tag:t1")}, catalogtest.ByAda),
		"dismissal of no post":   h.Edits.SetHomePage(ctx, edits.HomePageChoice{Dismiss: catalogtest.URNs("urn:li:tag:t1")}, catalogtest.ByAda),
		"too many announcements": h.Edits.SetHomePage(ctx, edits.HomePageChoice{Dismiss: make([]model.URN, limits.MaxDismissed+1)}, catalogtest.ByAda),
	} {
		if catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := h.Edits.SetHomePage(ctx, edits.HomePageChoice{Template: catalogtest.URN("urn:li:dataHubPageTemplate:none")}, catalogtest.ByAda); err == nil {
		t.Error("a layout that does not exist was chosen")
	}
	if diff := cmp.Diff(want, valueOf(h, catalogtest.Ada, model.AspectCorpUserSettings)); diff != "" {
		t.Error(diff)
	}
	var many []string
	for i := range limits.MaxDismissed {
		many = append(many, fmt.Sprintf("urn:li:post:n%d", i))
	}
	h.Want("", h.Edits.SetHomePage(ctx, edits.HomePageChoice{Default: true, Dismiss: catalogtest.URNs(many...)}, catalogtest.ByAda))
	h.Want("", h.Edits.SetLanguage(ctx, "", catalogtest.ByAda))
	got := valueOf(h, catalogtest.Ada, model.AspectCorpUserSettings)
	page, _ := got["homePage"].(map[string]any)
	if dismissed, _ := page["dismissedAnnouncements"].([]any); len(dismissed) != limits.MaxDismissed || dismissed[0] != many[0] || page["pageTemplate"] != nil {
		t.Errorf("%d announcements are dismissed; the layout is %v", len(dismissed), page["pageTemplate"])
	}
	if diff := cmp.Diff(map[string]any{}, got["locale"]); diff != "" {
		t.Error(diff)
	}
}

// TestPosts creates and changes announcements for the home page and for entities, and refuses wrong ones.
func TestPosts(t *testing.T) {
	h, ctx := newTagged(t), t.Context()
	page := edits.Post{Type: "HOME_PAGE_ANNOUNCEMENT", ContentType: "TEXT", Title: "News"}
	about := edits.Post{Type: "ENTITY_ANNOUNCEMENT", ContentType: "TEXT", Title: "Late"}
	orders := edits.Resource{URN: catalogtest.URN(catalogtest.Table)}
	create := func(p edits.Post, r edits.Resource) (string, error) {
		u, err := h.Edits.CreatePost(ctx, p, r, catalogtest.ByAda)
		return u.String(), err
	}
	home, err := create(page, edits.Resource{})
	h.Want("", err)
	late, err := create(about, orders)
	h.Want("", err)
	changed := page
	changed.Title, changed.Description, changed.Link, changed.ContentType = "Old news", "d", "https://example.com", "LINK"
	h.Want("", h.Edits.UpdatePost(ctx, catalogtest.URN(home), changed, catalogtest.ByAda))
	got := valueOf(h, home, model.AspectPostInfo)
	if diff := cmp.Diff(map[string]any{"type": "LINK", "title": "Old news", "description": "d", "link": "https://example.com"}, got["content"]); diff != "" || got["target"] != nil {
		t.Error(diff, got["target"])
	}
	longer := about
	longer.Title, longer.Description = strings.Repeat("t", limits.MaxPostTitle), strings.Repeat("x", limits.MaxPostText)
	longer.Link, longer.MediaType, longer.Media = "https://"+strings.Repeat("l", limits.MaxPostLink-8), "IMAGE", "https://"+strings.Repeat("m", limits.MaxPostLink-8)
	h.Want("", h.Edits.UpdatePost(ctx, catalogtest.URN(late), longer, catalogtest.ByAda))
	if target := valueOf(h, late, model.AspectPostInfo)["target"]; target != catalogtest.Table {
		t.Errorf("an announcement that was about the table is about %v", target)
	}
	h.Say(catalogtest.Table, "schemaMetadata", `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[{"fieldPath":"price, (net)","nativeDataType":"x","type":{"type":{"com.linkedin.schema.NumberType":{}}}}]}`)
	price, err := create(about, edits.Resource{URN: orders.URN, Field: "price, (net)"})
	h.Want("", err)
	if target := valueOf(h, price, model.AspectPostInfo)["target"]; target != "urn:li:schemaField:("+catalogtest.Table+",price%2C %28net%29)" {
		t.Errorf("an announcement about a column is about %v", target)
	}
	with := func(p edits.Post, change func(*edits.Post)) edits.Post { change(&p); return p }
	for name, err := range map[string]error{
		"no title":           second(create(with(page, func(p *edits.Post) { p.Title = " " }), edits.Resource{})),
		"no link":            second(create(with(page, func(p *edits.Post) { p.ContentType = "LINK" }), edits.Resource{})),
		"a long title":       second(create(with(longer, func(p *edits.Post) { p.Title += "t" }), orders)),
		"a long description": second(create(with(longer, func(p *edits.Post) { p.Description += "t" }), orders)),
		"a long link":        second(create(with(longer, func(p *edits.Post) { p.Link += "t" }), orders)),
		"a long location":    second(create(with(longer, func(p *edits.Post) { p.Media += "t" }), orders)),
		"about nothing":      second(create(about, edits.Resource{})),
		"home, about orders": second(create(page, orders)),
		"another kind":       h.Edits.UpdatePost(ctx, catalogtest.URN(home), about, catalogtest.ByAda),
		"a tag":              h.Edits.UpdatePost(ctx, catalogtest.URN("urn:li:tag:t1"), page, catalogtest.ByAda),
	} {
		if catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"an unknown entity":       second(create(about, edits.Resource{URN: catalogtest.URN("urn:li:tag:none")})),
		"an unknown column":       second(create(about, edits.Resource{URN: orders.URN, Field: "none"})),
		"an unknown announcement": h.Edits.UpdatePost(ctx, catalogtest.URN("urn:li:post:none"), page, catalogtest.ByAda),
	} {
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func second(_ string, err error) error { return err }
