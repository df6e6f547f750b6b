package operate

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/rest"
)

// TestAuditFollow: following a trail shows the selected entries since a moment, and then each new entry, as
// text and as JSON.
func TestAuditFollow(t *testing.T) {
	trail := testcatalog.NewTrail(t, testclock.Now)
	closing, closeNow := context.WithCancel(context.Background())
	server := httptest.NewServer(rest.New(rest.Options{Catalog: testcatalog.New(t), Audit: trail, Closing: closing}))
	defer server.Close()
	defer closeNow()
	note := func(kind audit.Kind, door string) {
		trail.Note(t.Context(), audit.Entry{Kind: kind, Actor: "urn:li:corpuser:ada", Allowed: true, Door: door, Reason: "\x1b[31m"})
	}
	note(audit.SignIn, "before")
	for _, output := range []string{"", "json"} {
		out, in := io.Pipe()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		e := &cli.Environment{Server: server.URL, Timeout: time.Minute, Output: output, Stdout: in}
		go func() {
			ended <- followAudit(ctx, e, &auditOptions{limit: 1, since: "2020-01-01", kinds: []string{"signIn"}})
		}()
		lines := bufio.NewScanner(out)
		want := func(door string) {
			t.Helper()
			if !lines.Scan() {
				t.Fatal("the trail ended")
			}
			line := lines.Text()
			if output == "json" {
				var entry audit.Entry
				if err := json.Unmarshal(lines.Bytes(), &entry); err != nil || entry.Door != door {
					t.Errorf("%v: %s, want %s", err, line, door)
				}
			} else if !strings.Contains(line, "  signIn  urn:li:corpuser:ada  -  "+door+"  yes  ") || strings.Contains(line, "\x1b") {
				t.Errorf("%q, want %s", line, door)
			}
		}
		want("before")
		if output == "json" {
			want("later")
		}
		note(audit.TokenMade, "another kind")
		note(audit.SignIn, "later")
		want("later")
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the end: %v", err)
		}
	}
}
