package secrets_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/secrets"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/sealed"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
)

// ring is a Sealer with keys that a test replaces.
type ring struct{ sealed.Keys }

func (r *ring) Newest(text string) bool { return r.Sealed(text) }

func (r *ring) Open(urn, text string) (string, error) {
	opened, err := r.Keys.Open(urn, text)
	if err != nil {
		return "", catalog.Errorf(catalog.Conflict, "%s: %w", urn, err)
	}
	return opened, nil
}

// use replaces the keys of the ring by the keys of some texts.
func (r *ring) use(t *testing.T, texts ...string) {
	t.Helper()
	keys, err := sealed.Parse(strings.Join(texts, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	r.Keys = keys
}

// house is a catalog with secrets.
type house struct {
	*catalogtest.SearchHarness
	secrets *secrets.Service
	ring    *ring
	key     string
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{SearchHarness: catalogtest.NewSearchHarness(t), ring: &ring{}, key: sealed.MakeKey()}
	h.ring.use(t, h.key)
	h.secrets = secrets.New(secrets.Options{
		Registry: model.Default(), Store: h.Store, Writer: h.Writer, Removal: h.Removal, Search: h.Search, Sealer: h.ring, Now: testclock.Now,
	})
	return h
}

// create stores a secret and returns its URN.
func (h *house) create(name, value string) model.URN {
	h.T.Helper()
	u, err := h.secrets.Create(h.T.Context(), secrets.Draft{Name: name, Value: value}, catalogtest.ByAda)
	if err != nil {
		h.T.Fatal(err)
	}
	return u
}

// values reads secrets as a program of a server without authentication does.
func (h *house) values(names ...string) []secrets.Value {
	h.T.Helper()
	found, err := h.secrets.Values(h.T.Context(), names, catalogtest.ByAda)
	if err != nil {
		h.T.Fatal(err)
	}
	return found
}

// TestSecrets creates, changes, lists, reads and deletes secrets. Neither the stored form nor any other
// answer of the catalog contains a value in clear text.
func TestSecrets(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	const first, second = "TOPSECRET one\n\"'\\ 你好", "TOPSECRET two"
	description := "of the warehouse"
	u, err := h.secrets.Create(ctx, secrets.Draft{Name: "WAREHOUSE", Value: first, Description: &description}, catalogtest.ByAda)
	if err != nil || u.String() != "urn:li:dataHubSecret:WAREHOUSE" {
		t.Fatalf("%s, %v", u, err)
	}
	h.create("EMPTY", "")
	if diff := cmp.Diff([]secrets.Value{{Name: "WAREHOUSE", Value: first}, {Name: "EMPTY", Value: ""}}, h.values("WAREHOUSE", "none", "", "EMPTY", "WAREHOUSE")); diff != "" {
		t.Error(diff)
	}
	if err := h.secrets.Update(ctx, u, secrets.Draft{Name: "WAREHOUSE", Value: second}, catalogtest.ByAda); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]secrets.Value{{Name: "WAREHOUSE", Value: second}}, h.values("WAREHOUSE")); diff != "" {
		t.Error(diff)
	}
	listed, total, err := h.secrets.List(ctx, "*", 0, 10)
	if err != nil || total != 2 || len(listed) != 2 {
		t.Fatalf("%d of %d: %v", len(listed), total, err)
	}
	if found, _, err := h.secrets.List(ctx, "WAREHOUSE", 0, 10); err != nil || len(found) != 1 || *found[0].Description != description {
		t.Errorf("%+v, %v", found, err)
	}
	h.tellsNothing("TOPSECRET")
	if err := h.secrets.Delete(ctx, u, catalogtest.ByAda); err != nil {
		t.Fatal(err)
	}
	if left := h.values("WAREHOUSE"); len(left) != 0 {
		t.Errorf("a deleted secret is read: %v", left)
	}
}

