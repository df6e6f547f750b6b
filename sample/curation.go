package sample

import "github.com/headwater-io/headwater/model"

// This file has the changes that people make by hand.

func martURN(name string) string { return dataset("snowflake", "analytics.marts."+name) }

// tags tags an entity, and removes its other tags.
func (b *builder) tags(urn string, names ...string) {
	list := []object{}
	for _, name := range names {
		list = append(list, object{"tag": tag(name)})
	}
	b.put(urn, model.AspectGlobalTags, object{"tags": list})
}

// certification: Bela certifies the orders and describes them.
func (b *builder) certification() {
	orders := martURN("orders")
	b.tags(orders, "Certified")
	b.put(orders, model.AspectEditableDatasetProperties, object{
		"description": "One row per order.\n\n**Net revenue** is what Finance reports.", "created": b.now("bela.norris"), "lastModified": b.now("bela.norris"),
	})
	b.put(orders, model.AspectInstitutionalMemory, object{"elements": []object{{
		"url": "https://wiki.larkspur.example/orders", "description": "How orders become revenue", "createStamp": b.now("bela.norris"),
	}}})
	b.tags(martURN("customers"), "Certified")
	b.put(martURN("customers"), model.AspectGlossaryTerms, object{"terms": []object{{"urn": term("Customer")}}, "auditStamp": b.now("bela.norris")})
}

// definition: Mira describes net revenue, after the column has this name.
func (b *builder) definition() {
	orders := martURN("orders")
	b.put(orders, model.AspectGlossaryTerms, object{"terms": []object{{"urn": term("NetRevenue")}}, "auditStamp": b.now("mira.castel")})
	b.put(orders, model.AspectEditableSchemaMetadata, object{
		"editableSchemaFieldInfo": []object{{
			"fieldPath": "net_revenue", "description": "Order value less discounts and refunds.",
			"globalTags":    object{"tags": []object{{"tag": tag("Finance")}}},
			"glossaryTerms": object{"terms": []object{{"urn": term("NetRevenue")}}, "auditStamp": b.now("mira.castel")},
		}},
		"created": b.now("mira.castel"), "lastModified": b.now("mira.castel"),
	})
}

// handover: the marts that Noor owned get new owners.
func (b *builder) handover() {
	b.put(martURN("orders"), model.AspectOwnership, ownership("bela.norris", "mira.castel", "data-platform"))
	for _, name := range []string{"customers", "loyalty"} {
		b.put(martURN(name), model.AspectOwnership, ownership("bela.norris", "data-platform"))
	}
}

// hints: Jun tags loyalty as experimental, and the searches of the web shop as hourly.
func (b *builder) hints() {
	b.tags(martURN("loyalty"), "Experimental")
	b.tags(dataset("kafka", "web.searches"), "Hourly")
}

// privacy: Ada finds that the customers mart has data about persons.
func (b *builder) privacy() {
	b.put(martURN("customers"), model.AspectGlobalTags, object{"tags": []object{
		{"tag": tag("PII"), "attribution": object{"time": millis("2026-11-09"), "actor": user("ada.wren")}}, {"tag": tag("Certified")},
	}})
}

// deprecation: Piet deprecates the refund rate.
func (b *builder) deprecation() {
	b.put(martURN("refund_rate"), model.AspectDeprecation, object{
		"deprecated": true, "note": "Use margin_by_product, which has refunds in it.", "actor": user("piet.hollis"), "decommissionTime": millis("2027-01-31"),
	})
}

// product: Mira makes a data product of the marts from which Finance reports.
func (b *builder) product() {
	b.tags(martURN("orders"), "Certified", "Finance")
	product := "urn:li:dataProduct:revenue"
	b.put(product, model.AspectDataProductProperties, object{
		"name": "Revenue", "description": "What Finance reports from.",
		"assets": []object{{"destinationUrn": martURN("orders")}, {"destinationUrn": martURN("revenue_daily")}},
	})
	b.put(product, model.AspectDomains, object{"domains": []string{domain("finance")}})
	b.put(product, model.AspectOwnership, ownership("mira.castel"))
	b.savedQueries()
}

// retirement: Tessa removes the copy of the employees. A reader who has its address can still
// read it.
func (b *builder) retirement() {
	b.put(dataset("snowflake", "analytics.raw.employees"), model.AspectStatus, object{"removed": true})
}
