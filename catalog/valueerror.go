package catalog

import (
	"errors"

	"github.com/headwater-io/headwater/model"
)

// ValueError converts an error of package model into one for callers.
func ValueError(err error) error {
	var (
		validation *model.ValidationError
		urn        *model.URNError
		syntax     *model.SyntaxError
		patch      *model.PatchError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &validation):
		return &Error{Code: Validation, Message: validation.Error()}
	case errors.As(err, &urn):
		return &Error{Code: Invalid, Message: "Invalid format for aspect: " + urn.Error()}
	case errors.As(err, &syntax):
		return &Error{Code: Invalid, Message: syntax.Error()}
	case errors.As(err, &patch) && patch.TooLarge:
		return &Error{Code: TooLarge, Message: patch.Error()}
	case errors.As(err, &patch):
		return &Error{Code: Invalid, Message: patch.Error()}
	case errors.Is(err, model.ErrNotPatchable):
		return &Error{Code: Invalid, Message: err.Error()}
	}
	return &Error{Code: Internal, Message: "internal error", Err: err}
}
