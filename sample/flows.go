package sample

import (
	"fmt"
	"slices"

	"github.com/headwater-io/headwater/model"
)

func flow(name string) string { return "urn:li:dataFlow:(airflow," + name + ",prod)" }

func job(flowName, name string) string { return "urn:li:dataJob:(" + flow(flowName) + "," + name + ")" }

func chart(name string) string     { return "urn:li:chart:(looker," + name + ")" }
func dashboard(name string) string { return "urn:li:dashboard:(looker," + name + ")" }

func edges(urns []string) []object {
	list := []object{}
	for _, u := range urns {
		list = append(list, object{
			"destinationUrn": u, "created": stamp("omar.reyes"), "lastModified": stamp("omar.reyes"),
		})
	}
	return list
}

// jobs emits the flows that fill the warehouse.
func (b *builder) jobs() {
	for _, f := range []struct{ name, about string }{
		{"load_shop", "Copies the shop's tables into the warehouse."},
		{"load_events", "Copies topics into the warehouse."},
		{"build_marts", "Runs dbt for staging and marts."},
		{"board_pack", "Writes the board pack to the lake."},
	} {
		b.put(flow(f.name), model.AspectDataFlowInfo, object{"name": f.name, "description": f.about, "customProperties": object{"schedule": "0 3 * * *"}})
		b.put(flow(f.name), model.AspectOwnership, ownership("omar.reyes", "data-platform"))
	}
	for _, e := range shop {
		b.job("load_shop", "copy_"+e.name, "", []string{dataset("postgres", "shop.public."+e.name)}, []string{dataset("snowflake", "analytics.raw."+e.name)})
	}
	for _, t := range topics {
		b.job("load_events", "copy_"+rawName(t.name), "", []string{dataset("kafka", t.name)}, []string{dataset("snowflake", "analytics.raw."+rawName(t.name))})
	}
	after := ""
	for _, m := range []string{"orders", "customers", "revenue_daily", "margin_by_product", "executive_summary"} {
		inputs := []string{dataset("snowflake", "analytics.staging.stg_orders"), dataset("snowflake", "analytics.staging.stg_order_lines")}
		b.job("build_marts", "build_"+m, after, inputs, []string{dataset("snowflake", "analytics.marts."+m)})
		after = job("build_marts", "build_"+m)
	}
	b.job("board_pack", "print_pack", after, []string{dataset("snowflake", "analytics.marts.revenue_daily")}, []string{boardPack})
}

// boardPack is the file that the board receives.
var boardPack = dataset("s3", "larkspur-lake/exports/board_pack")

// newBoardPack emits the job that replaces the former job of the board pack. The former job
// loses its inputs and outputs, and is hidden.
func (b *builder) newBoardPack() {
	b.job("board_pack", "print_pack", "", []string{}, []string{})
	b.put(job("board_pack", "print_pack"), model.AspectStatus, object{"removed": true})
	b.job("board_pack", "export", job("build_marts", "build_executive_summary"), []string{dataset("snowflake", "analytics.marts.executive_summary")}, []string{boardPack})
}

func (b *builder) job(flowName, name, after string, inputs, outputs []string) {
	urn := job(flowName, name)
	b.put(urn, model.AspectDataJobInfo, object{"name": name, "type": object{"string": "PYTHON"}, "customProperties": object{"retries": "2"}, "flowUrn": flow(flowName)})
	previous := []string{}
	if after != "" {
		previous = append(previous, after)
	}
	b.put(urn, model.AspectDataJobInputOutput, object{
		"inputDatasets": inputs, "outputDatasets": outputs, "inputDatajobs": previous,
		"inputDatasetEdges": edges(inputs), "outputDatasetEdges": edges(outputs),
	})
	b.put(urn, model.AspectOwnership, ownership("omar.reyes"))
}

var dashboards = []struct {
	name, title, about, owner, domain string
	charts                            []struct{ name, title, mart, column string }
}{
	{"board", "Board overview", "What the board looks at first.", "mira.castel", "finance", []struct{ name, title, mart, column string }{
		{"net_revenue", "Net revenue by month", "executive_summary", "net_revenue"}, {"margin", "Margin", "executive_summary", "margin"},
	}},
	{"sales", "Sales today", "Orders and baskets of the day.", "yuki.brandt", "sales", []struct{ name, title, mart, column string }{
		{"orders_today", "Orders today", "orders", "order_id"},
		{"basket_value", "Value of a basket", "orders", "gross_revenue"},
		{"top_cities", "Cities by value", "customers", "city"},
		{"loyal", "Loyal customers", "loyalty", "customer_id"},
	}},
	{"close", "Monthly close", "Figures for the close.", "piet.hollis", "finance", []struct{ name, title, mart, column string }{
		{"revenue_days", "Revenue by day", "revenue_daily", "net_revenue"},
		{"refunds", "Refund rate", "refund_rate", "rate"},
		{"product_margin", "Margin by product", "margin_by_product", "margin"},
	}},
	{"delivery", "Delivery", "How fast parcels arrive.", "ines.falk", "logistics", []struct{ name, title, mart, column string }{
		{"hours", "Hours to doorstep", "delivery_times", "hours"}, {"cover", "Days of stock", "stock_cover", "days_left"},
	}},
	{"campaigns", "Campaigns", "What campaigns bring.", "ada.wren", "marketing", []struct{ name, title, mart, column string }{
		{"return_on_spend", "Return on spend", "campaign_results", "revenue"}, {"sessions", "Visits", "web_sessions", "session_id"},
	}},
}

