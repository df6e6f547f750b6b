package permit_test

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/testing/testaccess"
	"github.com/headwater-io/headwater/model"
)

var update = flag.Bool("update", false, "rewrite the sections of docs/privileges.md about privileges and writes")

func quoted(names []string, between string) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = "`" + name + "`"
	}
	return strings.Join(texts, between)
}

// TestPrivilegesPage compares docs/privileges.md with the privileges of operations on entities and of
// aspects.
func TestPrivilegesPage(t *testing.T) {
	var rows [][]string
	level := map[string]string{}
	for _, p := range policies.PlatformPrivileges() {
		level[p.Name] = "platform"
		rows = append(rows, []string{"`" + p.Name + "`", p.Description, "the server"})
	}
	types := map[string][]string{}
	for _, of := range policies.ResourceTypes() {
		for _, p := range of.Privileges {
			if of.EntityType != policies.EveryResource {
				types[p.Name] = append(types[p.Name], of.EntityType)
			}
		}
	}
	for _, name := range policies.Names() {
		if level[name] != "" {
			continue
		}
		p, _ := policies.DescriptionOf(name)
		on := "every type"
		if of := types[name]; of != nil {
			slices.Sort(of)
			on = strings.Join(of, ", ")
		}
		rows = append(rows, []string{"`" + name + "`", p.Description, on})
	}
	testaccess.Section(t, "privileges", testaccess.Table([]string{"privilege", "lets somebody", "on"}, rows), *update)

	rows = nil
	names := []policies.Operation{policies.Read, policies.Exists, policies.Create, policies.Update, policies.Delete, policies.Execute}
	ofType := map[string]bool{}
	for _, operation := range names {
		rows = append(rows, []string{"`" + string(operation) + "`", "any other", quoted(policies.Group(operation, ""), ", ")})
		for _, entityType := range policies.OwnTypes(operation) {
			ofType[entityType] = true
		}
	}
	for _, entityType := range slices.Sorted(maps.Keys(ofType)) {
		for _, operation := range names {
			if slices.Contains(policies.OwnTypes(operation), entityType) {
				rows = append(rows, []string{"`" + string(operation) + "`", entityType, quoted(policies.Group(operation, entityType), ", ")})
			}
		}
	}
	testaccess.Section(t, "operations", testaccess.Table([]string{"operation", "type", "one of"}, rows), *update)

	rows = nil
	for _, entityType := range slices.Sorted(maps.Keys(permit.OfTypes)) {
		row := []string{entityType}
		for _, kind := range []write.WantKind{write.Creates, write.Changes, write.Deletes} {
			row = append(row, quoted(permit.OfTypes[entityType][kind], ", "))
		}
		rows = append(rows, row)
	}
	testaccess.Section(t, "types", testaccess.Table([]string{"type", "create", "change", "delete"}, rows), *update)

	rows = nil
	for _, aspect := range slices.Sorted(maps.Keys(permit.OfEdits)) {
		rows = append(rows, []string{"`" + aspect + "`", "an edit", quoted(permit.OfEdits[aspect], ", ")})
	}
	for _, aspect := range permit.Owned {
		rows = append(rows, []string{"`" + aspect + "`", "an edit of one's own", "nothing"})
	}
	for _, aspect := range slices.Sorted(maps.Keys(permit.Guarded)) {
		rows = append(rows, []string{"`" + aspect + "`", "every write", "only " + quoted(permit.Guarded[aspect], ", ")})
	}
	for _, entityType := range slices.Sorted(maps.Keys(permit.GuardedTypes)) {
		rows = append(rows, []string{"all of the type " + entityType, "every write", "only " + quoted(permit.GuardedTypes[entityType], ", ")})
	}
	testaccess.Section(t, "aspects", testaccess.Table([]string{"aspect", "kind of write", "also suffices"}, rows), *update)

	rows = nil
	others := permit.OthersOf()
	for _, entityType := range slices.Sorted(maps.Keys(others)) {
		rows = append(rows, []string{entityType, "`" + others[entityType].Aspect + "`", quoted(others[entityType].Privileges, ", ")})
	}
	testaccess.Section(t, "others", testaccess.Table([]string{"type", "the others are in", "one of"}, rows), *update)

	// Kafka's proposals: what a topic may write is asked of the service itself.
	rows = nil
	h := newHouse(t)
	of := map[string][]string{}
	for _, entity := range model.Default().Entities() {
		for _, aspect := range append([]string{entity.KeyAspect}, entity.Aspects...) {
			w := write.Want{URN: model.StoredURN("urn:li:" + entity.Name + ":x"), Aspect: aspect, Kind: write.Changes}
			if refusals := h.permits.Protect(byTopic(t), []write.Want{w}); refusals[0] != nil {
				of[aspect] = append(of[aspect], entity.Name)
			}
		}
	}
	for _, aspect := range slices.Sorted(maps.Keys(of)) {
		rows = append(rows, []string{"`" + aspect + "`", strings.Join(slices.Sorted(slices.Values(of[aspect])), ", ")})
	}
	if len(rows) < 8 {
		t.Errorf("a topic may not write %d aspects", len(rows))
	}
	testaccess.Section(t, "kafka", testaccess.Table([]string{"aspect", "of"}, rows), *update)
}
