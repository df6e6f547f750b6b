package object

import (
	"github.com/headwater-io/headwater/catalog"
)

// Transactions are what became of an entity.
func (s *Session) Transactions(found []catalog.ChangeTransaction) []*ChangeTransaction {
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
				Parameters: Pairs(e.Parameters), SemanticVersionChange: e.SemVerChange, Description: e.Description,
			}
		}
	}
	return list
}
