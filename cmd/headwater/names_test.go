package main

import (
	"net/http/httptest"
	"strings"
	"testing"

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

// TestNames: every verb about an entity takes its name. A name that does not stand for
// one thing is an error that lists what it may stand for, with a command that works.
func TestNames(t *testing.T) {
	t.Setenv("HEADWATER_SERVER", strings.TrimPrefix(sampleServer(t), "http://"))
	for _, c := range []struct {
		args string
		code int
		want []string
	}{
		{"get marts.orders --aspect status", exitOK, []string{martOrders}},
		{"get dbt:marts.orders --aspect siblings", exitOK, []string{"dataPlatform:dbt,analytics.marts.orders"}},
		{"get corpuser:ada.wren --aspect corpUserInfo -o json", exitOK, []string{"urn:li:corpuser:ada.wren"}},
		{"get tag:PII --aspect tagProperties --version 0", exitOK, []string{"name         PII"}},
		{"lineage marts.orders -o json", exitOK, []string{`"` + martOrders + `"`}},
		{"lineage orders.net_revenue -o json", exitOK, []string{netRevenue}},
		{"lineage snowflake:orders.NET_REVENUE -o json", exitOK, []string{netRevenue}},
		{"lineage marts.orders --hops 1 --owner nobody.at.all", exitNotFound, []string{`there is no owner "nobody.at.all"`}},
		{"lineage marts.orders --downstream --platform Looker -o json", exitOK, []string{"urn:li:chart:(looker,"}},
		{"impact marts.orders -o json", exitOK, []string{martOrders}},
		{"impact orders.net_revenue -o json", exitOK, []string{netRevenue}},
		{"impact orders --column net_revenue -o json", exitOK, []string{netRevenue}}, // only one of the tables has it
		{"impact " + martOrders + " --column net_revenue -o json", exitOK, []string{netRevenue}},
		{"timeline marts.orders", exitOK, nil},
		{"search --filter platform=snowflake -o json", exitOK, []string{"dataPlatform:snowflake"}},
		{"search --filter tags=pii -o json", exitOK, []string{"urn:li:dataset:"}},
		{"delete tag:Hourly -n", exitOK, []string{"tag:Hourly is the tag urn:li:tag:Hourly", "1 entity would be hidden"}},

		{"lineage orders", exitNotFound, []string{
			`"orders" stands for 3 things`, "TYPE", "PLATFORM", "dataset  postgres   shop.public.orders", "snowflake:analytics.marts.orders", martOrders,
			"For example: headwater lineage shop.public.orders",
		}},
		{"lineage --hops 2 orders --downstream", exitNotFound, []string{"For example: headwater lineage --hops 2 shop.public.orders --downstream"}},
		{"impact orders --column total", exitNotFound, []string{`"orders.total" stands for 2 things`, "column", "--column total"}},
		{"impact orders --column TOTAL", exitNotFound, []string{`"orders.TOTAL" stands for 2 things`, "For example: headwater impact shop.public.orders --column TOTAL"}},
		{"delete --filter tags=pii -n", exitOK, []string{"tags=pii is urn:li:tag:PII", "would be hidden"}},
		{"delete --filter tags=nosuchtag -n", exitNotFound, []string{`nothing is named "nosuchtag"`}},
		{"delete orders --yes", exitNotFound, []string{`"orders" stands for 3 things`}},
		{"delete orders --hard --yes", exitNotFound, []string{`stands for`}},
		{"get ordrs", exitNotFound, []string{`nothing is named "ordrs"; the nearest are`, "For example: headwater get "}},
		{"get qqqqqqqq", exitNotFound, []string{`nothing is named "qqqqqqqq"`}},
		{"get raw.employees", exitNotFound, []string{`"raw.employees" is soft-deleted`, "For example: headwater get 'urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.raw.employees,PROD)'"}},
		{"get urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.raw.employees,PROD) --aspect status", exitOK, []string{"employees"}},
		{"get finance", exitNotFound, []string{"tag:Finance", "domain:finance"}},
		{"impact orders --column totla", exitNotFound, []string{"did you mean total?"}},
		{"lineage orders.net_revenu", exitNotFound, []string{"did you mean net_revenue?"}},
		{"timeline orders.net_revenue", exitNotFound, []string{"nothing is named"}},
		{"get", exitUsage, nil},
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

// TestDeleteByName: a delete by name shows what is deleted and asks, also when it can be
// undone. It can be undone by name.
func TestDeleteByName(t *testing.T) {
	t.Setenv("HEADWATER_SERVER", sampleServer(t))
	const asked = "This hides the tag urn:li:tag:Hourly. Continue? [y/N]"
	for _, step := range []struct {
		answer, args string
		code         int
		want         string
	}{
		{"n\n", "delete tag:Hourly", exitFailure, asked},
		{"", "get tag:Hourly", exitOK, "urn:li:tag:Hourly"},
		{"y\n", "delete tag:Hourly", exitOK, asked},
		{"", "get tag:Hourly", exitNotFound, `"tag:Hourly" is soft-deleted`},
		{"", "delete tag:Hourly --undo --yes", exitOK, "1 entity shown again"},
		{"", "delete tag:Hourly --hard --yes", exitOK, "1 entity deleted"},
		{"", "delete tag:Hourly", exitNotFound, `nothing is named "tag:Hourly"`},
	} {
		code, stdout, stderr := headwater(t, step.answer, strings.Fields(step.args)...)
		if code != step.code || !strings.Contains(stdout+stderr, step.want) {
			t.Errorf("%s: exit %d, no %q in\n%s%s", step.args, code, step.want, stdout, stderr)
		}
	}
}