// tellsNothing fails if a text is in an export, in the change log or in a stored aspect.
func (h *house) tellsNothing(text string) {
	h.T.Helper()
	export, state := strings.Join(h.Exported(), "\n"), h.State()
	if strings.Contains(export, text) || !strings.Contains(export, `hw1:`) || strings.Contains(state, text) {
		h.T.Error("the export or the store has a secret in clear text, or the export does not have the secrets")
	}
}

// TestRefused: wrong secrets are refused, and change nothing.
func TestRefused(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	u := h.create("A", "value")
	before := h.State()
	long := strings.Repeat("x", limits.MaxSecretBytes+1)
	for name, c := range map[string]struct {
		run  func() error
		code catalog.Code
	}{
		"a name that is taken":  {func() error { return h.make(secrets.Draft{Name: "A", Value: "other"}) }, catalog.Conflict},
		"no name":               {func() error { return h.make(secrets.Draft{Name: " ", Value: "v"}) }, catalog.Invalid},
		"a name that is no URN": {func() error { return h.make(secrets.Draft{Name: strings.Repeat("n", limits.MaxURNBytes), Value: "v"}) }, catalog.Invalid},
		"a long value":          {func() error { return h.make(secrets.Draft{Name: "B", Value: long}) }, catalog.Invalid},
		"a long new value":      {func() error { return h.change(u, "A", long) }, catalog.Invalid},
		"another name":          {func() error { return h.change(u, "B", "v") }, catalog.Invalid},
		"an unknown secret":     {func() error { return h.change(catalogtest.URN("urn:li:dataHubSecret:none"), "none", "v") }, catalog.NotFound},
		"another type":          {func() error { return h.change(catalogtest.URN("urn:li:tag:A"), "A", "v") }, catalog.Invalid},
		"deletion of another":   {func() error { return h.secrets.Delete(ctx, catalogtest.URN("urn:li:tag:A"), catalogtest.ByAda) }, catalog.Invalid},
		"deletion of none": {func() error {
			return h.secrets.Delete(ctx, catalogtest.URN("urn:li:dataHubSecret:none"), catalogtest.ByAda)
		}, catalog.NotFound},
		"too many": {func() error {
			_, err := h.secrets.Values(ctx, make([]string, limits.MaxSecretsRead+1), catalogtest.ByAda)
			return err
		}, catalog.Invalid},
	} {
		err := c.run()
		if catalog.CodeOf(err) != c.code || strings.Contains(err.Error(), "xxx") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diff := cmp.Diff(before, h.State()); diff != "" {
		t.Error(diff)
	}
	if err := h.make(secrets.Draft{Name: "B", Value: long[1:]}); err != nil {
		t.Errorf("the longest value: %v", err)
	}
	if found := h.values(make([]string, limits.MaxSecretsRead)...); len(found) != 0 {
		t.Errorf("secrets without a name: %v", found)
	}
}

func (h *house) make(d secrets.Draft) error {
	_, err := h.secrets.Create(h.T.Context(), d, catalogtest.ByAda)
	return err
}

func (h *house) change(u model.URN, name, value string) error {
	return h.secrets.Update(h.T.Context(), u, secrets.Draft{Name: name, Value: value}, catalogtest.ByAda)
}

// TestWithoutKey: a server without a key refuses secrets and names the setting. It lists and deletes
// stored secrets.
func TestWithoutKey(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	u := h.create("A", "value")
	h.secrets.Sealer = nil
	_, read := h.secrets.Values(ctx, []string{"A"}, catalogtest.ByAda)
	_, rotated := h.secrets.Rotate(ctx, 0, catalogtest.ByAda)
	for _, err := range []error{h.make(secrets.Draft{Name: "B", Value: "v"}), h.change(u, "A", "v"), read, rotated} {
		if catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), "HEADWATER_SECRETS_KEY") {
			t.Errorf("without a key: %v", err)
		}
	}
	if listed, _, err := h.secrets.List(ctx, "*", 0, 10); err != nil || len(listed) != 1 {
		t.Errorf("%v, %v", listed, err)
	}
	if err := h.secrets.Delete(ctx, u, catalogtest.ByAda); err != nil {
		t.Error(err)
	}
}

