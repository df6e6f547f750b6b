package sample

import (
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/model"
)

func dataset(on, name string) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:%s,%s,PROD)", on, name)
}

func column(datasetURN, name string) string {
	return "urn:li:schemaField:(" + datasetURN + "," + name + ")"
}

func container(name string) string { return "urn:li:container:larkspur-" + name }

// table is a table of the company: columns as name:type, upstreams as
// platform|name.
type table struct {
	platform, name, about, domain, owner string
	columns                              []string
	upstreams                            []string
}

func (t *table) urn() string { return dataset(t.platform, t.name) }

// state is one of the two states that the warehouse was seen in.
type state int

const (
	firstState state = iota
	// secondState: a week later the margin mart no longer reads the raw price
	// list but the staged one, and some tables have grown.
	secondState
)

// entities of the shop, from which sources, staging tables and so on are made.
var shop = []struct{ name, domain, about, columns string }{
	{"orders", "sales", "orders placed", "order_id:number customer_id:number placed_at:time status:string total:number"},
	{"order_lines", "sales", "lines of orders", "line_id:number order_id:number product_id:number quantity:number price:number"},
	{"customers", "sales", "people and firms that buy", "customer_id:number email:string name:string city:string created_at:time"},
	{"products", "logistics", "what is sold", "product_id:number sku:string title:string category:string cost:number"},
	{"prices", "finance", "list prices by day", "product_id:number valid_on:date price:number"},
	{"refunds", "finance", "money returned", "refund_id:number line_id:number amount:number refunded_at:time"},
	{"payments", "finance", "payments received", "payment_id:number order_id:number method:string amount:number"},
	{"shipments", "logistics", "parcels sent", "shipment_id:number order_id:number carrier:string shipped_at:time"},
	{"stock_levels", "logistics", "units on hand", "product_id:number warehouse_id:number on_hand:number"},
	{"suppliers", "logistics", "firms we buy from", "supplier_id:number name:string country:string"},
	{"campaigns", "marketing", "campaigns run", "campaign_id:number name:string channel:string budget:number"},
	{"coupons", "marketing", "coupons given", "coupon_id:number campaign_id:number code:string percent:number"},
	{"stores", "sales", "shops and depots", "store_id:number city:string opened_on:date"},
	{"employees", "finance", "people who work here", "employee_id:number name:string store_id:number"},
}

var topics = []struct{ name, domain, columns string }{
	{"web.page_views", "marketing", "session_id:string url:string viewed_at:time customer_id:number"},
	{"web.searches", "marketing", "session_id:string query:string searched_at:time"},
	{"shop.basket_events", "sales", "session_id:string product_id:number action:string happened_at:time"},
	{"shop.order_events", "sales", "order_id:number status:string happened_at:time"},
	{"logistics.scans", "logistics", "shipment_id:number place:string scanned_at:time"},
	{"finance.card_settlements", "finance", "payment_id:number settled_at:time fee:number"},
}

// mart is a table that people report from. Each column derives from a column
// of an upstream: name:type<upstream.column.
type mart struct{ name, domain, owner, about, columns string }

var marts = []mart{
	{"orders", "sales", "bela.norris", "One row per order with its revenue.", "order_id:number<stg_orders.order_id customer_id:number<stg_orders.customer_id placed_at:time<stg_orders.placed_at gross_revenue:number<stg_order_lines.price net_revenue:number<stg_refunds.amount"},
	{"customers", "sales", "bela.norris", "One row per customer with what they are worth to us.", "customer_id:number<stg_customers.customer_id email:string<stg_customers.email city:string<stg_customers.city lifetime_value:number<stg_payments.amount"},
	{"revenue_daily", "finance", "piet.hollis", "Revenue by day; the monthly close reads this.", "day:date<marts.orders.placed_at net_revenue:number<marts.orders.net_revenue gross_revenue:number<marts.orders.gross_revenue"},
	{"margin_by_product", "finance", "piet.hollis", "What each product earns.", "product_id:number<stg_products.product_id title:string<stg_products.title margin:number<stg_products.cost revenue:number<stg_order_lines.price"},
	{"refund_rate", "finance", "piet.hollis", "Share of lines refunded, by product.", "product_id:number<stg_order_lines.product_id rate:number<stg_refunds.amount"},
	{"delivery_times", "logistics", "ines.falk", "Hours from order to doorstep.", "order_id:number<stg_shipments.order_id hours:number<stg_shipments.shipped_at carrier:string<stg_shipments.carrier"},
	{"stock_cover", "logistics", "ines.falk", "Days of stock left.", "product_id:number<stg_stock_levels.product_id days_left:number<stg_stock_levels.on_hand"},
	{"campaign_results", "marketing", "sam.oduya", "What campaigns brought in.", "campaign_id:number<stg_campaigns.campaign_id spend:number<stg_campaigns.budget revenue:number<marts.orders.net_revenue"},
	{"web_sessions", "marketing", "sam.oduya", "Visits with what came of them.", "session_id:string<raw.web_page_views.session_id customer_id:number<raw.web_page_views.customer_id searches:number<raw.web_searches.query"},
	{"loyalty", "sales", "bela.norris", "Loyal customers and how they became so.", "customer_id:number<marts.customers.customer_id orders:number<marts.orders.order_id"},
	{"churn_features", "sales", "jun.petrov", "Features for the churn model.", "customer_id:number<marts.customers.customer_id value:number<marts.customers.lifetime_value visits:number<marts.web_sessions.session_id"},
	{"executive_summary", "finance", "mira.castel", "The page the board sees.", "day:date<marts.revenue_daily.day net_revenue:number<marts.revenue_daily.net_revenue margin:number<marts.margin_by_product.margin"},
}

