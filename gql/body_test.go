package gql

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/intake"
)

// TestBodies: variables that are far larger decoded than as sent are refused by the limit. If
// there is no memory for a body, the error asks the caller to try again.
func TestBodies(t *testing.T) {
	h := New(Options{})
	many := func(n int) string {
		return `{"query":"{__typename}","variables":{"a":[` + strings.Repeat(`{"a":{}},`, n) + `0]}}`
	}
	budget := intake.NewBudget(64 << 20)
	other := budget.Share()
	if err := other.Hold(t.Context(), budget.Size()); err != nil {
		t.Fatal(err)
	}
	defer other.Release()
	for name, c := range map[string]struct {
		body   string
		status int
		says   string
	}{
		"few":  {many(10), http.StatusOK, `"__typename":"Query"`},
		"many": {many(50_001), http.StatusBadRequest, "more than 50000 items"},
		"deep": {`{"variables":` + strings.Repeat(`{"a":`, 101), http.StatusBadRequest, "more than 100 lists"},
		"busy": {many(40_000), http.StatusServiceUnavailable, "--request-memory"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/api/graphql", strings.NewReader(c.body))
		var share *intake.Share
		if name == "busy" {
			share = budget.Share()
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r.WithContext(intake.WithShare(t.Context(), share)))
		share.Release()
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) || (w.Code == http.StatusServiceUnavailable) != (w.Header().Get("Retry-After") != "") {
			t.Errorf("%s: %d %.300s", name, w.Code, w.Body)
		}
	}
}