// TestCallers: writing and listing secrets needs the privilege. Reading their values needs more: the caller
// is the system client, or a user marked as a program who shows a token.
func TestCallers(t *testing.T) {
	h := newHouse(t)
	u := h.create("A", "value")
	h.Say("urn:li:corpuser:runner", model.AspectCorpUserInfo, `{"active":true,"system":true}`)
	h.Say("urn:li:corpuser:person", model.AspectCorpUserInfo, `{"active":true}`)
	holder := func(c requestinfo.Caller) context.Context {
		return permission.With(requestinfo.WithCaller(t.Context(), c), permission.Everything{})
	}
	for name, c := range map[string]struct {
		ctx           context.Context
		writes, reads bool
	}{
		"nobody is known":              {t.Context(), true, true},
		"the system client":            {holder(requestinfo.Caller{Means: requestinfo.BySystemSecret}), true, true},
		"the system client for others": {holder(requestinfo.Caller{Actor: "urn:li:corpuser:person", Means: requestinfo.BySystemSecret, Impersonator: "system"}), true, true},
		"a program":                    {holder(requestinfo.Caller{Actor: "urn:li:corpuser:runner", Means: requestinfo.ByToken}), true, true},
		"a program of a provider":      {holder(requestinfo.Caller{Actor: "urn:li:corpuser:runner", Means: requestinfo.ByProvider}), true, true},
		"a program in a page":          {holder(requestinfo.Caller{Actor: "urn:li:corpuser:runner", Means: requestinfo.BySession}), true, false},
		"somebody as a program":        {holder(requestinfo.Caller{Actor: "urn:li:corpuser:runner", Means: requestinfo.ByToken, Impersonator: "urn:li:corpuser:person"}), true, false},
		"a person":                     {holder(requestinfo.Caller{Actor: "urn:li:corpuser:person", Means: requestinfo.ByToken}), true, false},
		"somebody who is not stored":   {holder(requestinfo.Caller{Actor: "urn:li:corpuser:none", Means: requestinfo.ByToken}), true, false},
		"a program without the right":  {requestinfo.WithCaller(t.Context(), requestinfo.Caller{Actor: "urn:li:corpuser:runner", Means: requestinfo.ByToken}), false, false},
	} {
		ctx, deed := requestinfo.WithDeed(c.ctx)
		_, readErr := h.secrets.Values(ctx, []string{"A", "none"}, catalogtest.ByAda)
		if read, _, _ := deed.Done(); (readErr == nil) != c.reads || c.reads != (len(read) == 1) {
			t.Errorf("%s reads a value: %v; noted: %v", name, readErr, read)
		}
		// ForRun checks the caller, but not the privilege, which its own caller has checked.
		if values, err := h.secrets.ForRun(c.ctx, []string{"A", "none"}); (err == nil) != (c.reads || !c.writes) || err == nil && len(values) != 1 {
			t.Errorf("%s reads the values of a run: %v, %v", name, values, err)
		}
		_, _, listErr := h.secrets.List(c.ctx, "*", 0, 1)
		_, rotateErr := h.secrets.Rotate(c.ctx, 0, catalogtest.ByAda)
		_, createErr := h.secrets.Create(c.ctx, secrets.Draft{Name: "A", Value: "v"}, catalogtest.ByAda)
		for what, err := range map[string]error{
			"lists": listErr, "rotates": rotateErr, "creates": createErr,
			"changes": h.secrets.Update(c.ctx, u, secrets.Draft{Name: "A", Value: "v"}, catalogtest.ByAda),
			"deletes": h.secrets.Delete(c.ctx, catalogtest.URN("urn:li:dataHubSecret:none"), catalogtest.ByAda),
		} {
			if (catalog.CodeOf(err) == catalog.Forbidden) == c.writes {
				t.Errorf("%s %s: %v", name, what, err)
			}
		}
		if !c.reads && catalog.CodeOf(readErr) != catalog.Forbidden {
			t.Errorf("%s: %v", name, readErr)
		}
	}
}