// qualified turns stg_x, raw.x and marts.x into names in the warehouse.
func qualified(name string) string {
	if strings.HasPrefix(name, "stg_") {
		return "analytics.staging." + name
	}
	return "analytics." + name
}

func rawName(topic string) string { return strings.ReplaceAll(topic, ".", "_") }

// warehouse emits the sources, the warehouse and the lineage between them.
func (b *builder) warehouse(s state) {
	if s == firstState {
		b.containers()
	}
	for i, e := range shop {
		source := table{platform: "postgres", name: "shop.public." + e.name, about: "Production table of " + e.about + ".", domain: e.domain, owner: "omar.reyes", columns: strings.Fields(e.columns)}
		raw := table{platform: "snowflake", name: "analytics.raw." + e.name, about: "Copy of " + e.about + " as they come.", domain: e.domain, owner: "ines.falk", columns: source.columns, upstreams: []string{source.urn()}}
		staging := table{platform: "snowflake", name: "analytics.staging.stg_" + e.name, about: strings.ToUpper(e.about[:1]) + e.about[1:] + ", cleaned and typed.", domain: e.domain, owner: "ines.falk", columns: source.columns, upstreams: []string{raw.urn()}}
		if s == secondState && i%4 == 0 {
			staging.columns = append(append([]string{}, staging.columns...), "loaded_at:time")
			staging.about += " Rows say when they were loaded."
		}
		for _, t := range []table{source, raw, staging} {
			b.table(&t, s)
		}
		b.dbtTwin(&staging)
	}
	for _, t := range topics {
		topic := table{platform: "kafka", name: t.name, about: "Events of " + t.name + ".", domain: t.domain, owner: "omar.reyes", columns: strings.Fields(t.columns)}
		raw := table{platform: "snowflake", name: "analytics.raw." + rawName(t.name), about: "Events of " + t.name + " as they come.", domain: t.domain, owner: "ines.falk", columns: topic.columns, upstreams: []string{topic.urn()}}
		b.table(&topic, s)
		b.table(&raw, s)
	}
	for _, name := range []string{"landing/supplier_catalogs", "landing/carrier_rates", "exports/board_pack"} {
		file := table{platform: "s3", name: "larkspur-lake/" + name, about: "Files in " + name + ".", domain: "logistics", owner: "omar.reyes", columns: []string{"line:string"}}
		if name == "exports/board_pack" {
			file.upstreams = []string{dataset("snowflake", "analytics.marts.executive_summary")}
		}
		b.table(&file, s)
	}
	for i := range marts {
		b.mart(&marts[i], s)
	}
}

func (b *builder) containers() {
	for _, c := range []struct{ name, parent, platform, kind string }{
		{"analytics", "", "snowflake", "Database"},
		{"raw", "analytics", "snowflake", "Schema"},
		{"staging", "analytics", "snowflake", "Schema"},
		{"marts", "analytics", "snowflake", "Schema"},
		{"shop", "", "postgres", "Database"},
		{"public", "shop", "postgres", "Schema"},
	} {
		b.put(container(c.name), model.AspectContainerProperties, object{"name": c.name, "customProperties": object{"env": "PROD"}})
		b.put(container(c.name), model.AspectSubTypes, object{"typeNames": []string{c.kind}})
		b.put(container(c.name), model.AspectDataPlatformInstance, object{"platform": platform(c.platform)})
		if c.parent != "" {
			b.put(container(c.name), model.AspectContainer, object{"container": container(c.parent)})
		}
	}
}

// table emits a dataset; what does not change is emitted once.
func (b *builder) table(t *table, s state) {
	urn := t.urn()
	b.put(urn, model.AspectDatasetProperties, object{
		"name": t.name[strings.LastIndexAny(t.name, "./")+1:], "description": t.about,
		"customProperties": object{"retention": "3 years"}, "tags": []string{},
	})
	b.put(urn, model.AspectSchemaMetadata, schema(t, s))
	if len(t.upstreams) > 0 {
		b.put(urn, model.AspectUpstreamLineage, b.lineage(t.upstreams, nil))
	}
	if s == secondState {
		return
	}
	b.put(urn, model.AspectOwnership, ownership(t.owner, "data-platform"))
	b.put(urn, model.AspectDomains, object{"domains": []string{domain(t.domain)}})
	b.put(urn, model.AspectStatus, object{"removed": false})
	if parts := strings.Split(t.name, "."); len(parts) == 3 {
		b.put(urn, model.AspectContainer, object{"container": container(parts[1])})
		b.put(urn, model.AspectSubTypes, object{"typeNames": []string{"Table"}})
	}
}

