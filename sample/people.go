package sample

import (
	"strings"

	"github.com/headwater-io/headwater/model"
)

func user(name string) string     { return "urn:li:corpuser:" + name }
func group(name string) string    { return "urn:li:corpGroup:" + name }
func tag(name string) string      { return "urn:li:tag:" + name }
func term(name string) string     { return "urn:li:glossaryTerm:" + name }
func termNode(name string) string { return "urn:li:glossaryNode:" + name }
func domain(name string) string   { return "urn:li:domain:" + name }
func platform(name string) string { return "urn:li:dataPlatform:" + name }

type employee struct{ name, full, title, group, manager string }

// info is the corpUserInfo of an employee.
func (e *employee) info(active bool) object {
	first, last, _ := strings.Cut(e.full, " ")
	info := object{
		"active": active, "displayName": e.full, "fullName": e.full, "firstName": first, "lastName": last,
		"title": e.title, "email": e.name + "@larkspur.example",
	}
	if e.manager != "" {
		info["managerUrn"] = user(e.manager)
	}
	return info
}

var employees = []employee{
	{"tessa.quill", "Tessa Quill", "Head of Data", "data-platform", ""},
	{"omar.reyes", "Omar Reyes", "Data Engineer", "data-platform", "tessa.quill"},
	{"ines.falk", "Ines Falk", "Data Engineer", "data-platform", "tessa.quill"},
	{"bela.norris", "Bela Norris", "Analytics Engineer", "analytics", "tessa.quill"},
	{"yuki.brandt", "Yuki Brandt", "Analyst", "analytics", "bela.norris"},
	{"sam.oduya", "Sam Oduya", "Analyst", "analytics", "bela.norris"},
	{"mira.castel", "Mira Castel", "Finance Lead", "finance", ""},
	{"piet.hollis", "Piet Hollis", "Controller", "finance", "mira.castel"},
	{"ada.wren", "Ada Wren", "Marketing Lead", "marketing", ""},
	{"jun.petrov", "Jun Petrov", "Data Scientist", "analytics", "tessa.quill"},
	{leaver, "Noor Valdez", "Analytics Engineer", "analytics", "tessa.quill"},
}

// leaver leaves the company within the story.
const leaver = "noor.valdez"

var groups = []struct{ name, display, about string }{
	{"data-platform", "Data Platform", "Runs ingestion, the warehouse and this catalog."},
	{"analytics", "Analytics", "Builds marts, dashboards and models."},
	{"finance", "Finance", "Closes the books and answers for revenue figures."},
	{"marketing", "Marketing", "Plans campaigns and measures them."},
}

func (b *builder) people() {
	for _, g := range groups {
		b.put(group(g.name), model.AspectCorpGroupInfo, object{
			"displayName": g.display, "description": g.about, "email": g.name + "@larkspur.example",
			"admins": []string{user("tessa.quill")}, "members": []string{}, "groups": []string{},
		})
	}
	for i := range employees {
		e := &employees[i]
		b.put(user(e.name), model.AspectCorpUserInfo, e.info(true))
		b.put(user(e.name), model.AspectGroupMembership, object{"groups": []string{group(e.group)}})
	}
	b.put(user("yuki.brandt"), model.AspectCorpUserEditableInfo, object{"aboutMe": "Ask me about baskets and returns.", "teams": []string{"analytics"}, "skills": []string{"SQL"}})
}

// departure emits that Noor Valdez left the company. The account remains, and is hidden.
func (b *builder) departure() {
	for i := range employees {
		if e := &employees[i]; e.name == leaver {
			b.put(user(e.name), model.AspectCorpUserInfo, e.info(false))
			b.put(user(e.name), model.AspectStatus, object{"removed": true})
		}
	}
}

