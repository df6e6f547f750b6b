package dbt

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// Platforms and people that the client writes.
const (
	dbtPlatform    = "urn:li:dataPlatform:dbt"
	unknownActor   = "urn:li:corpuser:unknown"
	executor       = "urn:li:corpuser:dbt_executor"
	ingestion      = "urn:li:corpuser:dbt_ingestion"
	instanceActor  = "urn:li:corpuser:datahub"
	tagPrefix      = "dbt:"
	codeCharacters = 1 << 20
)

// values is the value of an aspect.
type values = map[string]any

// translation is a project while its proposals are made.
type translation struct {
	*Project
	Settings
	// columnsLower: the platform spells the names of columns in upper case, and the catalog in lower case.
	columnsLower bool
	proposals    []model.FileProposal
	notes        []string
	// seen are the entities with proposals, and stated the entities with a status.
	seen, stated map[string]bool
	tags, terms  map[string]bool
}

// propose adds a proposal of an aspect.
func (t *translation) propose(urn, aspect string, value any) {
	if t.seen[urn] = true; aspect == model.AspectStatus {
		t.stated[urn] = true
	}
	t.add(urn, "UPSERT", aspect, value)
}

// borrow adds a proposal about a table, which belongs to whoever reads the platform: it gets no status from dbt.
func (t *translation) borrow(urn, change, aspect string, value any) {
	t.add(urn, change, aspect, value)
}

func (t *translation) add(urn, change, aspect string, value any) {
	text, _ := jsontree.Encode(value) // cannot fail, because the value consists of texts, numbers, lists and objects
	entity, _, _ := strings.Cut(strings.TrimPrefix(urn, "urn:li:"), ":")
	t.proposals = append(t.proposals, model.FileProposal{
		EntityType: entity, EntityURN: urn, ChangeType: change, AspectName: aspect,
		Aspect: &model.GenericContent{Value: string(text), ContentType: "application/json"},
	})
}

// states proposes a status, which says that the entity exists, for each entity without one.
func (t *translation) states() {
	for _, urn := range slices.Sorted(maps.Keys(t.seen)) {
		if !t.stated[urn] {
			t.propose(urn, model.AspectStatus, values{"removed": false})
		}
	}
}

// usedTags proposes the tags and terms that entities have.
func (t *translation) usedTags() {
	for _, urn := range slices.Sorted(maps.Keys(t.tags)) {
		t.add(urn, "UPSERT", model.AspectTagKey, values{"name": strings.TrimPrefix(urn, "urn:li:tag:")})
	}
	for _, urn := range sortedKeys(t.terms) {
		t.add(urn, "UPSERT", model.AspectGlossaryTermKey, values{"name": strings.TrimPrefix(urn, "urn:li:glossaryTerm:")})
	}
}

// wanted returns the nodes by id that the patterns want.
func (t *translation) wanted() []*Node {
	var wanted []*Node
	for _, n := range sortedValues(t.Nodes) {
		if t.Patterns.allow(n) && !(t.OnlyInCatalog && n.isMissing()) {
			wanted = append(wanted, n)
		} else if t.LeftOut != nil {
			t.LeftOut(n.ID)
		}
	}
	return wanted
}

// wantedNodes returns the wanted nodes by id, without those sources that are also models: both have the same URN. Nodes that
// depend on such a source depend on the model.
func (t *translation) wantedNodes() []*Node {
	models, replaced := map[string]string{}, map[string]string{}
	nodes := t.wanted()
	for _, n := range nodes {
		if n.Type == typeModel && n.isInTarget() {
			models[n.table()] = n.ID
		}
	}
	var kept []*Node
	for _, n := range nodes {
		if by := models[n.table()]; n.Type == typeSource && by != "" && !t.KeepSources {
			replaced[n.ID] = by
			t.notes = append(t.notes, fmt.Sprintf("%s is left out: %s is the same table", n.ID, by))
			continue
		}
		kept = append(kept, n)
	}
	if len(replaced) == 0 {
		return kept
	}
	for i, n := range kept {
		changed := *n
		changed.Upstreams = slices.Clone(n.Upstreams)
		for k, upstream := range changed.Upstreams {
			changed.Upstreams[k] = cmp.Or(replaced[upstream], upstream)
		}
		changed.replaceSources(replaced)
		kept[i] = &changed
	}
	return kept
}

