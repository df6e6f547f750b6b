package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest"
)

// TestActor: a write has the actor that --actor or HEADWATER_ACTOR names, by name or URN.
// The command sends the actor with each request.
func TestActor(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	handler := rest.New(rest.Options{Catalog: h.Services})
	sent := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/resolve" {
			sent[r.Header.Get(client.ActorHeader)] = true
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	h.Say("urn:li:corpuser:ada.wren", model.AspectCorpUserInfo, `{"active":true,"displayName":"Ada Wren"}`)
	h.Say("urn:li:corpGroup:data", model.AspectCorpGroupInfo, `{"displayName":"Data Team","admins":[],"members":[],"groups":[]}`)
	for n, c := range []struct {
		args, environment, actor string
		code                     int
	}{
		{"", "", "urn:li:corpuser:__datahub_system", cli.ExitOK},
		{"--actor urn:li:corpuser:nightly", "", "urn:li:corpuser:nightly", cli.ExitOK},
		{"--actor ada.wren", "", "urn:li:corpuser:ada.wren", cli.ExitOK},
		{"", "Ada Wren", "urn:li:corpuser:ada.wren", cli.ExitOK},
		{"", "Data Team", "urn:li:corpGroup:data", cli.ExitOK},
		{"--actor urn:li:corpuser:nightly", "Ada Wren", "urn:li:corpuser:nightly", cli.ExitOK},
		{"--actor nobody", "", "", cli.ExitNotFound},
		{"--actor urn:li:nothing:x", "", "", cli.ExitFailure},
	} {
		t.Setenv(cli.ActorVariable, c.environment)
		clear(sent)
		file := filepath.Join(t.TempDir(), "tags.json")
		if err := os.WriteFile(file, []byte(record(n)), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := headwater(t, "", append([]string{"ingest", file, "--server", server.URL}, strings.Fields(c.args)...)...)
		if code != c.code {
			t.Errorf("%+v: %d %s%s", c, code, out, errs)
			continue
		}
		if code != cli.ExitOK {
			continue
		}
		logged := h.Logged()
		if last := logged[len(logged)-1]; last.URN != fmt.Sprintf("urn:li:tag:t%d", n) || last.Actor != c.actor {
			t.Errorf("%+v: %+v", c, last)
		}
		if want := strings.TrimSuffix(c.actor, "urn:li:corpuser:__datahub_system"); !sent[want] || len(sent) != 1 {
			t.Errorf("%+v: the requests had the actors %v", c, sent)
		}
	}
	t.Setenv(cli.ActorVariable, "")
	if code, out, errs := headwater(t, "", "feed", "subscribe", "urn:li:tag:t0", "--actor", "ada.wren", "--server", server.URL); code != cli.ExitOK {
		t.Errorf("a command with an --actor of its own: %d %s%s", code, out, errs)
	}
	t.Setenv(cli.ActorVariable, "nobody")
	if code, out, errs := headwater(t, "", "health", "--live", "--server", server.URL); code != cli.ExitOK {
		t.Errorf("a check of health depends on an actor: %d %s%s", code, out, errs)
	}
}
