package delivery

import "context"

// endedTerms has the terms of removed followers. A removed follower may be registered again,
// perhaps by a server whose clock is behind; its terms must be higher than before.
type endedTerms struct {
	// Highest is the highest term of a removed follower.
	Highest int64 `json:"highestTerm"`
}

func (s *Service) termsOfRemoved(ctx context.Context) (endedTerms, error) {
	record, _, err := s.terms.Get(ctx, "")
	return record.Value, err
}

// storeTerm stores the term of a follower that is to be removed.
func (s *Service) storeTerm(ctx context.Context, term int64) error {
	ended, err := s.termsOfRemoved(ctx)
	if err != nil || ended.Highest >= term {
		return err
	}
	_, err = s.terms.Update(ctx, "", func(ended *endedTerms) error {
		ended.Highest = max(ended.Highest, term)
		return nil
	})
	return err
}
