package sample

import (
	"fmt"
	"slices"
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

// table is a table of the company. Columns are written as name:type, upstreams as
// platform|name.
type table struct {
	platform, name, about, domain, owner string
	columns                              []string
	upstreams                            []string
}

func (t *table) urn() string { return dataset(t.platform, t.name) }

// state is a state of the company's data that nightly runs found. The oldest state is the
// first. Each state includes the changes of the states before it.
type state int

const (
	opened state = iota
	// carrierAdded: the delivery times have the column carrier too.
	carrierAdded
	// netRenamed: the column net_amount of the orders is now net_revenue, and the mart of
	// revenue by day has a longer description.
	netRenamed
	// packExported: the board pack is exported from the executive summary. Before, it was
	// printed from the revenue by day.
	packExported
	// searchesAdded: the web sessions have the column searches too.
	searchesAdded
	// pricesStaged: the margin reads the staged price list instead of the raw one, and some staging
	// tables have a column with the time of loading.
	pricesStaged
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

// mart is a table from which people report. Each column derives from a column of an upstream:
// name:type<upstream.column.
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

// columnsAt returns the columns of a mart in a state.
func (m *mart) columnsAt(s state) []string {
	columns := strings.Fields(m.columns)
	if s < netRenamed {
		for i := range columns {
			if m.name == "orders" {
				columns[i] = strings.Replace(columns[i], "net_revenue:", "net_amount:", 1)
			}
			columns[i] = strings.Replace(columns[i], "<marts.orders.net_revenue", "<marts.orders.net_amount", 1)
		}
	}
	return slices.DeleteFunc(columns, func(c string) bool {
		return s < carrierAdded && strings.HasPrefix(c, "carrier:") || s < searchesAdded && strings.HasPrefix(c, "searches:")
	})
}

// aboutAt returns the description of a mart in a state.
func (m *mart) aboutAt(s state) string {
	if s < netRenamed && m.name == "revenue_daily" {
		return "Revenue by day."
	}
	return m.about
}

// firstOwner is the owner that the first write of a mart names. Noor Valdez first owned the marts
// that Bela owns now.
func (m *mart) firstOwner() string {
	if m.owner == "bela.norris" {
		return leaver
	}
	return m.owner
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
	if s == opened {
		b.containers()
	}
	for i, e := range shop {
		source := table{platform: "postgres", name: "shop.public." + e.name, about: "Production table of " + e.about + ".", domain: e.domain, owner: "omar.reyes", columns: strings.Fields(e.columns)}
		raw := table{platform: "snowflake", name: "analytics.raw." + e.name, about: "Copy of " + e.about + " as they come.", domain: e.domain, owner: "ines.falk", columns: source.columns, upstreams: []string{source.urn()}}
		staging := table{platform: "snowflake", name: "analytics.staging.stg_" + e.name, about: strings.ToUpper(e.about[:1]) + e.about[1:] + ", cleaned and typed.", domain: e.domain, owner: "ines.falk", columns: source.columns, upstreams: []string{raw.urn()}}
		if s >= pricesStaged && i%4 == 0 {
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
			source := "executive_summary"
			if s < packExported {
				source = "revenue_daily"
			}
			file.upstreams = []string{dataset("snowflake", "analytics.marts."+source)}
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

// table emits a dataset. Aspects that do not change are emitted once.
func (b *builder) table(t *table, s state) {
	urn := t.urn()
	b.put(urn, model.AspectDatasetProperties, t.properties())
	b.put(urn, model.AspectSchemaMetadata, b.schema(t))
	if len(t.upstreams) > 0 {
		b.put(urn, model.AspectUpstreamLineage, b.lineage(urn, t.upstreams, nil))
	}
	if s > opened {
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

// properties are the datasetProperties of a table.
func (t *table) properties() object {
	return object{
		"name": t.name[strings.LastIndexAny(t.name, "./")+1:], "description": t.about,
		"customProperties": object{"retention": "3 years"}, "tags": []string{},
	}
}

var nativeTypes = map[string]string{"number": "NUMBER", "string": "VARCHAR", "time": "TIMESTAMP", "date": "DATE"}

var fieldTypes = map[string]string{"number": "NumberType", "string": "StringType", "time": "TimeType", "date": "DateType"}

// describedAs are the descriptions of the columns whose description is not their name in words.
var describedAs = map[string]string{"net_amount": "net revenue"}

// schema is the schema of a table. Its version counts how often the columns changed.
func (b *builder) schema(t *table) object {
	fields := []object{}
	for i, c := range t.columns {
		name, kind, _ := strings.Cut(c, ":")
		description, ok := describedAs[name]
		if !ok {
			description = strings.ReplaceAll(name, "_", " ")
		}
		field := object{
			"fieldPath": name, "nativeDataType": nativeTypes[kind], "nullable": i > 0, "recursive": false, "isPartOfKey": i == 0,
			"description": description,
			"type":        object{"type": object{"com.linkedin.schema." + fieldTypes[kind]: object{}}},
		}
		if name == "email" {
			field["globalTags"] = object{"tags": []object{{"tag": tag("PII")}}}
			field["glossaryTerms"] = object{"terms": []object{{"urn": term("EmailAddress")}}, "auditStamp": stamp("ines.falk")}
		}
		fields = append(fields, field)
	}
	return object{
		"schemaName": t.name, "platform": platform(t.platform), "version": b.schemaVersion(t), "hash": "",
		"created": stamp("omar.reyes"), "lastModified": stamp("omar.reyes"),
		"platformSchema": object{"com.linkedin.schema.OtherSchema": object{"rawSchema": strings.Join(t.columns, ", ")}},
		"fields":         fields,
	}
}

// lineage is the upstreamLineage of a dataset over datasets and, column by column,
// over pairs of upstream and downstream columns.
func (b *builder) lineage(urn string, upstreams []string, columns [][2]string) object {
	list := []object{}
	for _, u := range upstreams {
		list = append(list, object{"dataset": u, "type": "TRANSFORMED", "auditStamp": b.firstStated(urn, u)})
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
	t := table{platform: "snowflake", name: "analytics.marts." + m.name, about: m.aboutAt(s), domain: m.domain, owner: m.firstOwner()}
	var columns [][2]string
	seen := map[string]bool{}
	for _, c := range m.columnsAt(s) {
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
		prices := "analytics.raw.prices"
		if s >= pricesStaged {
			prices = "analytics.staging.stg_prices"
		}
		t.upstreams = append(t.upstreams, dataset("snowflake", prices))
		columns = append(columns, [2]string{column(dataset("snowflake", prices), "price"), column(t.urn(), "margin")})
	}
	upstreams := t.upstreams
	t.upstreams = nil // the lineage is written together with the column lineage
	b.table(&t, s)
	b.put(t.urn(), model.AspectUpstreamLineage, b.lineage(t.urn(), upstreams, columns))
	b.dbtTwin(&t)
}
