package secrets_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/secrets"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/sealed"
	"github.com/headwater-io/headwater/model"
)

var slack = catalogtest.URN("urn:li:dataPlatform:slack")

// connect stores a connection and returns its URN.
func (h *house) connect(id, value string) model.URN {
	h.T.Helper()
	u, err := h.secrets.PutConnection(h.T.Context(), secrets.Connection{ID: id, Blob: value, Platform: slack}, catalogtest.ByAda)
	if err != nil {
		h.T.Fatal(err)
	}
	return u
}

// details returns the stored details of a connection, and its encrypted value.
func (h *house) details(u model.URN) (details catalog.Tree, closed string) {
	h.T.Helper()
	stored, err := h.Aspect(h.T.Context(), u, model.AspectDataHubConnectionDetails, 0)
	if err != nil {
		h.T.Fatal(err)
	}
	if details, err = catalog.TreeOf(stored.Value); err != nil {
		h.T.Fatal(err)
	}
	closed, _ = jsontree.At(details, "json", "encryptedBlob").(string)
	return details, closed
}

// TestConnections writes a connection twice. The second writing replaces all of the first, and neither the store
// nor an export has a value in clear text.
func TestConnections(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	name := "Alerts"
	u, err := h.secrets.PutConnection(ctx, secrets.Connection{ID: "slack", Name: &name, Blob: `{"token":"TOPSECRET"}`, Platform: slack}, catalogtest.ByAda)
	if err != nil || u.String() != "urn:li:dataHubConnection:slack" {
		t.Fatalf("%s, %v", u, err)
	}
	details, closed := h.details(u)
	if details["name"] != name || details["type"] != "JSON" {
		t.Errorf("%v", details)
	}
	reading, deed := requestinfo.WithDeed(ctx)
	if text, err := h.secrets.ConnectionValue(reading, u, closed); err != nil || text != `{"token":"TOPSECRET"}` {
		t.Errorf("%q, %v", text, err)
	}
	if read, _, _ := deed.Done(); len(read) != 1 || read[0] != u.String() {
		t.Errorf("noted: %v", read)
	}
	h.connect("slack", "TOPSECRET too")
	if details, closed = h.details(u); details["name"] != nil {
		t.Errorf("the former name stays: %v", details)
	}
	if text, err := h.secrets.ConnectionValue(ctx, u, closed); err != nil || text != "TOPSECRET too" {
		t.Errorf("%q, %v", text, err)
	}
	h.tellsNothing("TOPSECRET")
	if made := h.connect("", "{}"); made == u || made.EntityType() != model.EntityDataHubConnection {
		t.Errorf("a connection without an id: %s", made)
	}
}

// TestConnectionsRefused: wrong connections are refused, and change nothing. A value that another server
// encrypted, or that was moved from another connection, is not read.
func TestConnectionsRefused(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	u := h.connect("a", "value")
	before, blank := h.State(), " "
	long := strings.Repeat("x", limits.MaxSecretBytes+1)
	for name, c := range map[string]secrets.Connection{
		"no platform":         {ID: "b", Blob: "{}", Platform: catalogtest.URN("urn:li:tag:slack")},
		"a blank name":        {ID: "b", Name: &blank, Blob: "{}", Platform: slack},
		"an id that is long":  {ID: strings.Repeat("n", limits.MaxURNBytes), Blob: "{}", Platform: slack},
		"a value that is big": {ID: "b", Blob: long, Platform: slack},
	} {
		if _, err := h.secrets.PutConnection(ctx, c, catalogtest.ByAda); catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diff := cmp.Diff(before, h.State()); diff != "" {
		t.Error(diff)
	}
	h.connect("b", long[1:])
	_, closed := h.details(u)
	for name, text := range map[string]string{"of another connection": closed, "of another server": "v2:abc"} {
		if _, err := h.secrets.ConnectionValue(ctx, catalogtest.URN("urn:li:dataHubConnection:b"), text); catalog.CodeOf(err) != catalog.Conflict {
			t.Errorf("the value %s: %v", name, err)
		}
	}
	stranger := requestinfo.WithCaller(ctx, requestinfo.Caller{Actor: "urn:li:corpuser:piet", Means: requestinfo.ByToken})
	if _, err := h.secrets.ConnectionValue(stranger, u, closed); catalog.CodeOf(err) != catalog.Forbidden {
		t.Errorf("a stranger reads: %v", err)
	}
	if _, err := h.secrets.PutConnection(stranger, secrets.Connection{ID: "a", Blob: "{}", Platform: slack}, catalogtest.ByAda); catalog.CodeOf(err) != catalog.Forbidden {
		t.Errorf("a stranger writes: %v", err)
	}
	h.secrets.Sealer = nil
	_, read := h.secrets.ConnectionValue(ctx, u, closed)
	_, written := h.secrets.PutConnection(ctx, secrets.Connection{ID: "a", Blob: "{}", Platform: slack}, catalogtest.ByAda)
	for _, err := range []error{read, written} {
		if catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), "HEADWATER_SECRETS_KEY") {
			t.Errorf("without a key: %v", err)
		}
	}
}

// TestRotationOfConnections: pages of a rotation go from the secrets to the connections. A connection that another
// server encrypted stays, and is not an error.
func TestRotationOfConnections(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	h.create("S", "value")
	var connections []model.URN
	for _, id := range []string{"a", "b"} {
		connections = append(connections, h.connect(id, "value of "+id))
	}
	h.Say("urn:li:dataHubConnection:foreign", model.AspectDataHubConnectionDetails, `{"type":"JSON","json":{"encryptedBlob":"v2:abc"}}`)
	next := sealed.MakeKey()
	h.ring.use(t, next, h.key)
	for _, want := range []secrets.Rotation{
		{Start: 2, Total: 4, Looked: 2, Rotated: 1, Failed: []secrets.Failed{}},
		{Start: 0, Total: 4, Looked: 4, Rotated: 2, Failed: []secrets.Failed{}},
		{Start: 0, Total: 4, Looked: 4, Rotated: 0, Failed: []secrets.Failed{}},
		{Start: 4, Total: 4, Failed: []secrets.Failed{}},
	} {
		got, err := h.secrets.Rotate(ctx, want.Start, catalogtest.ByAda)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	}
	h.ring.use(t, next)
	for i, u := range connections {
		_, closed := h.details(u)
		if text, err := h.secrets.ConnectionValue(ctx, u, closed); err != nil || text != "value of "+string(rune('a'+i)) {
			t.Errorf("%s: %q, %v", u, text, err)
		}
	}
}