// TestRotation encrypts more than a page of secrets with another key, twice, and reports secrets that no key
// decrypts. Afterwards the former key is not needed.
func TestRotation(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	const extra = 3
	var names []string
	for i := range limits.SecretsRotated + extra {
		names = append(names, fmt.Sprintf("S%03d", i))
		h.create(names[i], "value of "+names[i])
	}
	moved, err := h.Aspect(ctx, catalogtest.URN("urn:li:dataHubSecret:S000"), model.AspectDataHubSecretValue, 0)
	if err != nil {
		t.Fatal(err)
	}
	h.Say("urn:li:dataHubSecret:MOVED", model.AspectDataHubSecretValue, string(moved.Value))
	next := sealed.MakeKey()
	h.ring.use(t, next, h.key)
	rotate := func() (looked, rotated int, failed []string) {
		for start := 0; ; {
			r, err := h.secrets.Rotate(ctx, start, catalogtest.ByAda)
			if err != nil || r.Total != len(names)+1 || r.Looked > limits.SecretsRotated {
				t.Fatalf("%+v, %v", r, err)
			}
			looked, rotated = looked+r.Looked, rotated+r.Rotated
			for _, one := range r.Failed {
				failed = append(failed, one.URN)
			}
			if start += r.Looked; start >= r.Total {
				return looked, rotated, failed
			}
		}
	}
	for i, want := range []int{len(names), 0} {
		if looked, rotated, failed := rotate(); looked != len(names)+1 || rotated != want || len(failed) != 1 || failed[0] != "urn:li:dataHubSecret:MOVED" {
			t.Errorf("rotation %d: %d of %d, failed: %v", i, rotated, looked, failed)
		}
	}
	h.ring.use(t, next)
	if found := h.values(names[:limits.MaxSecretsRead]...); len(found) != limits.MaxSecretsRead || found[7].Value != "value of S007" {
		t.Errorf("%d secrets are read with the new key", len(found))
	}
	if _, err := h.secrets.Values(ctx, []string{"MOVED"}, catalogtest.ByAda); catalog.CodeOf(err) != catalog.Conflict {
		t.Errorf("the encrypted value of another secret is read: %v", err)
	}
}

