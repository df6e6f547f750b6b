package dbt

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headwater-io/headwater/model"
)

// check is how an assertion describes a well-known generic test.
type check struct {
	operator, aggregation string
	// parameters returns the parameters, nil if the test needs none.
	parameters func(arguments object) values
}

// checks are the generic tests that the client knows. All are about a column.
var checks = map[string]check{
	"not_null": {"NOT_NULL", "IDENTITY", nil},
	"unique": {"EQUAL_TO", "UNIQUE_PROPOTION", func(object) values {
		return values{"value": parameter("1.0", "NUMBER")}
	}},
	"accepted_values": {"IN", "IDENTITY", setOf("values")},
	"relationships":   {"_NATIVE_", "IDENTITY", setOf("values")},
	"dbt_expectations.expect_column_values_to_not_be_null": {"NOT_NULL", "IDENTITY", nil},
	"dbt_expectations.expect_column_values_to_be_in_set":   {"IN", "IDENTITY", setOf("value_set")},
	"dbt_expectations.expect_column_values_to_be_between": {"BETWEEN", "IDENTITY", func(arguments object) values {
		return values{"minValue": parameter(arguments.bound("min_value"), "NUMBER"), "maxValue": parameter(arguments.bound("max_value"), "NUMBER")}
	}},
}

func parameter(value, kind string) values { return values{"value": value, "type": kind} }

func setOf(argument string) func(object) values {
	return func(arguments object) values {
		return values{"value": parameter(pythonJSON(arguments.values[argument]), "SET")}
	}
}

func (o object) bound(name string) string {
	if value, ok := o.values[name]; ok {
		return pythonText(value)
	}
	return "unknown"
}

// testAssertions proposes a test as assertions: one for each node that the test depends on.
func (t *translation) testAssertions(n *Node) {
	tested := slices.DeleteFunc(slices.Clone(n.Upstreams), func(id string) bool { return t.Nodes[id] == nil })
	for _, id := range tested {
		urn, dataset := t.assertionURN(n, id, tested), t.inDBT(t.Nodes[id])
		if !t.Without[TestDefinitions] {
			t.testDefinition(n, urn, dataset, id, tested)
		}
		if t.Without[TestResults] {
			continue
		}
		for _, r := range n.results {
			t.outcome(urn, dataset, r.invocation, r.at, r.value(t.WarningsFail))
		}
	}
}

// testDefinition proposes the definition of a test of a node, and the owners of the test.
func (t *translation) testDefinition(n *Node, urn, dataset, id string, tested []string) {
	t.propose(urn, model.AspectDataPlatformInstance, instance(dbtPlatform, t.Instance))
	info := t.assertionInfo(n.ID, map[string]string{"dbt_test_upstream_unique_id": id}, n.customAssertion(dataset))
	if n.hasOwnName(tested) {
		info["description"] = n.Name
	}
	t.propose(urn, model.AspectAssertionInfo, info)
	if people := t.Mappings.people(n, t.Mappings.ofNode(n)); people != nil {
		t.propose(urn, model.AspectOwnership, ownership(people))
	}
}

// assertionInfo is the value of the aspect assertionInfo.
func (t *translation) assertionInfo(id string, more map[string]string, custom values) values {
	properties := map[string]string{"dbt_unique_id": id}
	maps.Copy(properties, more)
	maps.Copy(properties, t.properties)
	return values{"type": "CUSTOM", "customProperties": properties, "customAssertion": custom, "source": values{"type": "EXTERNAL"}}
}

// outcome proposes that an assertion has been evaluated.
func (t *translation) outcome(urn, dataset, invocation string, at time.Time, result values) {
	t.propose(urn, model.AspectAssertionRunEvent, values{
		"timestampMillis": millis(at), "partitionSpec": fullTable(), "runId": invocation, "assertionUrn": urn, "asserteeUrn": dataset, "status": "COMPLETE", "result": result,
	})
}

