package copying_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/client/copying"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest"
)

// oddity changes the answers of a server. It gets the path with the action and the body of
// a request. It answers the request itself, or calls next and changes the answer.
type oddity func(w http.ResponseWriter, path, body string, next func() *httptest.ResponseRecorder)

// side is the source or the target of a copy.
type side struct {
	*services.Services
	url string
}

// token is the access token of every source.
const token = "source-secret"

// serve serves a catalog. If odd is set, the server is a source with this oddity.
func serve(t *testing.T, c *services.Services, odd oddity) side {
	t.Helper()
	handler := rest.New(rest.Options{Catalog: c, Version: "1.2.3"})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if odd == nil {
			if r.Header.Get("Authorization") != "" {
				t.Error("the target is sent the token of the source")
			}
			handler.ServeHTTP(w, r)
			return
		}
		if r.Header.Get("Authorization") != "Bearer "+token {
			t.Errorf("%s is asked without the token", r.URL)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		path := r.URL.Path
		if action := r.URL.Query().Get("action"); action != "" {
			path += "?action=" + action
		}
		odd(w, path, string(body), func() *httptest.ResponseRecorder {
			r.Body = io.NopCloser(bytes.NewReader(body))
			r.Header.Del("Accept-Encoding")
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, r)
			return recorder
		})
	}))
	t.Cleanup(server.Close)
	return side{c, server.URL}
}

// reply sends a changed answer.
func reply(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprint(w, text)
}

// honest is the oddity that changes nothing.
func honest(w http.ResponseWriter, _, _ string, next func() *httptest.ResponseRecorder) {
	answer := next()
	reply(w, answer.Code, answer.Body.String())
}

// replacing replaces texts in the answers of one path.
func replacing(path string, pairs ...string) oddity {
	return func(w http.ResponseWriter, at, body string, next func() *httptest.ResponseRecorder) {
		if at != path {
			honest(w, at, body, next)
			return
		}
		answer := next()
		reply(w, answer.Code, strings.NewReplacer(pairs...).Replace(answer.Body.String()))
	}
}

// refusing answers with an error if a request has this path, and this text in its body or
// query.
func refusing(path, text string, status int, message string) oddity {
	return func(w http.ResponseWriter, at, body string, next func() *httptest.ResponseRecorder) {
		if at == path && strings.Contains(body, text) {
			refuse(w, status, message)
			return
		}
		honest(w, at, body, next)
	}
}

func refuse(w http.ResponseWriter, status int, message string) {
	text, _ := json.Marshal(map[string]any{"message": message, "status": status})
	reply(w, status, string(text))
}

// copyOf copies a source into a target.
func copyOf(t *testing.T, from, to side, change func(*copying.Options)) (*copying.Report, error) {
	t.Helper()
	o := copying.Options{Source: client.NewSource(from.url, token, time.Minute, 1<<20), Target: client.New(to.url, "", time.Minute), InFlight: 3}
	if change != nil {
		change(&o)
	}
	return copying.Copy(t.Context(), o)
}

// write writes aspects. The texts are groups of three: a URN, an aspect's name and its value.
func (s side) write(t *testing.T, run string, texts ...string) {
	t.Helper()
	for one := range slices.Chunk(texts, 3) {
		u, err := model.ParseURN(one[0])
		if err != nil {
			t.Fatal(err)
		}
		p := write.Proposal{
			EntityType: u.EntityType(), EntityURN: one[0], ChangeType: write.Upsert, AspectName: one[1],
			Aspect: &write.GenericAspect{Value: []byte(one[2]), ContentType: "application/json"},
			System: &catalog.SystemMetadata{RunID: run, LastObserved: 1},
		}
		if _, err := s.Ingest(context.Background(), p, catalog.WriteOptions{}); err != nil {
			t.Fatalf("%s %s: %v", one[0], one[1], err)
		}
	}
}

// contents returns the copied part of an export: the latest values with their runs, edges,
// and values of time series. It leaves out who wrote them and when.
func (s side) contents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	text := func(value json.RawMessage) string {
		tree, err := jsontree.Decode(value)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := jsontree.Encode(tree)
		if err != nil {
			t.Fatal(err)
		}
		return string(encoded)
	}
	err := s.Transfer.Export(t.Context(), func(line *transfer.ExportLine) error {
		if e := line.Entity; e != nil {
			for i := range e.Versions {
				if v := &e.Versions[i]; v.Latest {
					all[e.URN+" "+v.Aspect] = v.System.RunID + " " + text(v.Value)
				}
			}
			for i := range e.Edges {
				if edge := &e.Edges[i]; edge.Until == 0 {
					all[strings.Join([]string{"edge", e.URN, edge.Aspect, edge.Path, edge.Source, edge.Type, edge.Destination}, " ")] = string(edge.Properties)
				}
			}
		}
		if values := line.TimeSeries; values != nil {
			for i := range values.Values {
				all[values.URN+" "+values.Aspect+" "+text(values.Values[i].Value)] = values.Values[i].System.RunID
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// filled is a source with an oddity and some values.
func filled(t *testing.T, odd oddity, texts ...string) side {
	t.Helper()
	s := serve(t, testcatalog.New(t), odd)
	s.write(t, "nightly", texts...)
	return s
}
