package sqlqueries

import "context"

// Enter waits for a turn, as Read does.
func (s *Service) Enter(ctx context.Context) (leave func(), err error) { return s.Turn(ctx) }

// Waiting counts the questions that wait for a turn.
func (s *Service) Waiting() int { return int(s.waiting.Load()) }