// customAssertion describes a test of a dataset.
func (n *Node) customAssertion(dataset string) values {
	arguments := map[string]string{}
	for _, name := range n.test.arguments.names {
		arguments[name] = pythonText(n.test.arguments.values[name])
	}
	custom := values{"type": "dbt", "entity": dataset, "nativeType": n.Name, "nativeParameters": arguments}
	column := ""
	if isTrue(n.test.arguments.get("column_name")) {
		column = arguments["column_name"]
		custom["field"], custom["fields"] = field(dataset, column), []string{field(dataset, column)}
	}
	known, isKnown := checks[n.test.name]
	if !isKnown {
		custom["scope"], custom["operator"], custom["aggregation"] = "DATASET_ROWS", "_NATIVE_", "_NATIVE_"
		if column != "" {
			custom["scope"] = "DATASET_COLUMN"
		}
		code := n.CompiledCode
		if code == "" {
			code = n.RawCode
		}
		if code != "" {
			custom["logic"] = code
		}
		return custom
	}
	custom["scope"], custom["operator"], custom["aggregation"] = "DATASET_COLUMN", known.operator, known.aggregation
	if known.parameters != nil {
		custom["parameters"] = known.parameters(n.test.arguments)
	}
	if logic := n.test.relationship(); n.test.name == "relationships" && logic != "" {
		custom["logic"] = logic
	}
	return custom
}

var (
	wholeReference = regexp.MustCompile(`^ref\('(.*)'\)$`)
	reference      = regexp.MustCompile(`ref\('(.*)'\)`)
)

// relationship says in words which columns a test of relationships compares, "" if the test does not tell.
func (t *test) relationship() string {
	to, from, column, other := t.arguments.text("to"), t.arguments.text("model"), t.arguments.text("column_name"), t.arguments.text("field")
	if to == "" || from == "" || column == "" || other == "" {
		return ""
	}
	if found := wholeReference.FindStringSubmatch(to); found != nil {
		to = found[1]
	}
	if found := reference.FindStringSubmatch(from); found != nil {
		from = found[1]
	}
	return from + "." + column + " referential integrity to " + to + "." + other
}

// value is the result of an evaluation. A warning is a success, because the project says that it is not a failure, unless
// warnings fail.
func (r *result) value(warningsFail bool) values {
	switch r.status {
	case "pass", "success":
		return values{"type": "SUCCESS", "nativeResults": values{}}
	}
	native := map[string]string{"message": r.message}
	if r.failures != 0 {
		native["failures"] = strconv.FormatInt(r.failures, 10)
	}
	switch r.status {
	case "error", "runtime error":
		return values{"type": "ERROR", "nativeResults": native}
	case "warn":
		return warning(warningsFail, native)
	}
	return values{"type": "FAILURE", "severity": "HIGH", "nativeResults": native}
}

func warning(fails bool, native map[string]string) values {
	if fails {
		return values{"type": "FAILURE", "severity": "LOW", "nativeResults": native}
	}
	return values{"type": "SUCCESS", "nativeResults": native}
}

// freshnessAssertion proposes the freshness check of a source as an assertion about the platform's table.
func (t *translation) freshnessAssertion(n *Node) {
	f := n.freshness
	if n.Type != typeSource || f == nil || f.warn == nil && f.failure == nil {
		return
	}
	urn := t.assertion(map[string]string{"platform": "dbt", "name": n.ID + "_freshness", "instance": t.Instance})
	table := t.inTarget(n)
	ages := map[string]string{"dbt_freshness_test": "true"}
	for name, c := range map[string]*criterion{"warn_after": f.warn, "error_after": f.failure} {
		if c != nil {
			ages[name+"_count"], ages[name+"_period"] = pythonText(c.Count), c.Period
		}
	}
	if !t.Without[TestDefinitions] {
		t.propose(urn, model.AspectDataPlatformInstance, instance(dbtPlatform, t.Instance))
		info := t.assertionInfo(n.ID, ages, values{"type": "dbt Freshness", "entity": table})
		t.propose(urn, model.AspectAssertionInfo, info)
	}
	if t.Without[TestResults] {
		return
	}
	native := map[string]string{"status": f.status, "max_loaded_at": isoTime(f.loaded), "snapshotted_at": isoTime(f.snapshotted), "max_loaded_at_time_ago_in_s": "0.0"}
	if len(f.age) > 0 {
		native["max_loaded_at_time_ago_in_s"] = pythonText(f.age)
	}
	value := values{"type": "FAILURE", "severity": "HIGH", "nativeResults": native}
	switch f.status {
	case "pass":
		value = values{"type": "SUCCESS", "nativeResults": native}
	case "warn":
		value = warning(t.WarningsFail, native)
	case "runtime error":
		value = values{"type": "ERROR", "nativeResults": native}
	}
	t.outcome(urn, table, f.invocation, f.snapshotted, value)
}