var nativeTypes = map[string]string{"number": "NUMBER", "string": "VARCHAR", "time": "TIMESTAMP", "date": "DATE"}

var fieldTypes = map[string]string{"number": "NumberType", "string": "StringType", "time": "TimeType", "date": "DateType"}

func schema(t *table, s state) object {
	fields := []object{}
	for i, c := range t.columns {
		name, kind, _ := strings.Cut(c, ":")
		field := object{
			"fieldPath": name, "nativeDataType": nativeTypes[kind], "nullable": i > 0, "recursive": false, "isPartOfKey": i == 0,
			"description": strings.ReplaceAll(name, "_", " "),
			"type":        object{"type": object{"com.linkedin.schema." + fieldTypes[kind]: object{}}},
		}
		if name == "email" {
			field["globalTags"] = object{"tags": []object{{"tag": tag("PII")}}}
			field["glossaryTerms"] = object{"terms": []object{{"urn": term("EmailAddress")}}, "auditStamp": stamp("ines.falk")}
		}
		fields = append(fields, field)
	}
	return object{
		"schemaName": t.name, "platform": platform(t.platform), "version": int(s), "hash": "",
		"created": stamp("omar.reyes"), "lastModified": stamp("omar.reyes"),
		"platformSchema": object{"com.linkedin.schema.OtherSchema": object{"rawSchema": strings.Join(t.columns, ", ")}},
		"fields":         fields,
	}
}

// lineage is upstreamLineage over datasets and, column by column, over pairs
// of upstream and downstream columns.
func (b *builder) lineage(upstreams []string, columns [][2]string) object {
	list := []object{}
	for _, u := range upstreams {
		list = append(list, object{"dataset": u, "type": "TRANSFORMED", "auditStamp": object{"time": b.observed, "actor": user("ines.falk")}})
	}
	value := object{"upstreams": list}
	fine := []object{}
	for _, pair := range columns {
		fine = append(fine, object{
			"upstreamType": "FIELD_SET", "upstreams": []string{pair[0]}, "downstreamType": "FIELD", "downstreams": []string{pair[1]},
			"transformOperation": "SQL", "confidenceScore": 0.9,
		})
	}
	if len(fine) > 0 {
		value["fineGrainedLineages"] = fine
	}
	return value
}

// dbtTwin emits the dbt model of a warehouse table, its sibling.
func (b *builder) dbtTwin(t *table) {
	urn := dataset("dbt", t.name)
	b.put(urn, model.AspectDatasetProperties, object{"name": t.name[strings.LastIndexByte(t.name, '.')+1:], "description": t.about, "customProperties": object{"materialization": "table"}, "tags": []string{}})
	b.put(urn, model.AspectSubTypes, object{"typeNames": []string{"Model"}})
	b.put(urn, model.AspectSiblings, object{"siblings": []string{t.urn()}, "primary": true})
	b.put(t.urn(), model.AspectSiblings, object{"siblings": []string{urn}, "primary": false})
}

// mart emits a mart with its lineage by table and by column.
func (b *builder) mart(m *mart, s state) {
	t := table{platform: "snowflake", name: "analytics.marts." + m.name, about: m.about, domain: m.domain, owner: m.owner}
	var columns [][2]string
	seen := map[string]bool{}
	for _, c := range strings.Fields(m.columns) {
		definition, source, _ := strings.Cut(c, "<")
		t.columns = append(t.columns, definition)
		dot := strings.LastIndexByte(source, '.')
		upstream := dataset("snowflake", qualified(source[:dot]))
		name, _, _ := strings.Cut(definition, ":")
		columns = append(columns, [2]string{column(upstream, source[dot+1:]), column(t.urn(), name)})
		if !seen[upstream] {
			seen[upstream] = true
			t.upstreams = append(t.upstreams, upstream)
		}
	}
	if m.name == "margin_by_product" {
		// Until the second run the margin was computed from raw prices.
		prices := "analytics.raw.prices"
		if s == secondState {
			prices = "analytics.staging.stg_prices"
		}
		t.upstreams = append(t.upstreams, dataset("snowflake", prices))
		columns = append(columns, [2]string{column(dataset("snowflake", prices), "price"), column(t.urn(), "margin")})
	}
	upstreams := t.upstreams
	t.upstreams = nil // the lineage is written with its columns
	b.table(&t, s)
	b.put(t.urn(), model.AspectUpstreamLineage, b.lineage(upstreams, columns))
	b.dbtTwin(&t)
}
