package rest

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/rest/call"
)

// TestUnknownFields: a field that the model lacks is stored if the release of the client
// knows the model, or if the setting says so.
func TestUnknownFields(t *testing.T) {
	protocol := []string{"X-RestLi-Protocol-Version", "2.0.0", "Content-Type", "application/json"}
	agent := func(release string) []string {
		return []string{"User-Agent", "DataHub-Client/1.0 (sdk; DataHubGraph/None; " + release + ") python-requests/2.32"}
	}
	version := func(release string) []string { return []string{"X-DataHub-Py-Cli-Version", release} }
	for _, c := range []struct {
		name, setting string
		headers       []string
		status        int
	}{
		{"a client of the model's time", "", version("1.7.0.17"), 200},
		{"an older client", call.AutoUnknown, version("0.10.5"), 422},
		{"a newer client", call.AutoUnknown, version("99.1"), 200},
		{"a newer client by its agent", call.AutoUnknown, agent("99.1"), 200},
		{"an older client by its agent", call.AutoUnknown, agent("1.0.0"), 422},
		{"another client", call.AutoUnknown, []string{"User-Agent", "curl/99.1"}, 422},
		{"a newer client, refused", call.RefuseUnknown, version("99.1"), 422},
		{"any client, kept", call.KeepUnknown, nil, 200},
	} {
		server := httptest.NewServer(New(Options{Catalog: testcatalog.New(t), UnknownFields: c.setting}))
		body := proposalBody("tag", "urn:li:tag:x", "tagProperties", `{"name":"x","shape":{"corners":4}}`)
		status, answer, _ := request(t, server, "POST", "/aspects?action=ingestProposal", body, append(c.headers, protocol...)...)
		if status != c.status {
			t.Errorf("%s: %d %s", c.name, status, answer)
		}
		if _, answer, _ = request(t, server, "GET", "/aspects/urn%3Ali%3Atag%3Ax?aspect=tagProperties&version=0", ""); strings.Contains(answer, `"shape":{"corners":4}`) != (c.status == 200) {
			t.Errorf("%s: reads %s", c.name, answer)
		}
		server.Close()
	}
}
