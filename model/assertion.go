package model

import (
	"regexp"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// This file reads the values of the aspect assertionInfo.

// conditionOf returns the member of an assertion's info with its condition, and the name of
// that member. entity is the URN of the assertion's subject, which the condition names.
func conditionOf(info map[string]any) (kind string, condition map[string]any, entity string) {
	for _, k := range []struct{ kind, entity string }{
		{"datasetAssertion", "dataset"},
		{"customAssertion", "entity"},
		{"fieldAssertion", "entity"},
		{"freshnessAssertion", "entity"},
		{"schemaAssertion", "entity"},
		{"sqlAssertion", "entity"},
		{"volumeAssertion", "entity"},
	} {
		if condition = jsontree.Member(info, k.kind); condition != nil {
			return k.kind, condition, jsontree.Text(condition, k.entity)
		}
	}
	return "", nil, ""
}

// AssertionSubject returns the subject of an assertion, from its info: the URN of an
// entity, "" for none, and the paths of the entity's columns.
func AssertionSubject(info map[string]any) (entity string, columns []string) {
	_, condition, entity := conditionOf(info)
	if entity == "" {
		entity = jsontree.Text(info, "entityUrn")
	}
	add := func(path string) {
		if path != "" && !slices.Contains(columns, path) {
			columns = append(columns, path)
		}
	}
	for _, urn := range append(jsontree.Texts(condition, "fields"), jsontree.Text(condition, "field")) {
		if _, path, ok := ColumnOf(StoredURN(urn)); ok {
			add(path)
		}
	}
	for _, of := range []string{"fieldValuesAssertion", "fieldMetricAssertion"} {
		add(jsontree.Text(jsontree.Member(jsontree.Member(condition, of), "field"), "path"))
	}
	add(jsontree.Text(condition, "fieldPath"))
	return entity, columns
}

// AssertionName returns a name by which people recognise an assertion: the first line of
// its description, or the check with its subject, such as not_null orders.customer_id. It
// returns "" for an empty info.
func AssertionName(info map[string]any) string {
	if text, _, _ := strings.Cut(strings.TrimSpace(jsontree.Text(info, "description")), "\n"); text != "" {
		return shorten(text)
	}
	kind, condition, _ := conditionOf(info)
	if found := foreignKey.FindStringSubmatch(jsontree.Text(condition, "logic")); found != nil {
		return shorten("relationships " + found[1] + " to " + found[2])
	}
	entity, columns := AssertionSubject(info)
	about := tableOf(entity)
	for i, path := range columns {
		columns[i] = PlainPath(path)
	}
	if len(columns) > 0 {
		about = strings.TrimPrefix(about+"."+strings.Join(columns, ","), ".")
	}
	check := checkOf(kind, condition, &testOf{info, condition, entity})
	if check == "" {
		check = strings.ToLower(jsontree.Text(info, "type"))
	}
	return shorten(strings.TrimSpace(check + " " + about + limitOf(kind, condition)))
}

// tableOf returns the last part of an entity's name in its source.
func tableOf(urn string) string {
	u := StoredURN(urn)
	if u.IsZero() {
		return ""
	}
	parts := u.Parts()
	name := parts[len(parts)-1]
	if u.EntityType() == EntityDataset && len(parts) == 3 {
		name = parts[1]
	}
	return name[strings.LastIndexAny(name, "./")+1:]
}

// checkOf returns the name of an assertion's check, in the words of the checking tool if
// they are known.
func checkOf(kind string, condition map[string]any, test *testOf) string {
	switch kind {
	case "freshnessAssertion":
		return "freshness"
	case "schemaAssertion":
		return "schema"
	case "sqlAssertion":
		return "sql"
	case "volumeAssertion":
		return "volume"
	case "fieldAssertion":
		if metric := jsontree.Text(jsontree.Member(condition, "fieldMetricAssertion"), "metric"); metric != "" {
			return strings.ToLower(metric)
		}
		return operatorOf(jsontree.Member(condition, "fieldValuesAssertion"))
	}
	if native := jsontree.Text(condition, "nativeType"); native != "" {
		return test.name(native)
	}
	aggregation := strings.ToLower(jsontree.Text(condition, "aggregation"))
	if aggregation == "identity" || aggregation == "_native_" || aggregation == "" {
		aggregation = ""
		if check := operatorOf(condition); check == "not_null" || check == "null" || check == "unique" {
			return check
		}
	}
	if aggregation == "" && kind == "customAssertion" {
		return jsontree.Text(condition, "type")
	}
	return aggregation
}

// operatorOf returns the check that a standard operator performs, such as not_null.
func operatorOf(condition map[string]any) string {
	operator := jsontree.Text(condition, "operator")
	switch {
	case jsontree.Text(condition, "aggregation") == "UNIQUE_PROPOTION" && operator == "EQUAL_TO":
		return "unique"
	case operator == "_NATIVE_":
		return ""
	}
	return strings.ToLower(operator)
}

// signs are the short forms of operators that compare with a value.
var signs = map[string]string{
	"GREATER_THAN": ">", "GREATER_THAN_OR_EQUAL_TO": ">=", "LESS_THAN": "<", "LESS_THAN_OR_EQUAL_TO": "<=", "EQUAL_TO": "=", "NOT_EQUAL_TO": "!=",
	"BETWEEN": "between", "IN": "in", "NOT_IN": "not in", "CONTAIN": "contains", "START_WITH": "starts with", "END_WITH": "ends with", "REGEX_MATCH": "matches",
}

// limitOf returns the text about the compared value, which follows the name of the check: "
// > 0". It returns "" for a check in a tool's words, which already contain the value.
func limitOf(kind string, condition map[string]any) string {
	switch kind {
	case "freshnessAssertion":
		schedule := jsontree.Member(condition, "schedule")
		if interval := jsontree.Member(schedule, "fixedInterval"); interval != nil {
			many, unit := jsontree.ScalarText(interval["multiple"]), strings.ToLower(jsontree.Text(interval, "unit"))
			if many != "1" {
				unit += "s"
			}
			return " within " + many + " " + unit
		}
		if cron := jsontree.Text(jsontree.Member(schedule, "cron"), "cron"); cron != "" {
			return " at " + cron
		}
		return ""
	case "fieldAssertion":
		condition = firstMember(condition, "fieldMetricAssertion", "fieldValuesAssertion")
	case "volumeAssertion":
		condition = firstMember(condition, "rowCountTotal", "rowCountChange", "incrementingSegmentRowCountTotal", "incrementingSegmentRowCountChange")
	}
	sign := signs[jsontree.Text(condition, "operator")]
	if sign == "" || jsontree.Text(condition, "nativeType") != "" || operatorOf(condition) == "unique" {
		return ""
	}
	var values []string
	for _, name := range []string{"value", "minValue", "maxValue"} {
		if value := jsontree.Text(jsontree.Member(jsontree.Member(condition, "parameters"), name), "value"); value != "" {
			values = append(values, value)
		}
	}
	if len(values) == 0 {
		return ""
	}
	return " " + sign + " " + strings.Join(values, " and ")
}

func firstMember(tree map[string]any, names ...string) map[string]any {
	for _, name := range names {
		if member := jsontree.Member(tree, name); member != nil {
			return member
		}
	}
	return nil
}

// testOf is an assertion that is possibly a dbt test.
type testOf struct {
	info, condition map[string]any
	entity          string
}

var (
	// hashed matches the hash at the end of the name of a dbt test that dbt has shortened.
	hashed = regexp.MustCompile(`_?[0-9a-f]{32}$`)
	// reference matches the name of a model or source in the parameters of a dbt test.
	reference = regexp.MustCompile(`(?:ref|source)\(['"]([^'"]+)['"](?:, *['"]([^'"]+)['"])?`)
)

// dbtChecks are the checks of dbt's built-in tests.
var dbtChecks = []string{"not_null", "unique", "accepted_values", "relationships"}

// name returns the check in a tool's name for the assertion. The name of a dbt test
// consists of the check, the model and the arguments, joined with underscores. Only the
// check is useful, because the table has its own place in the name of the assertion.
func (t *testOf) name(native string) string {
	if jsontree.Text(jsontree.Member(t.info, "customProperties"), "dbt_unique_id") == "" && jsontree.Text(t.condition, "type") != "dbt" {
		return native
	}
	test := strings.TrimPrefix(hashed.ReplaceAllString(native, ""), "source_")
	for _, check := range dbtChecks {
		if strings.HasPrefix(test, check+"_") {
			return check
		}
	}
	for _, target := range t.targets() {
		if check, _, ok := strings.Cut(test+"_", "_"+target+"_"); ok {
			return check
		}
	}
	return test
}

// targets returns the names that dbt may use for the model in the name of a test.
func (t *testOf) targets() []string {
	var targets []string
	if found := reference.FindStringSubmatch(jsontree.Text(jsontree.Member(t.condition, "nativeParameters"), "model")); found != nil {
		targets = append(targets, strings.Trim(found[1]+"_"+found[2], "_"))
	}
	if parts := strings.Split(jsontree.Text(jsontree.Member(t.info, "customProperties"), "dbt_test_upstream_unique_id"), "."); len(parts) > 2 {
		targets = append(targets, strings.Join(parts[2:], "_"), parts[2])
	}
	return append(targets, tableOf(t.entity))
}

// foreignKey matches the clients' description of a dbt test that looks for the values of a
// column in another table.
var foreignKey = regexp.MustCompile(`^(\S+) referential integrity to (\S+)$`)
