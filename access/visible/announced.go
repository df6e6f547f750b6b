package visible

import (
	"maps"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// cleanAnnounced removes from an announced change, of which hidden entities were removed, the texts that name them: all but the
// kind of the members that are about no other dataset; reasons of effects; effects and exceptions without known subjects;
// and the title of a change that nobody announced.
func cleanAnnounced(info map[string]any) {
	var effects, exceptions []jsontree.Object
	for _, member := range jsontree.Items(info, "changes") {
		if datasets, _ := member["datasets"].([]any); len(datasets) == 0 {
			maps.DeleteFunc(member, func(name string, _ any) bool { return name != "kind" && name != "datasets" })
		}
	}
	for _, effect := range jsontree.Items(info, "effects") {
		if jsontree.Text(effect, "urn") != "" {
			delete(effect, "why")
			effects = append(effects, effect)
		}
	}
	for _, exception := range jsontree.Items(info, "exceptions") {
		if jsontree.Text(exception, "urn") != "" {
			exceptions = append(exceptions, exception)
		}
	}
	for name, left := range map[string][]jsontree.Object{"effects": effects, "exceptions": exceptions} {
		if _, has := info[name]; has {
			jsontree.SetItems(info, name, left)
		}
	}
	if jsontree.Text(info, "state") == "UNANNOUNCED" {
		info["title"] = "A change that nobody announced"
	}
}
