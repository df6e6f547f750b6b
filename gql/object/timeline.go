package object

import (
	"fmt"

	"github.com/headwater-io/headwater/catalog/history"
)

// Transactions converts the changes of an entity to the form of the schema.
func (s *Session) Transactions(found []history.ChangeTransaction) []*TimelineTransaction {
	actors := s.NewBatch()
	list := make([]*TimelineTransaction, len(found))
	for i := range found {
		tx := &found[i]
		list[i] = &TimelineTransaction{
			TimestampMillis: tx.Timestamp, Actor: actors.Entity(tx.Actor), SemanticVersion: tx.SemVer,
			SemanticVersionChange: tx.SemVerChange, VersionStamp: tx.VersionStamp, Changes: make([]*TimelineChange, len(tx.ChangeEvents)),
		}
		for k := range tx.ChangeEvents {
			e := &tx.ChangeEvents[k]
			list[i].Changes[k] = &TimelineChange{
				EntityUrn: e.EntityURN, Category: e.Category, Operation: ChangeOperationType(e.Operation), Modifier: given(e.Modifier),
				Parameters: parametersOf(e.Parameters), SemanticVersionChange: e.SemVerChange, Description: e.Description,
			}
		}
	}
	return list
}

// parametersOf returns the parameters of an event as texts, under their own names.
func parametersOf(parameters map[string]any) []*StringMapEntry {
	texts := make(map[string]string, len(parameters))
	for name, value := range parameters {
		texts[name] = fmt.Sprint(value)
	}
	return Pairs(texts)
}

// changesOfReference are the categories whose names in the reference differ from ours, by our names.
var changesOfReference = map[string]ChangeCategoryType{"OWNER": ChangeCategoryTypeOwnership}

// ReferenceTransactions converts the changes of an entity to the form of the reference. It
// leaves out changes of categories that the reference does not have.
func ReferenceTransactions(found []history.ChangeTransaction) []*ChangeTransaction {
	list := []*ChangeTransaction{}
	for i := range found {
		tx := &found[i]
		said := &ChangeTransaction{TimestampMillis: tx.Timestamp, LastSemanticVersion: tx.SemVer, VersionStamp: tx.VersionStamp, Actor: given(tx.Actor)}
		for k := range tx.ChangeEvents {
			e := &tx.ChangeEvents[k]
			category, ok := changesOfReference[e.Category]
			if !ok {
				category = ChangeCategoryType(e.Category)
			}
			if !category.IsValid() {
				continue
			}
			operation, actor := ChangeOperationType(e.Operation), e.AuditStamp.Actor
			if len(said.Changes) == 0 {
				said.ChangeType = operation
			} else if said.ChangeType != operation {
				said.ChangeType = ChangeOperationTypeModify
			}
			said.Changes = append(said.Changes, &ChangeEvent{
				Urn: e.EntityURN, Category: &category, Operation: &operation, Modifier: given(e.Modifier), Description: given(e.Description),
				AuditStamp: &AuditStamp{Time: e.AuditStamp.Time, Actor: &actor}, Parameters: timelineParameters(e.Parameters),
			})
		}
		if len(said.Changes) > 0 {
			list = append(list, said)
		}
	}
	return list
}

// timelineParameters are the parameters of an event as texts, in the reference's form.
func timelineParameters(parameters map[string]any) []*TimelineParameterEntry {
	pairs := parametersOf(parameters)
	list := make([]*TimelineParameterEntry, len(pairs))
	for i, pair := range pairs {
		list[i] = &TimelineParameterEntry{Key: &pair.Key, Value: pair.Value}
	}
	return list
}
