package object

import (
	"fmt"

	"github.com/headwater-io/headwater/catalog/history"
)

// Transactions are the changes of an entity.
func (s *Session) Transactions(found []history.ChangeTransaction) []*ChangeTransaction {
	actors := s.NewBatch()
	list := make([]*ChangeTransaction, len(found))
	for i := range found {
		tx := &found[i]
		list[i] = &ChangeTransaction{
			TimestampMillis: tx.Timestamp, Actor: actors.Entity(tx.Actor), SemanticVersion: tx.SemVer,
			SemanticVersionChange: tx.SemVerChange, VersionStamp: tx.VersionStamp, Changes: make([]*ChangeEvent, len(tx.ChangeEvents)),
		}
		for k := range tx.ChangeEvents {
			e := &tx.ChangeEvents[k]
			list[i].Changes[k] = &ChangeEvent{
				EntityUrn: e.EntityURN, Category: e.Category, Operation: ChangeOperationType(e.Operation), Modifier: given(e.Modifier),
				Parameters: parametersOf(e.Parameters), SemanticVersionChange: e.SemVerChange, Description: e.Description,
			}
		}
	}
	return list
}

// parametersOf returns the parameters of an event as texts.
func parametersOf(parameters map[string]any) []*StringMapEntry {
	texts := make(map[string]string, len(parameters))
	for name, value := range parameters {
		texts[name] = fmt.Sprint(value)
	}
	return Pairs(texts)
}