var platforms = []struct{ name, display, kind, delimiter string }{
	{"postgres", "PostgreSQL", "RELATIONAL_DB", "."},
	{"kafka", "Kafka", "MESSAGE_BROKER", "."},
	{"s3", "Amazon S3", "FILE_SYSTEM", "/"},
	{"snowflake", "Snowflake", "RELATIONAL_DB", "."},
	{"dbt", "dbt", "OTHERS", "."},
	{"airflow", "Airflow", "OTHERS", "."},
	{"looker", "Looker", "OTHERS", "."},
	{"feast", "Feast", "OTHERS", "."},
	{"mlflow", "MLflow", "OTHERS", "."},
}

func (b *builder) platforms() {
	for _, p := range platforms {
		b.put(platform(p.name), model.AspectDataPlatformInfo, object{
			"name": p.name, "displayName": p.display, "type": p.kind, "datasetNameDelimiter": p.delimiter,
		})
	}
}

var tags = []struct{ name, about, color string }{
	{"Certified", "Checked by Analytics and safe to report from.", "#2b8a3e"},
	{"PII", "Holds data about persons.", "#c92a2a"},
	{"Finance", "Feeds the monthly close.", "#1864ab"},
	{"Experimental", "May change or go without notice.", "#e67700"},
	{"Hourly", "Refreshed every hour.", "#5f3dc4"},
}

var terms = []struct{ name, node, definition, isA string }{
	{"NetRevenue", "Money", "Order value less discounts and refunds, before tax.", ""},
	{"GrossRevenue", "Money", "Order value before discounts and refunds.", ""},
	{"Refund", "Money", "Money returned to a customer for an order line.", ""},
	{"Customer", "Parties", "A person or firm that has placed at least one order.", ""},
	{"LoyalCustomer", "Parties", "A customer with three or more orders in a year.", "Customer"},
	{"EmailAddress", "Privacy", "An address that reaches one person.", ""},
	{"Churn", "Parties", "A customer without an order for 180 days.", ""},
}

var domains = []struct{ name, display, about string }{
	{"sales", "Sales", "Orders, baskets and customers."},
	{"finance", "Finance", "Revenue, refunds and the monthly close."},
	{"marketing", "Marketing", "Campaigns and web traffic."},
	{"logistics", "Logistics", "Stock and shipments."},
}

func (b *builder) vocabulary() {
	for _, t := range tags {
		b.put(tag(t.name), model.AspectTagProperties, object{"name": t.name, "description": t.about, "colorHex": t.color})
	}
	for _, n := range []string{"Money", "Parties", "Privacy"} {
		b.put(termNode(n), model.AspectGlossaryNodeInfo, object{"definition": "Terms about " + strings.ToLower(n) + ".", "name": n})
	}
	for _, t := range terms {
		b.put(term(t.name), model.AspectGlossaryTermInfo, object{
			"name": t.name, "definition": t.definition, "termSource": "INTERNAL", "parentNode": termNode(t.node),
		})
		if t.isA != "" {
			b.put(term(t.name), model.AspectGlossaryRelatedTerms, object{"isRelatedTerms": []string{term(t.isA)}})
		}
	}
	b.put(term("NetRevenue"), model.AspectGlossaryRelatedTerms, object{"hasRelatedTerms": []string{term("GrossRevenue"), term("Refund")}})
	b.put(term("NetRevenue"), model.AspectOwnership, ownership("mira.castel"))
	for _, d := range domains {
		b.put(domain(d.name), model.AspectDomainProperties, object{"name": d.display, "description": d.about})
	}
	b.put(domain("finance"), model.AspectOwnership, ownership("mira.castel"))
}

// ownership names the technical owner first, then the business owners. A name with a dash is
// the name of a group.
func ownership(names ...string) object {
	owners := []object{}
	for i, name := range names {
		kind := "BUSINESS_OWNER"
		if i == 0 {
			kind = "TECHNICAL_OWNER"
		}
		urn := user(name)
		if strings.Contains(name, "-") {
			urn = group(name)
		}
		owners = append(owners, object{"owner": urn, "type": kind})
	}
	return object{"owners": owners, "lastModified": stamp("tessa.quill")}
}
