package webhooks_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/webhooks"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/hooksend"
	"github.com/headwater-io/headwater/internal/limits"
)

func specOf(t *testing.T, text string) *webhooks.Spec {
	t.Helper()
	spec := &webhooks.Spec{}
	if err := json.Unmarshal([]byte(text), spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

func TestRefused(t *testing.T) {
	h := catalogtest.NewHarness(t) // the sender of this harness sends only to public addresses
	long := strings.Repeat("x", 3000)
	for text, want := range map[string]string{
		`{}`:                          "url is required",
		`{"url":"ftp://example.com"}`: "http",
		`{"url":"https://example.com/` + long + `"}`:                                                         "2048 bytes",
		`{"url":"https://a:b@example.com/"}`:                                                                 "user or password",
		`{"url":"http://127.0.0.1:9/"}`:                                                                      "a loopback address",
		`{"url":"http://169.254.169.254/latest/meta-data"}`:                                                  "a link-local address",
		`{"url":"https://example.com","id":"a/b"}`:                                                           "letters, digits",
		`{"url":"https://example.com","id":""}`:                                                              "letters, digits",
		`{"url":"https://example.com","secret":"hunter2"}`:                                                   "whsec_",
		`{"url":"https://example.com","description":"` + long + `"}`:                                         "1000 bytes",
		`{"url":"https://example.com","filter":{"kinds":["UPSRT"]}}`:                                         "did you mean UPSERT",
		`{"url":"https://example.com","filter":{"aspects":["ownershp"]}}`:                                    "did you mean ownership",
		`{"url":"https://example.com","filter":{"entityTypes":["datasets"]}}`:                                "did you mean dataset",
		`{"url":"https://example.com","filter":{"format":"json"}}`:                                           "formats are change",
		`{"url":"https://example.com","filter":{"urns":["PII"]}}`:                                            "urn",
		`{"url":"https://example.com","filter":{"urns":["` + strings.Repeat(`urn:li:tag:x","`, 101) + `"]}}`: "at most 100",
	} {
		_, err := h.Webhooks.Create(t.Context(), specOf(t, text), "")
		if err == nil || catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%.100s: %v, want %q", text, err, want)
		}
	}
	if list, err := h.Webhooks.List(t.Context()); err != nil || len(list) != 0 {
		t.Error(list, err)
	}
}

// TestSecret: only the answer to the creation has the secret.
func TestSecret(t *testing.T) {
	h := catalogtest.NewHarness(t)
	made, err := h.Webhooks.Create(t.Context(), specOf(t, `{"url":"https://example.com/x","filter":{"kinds":["upsert"],"entityTypes":["DATASET"]}}`), catalogtest.Ada)
	if err != nil || made.Secret == "" || made.ID == "" || !made.Enabled || made.CreatedBy != catalogtest.Ada || made.Filter.Kinds[0] != "UPSERT" || made.Filter.EntityTypes[0] != "dataset" {
		t.Fatalf("%+v, %v", made, err)
	}
	got, err := h.Webhooks.Get(t.Context(), made.ID)
	if err != nil || got.Secret != "" {
		t.Errorf("%+v, %v", got, err)
	}
	list, err := h.Webhooks.List(t.Context())
	if err != nil || len(list) != 1 || list[0].Secret != "" || list[0].URL != "https://example.com/x" {
		t.Errorf("%+v, %v", list, err)
	}
	changed, err := h.Webhooks.Update(t.Context(), made.ID, specOf(t, `{"description":"x"}`))
	if err != nil || changed.Secret != "" || changed.Description != "x" || changed.URL != made.URL || len(changed.Filter.Kinds) != 1 {
		t.Errorf("%+v, %v", changed, err)
	}
	if _, err := h.Webhooks.Update(t.Context(), made.ID, specOf(t, `{"id":"other"}`)); catalog.CodeOf(err) != catalog.Invalid {
		t.Error(err)
	}
	if _, err := h.Webhooks.Create(t.Context(), specOf(t, `{"url":"https://example.com/x","id":"`+made.ID+`"}`), ""); catalog.CodeOf(err) != catalog.Conflict {
		t.Error(err)
	}
}

func TestManyWebhooks(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for range limits.MaxWebhooks {
		if _, err := h.Webhooks.Create(t.Context(), specOf(t, `{"url":"https://example.com"}`), ""); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Webhooks.Create(t.Context(), specOf(t, `{"url":"https://example.com"}`), ""); catalog.CodeOf(err) != catalog.Validation {
		t.Error(err)
	}
}

// TestBoundOfWebhooks: if many webhooks are created at the same time, there are never more than
// the limit; further webhooks are refused.
func TestBoundOfWebhooks(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		defer store.Close()
		c := services.New(services.Options{Store: store, Sender: hooksend.New(hooksend.Options{Private: true})})
		defer c.Stop()
		had, err := c.Webhooks.List(t.Context())
		if err != nil || len(had) > 0 {
			t.Fatal(had, err)
		}
		url, ids := "http://127.0.0.1:1/", make(chan string, limits.MaxWebhooks+20)
		var made, refused atomic.Int32
		var group sync.WaitGroup
		for n := range cap(ids) {
			id := fmt.Sprint("bound-", n)
			group.Go(func() {
				_, err := c.Webhooks.Create(t.Context(), &webhooks.Spec{ID: &id, URL: &url}, catalogtest.Ada)
				switch {
				case err == nil:
					made.Add(1)
					ids <- id
				case catalog.CodeOf(err) == catalog.Validation && strings.Contains(err.Error(), "there are 100 webhooks"):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		group.Wait()
		close(ids)
		if list, err := c.Webhooks.List(t.Context()); err != nil || made.Load() != limits.MaxWebhooks || refused.Load() != 20 || len(list) != limits.MaxWebhooks {
			t.Errorf("%d made, %d refused, %d listed: %v", made.Load(), refused.Load(), len(list), err)
		}
		for id := range ids {
			if err := c.Webhooks.Delete(t.Context(), id); err != nil {
				t.Error(err)
			}
		}
	})
}