// reports emits the dashboards with the given names, with their charts and the columns that the
// charts show.
func (b *builder) reports(names ...string) {
	for _, d := range dashboards {
		if !slices.Contains(names, d.name) {
			continue
		}
		var charts []string
		for _, c := range d.charts {
			urn, source := chart(c.name), dataset("snowflake", "analytics.marts."+c.mart)
			charts = append(charts, urn)
			b.put(urn, model.AspectChartInfo, object{
				"title": c.title, "description": c.title + ", from " + c.mart + ".", "type": "LINE",
				"inputs":       []object{{"string": source}},
				"lastModified": object{"created": stamp(d.owner), "lastModified": stamp(d.owner)},
			})
			b.put(urn, model.AspectInputFields, object{"fields": []object{{
				"schemaFieldUrn": column(source, c.column),
				"schemaField": object{
					"fieldPath": c.column, "nativeDataType": "NUMBER", "nullable": true, "recursive": false, "isPartOfKey": false,
					"type": object{"type": object{"com.linkedin.schema.NumberType": object{}}},
				},
			}}})
			b.put(urn, model.AspectOwnership, ownership(d.owner))
			b.put(urn, model.AspectDomains, object{"domains": []string{domain(d.domain)}})
		}
		urn := dashboard(d.name)
		b.put(urn, model.AspectDashboardInfo, object{
			"title": d.title, "description": d.about, "charts": charts, "datasets": []string{},
			"lastModified": object{"created": stamp(d.owner), "lastModified": stamp(d.owner)},
			"dashboardUrl": "https://bi.larkspur.example/dashboards/" + d.name,
		})
		b.put(urn, model.AspectOwnership, ownership(d.owner))
		b.put(urn, model.AspectDomains, object{"domains": []string{domain(d.domain)}})
	}
}

// machineLearning emits the features from which the churn model learns.
func (b *builder) machineLearning() {
	source := dataset("snowflake", "analytics.marts.churn_features")
	var features []string
	for _, name := range churnFeatures {
		urn := feature(name)
		features = append(features, urn)
		b.put(urn, model.AspectMlFeatureProperties, object{"description": "Feature " + name + " of a customer.", "dataType": "CONTINUOUS", "sources": []string{source}})
	}
	key := "urn:li:mlPrimaryKey:(churn,customer_id)"
	b.put(key, model.AspectMlPrimaryKeyProperties, object{"description": "The customer.", "dataType": "ORDINAL", "sources": []string{source}})
	b.put("urn:li:mlFeatureTable:(urn:li:dataPlatform:feast,churn)", model.AspectMlFeatureTableProperties, object{
		"description": "Features for the churn model.", "mlFeatures": features, "mlPrimaryKeys": []string{key},
	})
	b.put(modelGroup, model.AspectMlModelGroupProperties, object{"description": "Every version of the churn model."})
}

var churnFeatures = []string{"value", "visits", "days_since_order", "refund_share"}

func feature(name string) string { return "urn:li:mlFeature:(churn," + name + ")" }

// modelGroup is the group of the churn models.
const modelGroup = "urn:li:mlModelGroup:(urn:li:dataPlatform:mlflow,churn,PROD)"

// churnModel emits a version of the churn model.
func (b *builder) churnModel(version int) {
	var features []string
	for _, name := range churnFeatures {
		features = append(features, feature(name))
	}
	urn := fmt.Sprintf("urn:li:mlModel:(urn:li:dataPlatform:mlflow,churn_v%d,PROD)", version)
	b.put(urn, model.AspectMlModelProperties, object{
		"description": "Tells who may leave.", "type": "Gradient boosted trees", "mlFeatures": features, "groups": []string{modelGroup},
		"customProperties": object{"auc": fmt.Sprintf("0.8%d", version)}, "tags": []string{},
	})
	b.put(urn, model.AspectOwnership, ownership("jun.petrov"))
}
