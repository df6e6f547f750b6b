package copying_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/client/copying"
	"github.com/headwater-io/headwater/connectors/run"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/model"
)

// following makes a copy follow deletions.
func following(to side) func(*copying.Options) {
	return func(o *copying.Options) {
		o.Follow = &copying.Follow{Pipeline: "next-door", States: run.Remote{Client: client.New(to.url, "", time.Minute)}, AtMost: 75, Now: time.Now()}
	}
}

// exists reports whether a server has an entity.
func (s side) exists(t *testing.T, urn string) bool {
	t.Helper()
	u, err := model.ParseURN(urn)
	if err != nil {
		t.Fatal(err)
	}
	has, err := s.Exists(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	return has
}

func (s side) delete(t *testing.T, urns ...string) {
	t.Helper()
	for _, urn := range urns {
		u, err := model.ParseURN(urn)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.DeleteEntities(t.Context(), []model.URN{u}, false, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

func tags(n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprintf("urn:li:tag:t%d", i), "tagProperties", fmt.Sprintf(`{"name":"t%d"}`, i))
	}
	return texts
}

const person, platform, glossaryTerm = "urn:li:corpuser:next", "urn:li:dataPlatform:next", "urn:li:glossaryTerm:next"

// TestFollowedDeletions: entities that the source deletes after a copy are deleted by the next copy. The target's own
// entities, people, platforms and soft-deleted entities stay. A dry run deletes nothing.
func TestFollowedDeletions(t *testing.T) {
	for name, target := range map[string]func(t *testing.T) *services.Services{
		"embedded": func(t *testing.T) *services.Services { return testcatalog.New(t) },
		"neo4j":    func(t *testing.T) *services.Services { return catalogtest.NewServersHarness(t).Services },
	} {
		t.Run(name, func(t *testing.T) {
			from, to := filled(t, honest, tags(10)...), serve(t, target(t), nil)
			from.write(t, "nightly", person, "corpUserInfo", `{"active":true}`, platform, "dataPlatformInfo", `{"name":"next","type":"OTHERS","datasetNameDelimiter":"."}`,
				glossaryTerm, "glossaryTermInfo", `{"definition":"d","termSource":"INTERNAL"}`)
			to.write(t, "own", "urn:li:tag:own", "tagProperties", `{"name":"own"}`)
			if report, err := copyOf(t, from, to, following(to)); err != nil || report.Deleted != 0 {
				t.Fatalf("%+v, %v", report, err)
			}
			from.delete(t, "urn:li:tag:t1", "urn:li:tag:t2", glossaryTerm, person, platform)
			from.write(t, "later", "urn:li:tag:t3", "status", `{"removed":true}`)
			dry, err := copyOf(t, from, to, func(o *copying.Options) {
				following(to)(o)
				o.DryRun = true
			})
			if !errors.Is(err, copying.ErrIncomplete) || dry.Deleted != 0 || !to.exists(t, "urn:li:tag:t1") || !strings.Contains(fmt.Sprint(dry.Differences), "urn:li:tag:t1  the source has deleted it") {
				t.Errorf("a dry run: %+v, %v", dry, err)
			}
			plain, err := copyOf(t, from, to, nil)
			if err != nil || plain.Deleted != 0 || !to.exists(t, "urn:li:tag:t1") {
				t.Errorf("a copy that follows no deletions: %+v, %v", plain, err)
			}
			report, err := copyOf(t, from, to, following(to))
			if err != nil || report.Deleted != 3 {
				t.Errorf("%+v, %v", report, err)
			}
			for urn, has := range map[string]bool{
				"urn:li:tag:t0": true, "urn:li:tag:t1": false, "urn:li:tag:t2": false, "urn:li:tag:t3": true, "urn:li:tag:own": true, person: true, platform: true, glossaryTerm: false,
			} {
				if to.exists(t, urn) != has {
					t.Errorf("%s is there: %v", urn, !has)
				}
			}
			if second, err := copyOf(t, from, to, following(to)); err != nil || second.Deleted != 0 {
				t.Errorf("again: %+v, %v", second, err)
			}
		})
	}
}

// TestMassDeletion: if more than the given part is gone, nothing is deleted, and a later copy may still delete it.
func TestMassDeletion(t *testing.T) {
	from, to := filled(t, honest, tags(8)...), serve(t, testcatalog.New(t), nil)
	if _, err := copyOf(t, from, to, following(to)); err != nil {
		t.Fatal(err)
	}
	for i := range 7 {
		from.delete(t, fmt.Sprintf("urn:li:tag:t%d", i))
	}
	for range 2 {
		report, err := copyOf(t, from, to, following(to))
		if !errors.Is(err, copying.ErrIncomplete) || report.Deleted != 0 || !to.exists(t, "urn:li:tag:t0") || !strings.Contains(fmt.Sprint(report.Differences), "7 of the 8 entities") {
			t.Errorf("%+v, %v", report, err)
		}
	}
	report, err := copyOf(t, from, to, func(o *copying.Options) {
		following(to)(o)
		o.Follow.AtMost = 100
	})
	if err != nil || report.Deleted != 7 || to.exists(t, "urn:li:tag:t0") || !to.exists(t, "urn:li:tag:t7") {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestDoubtfulDeletions: entities that the source has but does not list are kept, and so are entities about which it
// does not answer. The next copy asks again.
func TestDoubtfulDeletions(t *testing.T) {
	var odd oddity
	from := filled(t, func(w http.ResponseWriter, path, body string, next func() *httptest.ResponseRecorder) {
		odd(w, path, body, next)
	}, tags(8)...)
	to := serve(t, testcatalog.New(t), nil)
	odd = honest
	if _, err := copyOf(t, from, to, following(to)); err != nil {
		t.Fatal(err)
	}
	hidden := func(w http.ResponseWriter, path, body string, next func() *httptest.ResponseRecorder) {
		if path == "/entities?action=scrollAcrossEntities" {
			refuse(w, http.StatusInternalServerError, "no search")
			return
		}
		replacing("/entities?action=listUrns", `"urn:li:tag:t1",`, "")(w, path, body, next)
	}
	for name, c := range map[string]struct {
		odd  oddity
		says string
	}{
		"still there": {hidden, "still has it"},
		"no answer": {func(w http.ResponseWriter, path, body string, next func() *httptest.ResponseRecorder) {
			if answer := next(); path == "/entitiesV2" && strings.Contains(answer.Body.String(), "urn:li:tag:t1\"") {
				refuse(w, http.StatusBadRequest, "too odd")
				return
			}
			hidden(w, path, body, next)
		}, "does not say whether it is deleted"},
	} {
		odd = c.odd
		report, err := copyOf(t, from, to, following(to))
		if !errors.Is(err, copying.ErrIncomplete) || report.Deleted != 0 || !to.exists(t, "urn:li:tag:t1") || !strings.Contains(fmt.Sprint(report.Differences), c.says) {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
	}
	odd = honest
	from.delete(t, "urn:li:tag:t1")
	if report, err := copyOf(t, from, to, following(to)); err != nil || report.Deleted != 1 {
		t.Errorf("in the end: %+v, %v", report, err)
	}
}

// broken is a state that cannot be read.
type broken string

func (b broken) Last(context.Context, string, string) (json.RawMessage, error) {
	if b == "" {
		return nil, errors.New("away")
	}
	return json.RawMessage(b), nil
}

// TestOddStates: a copy ends with an error if the notes of the last copy cannot be read.
func TestOddStates(t *testing.T) {
	from, to := filled(t, honest, tags(1)...), serve(t, testcatalog.New(t), nil)
	for _, state := range []broken{"", "[", `{"state":{"payload":"["}}`, `{"state":{"payload":"{\"entities\":\"AAAA\"}"}}`, `{"state":{"payload":"{\"entities\":\"AAAAAAAAAAIAAAAAAAAAAQ==\"}"}}`} {
		_, err := copyOf(t, from, to, func(o *copying.Options) {
			o.Follow = &copying.Follow{Pipeline: "next-door", States: state, AtMost: 75}
		})
		if err == nil || errors.Is(err, copying.ErrIncomplete) || !strings.Contains(err.Error(), "what the last copy has seen") {
			t.Errorf("%q: %v", string(state), err)
		}
	}
}
