package failed

import (
	"context"
	"errors"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/traces"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// notWritten is the reason for the members of a request that were refused only because other
// members of the request were refused.
const notWritten = "nothing of the request was written, because another part of it was refused: "

// StoreRefused stores the refused members of a traced request, so that Refused returns them. The
// argument err is the error of the request.
func (s *Service) StoreRefused(ctx context.Context, trace traces.Trace, err error) error {
	var refused *catalog.RefusedError
	if !errors.As(err, &refused) {
		return s.Store(ctx, []Proposal{{Trace: trace.String(), Error: reasonOf(err)}})
	}
	proposals := make([]Proposal, len(refused.Members))
	for i, m := range refused.Members {
		proposals[i] = Proposal{Trace: trace.String(), URN: m.URN, Aspect: m.Aspect, Error: reasonOf(m.Err)}
	}
	return s.Store(ctx, proposals)
}

// reasonOf returns the text of an error for a caller who knows which aspect the error is about.
func reasonOf(err error) string {
	var unmet *catalog.UnmetError
	if errors.As(err, &unmet) {
		return unmet.Reason
	}
	return catalog.MessageOf(err)
}

// Refused has the reasons why parts of a traced request were refused. Refused is empty if the
// request was not refused, or if newer proposals have displaced its own.
type Refused []Proposal

// Refused returns the stored reasons for a traced request.
func (s *Service) Refused(ctx context.Context, trace traces.Trace) (Refused, error) {
	stored, _, err := s.List(ctx, "", limits.MaxFailedPage)
	if err != nil {
		return nil, err
	}
	var found Refused
	for _, p := range stored {
		if p.Trace == trace.String() {
			found = append(found, p)
		}
	}
	return found, nil
}

// Of returns the reasons for aspects of an entity. No part of a refused request was written, so
// each aspect has a reason.
func (r Refused) Of(u model.URN, aspects []string) map[string]string {
	if len(r) == 0 {
		return nil
	}
	reasons := make(map[string]string, len(aspects))
	for _, name := range aspects {
		reasons[name] = notWritten + r[len(r)-1].Error
		for _, p := range r {
			if p.URN == u.String() && p.Aspect == name {
				reasons[name] = p.Error
			}
		}
	}
	return reasons
}
