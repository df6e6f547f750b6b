package e2e

// agentQuestion is an analyst's question about the sample catalog, with the tool calls by
// which an agent answers it.
type agentQuestion struct {
	ask   string
	calls []agentCall
	// answer is a path as pick reads it. In the answer to the last call, it leads to the texts
	// that answer the question. want has these texts, in any order.
	answer string
	want   []string
}

// agentCall is a call of a tool. An argument that begins with $ is a path into the answer
// to the call before.
type agentCall struct {
	tool string
	args map[string]any
	// refused is part of the message with which the tool refuses the call, "" if it does not
	// refuse it.
	refused string
}

func call(tool string, args ...any) agentCall {
	c := agentCall{tool: tool, args: map[string]any{}}
	for i := 0; i+1 < len(args); i += 2 {
		name, _ := args[i].(string)
		c.args[name] = args[i+1]
	}
	return c
}

// refusedCall returns a call that a tool refuses with a message that contains says.
func refusedCall(says, tool string, args ...any) agentCall {
	c := call(tool, args...)
	c.refused = says
	return c
}

// firstRun is the path to the time of the first nightly run.
const firstRun = "$runs[run=larkspur-nightly-2026-11-01].at"

// agentQuestions are the questions about the sample catalog that docs/agents.md shows.
var agentQuestions = []agentQuestion{
	{
		"Who owns the orders mart, and how do I reach them?",
		[]agentCall{call("entities", "names", []string{"marts.orders"})},
		"entities.owned_by.name,email",
		[]string{"Bela Norris bela.norris@larkspur.example", "Mira Castel mira.castel@larkspur.example", "Data Platform data-platform@larkspur.example"},
	},
	{
		"Which tables in Snowflake contain data about persons?",
		[]agentCall{call("search", "tags", []string{"PII"}, "types", []string{"dataset"}, "platforms", []string{"snowflake"})},
		"entities.name",
		[]string{"analytics.raw.customers", "analytics.staging.stg_customers", "analytics.marts.customers"},
	},
	{
		"Who said that the customers mart contains data about persons, and when?",
		[]agentCall{call("entities", "names", []string{"marts.customers"})},
		"entities.labels[name=PII].stated.actor,since",
		[]string{"urn:li:corpuser:ada.wren 2026-11-09T00:00:00Z"},
	},
	{
		"Which columns of the customers mart are about persons?",
		[]agentCall{call("columns", "dataset", "marts.customers", "filter", "PII")},
		"columns.path",
		[]string{"email"},
	},
	{
		"Which columns in Snowflake hold personal data, whom do I ask about them, and how many columns do they feed?",
		[]agentCall{call("columns", "personal", true, "platforms", []string{"snowflake"})},
		"columns.dataset,path,downstreams",
		[]string{"analytics.marts.customers email 3", "analytics.raw.customers email 1", "analytics.staging.stg_customers email 1"},
	},
	{
		"What do we mean by net revenue?",
		[]agentCall{call("search", "query", "net revenue", "types", []string{"glossaryTerm"}, "limit", 1)},
		"entities.name,description",
		[]string{"NetRevenue Order value less discounts and refunds, before tax."},
	},
	{
		"Which tables is the margin by product computed from?",
		[]agentCall{call("lineage", "of", "marts.margin_by_product", "hops", 1, "types", []string{"dataset"})},
		"entities.name",
		[]string{"analytics.staging.stg_order_lines", "analytics.staging.stg_prices", "analytics.staging.stg_products"},
	},
	{
		"Which dashboards show data of the orders mart?",
		[]agentCall{call("lineage", "of", "marts.orders", "direction", "downstream", "types", []string{"dashboard"})},
		"entities.name",
		[]string{"Sales today", "Monthly close", "Campaigns", "Board overview"},
	},
	{
		"What breaks if I drop net_revenue from the orders mart?",
		[]agentCall{call("impact", "of", "orders.net_revenue", "change", "drop", "limit", 50)},
		"entities.effect,name",
		[]string{
			"certain analytics.marts.campaign_results", "certain analytics.marts.revenue_daily", "certain analytics.marts.executive_summary",
			"certain Return on spend", "certain Revenue by day", "certain Net revenue by month",
			"certain Campaigns", "certain Monthly close", "certain Board overview", "certain Margin",
			"certain export", "certain larkspur-lake/exports/board_pack",
			"certain Orders that were refunded", "certain Figures of the close", "certain row_count revenue_daily > 0", "certain row_count executive_summary > 0",
			"possible analytics.marts.loyalty", "possible Loyal customers", "possible Orders today", "possible Value of a basket", "possible Sales today",
		},
	},
	{
		"Whom do I have to tell before I rename it?",
		[]agentCall{call("impact", "of", "orders.net_revenue", "change", "rename", "limit", 50)},
		"owners.name,email",
		[]string{
			"Ada Wren ada.wren@larkspur.example", "Bela Norris bela.norris@larkspur.example", "Data Platform data-platform@larkspur.example",
			"Mira Castel mira.castel@larkspur.example", "Omar Reyes omar.reyes@larkspur.example", "Piet Hollis piet.hollis@larkspur.example",
			"Sam Oduya sam.oduya@larkspur.example", "Yuki Brandt yuki.brandt@larkspur.example",
		},
	},
	{
		"What may happen if customer_id of the customers mart becomes a text?",
		[]agentCall{call("impact", "of", "marts.customers.customer_id", "change", "retype")},
		"entities.effect,name",
		[]string{
			"certain Baskets by city", "certain analytics.marts.churn_features", "certain analytics.marts.loyalty", "possible Cities by value", "possible Loyal customers", "possible Sales today",
			"possible customer_id", "possible days_since_order", "possible refund_share", "possible value", "possible visits",
			"possible churn", "possible churn_v1", "possible churn_v2",
		},
	},
	{
		"How do refunds get into the net revenue that the board sees?",
		[]agentCall{call("paths", "from", "stg_refunds.amount", "to", "executive_summary.net_revenue")},
		"paths.urn",
		[]string{
			"urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.staging.stg_refunds,PROD),amount)",
			"urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD),net_revenue)",
			"urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.revenue_daily,PROD),net_revenue)",
			"urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.executive_summary,PROD),net_revenue)",
		},
	},
	{
		"What was the margin computed from before the last nightly run?",
		[]agentCall{call("runs"), call("lineage", "of", "marts.margin_by_product", "hops", 1, "types", []string{"dataset"}, "as_of", firstRun)},
		"entities.name",
		[]string{"analytics.raw.prices", "analytics.staging.stg_order_lines", "analytics.staging.stg_products"},
	},
	{
		"Which run changed what the margin is computed from, and how?",
		[]agentCall{call("runs"), call("lineage_changes", "of", "marts.margin_by_product", "hops", 1, "before", firstRun)},
		"edges.change,run,upstream",
		[]string{
			"added larkspur-nightly-2026-11-08 urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.staging.stg_prices,PROD)",
			"ended larkspur-nightly-2026-11-08 urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.raw.prices,PROD)",
		},
	},
	{
		"What did people add by hand?",
		[]agentCall{call("runs", "run", "larkspur-curation", "limit", 100)},
		"wrote.urn",
		[]string{
			"urn:li:dataset:(urn:li:dataPlatform:kafka,web.searches,PROD)", "urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.customers,PROD)", "urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.loyalty,PROD)",
			"urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)", "urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.refund_rate,PROD)", "urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.raw.employees,PROD)",
			"urn:li:dataProduct:revenue",
			"urn:li:query:larkspur-baskets", "urn:li:query:larkspur-close", "urn:li:query:larkspur-refunded",
		},
	},
	{
		"Which queries use the net revenue of orders?",
		[]agentCall{call("queries", "of", "orders.net_revenue")},
		"queries.name,text",
		[]string{"Orders that were refunded select order_id, gross_revenue - net_revenue from analytics.marts.orders where net_revenue < gross_revenue"},
	},
	{
		"Who queries the revenue by day, and how often?",
		[]agentCall{call("queries", "of", "revenue_daily")},
		"usage.users.user,count",
		[]string{"piet.hollis 141", "sam.oduya 144", "yuki.brandt 140"},
	},
	{
		"How did the schema of the staged orders change last?",
		[]agentCall{call("history", "of", "stg_orders", "categories", []string{"TECHNICAL_SCHEMA"}, "limit", 1)},
		"changes.description",
		[]string{"Column loaded_at was added"},
	},
	{
		"Should I build on the refund rate?",
		[]agentCall{call("entities", "names", []string{"marts.refund_rate"})},
		"entities.deprecated",
		[]string{"Use margin_by_product, which has refunds in it."},
	},
	{
		"Which tables and topics outside the warehouse feed the page that the board sees?",
		[]agentCall{call("lineage", "of", "executive_summary", "types", []string{"dataset"}, "platforms", []string{"postgres", "kafka"}, "limit", 50)},
		"entities.name",
		[]string{"shop.public.order_lines", "shop.public.orders", "shop.public.prices", "shop.public.products", "shop.public.refunds"},
	},
	{
		"Is the orders mart fresh, and do its tests pass?",
		[]agentCall{call("entities", "names", []string{"marts.orders"})},
		"entities.quality.checks.name,result,at",
		[]string{"row_count orders > 0 SUCCESS 2026-11-19T00:00:00Z"},
	},
	{
		"Which columns do orders have?",
		[]agentCall{
			refusedCall("analytics.marts.orders", "columns", "dataset", "orders"),
			call("columns", "dataset", "marts.orders"),
		},
		"columns.path,type",
		[]string{"order_id NUMBER", "customer_id NUMBER", "placed_at TIMESTAMP", "gross_revenue NUMBER", "net_revenue NUMBER"},
	},
}

