package openlineage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/model"
)

// TestTagsWithoutValues: Airflow sends the name of a tag as its key and as its value. The tag has that name, as
// the tag of a connector does.
func TestTagsWithoutValues(t *testing.T) {
	h := catalogtest.NewHarness(t)
	takeAll(t, h, []string{ran("START", "10:00:00", dagRun, "",
		`{"namespace":"prod","name":"shop","facets":{"tags":{"tags":[{"key":"finance","value":"finance"},{"key":"pii","value":"true"},{"key":"team","value":"lake"}]}}}`, "")})
	for name, value := range graphOf(t, h) {
		if strings.HasPrefix(name, "urn:li:dataJob:") && strings.HasSuffix(name, " "+model.AspectGlobalTags) {
			want := "[map[tag:urn:li:tag:finance] map[tag:urn:li:tag:pii] map[tag:urn:li:tag:team:lake]]"
			if got := fmt.Sprint(value.(map[string]any)["tags"]); got != want {
				t.Errorf("the tags are %s", got)
			}
			return
		}
	}
	t.Error("the job has no tags")
}
