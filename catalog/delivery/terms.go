package delivery

import "context"

// endedTerms is what is kept of removed followers. One of the same name may come again, perhaps
// on a server whose clock is behind; its terms are higher than those of the former one.
type endedTerms struct {
	// Highest is the highest term of a removed follower.
	Highest int64 `json:"highestTerm"`
}

func (s *Service) termsOfRemoved(ctx context.Context) (endedTerms, error) {
	record, _, err := s.terms.Get(ctx, "")
	return record.Value, err
}

// keepTerm keeps the term of a follower that is to be removed.
func (s *Service) keepTerm(ctx context.Context, term int64) error {
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
