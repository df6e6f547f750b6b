package write

import "github.com/headwater-io/headwater/graphstore"

// insideBytes is how many bytes of values may be processed inside a
// transaction.
const insideBytes = 1 << 20

// lacking is the work that a transaction ended without, because it is not allowed inside a
// transaction. It is the error of the transaction, so that the store writes nothing. A lacking
// without work of its own asks for drafts of the changes, or for locks.
type lacking struct {
	// urns are entities that must be locked too.
	urns []string
	// values and definitions are stored versions that must be decoded; definitions are versions of
	// the definitions of structured properties.
	values, definitions []graphstore.Aspect
	// returns are the transitions of a rollback that must be computed.
	returns []returning
}

// returning is the transition of an aspect from its latest text to that of its predecessor, nil for
// none.
type returning struct {
	ch            *change
	before, after []byte
}

func (l *lacking) Error() string {
	return "this needs more work than is allowed inside a transaction"
}

// work reports whether there is something to supply.
func (l *lacking) work() bool { return len(l.values)+len(l.definitions)+len(l.returns) > 0 }

// spend takes bytes from the bytes that the transaction may still process. If too few are left, the
// error is the session's lacking, to which the caller adds the work that it cannot do.
func (s *session) spend(bytes int) error {
	if s.inside -= bytes; s.inside < 0 {
		return s.lacks
	}
	return nil
}

// supply does the work that the last transaction of an attempt lacked.
func (w *Writer) supply(a *attempt) (err error) {
	for i := range a.lacks.values {
		v := &a.lacks.values[i]
		key := graphstore.AspectKey{URN: v.URN, Name: v.Name}
		if a.parsed[key], err = w.Registry().ParseStored(v.Name, v.Value); err != nil {
			return err
		}
	}
	if err := w.readDefinitions(a, a.lacks.definitions); err != nil {
		return err
	}
	for _, r := range a.lacks.returns {
		if a.transitions[r.ch.aspectKey()], err = w.returned(r); err != nil {
			return err
		}
	}
	return nil
}
