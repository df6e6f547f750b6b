package mcp_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
)

// TestReadings: an agent sees both readings of the SQL of an edge where they differ, now and at a past moment.
func TestReadings(t *testing.T) {
	const orders, ghost, view = "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.orders,PROD)", "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.views.orders,PROD)", "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.views.v,PROD)"
	c := testcatalog.At(t, testclock.Now)
	propose := func(urn, aspect, value string) {
		t.Helper()
		p := write.Proposal{EntityType: model.EntityDataset, EntityURN: urn, AspectName: aspect, Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"}}
		if _, err := c.Ingest(context.Background(), p, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	column := func(urn, name string) string { return "urn:li:schemaField:(" + urn + "," + name + ")" }
	for _, urn := range []string{orders, ghost} {
		propose(urn, "status", `{"removed":false}`)
	}
	propose(view, "upstreamLineage", fmt.Sprintf(`{"upstreams":[{"dataset":%q,"type":"VIEW","auditStamp":{"time":0,"actor":"urn:li:corpuser:x"}}],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","upstreams":[%q],"downstreamType":"FIELD","downstreams":[%q],"confidenceScore":0.2}]}`, ghost, column(ghost, "id"), column(view, "id")))
	derived := func(differences string) {
		propose(view, "derivedLineage", fmt.Sprintf(`{"upstreams":[{"dataset":%q,"type":"VIEW","auditStamp":{"time":0,"actor":"urn:li:corpuser:x"}}],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","upstreams":[%q],"downstreamType":"FIELD","downstreams":[%q],"transformOperation":"DIRECT:IDENTITY"}]%s}`, orders, column(orders, "id"), column(view, "id"), differences))
	}
	derived(fmt.Sprintf(`,"differences":[{"downstream":%q,"stated":[%q],"confidenceScore":0.2,"read":[%q]}]`, column(view, "id"), column(ghost, "id"), column(orders, "id")))
	then := testclock.Now().UnixMilli()
	testclock.Forward(2 * time.Millisecond)
	session := client(t, c, false)
	want := fmt.Sprintf("client:[%s] of:%s own:[%s] preferred:client", column(ghost, "id"), column(view, "id"), column(orders, "id"))
	asked := func(moment string) (hops, steps string) {
		t.Helper()
		answer, refused := ask(t, session, "lineage", fmt.Sprintf(`{"of":%q,"direction":"upstream"%s}`, column(view, "id"), moment))
		if refused != "" {
			t.Fatal(refused)
		}
		hops = fmt.Sprint(answer["entities"])
		answer, refused = ask(t, session, "paths", fmt.Sprintf(`{"from":%q,"to":%q%s}`, column(orders, "id"), column(view, "id"), moment))
		if refused != "" {
			t.Fatal(refused)
		}
		return hops, fmt.Sprint(answer["paths"])
	}
	if hops, steps := asked(""); strings.Count(hops, want) != 2 || !strings.Contains(steps, want) {
		t.Errorf("want %s, got %s and %s", want, hops, steps)
	}
	derived("") // the client has been corrected
	if hops, steps := asked(""); strings.Contains(hops+steps, "preferred") {
		t.Errorf("readings that agree: %s %s", hops, steps)
	}
	if hops, steps := asked(`,"as_of":"` + strconv.FormatInt(then, 10) + `"`); strings.Count(hops, want) != 2 || !strings.Contains(steps, want) {
		t.Errorf("at the moment: want %s, got %s and %s", want, hops, steps)
	}
}