// sortedValues returns the values of a map by their keys.
func sortedValues[T any](of map[string]T) []T {
	var sorted []T
	for _, key := range sortedKeys(of) {
		sorted = append(sorted, of[key])
	}
	return sorted
}

func sortedKeys[T any](of map[string]T) []string { return slices.Sorted(maps.Keys(of)) }

// isInTarget reports whether the platform has a table for the node.
func (n *Node) isInTarget() bool {
	return n.Materialized != ephemeral && n.Type != typeTest && n.Type != typeSemanticModel
}

// isMissing reports whether the catalog lacks a node of a kind that it has.
func (n *Node) isMissing() bool {
	return n.catalogType == nil && n.Type != typeSemanticModel && n.hasCatalogColumns()
}

// table returns the name of the node's table with database and schema. A semantic model has no table, but an id.
func (n *Node) table() string {
	if n.Type == typeSemanticModel {
		return n.ID
	}
	parts := slices.DeleteFunc([]string{n.Database, n.Schema, n.Name}, func(part string) bool { return part == "" })
	return strings.ReplaceAll(strings.Join(parts, "."), `"`, "")
}

// reserved are the characters that parts of URNs must not have.
var reserved = strings.NewReplacer(",", "%2C", "(", "%28", ")", "%29", "␟", "%E2%90%9F")

// dataset returns the URN of a dataset.
func (t *translation) dataset(platform, instance, name string) string {
	if !t.KeepCase {
		name = strings.ToLower(name)
	}
	if instance != "" {
		name = instance + "." + name
	}
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:%s,%s,%s)", platform, reserved.Replace(name), strings.ToUpper(t.Env))
}

// inDBT and inTarget return the URNs of a node: as dbt's dataset, and as the platform's table.
func (t *translation) inDBT(n *Node) string { return t.dataset("dbt", t.Instance, n.table()) }

func (t *translation) inTarget(n *Node) string {
	return t.dataset(t.Platform, t.TargetInstance, n.table())
}

// asUpstream returns the URN under which other nodes of dbt read a node: its table, unless it has none or dbt did not
// build it.
func (t *translation) asUpstream(n *Node) string {
	if n.isInTarget() && (n.Type != typeSource || t.Lineage.SkipSources) {
		return t.inTarget(n)
	}
	return t.inDBT(n)
}

func field(dataset, path string) string {
	return fmt.Sprintf("urn:li:schemaField:(%s,%s)", dataset, reserved.Replace(path))
}

func user(name string) string {
	if strings.HasPrefix(name, "urn:li:corpuser:") || strings.HasPrefix(name, "urn:li:corpGroup:") {
		return name
	}
	return "urn:li:corpuser:" + reserved.Replace(name)
}

// instance is the value of the aspect dataPlatformInstance.
func instance(platform, name string) values {
	value := values{"platform": platform}
	if name != "" {
		value["instance"] = fmt.Sprintf("urn:li:dataPlatformInstance:(%s,%s)", platform, reserved.Replace(name))
	}
	return value
}

// namedOwners returns the names in the property owner, one or a list of them.
func (n *Node) namedOwners() []string {
	if !isTrue(n.owner) {
		return nil
	}
	named := []json.RawMessage{n.owner}
	if n.owner[0] == '[' {
		named = list(n.owner)
	}
	names := make([]string, len(named))
	for i, one := range named {
		names[i] = pythonText(one)
	}
	return names
}

// owners returns the people whom the property owner names.
func (n *Node) owners() []string {
	var people []string
	for _, name := range n.namedOwners() {
		people = append(people, user(name))
	}
	slices.Sort(people)
	return people
}

// stamp is an audit stamp. The time is in milliseconds since 1970.
func stamp(millis int64, actor string) values { return values{"time": millis, "actor": actor} }

// fullTable says that an event is about a whole table.
func fullTable() values { return values{"partition": "FULL_TABLE_SNAPSHOT", "type": "FULL_TABLE"} }
