package edits_test

import (
	"context"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/model"
)

// TestLifecycleStages: an entity moves from stage to stage as the stages allow, and keeps its
// stage when it is soft-deleted.
func TestLifecycleStages(t *testing.T) {
	h, ctx, by := newAssets(t), context.Background(), catalogtest.ByAda
	stage := func(id string) model.URN { return catalogtest.URN("urn:li:lifecycleStageType:" + id) }
	define := func(id, more string) {
		h.Say(stage(id).String(), model.AspectLifecycleStageTypeInfo, `{"name":"`+id+`","settings":{},"created":`+catalogtest.Stamp+`,"lastModified":`+catalogtest.Stamp+more+`}`)
	}
	define("draft", ``)
	define("review", `,"transitionPolicy":{"allowedPreviousStages":["urn:li:lifecycleStageType:draft"]}`)
	define("old", `,"transitionPolicy":{"allowedPreviousStages":["urn:li:lifecycleStageType:__NONE__"]}`)
	define("terms", `,"entityTypes":["glossaryTerm"]`)
	define("nothing", `,"entityTypes":[]`)
	table := catalogtest.URN(catalogtest.Table)
	set := func(to model.URN) error { return h.Edits.SetLifecycleStage(ctx, table, to, by) }
	for _, one := range []struct {
		to    model.URN
		stage string
		code  catalog.Code
		says  string
	}{
		{to: stage("review"), code: catalog.Invalid, says: "does not follow no stage"},
		{to: stage("terms"), code: catalog.Invalid, says: "not for entities of type dataset, but for: glossaryTerm"},
		{to: stage("nothing"), code: catalog.Invalid, says: "not for entities of type dataset"},
		{to: stage("none"), code: catalog.Invalid, says: "does not exist"},
		{to: table, code: catalog.Invalid, says: "is not a lifecycleStageType"},
		{to: stage("draft"), stage: stage("draft").String()},
		{to: stage("old"), code: catalog.Invalid, says: "does not follow urn:li:lifecycleStageType:draft"},
		{to: stage("review"), stage: stage("review").String()},
		{to: stage("review"), stage: stage("review").String()},
		{stage: "<nil>"},
		{to: stage("old"), stage: stage("old").String()},
	} {
		err := set(one.to)
		if one.says != "" {
			wantRefused(t, one.says, err, one.code, one.says)
			continue
		}
		if err != nil {
			t.Fatal(one.to, err)
		}
		wantMembers(h, table, model.AspectStatus, map[string]string{"lifecycleStage": one.stage, "removed": "false", "lifecycleLastUpdated.actor": catalogtest.Ada})
	}
	if err := h.Edits.SetRemoved(ctx, true, []model.URN{table}, by); err != nil {
		t.Fatal(err)
	}
	wantMembers(h, table, model.AspectStatus, map[string]string{"removed": "true", "lifecycleStage": stage("old").String()})
	absent := catalogtest.URN("urn:li:document:none")
	wantRefused(t, "a stage of an absent entity", h.Edits.SetLifecycleStage(ctx, absent, stage("draft"), by), catalog.Invalid, "does not exist")
}
