package write

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsonlimit"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// valueLimits bound the values of aspects that are decoded: a few bytes of JSON
// can become hundreds of bytes of memory.
var (
	valueLimits = jsonlimit.Limits{Depth: limits.MaxJSONDepth, Items: limits.MaxAspectItems}
	patchLimits = jsonlimit.Limits{Depth: limits.MaxJSONDepth, Items: limits.MaxPatchItems}
)

// withinLimits refuses a text that would take too much memory when decoded.
func withinLimits(aspect string, text []byte, l jsonlimit.Limits) error {
	if _, err := jsonlimit.Check(text, l); err != nil {
		return catalog.Errorf(catalog.Invalid, "the aspect %s: %w", aspect, err)
	}
	return nil
}

// ParseImported decodes and validates a value of another catalog, if it is within the
// limits. The error is one for callers.
func (w *Writer) ParseImported(d model.Dialect, aspect string, text []byte, o catalog.WriteOptions) (*model.Value, error) {
	if err := withinLimits(aspect, text, valueLimits); err != nil {
		return nil, err
	}
	var keepMember func(model.UnknownMember) bool
	if o.KeepUnknown {
		keepMember = model.KeepAll
	}
	value, err := w.Registry().ParseKeeping(d, aspect, text, keepMember)
	if err != nil {
		return nil, catalog.ValueError(err)
	}
	return value, checkSealed(value)
}

// CheckSystem refuses system metadata with texts that are too long: the store keeps these texts for
// ever.
func CheckSystem(s *catalog.SystemMetadata) error {
	if s == nil {
		return nil
	}
	for _, text := range []struct{ member, value string }{
		{"runId", s.RunID}, {"lastRunId", s.LastRunID}, {"registryName", s.RegistryName}, {"registryVersion", s.RegistryVersion},
	} {
		if len(text.value) > limits.MaxRunIDBytes {
			return catalog.Errorf(catalog.Invalid, "%s in the system metadata has %d bytes, at most %d are allowed", text.member, len(text.value), limits.MaxRunIDBytes)
		}
	}
	return nil
}
