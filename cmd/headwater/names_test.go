package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/rest"
	"github.com/headwater-io/headwater/sample"
)

// sampleServer serves the sample catalog.
func sampleServer(t *testing.T) string {
	t.Helper()
	c := testcatalog.New(t)
	if _, err := sample.Load(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(rest.New(rest.Options{Catalog: c, Version: "1.2.3"}))
	t.Cleanup(server.Close)
	return server.URL
}

const (
	martOrders = "urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)"
	netRevenue = "urn:li:schemaField:(" + martOrders + ",net_revenue)"
)

// TestNames: every verb about an entity accepts the entity's name. If a name means none or
// several things, the error lists the candidates and a command that works.
func TestNames(t *testing.T) {
	t.Setenv("HEADWATER_SERVER", strings.TrimPrefix(sampleServer(t), "http://"))
	for _, c := range []struct {
		args string
		code int
		want []string
	}{
		{"get marts.orders --aspect status", cli.ExitOK, []string{martOrders}},
		{"get dbt:marts.orders --aspect siblings", cli.ExitOK, []string{"dataPlatform:dbt,analytics.marts.orders"}},
		{"get corpuser:ada.wren --aspect corpUserInfo -o json", cli.ExitOK, []string{"urn:li:corpuser:ada.wren"}},
		{"get tag:PII --aspect tagProperties --version 0", cli.ExitOK, []string{"name         PII"}},
		{"lineage marts.orders -o json", cli.ExitOK, []string{`"` + martOrders + `"`}},
		{"lineage orders.net_revenue -o json", cli.ExitOK, []string{netRevenue}},
		{"lineage snowflake:orders.NET_REVENUE -o json", cli.ExitOK, []string{netRevenue}},
		{"lineage marts.orders --hops 1 --owner nobody.at.all", cli.ExitNotFound, []string{`there is no owner "nobody.at.all"`}},
		{"lineage marts.orders --downstream --platform Looker -o json", cli.ExitOK, []string{"urn:li:chart:(looker,"}},
		{"impact marts.orders -o json", cli.ExitOK, []string{martOrders}},
		{"impact orders.net_revenue -o json", cli.ExitOK, []string{netRevenue}},
		{"impact orders --column net_revenue -o json", cli.ExitOK, []string{netRevenue}}, // only one of the two tables has the column
		{"impact " + martOrders + " --column net_revenue -o json", cli.ExitOK, []string{netRevenue}},
		{"timeline marts.orders", cli.ExitOK, nil},
		{"search --filter platform=snowflake -o json", cli.ExitOK, []string{"dataPlatform:snowflake"}},
		{"search --filter tags=pii -o json", cli.ExitOK, []string{"urn:li:dataset:"}},
		{"delete tag:Hourly -n", cli.ExitOK, []string{"tag:Hourly is the tag urn:li:tag:Hourly", "1 entity would be hidden"}},

		{"lineage orders", cli.ExitNotFound, []string{
			`"orders" stands for 3 things`, "TYPE", "PLATFORM", "dataset  postgres   shop.public.orders", "snowflake:analytics.marts.orders", martOrders,
			"For example: headwater lineage shop.public.orders",
		}},
		{"lineage --hops 2 orders --downstream", cli.ExitNotFound, []string{"For example: headwater lineage --hops 2 shop.public.orders --downstream"}},
		{"impact orders --column total", cli.ExitNotFound, []string{`"orders.total" stands for 2 things`, "column", "--column total"}},
		{"impact orders --column TOTAL", cli.ExitNotFound, []string{`"orders.TOTAL" stands for 2 things`, "For example: headwater impact shop.public.orders --column TOTAL"}},
		{"delete --filter tags=pii -n", cli.ExitOK, []string{"tags=pii is urn:li:tag:PII", "would be hidden"}},
		{"delete --filter tags=nosuchtag -n", cli.ExitNotFound, []string{`nothing is named "nosuchtag"`}},
		{"delete orders --yes", cli.ExitNotFound, []string{`"orders" stands for 3 things`}},
		{"delete orders --hard --yes", cli.ExitNotFound, []string{`stands for`}},
		{"get ordrs", cli.ExitNotFound, []string{`nothing is named "ordrs"; the nearest are`, "For example: headwater get "}},
		{"get qqqqqqqq", cli.ExitNotFound, []string{`nothing is named "qqqqqqqq"`}},
		{"get raw.employees", cli.ExitNotFound, []string{`"raw.employees" is soft-deleted`, "For example: headwater get 'urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.raw.employees,PROD)'"}},
		{"get urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.raw.employees,PROD) --aspect status", cli.ExitOK, []string{"employees"}},
		{"get finance", cli.ExitNotFound, []string{"tag:Finance", "domain:finance"}},
		{"impact orders --column totla", cli.ExitNotFound, []string{"did you mean total?"}},
		{"lineage orders.net_revenu", cli.ExitNotFound, []string{"did you mean net_revenue?"}},
		{"timeline orders.net_revenue", cli.ExitNotFound, []string{"nothing is named"}},
		{"get", cli.ExitUsage, nil},
	} {
		code, stdout, stderr := headwater(t, "", strings.Fields(c.args)...)
		for _, part := range append(c.want, "") {
			if code != c.code || !strings.Contains(stdout+stderr, part) {
				t.Errorf("%s: exit %d, no %q in\n%s%s", c.args, code, part, stdout, stderr)
				break
			}
		}
	}
}

// TestDeleteByName: a delete by name shows the entity and asks, even if the delete can be
// undone. The undo accepts the name too.
func TestDeleteByName(t *testing.T) {
	t.Setenv("HEADWATER_SERVER", sampleServer(t))
	const asked = "This hides the tag urn:li:tag:Hourly. Continue? [y/N]"
	for _, step := range []struct {
		answer, args string
		code         int
		want         string
	}{
		{"n\n", "delete tag:Hourly", cli.ExitFailure, asked},
		{"", "get tag:Hourly", cli.ExitOK, "urn:li:tag:Hourly"},
		{"y\n", "delete tag:Hourly", cli.ExitOK, asked},
		{"", "get tag:Hourly", cli.ExitNotFound, `"tag:Hourly" is soft-deleted`},
		{"", "delete tag:Hourly --undo --yes", cli.ExitOK, "1 entity shown again"},
		{"", "delete tag:Hourly --hard --yes", cli.ExitOK, "1 entity deleted"},
		{"", "delete tag:Hourly", cli.ExitNotFound, `nothing is named "tag:Hourly"`},
	} {
		code, stdout, stderr := headwater(t, step.answer, strings.Fields(step.args)...)
		if code != step.code || !strings.Contains(stdout+stderr, step.want) {
			t.Errorf("%s: exit %d, no %q in\n%s%s", step.args, code, step.want, stdout, stderr)
		}
	}
}