// furtherQuestions are tested on each pair of backends, but not in docs/agents.md.
var furtherQuestions = []agentQuestion{
	{
		"Which columns of the customers mart may be unused?",
		[]agentCall{call("unused_columns", "datasets", []string{"marts.customers"})},
		"columns.column,verdict",
		[]string{"email notKnown"},
	},
	{
		"What breaks if the whole stock table is dropped?",
		[]agentCall{call("impact", "of", "marts.stock_cover", "change", "drop")},
		"entities.name",
		[]string{"Days of stock", "Delivery"},
	},
	{
		"Which tables contain customer emails?",
		[]agentCall{call("search", "query", "which tables contain customer emails?", "types", []string{"dataset"})},
		"entities.name",
		[]string{
			"analytics.marts.churn_features", "analytics.marts.customers", "analytics.marts.customers", "analytics.marts.loyalty", "analytics.marts.loyalty",
			"analytics.marts.orders", "analytics.marts.web_sessions", "analytics.raw.customers", "analytics.raw.orders", "analytics.raw.web_page_views",
			"analytics.staging.stg_customers", "analytics.staging.stg_customers", "analytics.staging.stg_orders", "shop.public.customers",
			"shop.public.orders", "web.page_views",
		},
	},
	{
		"Is there anything about elephants, giraffes or refunds?",
		[]agentCall{call("search", "query", "Is there anything about elephants, giraffes or refunds?", "types", []string{"glossaryTerm"})},
		"entities.name",
		[]string{"GrossRevenue", "NetRevenue", "Refund"},
	},
	{
		"How does the net revenue get to the page that the board sees?",
		[]agentCall{call("paths", "from", "orders.net_revenue", "to", "Board overview")},
		"paths.urn",
		[]string{
			"urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD),net_revenue)",
			"urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.revenue_daily,PROD),net_revenue)",
			"urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.executive_summary,PROD),net_revenue)",
			"urn:li:schemaField:(urn:li:chart:(looker,net_revenue),net_revenue)",
			"urn:li:dashboard:(looker,board)",
		},
	},
	{
		"What does Ada Wren do, and how do I reach her?",
		[]agentCall{call("entities", "names", []string{"Ada Wren"})},
		"entities.title,email",
		[]string{"Marketing Lead ada.wren@larkspur.example"},
	},
}
