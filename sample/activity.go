package sample

import (
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// watched are the marts with profiles, usage, operations and checks.
var watched = []string{"orders", "customers", "revenue_daily", "margin_by_product", "executive_summary"}

// quality emits a check of every watched mart and its results.
func (b *builder) quality() {
	for i, name := range watched {
		urn := fmt.Sprintf("urn:li:assertion:larkspur-not-empty-%s", name)
		table := dataset("snowflake", "analytics.marts."+name)
		b.put(urn, model.AspectAssertionInfo, object{
			"type": "DATASET", "customProperties": object{"suite": "marts"},
			"datasetAssertion": object{
				"dataset": table, "scope": "DATASET_ROWS", "operator": "GREATER_THAN", "aggregation": "ROW_COUNT",
				"parameters": object{"value": object{"value": "0", "type": "NUMBER"}},
			},
		})
		b.put(urn, model.AspectDataPlatformInstance, object{"platform": platform("dbt")})
		for d := range days {
			outcome := "SUCCESS"
			if (i+d)%11 == 10 {
				outcome = "FAILURE"
			}
			b.put(urn, model.AspectAssertionRunEvent, object{
				"timestampMillis": day0 + d*day, "runId": fmt.Sprintf("checks-%d", d), "asserteeUrn": table, "assertionUrn": urn,
				"status": "COMPLETE", "result": object{"type": outcome, "rowCount": 1000 + 10*d},
			})
		}
	}
}

// activity emits a week of profiles, usage and operations.
func (b *builder) activity() {
	readers := []string{"yuki.brandt", "sam.oduya", "piet.hollis"}
	for i, name := range watched {
		urn := dataset("snowflake", "analytics.marts."+name)
		for d := range days {
			at := day0 + d*day
			rows := 10_000*(i+1) + 150*d
			b.put(urn, model.AspectDatasetProfile, object{
				"timestampMillis": at, "rowCount": rows, "columnCount": 4, "sizeInBytes": rows * 120,
				"fieldProfiles": []object{{
					"fieldPath": "net_revenue", "uniqueCount": rows / 2, "uniqueProportion": 0.5, "nullCount": 3 * d,
					"nullProportion": 0.001 * float64(d), "min": "0.00", "max": "1890.00", "mean": "74.10", "median": "49.90",
					"sampleValues": []string{"12.50", "49.90", "120.00"},
				}},
			})
			counts := []object{}
			total := 0
			for k, reader := range readers {
				n := (i + d + k) % 7
				total += n
				counts = append(counts, object{"user": user(reader), "count": n})
			}
			b.put(urn, model.AspectDatasetUsageStatistics, object{
				"timestampMillis": at, "eventGranularity": object{"unit": "DAY", "multiple": 1},
				"uniqueUserCount": len(readers), "totalSqlQueries": total, "userCounts": counts,
				"topSqlQueries": []string{"select * from marts." + name + " limit 100"},
				"fieldCounts":   []object{{"fieldPath": "net_revenue", "count": total}},
			})
			b.put(urn, model.AspectOperation, object{
				"timestampMillis": at, "lastUpdatedTimestamp": at, "operationType": "INSERT", "actor": user("omar.reyes"),
				"numAffectedRows": 150, "sourceType": "DATA_PROCESS",
			})
		}
	}
}

// curation emits what people added by hand.
func (b *builder) curation() {
	orders := dataset("snowflake", "analytics.marts.orders")
	b.put(orders, model.AspectOwnership, ownership("bela.norris", "mira.castel", "data-platform"))
	b.put(orders, model.AspectGlobalTags, object{"tags": []object{{"tag": tag("Certified")}, {"tag": tag("Finance")}}})
	b.put(orders, model.AspectGlossaryTerms, object{"terms": []object{{"urn": term("NetRevenue")}}, "auditStamp": stamp("bela.norris")})
	b.put(orders, model.AspectEditableDatasetProperties, object{
		"description": "One row per order.\n\n**Net revenue** is what Finance reports.", "created": stamp("bela.norris"), "lastModified": stamp("bela.norris"),
	})
	b.put(orders, model.AspectInstitutionalMemory, object{"elements": []object{{
		"url": "https://wiki.larkspur.example/orders", "description": "How orders become revenue", "createStamp": stamp("bela.norris"),
	}}})
	b.put(orders, model.AspectEditableSchemaMetadata, object{
		"editableSchemaFieldInfo": []object{{
			"fieldPath": "net_revenue", "description": "Order value less discounts and refunds.",
			"globalTags":    object{"tags": []object{{"tag": tag("Finance")}}},
			"glossaryTerms": object{"terms": []object{{"urn": term("NetRevenue")}}, "auditStamp": stamp("mira.castel")},
		}},
		"created": stamp("mira.castel"), "lastModified": stamp("mira.castel"),
	})
	customers := dataset("snowflake", "analytics.marts.customers")
	b.put(customers, model.AspectGlobalTags, object{"tags": []object{
		{"tag": tag("PII"), "attribution": object{"time": day0 + days*day, "actor": user("ada.wren")}}, {"tag": tag("Certified")},
	}})
	b.put(customers, model.AspectGlossaryTerms, object{"terms": []object{{"urn": term("Customer")}}, "auditStamp": stamp("bela.norris")})
	b.put(dataset("snowflake", "analytics.marts.loyalty"), model.AspectGlobalTags, object{"tags": []object{{"tag": tag("Experimental")}}})
	b.put(dataset("snowflake", "analytics.marts.refund_rate"), model.AspectDeprecation, object{
		"deprecated": true, "note": "Use margin_by_product, which has refunds in it.", "actor": user("piet.hollis"), "decommissionTime": day0 + 90*day,
	})
	b.put(dataset("kafka", "web.searches"), model.AspectGlobalTags, object{"tags": []object{{"tag": tag("Hourly")}}})
	// Removed, but still there for whoever has its address.
	b.put(dataset("snowflake", "analytics.raw.employees"), model.AspectStatus, object{"removed": true})
	product := "urn:li:dataProduct:revenue"
	b.put(product, model.AspectDataProductProperties, object{
		"name": "Revenue", "description": "What Finance reports from.",
		"assets": []object{{"destinationUrn": orders}, {"destinationUrn": dataset("snowflake", "analytics.marts.revenue_daily")}},
	})
	b.put(product, model.AspectDomains, object{"domains": []string{domain("finance")}})
	b.put(product, model.AspectOwnership, ownership("mira.castel"))
}

// queries are what people run on the marts. Tables and columns are those of marts.
var queries = []struct{ name, title, by, text, table, columns string }{
	{"close", "Figures of the close", "piet.hollis", "select day, sum(net_revenue) from analytics.marts.revenue_daily group by day", "revenue_daily", "day net_revenue"},
	{"baskets", "Baskets by city", "yuki.brandt", "select c.city, avg(o.gross_revenue) from analytics.marts.orders o join analytics.marts.customers c using (customer_id) group by c.city", "orders customers", "gross_revenue"},
	{"refunded", "Orders that were refunded", "sam.oduya", "select order_id, gross_revenue - net_revenue from analytics.marts.orders where net_revenue < gross_revenue", "orders", "order_id gross_revenue net_revenue"},
}

// savedQueries emits the queries, each with the tables and, of the first table, the
// columns that it uses.
func (b *builder) savedQueries() {
	for _, q := range queries {
		urn := "urn:li:query:larkspur-" + q.name
		b.put(urn, model.AspectQueryProperties, object{
			"name": q.title, "source": "MANUAL", "statement": object{"value": q.text, "language": "SQL"}, "created": stamp(q.by), "lastModified": stamp(q.by),
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
