package permit

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// guarded are the aspects by which people gain or lose access, with the privileges of which one is
// needed to write them, whatever else somebody may write.
var guarded = map[string][]string{
	model.AspectRoleMembership:        {"MANAGE_POLICIES"},
	model.AspectDataHubRoleInfo:       {"MANAGE_POLICIES"},
	model.AspectDataHubPolicyInfo:     {"MANAGE_POLICIES"},
	model.AspectHeadwaterPolicyRule:   {"MANAGE_POLICIES"},
	model.AspectCorpUserStatus:        {"MANAGE_USERS_AND_GROUPS"},
	model.AspectCorpUserCredentials:   {"MANAGE_USER_CREDENTIALS"},
	model.AspectGroupMembership:       {"MANAGE_USERS_AND_GROUPS"},
	model.AspectNativeGroupMembership: {"MANAGE_USERS_AND_GROUPS"},
}

// guardedTypes are the entities by which people have access.
var guardedTypes = map[string][]string{
	model.EntityDataHubPolicy:      {"MANAGE_POLICIES"},
	model.EntityDataHubRole:        {"MANAGE_POLICIES"},
	model.EntityDataHubAccessToken: {"MANAGE_ACCESS_TOKENS"},
	model.EntityInviteToken:        {"MANAGE_USER_CREDENTIALS"},
}

// owned are the aspects of a user that the user may edit.
var owned = []string{model.AspectCorpUserEditableInfo, model.AspectCorpUserSettings}

// PrivilegesFor returns the privileges of which one suffices for a write. If guarded is true, they are
// privileges of the platform.
func PrivilegesFor(w *write.Want) (privileges []string, platform bool) {
	if privileges, ok := guardedTypes[w.URN.EntityType()]; ok {
		return privileges, true
	}
	if privileges, ok := guarded[w.Aspect]; ok {
		return privileges, true
	}
	entityType := w.URN.EntityType()
	operation := map[write.WantKind]policies.Operation{
		write.Creates: policies.Create, write.Changes: policies.Update, write.Deletes: policies.Delete,
	}[w.Kind]
	privileges = slices.Clone(policies.Group(operation, entityType))
	privileges = append(privileges, ofTypes[entityType][w.Kind]...)
	if w.Edit {
		if w.Privilege != "" {
			return append([]string{w.Privilege}, privileges...), false
		}
		privileges = append(slices.Clone(ofEdits[w.Aspect]), privileges...)
	}
	return privileges, false
}

// Protect is the [write.Protect] of a server with authentication.
func Protect(ctx context.Context, wants []write.Want) []error {
	if catalog.IsDecided(ctx) {
		return nil
	}
	refusals := make([]error, len(wants))
	caller := requestinfo.CallerOf(ctx)
	permissions := catalog.PermissionsOf(ctx)
	if permissions == nil {
		return topicOrNobody(caller, wants, refusals)
	}
	var questions []catalog.Question
	var of []int
	for i := range wants {
		w := &wants[i]
		if w.Edit && w.URN.String() == caller.Actor && slices.Contains(owned, w.Aspect) {
			continue
		}
		privileges, platform := PrivilegesFor(w)
		if platform {
			if !permissions.Holds(ctx, privileges...) {
				refusals[i] = refusalOf(w, privileges)
			}
			continue
		}
		of = append(of, i)
		questions = append(questions, catalog.About(w.URN, privileges...))
	}
	allowed, err := permissions.Allowed(ctx, questions)
	for q, i := range of {
		if err != nil {
			refusals[i] = err
		} else if !allowed[q] {
			refusals[i] = refusalOf(&wants[i], questions[q].Privileges)
		}
	}
	return refusals
}

// topicOrNobody decides for callers without permissions: a topic of Kafka may write everything but what
// gives access, and nobody else may write anything.
func topicOrNobody(caller requestinfo.Caller, wants []write.Want, refusals []error) []error {
	for i := range wants {
		w := &wants[i]
		if privileges, platform := PrivilegesFor(w); platform || caller.Means != requestinfo.ByTopic {
			refusals[i] = refusalOf(w, privileges)
		}
	}
	return refusals
}

// refusalOf is the error of a caller who may not write something.
func refusalOf(w *write.Want, privileges []string) error {
	done := map[write.WantKind]string{write.Creates: "create", write.Changes: "change", write.Deletes: "delete"}[w.Kind]
	return catalog.Refusal(done+" "+w.Aspect+" of "+w.URN.String(), privileges)
}
