package write

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// A client may know a newer model than the server. Its values then have members and aspects that the server's
// model lacks. With [catalog.WriteOptions] KeepUnknown, they are stored unchanged. They are not indexed, and
// state no edges. A stored unknown member stays when a caller changes another part of the value.

// Unknown is a member or an aspect that was stored although the model lacks it.
type Unknown struct {
	Aspect string
	// Record and Member are empty if the model lacks the whole aspect.
	Record, Member string
}

// unknowns counts the values with something unknown, and notes which kinds were logged.
type unknowns struct {
	values atomic.Int64
	mu     sync.Mutex
	logged map[Unknown]bool
}

// KeptUnknown returns how many values with unknown members or aspects were stored since the start.
func (w *Writer) KeptUnknown() int64 { return w.unknowns.values.Load() }

// aspectFor finds the aspect that a proposal names. With keepUnknown, the model or the entity type
// may lack the aspect.
func (w *Writer) aspectFor(entity *model.Entity, name string, keepUnknown bool) (*model.Aspect, error) {
	if entity.Has(name) || keepUnknown && model.IsAspectName(name) {
		return w.Registry().AnyAspect(name), nil
	}
	return nil, catalog.Errorf(catalog.Invalid, "Unknown aspect %s for entity %s%s", name, entity.Name, entity.NearestAspects(name))
}

// parseFor decodes and validates the new value of a change. Unknown members are kept if the writer
// may write such members, or if the current value, which may be empty, has them.
func (w *Writer) parseFor(ch *change, current json.RawMessage, text []byte) (*model.Value, error) {
	var keepMember func(model.UnknownMember) bool
	if ch.keepUnknown {
		keepMember = model.KeepAll
	}
	how := model.Derivation{Current: current, Later: ch.followsStored(), Add: ch.addDerived}
	value, err := w.Registry().ParseDeriving(ch.dialect, ch.aspect.Name, text, keepMember, how)
	var invalid *model.ValidationError
	if !ch.keepUnknown && len(current) > 0 && errors.As(err, &invalid) {
		if stored := w.Registry().UnknownMembers(ch.dialect, ch.aspect.Name, current); len(stored) > 0 {
			value, err = w.Registry().ParseDeriving(ch.dialect, ch.aspect.Name, text, model.KeepThose(stored), how)
		}
	}
	if err != nil {
		return nil, catalog.ValueError(err)
	}
	if err := checkPropertyLimits(value); err != nil {
		return nil, err
	}
	if err := checkSealed(value); err != nil {
		return nil, err
	}
	if ch.keepUnknown {
		w.unknowns.note(w, ch, value)
	}
	return value, nil
}

// note counts a value with unknown members, and logs each kind of unknown members once.
func (u *unknowns) note(w *Writer, ch *change, value *model.Value) {
	kinds := make([]Unknown, 0, len(value.Unknown))
	if !ch.entity.Has(ch.aspect.Name) {
		kinds = append(kinds, Unknown{Aspect: ch.aspect.Name})
	}
	for _, m := range value.Unknown {
		kinds = append(kinds, Unknown{ch.aspect.Name, m.Record, m.Member})
	}
	if len(kinds) == 0 {
		return
	}
	u.values.Add(1)
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, kind := range kinds {
		if u.logged[kind] || len(u.logged) >= limits.MaxLoggedUnknowns {
			continue
		}
		if u.logged == nil {
			u.logged = map[Unknown]bool{}
		}
		u.logged[kind] = true
		w.logger.LogAttrs(context.Background(), slog.LevelWarn, "kept as it was sent, because the model does not have it",
			slog.String("entity_type", ch.entity.Name), slog.String("aspect", catalog.Beginning(kind.Aspect)),
			slog.String("record", catalog.Beginning(kind.Record)), slog.String("field", catalog.Beginning(kind.Member)))
	}
}