// isoTime returns Python's isoformat of a time.
func isoTime(t time.Time) string {
	if t.Nanosecond() == 0 {
		return t.Format("2006-01-02T15:04:05-07:00")
	}
	return t.Format("2006-01-02T15:04:05.000000-07:00")
}

// hasOwnName reports whether the author named a generic test: its name is none of those that dbt makes of the test, the
// tested node and the arguments.
func (n *Node) hasOwnName(tested []string) bool {
	if n.test.name == "" {
		return false
	}
	known := false
	for _, id := range tested {
		for _, target := range testTargets(n.test.name, id) {
			known = true
			for _, spell := range []func(json.RawMessage) string{pythonText, spacedTime} {
				if short, full := madeName(target, n.test.arguments, spell); n.Name == short || n.Name == full {
					return false
				}
			}
		}
	}
	return known
}

// testTargets returns how the name of a test of a node may begin: with the test and the node.
func testTargets(name, id string) []string {
	namespace := ""
	if cut := strings.LastIndex(name, "."); cut >= 0 {
		namespace, name = name[:cut]+"_", name[cut+1:]
	}
	parts := strings.Split(id, ".")
	switch {
	case name == "" || len(parts) < 3 || parts[0] == typeSource && len(parts) < 4:
		return nil
	case parts[0] == typeSource:
		return []string{namespace + "source_" + name + "_" + parts[2] + "_" + parts[3]}
	case len(parts) == 3:
		return []string{namespace + name + "_" + parts[2]}
	}
	version := strings.Join(parts[3:], ".") // a versioned model
	return []string{namespace + name + "_" + parts[2] + "_" + version, namespace + name + "_" + parts[2]}
}

var (
	otherInArguments = regexp.MustCompile(`[^0-9a-zA-Z_]+`)
	otherCharacters  = regexp.MustCompile(`[^a-zA-Z0-9_.-]+`)
)

// maxMadeName is how many characters a name that dbt makes has at most: a longer one ends with a digest.
const maxMadeName = 63

// madeName returns the names that dbt makes of a test without a name.
func madeName(target string, arguments object, spell func(json.RawMessage) string) (short, full string) {
	var parts []string
	for _, name := range slices.Sorted(slices.Values(arguments.names)) {
		if name == "model" {
			continue
		}
		value := arguments.values[name]
		of := []json.RawMessage{value}
		switch value[0] {
		case '[':
			of = list(value)
		case '{':
			var o object
			_ = o.UnmarshalJSON(value) // cannot fail, because the manifest was decoded before
			of = nil
			for _, member := range o.names {
				of = append(of, o.values[member])
			}
		}
		for _, one := range of {
			parts = append(parts, otherInArguments.ReplaceAllString(spell(one), "_"))
		}
	}
	full = target + "_" + strings.Join(parts, "__")
	if len([]rune(full)) <= maxMadeName {
		return full, full
	}
	sum, begin := md5.Sum([]byte(full)), []rune(target)
	return string(begin[:min(30, len(begin))]) + "_" + hex.EncodeToString(sum[:]), full
}

// spacedTime returns a time in the form of Python's str, and any other value as pythonText does: YAML has times, which
// the manifest keeps in the form of ISO 8601.
func spacedTime(value json.RawMessage) string {
	text := pythonText(value)
	if at, err := parseTime(text); err == nil && strings.Contains(text, "T") {
		spaced := strings.Replace(isoTime(at), "T", " ", 1)
		if !strings.ContainsAny(text[len("2006-01-02T15:04"):], "Z+-") {
			spaced = strings.TrimSuffix(spaced, "+00:00")
		}
		return spaced
	}
	return text
}
