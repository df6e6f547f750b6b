package delivery

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/headwater-io/headwater/graphstore"
)

// termsRecord is the name of the record with the terms of removed followers.
const termsRecord = "removed-followers"

// endedTerms has the terms of removed followers. A removed follower may be registered again,
// perhaps by a server whose clock is behind; its terms must be higher than before.
type endedTerms struct {
	// Highest is the highest term of a removed follower.
	Highest  int64 `json:"highestTerm"`
	revision string
}

func (s *Service) termsOfRemoved(ctx context.Context) (ended endedTerms, err error) {
	record, known, err := s.store.Record(ctx, termsRecord)
	if err != nil || !known {
		return ended, err
	}
	ended.revision = record.Revision
	return ended, json.Unmarshal(record.Value, &ended)
}

// storeTerm stores the term of a follower that is to be removed.
func (s *Service) storeTerm(ctx context.Context, follower *graphstore.Record) error {
	var removed state
	if err := json.Unmarshal(follower.Value, &removed); err != nil {
		return err
	}
	for {
		ended, err := s.termsOfRemoved(ctx)
		if err != nil || ended.Highest >= removed.Term {
			return err
		}
		value, err := json.Marshal(endedTerms{Highest: removed.Term})
		if err != nil {
			return err
		}
		if _, err = s.store.PutRecord(ctx, termsRecord, value, ended.revision); !errors.Is(err, graphstore.ErrRecordChanged) {
			return err
		}
	}
}
