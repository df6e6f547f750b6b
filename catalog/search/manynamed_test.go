package search_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/limits"
)

func usersTable(n int) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,s%03d.users,PROD)", n)
}

// TestResolveAmongMany: a column is found in any of 30 tables with the same name. If more
// tables have the name than are read, the name is ambiguous.
func TestResolveAmongMany(t *testing.T) {
	s, ctx := catalogtest.NewSearchHarness(t), context.Background()
	schema := func(column string) string {
		return `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[{"fieldPath":"` + column + `","nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}}]}`
	}
	add := func(from, to int) {
		for n := from; n <= to; n++ {
			column := map[int]string{20: "email", 25: "phone", 28: "phone"}[n]
			if column == "" {
				column = "id"
			}
			s.Say(usersTable(n), "schemaMetadata", schema(column))
		}
		s.Await()
	}
	resolve := func(name string) (*search.Named, *search.NameError, error) {
		named, err := s.Search.Resolve(ctx, search.NameRequest{Name: name, Part: search.EitherPart})
		var several *search.NameError
		errors.As(err, &several)
		return named, several, err
	}
	add(1, 30)
	if named, _, err := resolve("users.email"); err != nil || named.URN.String() != usersTable(20) || named.Column != "email" {
		t.Errorf("the email of one of 30: %+v %v", named, err)
	}
	for name, want := range map[string]struct{ total, candidates int }{"users.phone": {2, 2}, "users.id": {27, 10}, "users": {30, 10}} {
		if _, several, err := resolve(name); several == nil || !several.Several || several.Total != want.total || len(several.Candidates) != want.candidates {
			t.Errorf("%s: %+v %v", name, several, err)
		}
	}
	if found, err := s.Search.Complete(ctx, search.CompletionRequest{Text: "users.em", Part: search.EitherPart}); err != nil || len(found) != 1 || found[0].Text != "users.email" {
		t.Errorf("%+v %v", found, err)
	}
	add(31, 201) // now one table more than may be read has the name
	if _, several, err := resolve("users.email"); several == nil || !several.Several || several.Total != 2 || len(several.Candidates) != 1 {
		t.Errorf("the email of one of 201: %+v %v", several, err)
	}
	if _, _, err := resolve("users.emial"); catalog.CodeOf(err) != catalog.NotFound || !strings.Contains(err.Error(), `of the 201 things named "users", none of the first 200 has a column "emial"`) {
		t.Error(err)
	}
}

// TestNameLimits: a name with too many bytes or dots is Invalid. A URN may have more dots,
// because no parts of it are looked for.
func TestNameLimits(t *testing.T) {
	s, ctx := catalogtest.NewSearchHarness(t), context.Background()
	for text, want := range map[string]catalog.Code{
		strings.Repeat("x", limits.MaxNameBytes):       catalog.NotFound,
		strings.Repeat("x", limits.MaxNameBytes+1):     catalog.Invalid,
		strings.Repeat("x.", limits.MaxNameDots) + "x": catalog.NotFound,
		strings.Repeat("x.", limits.MaxNameDots+1):     catalog.Invalid,
	} {
		if _, err := s.Search.Resolve(ctx, search.NameRequest{Name: text, Part: search.EitherPart}); catalog.CodeOf(err) != want {
			t.Errorf("%.20s, %d bytes: %v", text, len(text), err)
		}
		_, err := s.Search.Complete(ctx, search.CompletionRequest{Text: text, Part: search.EitherPart})
		if refused := catalog.CodeOf(err) == catalog.Invalid; refused != (want == catalog.Invalid) || err != nil && !refused {
			t.Errorf("%.20s, %d bytes: %v", text, len(text), err)
		}
	}
	column := usersTable(1) + "." + strings.Repeat("x.", limits.MaxNameDots+1) + "y"
	if _, err := s.Search.Resolve(ctx, search.NameRequest{Name: column, Part: search.ColumnPart}); err != nil {
		t.Error(err)
	}
}