// TestClientSecret: the global settings may name the secret of an identity provider or have it encrypted, but may not
// have it in clear text, whoever writes the settings and in whatever form. The error does not show the secret.
func TestClientSecret(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	const u = "urn:li:globalSettings:0"
	settings := func(secret string) string {
		return `{"sso":{"baseUrl":"https://catalog.example.com","oidcSettings":{"enabled":true,"clientId":"catalog","clientSecret":"` + secret + `","discoveryUri":"https://id.example.com"}}}`
	}
	propose := func(kind, value string) error {
		_, err := h.Ingest(ctx, write.Proposal{
			EntityType: model.EntityGlobalSettings, EntityURN: u, ChangeType: kind, AspectName: model.AspectGlobalSettingsInfo,
			Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"},
		}, catalog.WriteOptions{})
		return err
	}
	sealed, err := h.Aspect(ctx, h.create("A", "value"), model.AspectDataHubSecretValue, 0)
	if err != nil {
		t.Fatal(err)
	}
	var closed struct{ Value string }
	if err := json.Unmarshal(sealed.Value, &closed); err != nil {
		t.Fatal(err)
	}
	for _, allowed := range []string{"${CLIENT_SECRET}", closed.Value, ""} {
		if err := propose("UPSERT", settings(allowed)); err != nil {
			t.Errorf("%q: %v", allowed, err)
		}
	}
	imported := catalogtest.NewHarness(t)
	_, err = imported.ParseImported(model.Default().Dialects()[0], model.AspectGlobalSettingsInfo, []byte(settings("TOPSECRET")), catalog.WriteOptions{})
	refusals := map[string]error{
		"clear text":            propose("UPSERT", settings("TOPSECRET")),
		"clear text, restated":  propose("RESTATE", settings("TOPSECRET")),
		"a name and more":       propose("UPSERT", settings("${A}TOPSECRET")),
		"a name with a default": propose("UPSERT", settings("${A:-TOPSECRET}")),
		"an import":             err,
	}
	for name, err := range refusals {
		if code := catalog.CodeOf(err); code != catalog.Validation || strings.Contains(err.Error(), "TOPSECRET") || !strings.Contains(err.Error(), "createSecret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRawWrites: a secret in clear text is refused from every caller and in every form, and the error does
// not show it. An encrypted one is stored unchanged, and is read by a server with the key.
func TestRawWrites(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	u := h.create("A", "value")
	stored, err := h.Aspect(ctx, u, model.AspectDataHubSecretValue, 0)
	if err != nil {
		t.Fatal(err)
	}
	propose := func(kind, value string) error {
		_, err := h.Ingest(ctx, write.Proposal{
			EntityType: model.EntityDataHubSecret, EntityURN: u.String(), ChangeType: kind, AspectName: model.AspectDataHubSecretValue,
			Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"},
		}, catalog.WriteOptions{})
		return err
	}
	for name, err := range map[string]error{
		"clear text":             propose("UPSERT", `{"name":"A","value":"TOPSECRET"}`),
		"nothing":                propose("UPSERT", `{"name":"A","value":""}`),
		"of the reference":       propose("UPSERT", `{"name":"A","value":"v2:VE9QU0VDUkVUVE9QU0VDUkVUVE9QU0VDUkVUVE9QU0VDUkVU"}`),
		"an edit":                h.Edit(ctx, []write.Edit{write.Replace(u, model.AspectDataHubSecretValue, func(catalog.AuditStamp) catalog.Tree { return catalog.Tree{"name": "A", "value": "TOPSECRET"} })}, catalog.WriteOptions{}),
		"what looks like it":     propose("UPSERT", `{"name":"A","value":"hw1:0123456789ab:TOPSECRET"}`),
		"of a server, with more": propose("UPSERT", `{"name":"A","value":"hw1:0123456789ab:TOPSECRET TOPSECRET TOPSECRET TOPSECRET"}`),
	} {
		if code := catalog.CodeOf(err); code != catalog.Validation || strings.Contains(err.Error(), "TOPSECRET") || !strings.Contains(err.Error(), "createSecret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diff := cmp.Diff([]secrets.Value{{Name: "A", Value: "value"}}, h.values("A")); diff != "" {
		t.Error(diff)
	}
	lines := h.Exported()
	if err := h.secrets.Delete(ctx, u, catalogtest.ByAda); err != nil {
		t.Fatal(err)
	}
	if err := propose("UPSERT", string(stored.Value)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]secrets.Value{{Name: "A", Value: "value"}}, h.values("A")); diff != "" {
		t.Error(diff)
	}
	other := catalogtest.NewHarness(t)
	if imported := other.Imported(transfer.ImportOptions{}, lines); len(imported.Failures) != 0 {
		t.Errorf("encrypted secrets are not imported: %+v", imported.Failures)
	}
	second := secrets.New(secrets.Options{Registry: model.Default(), Store: other.Store, Writer: other.Writer, Sealer: h.ring, Now: testclock.Now})
	if found, err := second.Values(ctx, []string{"A"}, catalogtest.ByAda); err != nil || len(found) != 1 || found[0].Value != "value" {
		t.Errorf("another server with the key reads %v: %v", found, err)
	}
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "hw1:", "TOPSECRET:")
	}
	imported := catalogtest.NewHarness(t).Imported(transfer.ImportOptions{}, lines)
	if len(imported.Failures) != 1 || strings.Contains(imported.Failures[0].Message, "TOPSECRET") {
		t.Errorf("a secret in clear text is imported: %+v", imported)
	}
}
