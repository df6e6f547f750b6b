package sample

import (
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// watched are the marts with profiles, usage, operations and checks.
var watched = []string{"orders", "customers", "revenue_daily", "margin_by_product", "executive_summary"}

// checks emits a check of each watched mart.
func (b *builder) checks() {
	for _, name := range watched {
		urn := check(name)
		b.put(urn, model.AspectAssertionInfo, object{
			"type": "DATASET", "customProperties": object{"suite": "marts"},
			"datasetAssertion": object{
				"dataset": dataset("snowflake", "analytics.marts."+name), "scope": "DATASET_ROWS", "operator": "GREATER_THAN", "aggregation": "ROW_COUNT",
				"parameters": object{"value": object{"value": "0", "type": "NUMBER"}},
			},
		})
		b.put(urn, model.AspectDataPlatformInstance, object{"platform": platform("dbt")})
	}
}

func check(mart string) string { return "urn:li:assertion:larkspur-not-empty-" + mart }

// activity emits the profiles, usage, operations and results of checks of the days
// from one date up to another, which is not included.
func (b *builder) activity(from, to string) {
	for at := millis(from); at < millis(to); at += day {
		for i, name := range watched {
			b.dayOf(i, name, at)
		}
	}
}

// dayOf emits the profile, usage, operation and result of a check of a watched mart on a day.
func (b *builder) dayOf(i int, name string, at int64) {
	urn, d := dataset("snowflake", "analytics.marts."+name), int((at-millis(firstDay))/day)
	net := "net_revenue"
	if name == "orders" && at < millis(renamed) {
		net = "net_amount"
	}
	rows := 10_000*(i+1) + 150*d
	b.put(urn, model.AspectDatasetProfile, object{
		"timestampMillis": at, "rowCount": rows, "columnCount": 4, "sizeInBytes": rows * 120,
		"fieldProfiles": []object{{
			"fieldPath": net, "uniqueCount": rows / 2, "uniqueProportion": 0.5, "nullCount": 3 * d,
			"nullProportion": 0.001 * float64(d), "min": "0.00", "max": "1890.00", "mean": "74.10", "median": "49.90",
			"sampleValues": []string{"12.50", "49.90", "120.00"},
		}},
	})
	readers := []string{"yuki.brandt", "sam.oduya", "piet.hollis"}
	counts, total := []object{}, 0
	for k, reader := range readers {
		n := (i + d + k) % 7
		total += n
		counts = append(counts, object{"user": user(reader), "count": n})
	}
	b.put(urn, model.AspectDatasetUsageStatistics, object{
		"timestampMillis": at, "eventGranularity": object{"unit": "DAY", "multiple": 1},
		"uniqueUserCount": len(readers), "totalSqlQueries": total, "userCounts": counts,
		"topSqlQueries": []string{"select * from marts." + name + " limit 100"},
		"fieldCounts":   []object{{"fieldPath": net, "count": total}},
	})
	b.put(urn, model.AspectOperation, object{
		"timestampMillis": at, "lastUpdatedTimestamp": at, "operationType": "INSERT", "actor": user("omar.reyes"),
		"numAffectedRows": 150, "sourceType": "DATA_PROCESS",
	})
	outcome, found := "SUCCESS", rows
	if slices.Contains(damaged, name) && at == millis(badDay) {
		outcome, found = "FAILURE", 0 // the checks of that day read the test warehouse
	}
	b.put(check(name), model.AspectAssertionRunEvent, object{
		"timestampMillis": at, "runId": fmt.Sprintf("checks-%d", d), "asserteeUrn": urn, "assertionUrn": check(name),
		"status": "COMPLETE", "result": object{"type": outcome, "rowCount": found},
	})
}

// queries are the queries that people saved, with the time at which each was saved. Tables and
// columns are tables and columns of marts.
var queries = []struct{ name, title, by, at, text, table, columns string }{
	{"close", "Figures of the close", "piet.hollis", "2026-11-12T15:10", "select day, sum(net_revenue) from analytics.marts.revenue_daily group by day", "revenue_daily", "day net_revenue"},
	{"baskets", "Baskets by city", "yuki.brandt", "2026-11-13T09:20", "select c.city, avg(o.gross_revenue) from analytics.marts.orders o join analytics.marts.customers c using (customer_id) group by c.city", "orders customers", "gross_revenue"},
	{"refunded", "Orders that were refunded", "sam.oduya", "2026-11-13T10:45", "select order_id, gross_revenue - net_revenue from analytics.marts.orders where net_revenue < gross_revenue", "orders", "order_id gross_revenue net_revenue"},
}

// savedQueries emits the queries. Each names its tables and, of the first table, the columns
// that it uses.
func (b *builder) savedQueries() {
	for _, q := range queries {
		urn, saved := "urn:li:query:larkspur-"+q.name, object{"time": millis(q.at), "actor": user(q.by)}
		b.put(urn, model.AspectQueryProperties, object{
			"name": q.title, "source": "MANUAL", "statement": object{"value": q.text, "language": "SQL"}, "created": saved, "lastModified": saved,
		})
		subjects := []object{}
		tables := strings.Fields(q.table)
		for _, table := range tables {
			subjects = append(subjects, object{"entity": dataset("snowflake", "analytics.marts."+table)})
		}
		for _, name := range strings.Fields(q.columns) {
			subjects = append(subjects, object{"entity": column(dataset("snowflake", "analytics.marts."+tables[0]), name)})
		}
		b.put(urn, model.AspectQuerySubjects, object{"subjects": subjects})
	}
}
