package delivery

import "context"

// Cursor returns the saved cursor of a follower; the changes that are being delivered come
// after it. Cursor returns false if there is no such follower.
func (s *Service) Cursor(ctx context.Context, name string) (string, bool, error) {
	record, known, err := s.followers.Get(ctx, name)
	return record.Value.Cursor, known, err
}

// Forget removes a follower if it is known, so that the change log need not be kept for it.
func (s *Service) Forget(ctx context.Context, name string) error {
	_, known, err := s.Cursor(ctx, name)
	if err != nil || !known {
		return err
	}
	return s.Remove(ctx, name)
}
