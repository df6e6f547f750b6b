package batches

// entry is a record that waits to be sent. Records are numbered from 1 in the order of
// Next.
type entry[T any] struct {
	Record[T]
	number int
}

// subject has the waiting records with one key.
type subject[T any] struct {
	waiting []entry[T]
	// run is the number of records at the beginning of waiting that have one kind and may be
	// sent now. runBytes is their size.
	run, runBytes int
	// busy: a batch in flight has records of the subject, and the waiting records wait for
	// it.
	busy bool
}

// lane has the subjects whose next records are of one kind.
type lane[T any] struct {
	ready []*subject[T]
	// records and bytes are the totals of the runs of the ready subjects. waiting is the
	// number of all waiting records of this kind.
	records, bytes, waiting int
}

// window has the records that were read and are not done.
type window[T any] struct {
	bounds         Bounds
	subjects       map[string]*subject[T]
	lanes          []*lane[T]
	waiting, bytes int
	read           int
	done           mark
}

func newWindow[T any](bounds Bounds) *window[T] {
	return &window[T]{bounds: bounds, subjects: map[string]*subject[T]{}, done: mark{beyond: map[int]bool{}}}
}

// full reports whether the window has enough records, so that Run reads no more for now.
func (w *window[T]) full() bool {
	ahead := 2 * (w.bounds.InFlight + 1)
	return w.waiting >= ahead*w.bounds.Records || w.bytes >= ahead*w.bounds.Bytes || w.read-w.done.through >= 2*ahead*w.bounds.Records
}

func (w *window[T]) lane(kind int) *lane[T] {
	for len(w.lanes) <= kind {
		w.lanes = append(w.lanes, &lane[T]{})
	}
	return w.lanes[kind]
}

// add adds the next record. A record with Skip is done at once.
func (w *window[T]) add(r Record[T]) {
	w.read++
	if r.Skip {
		w.done.add(w.read)
		return
	}
	s := w.subjects[r.Key]
	if s == nil {
		s = &subject[T]{}
		w.subjects[r.Key] = s
	}
	s.waiting = append(s.waiting, entry[T]{r, w.read})
	of := w.lane(r.Kind)
	of.waiting++
	w.waiting++
	w.bytes += r.Size
	switch {
	case s.busy:
	case s.run == 0:
		w.enable(s)
	case s.run == len(s.waiting)-1 && s.waiting[0].Kind == r.Kind:
		s.run++
		s.runBytes += r.Size
		of.records++
		of.bytes += r.Size
	}
}

// enable makes the first waiting records of a subject ready.
func (w *window[T]) enable(s *subject[T]) {
	kind := s.waiting[0].Kind
	s.run, s.runBytes = 0, 0
	for i := range s.waiting {
		if s.waiting[i].Kind != kind {
			break
		}
		s.run++
		s.runBytes += s.waiting[i].Size
	}
	of := w.lane(kind)
	of.ready = append(of.ready, s)
	of.records += s.run
	of.bytes += s.runBytes
}

// choose returns the kind of the next batch, and whether a batch is to be sent now. An
// incomplete batch waits as long as further records can fill it: records that Next will
// return, or records that wait for a batch in flight.
func (w *window[T]) choose(more bool, inFlight int) (kind int, ok bool) {
	oldest := 0
	for k, of := range w.lanes {
		if of.records < w.bounds.Records && of.bytes < w.bounds.Bytes {
			continue
		}
		if first := of.ready[0].waiting[0].number; !ok || first < oldest {
			kind, ok, oldest = k, true, first
		}
	}
	if ok || more && !w.full() {
		return kind, ok
	}
	most := 0
	for k, of := range w.lanes {
		if of.records > most && (inFlight == 0 || !more && of.records == of.waiting) {
			kind, ok, most = k, true, of.records
		}
	}
	return kind, ok
}

// take removes the records of the next batch of a kind. Their subjects are busy until
// the batch is finished.
func (w *window[T]) take(kind int) []entry[T] {
	var batch []entry[T]
	of, size := w.lane(kind), 0
	for len(of.ready) > 0 && len(batch) < w.bounds.Records {
		s, n := of.ready[0], 0
		for n < s.run && len(batch) < w.bounds.Records && (len(batch) == 0 || size+s.waiting[n].Size <= w.bounds.Bytes) {
			batch = append(batch, s.waiting[n])
			size += s.waiting[n].Size
			n++
		}
		if n == 0 {
			break
		}
		of.ready = of.ready[1:]
		of.records -= s.run
		of.bytes -= s.runBytes
		s.waiting, s.run, s.runBytes, s.busy = s.waiting[n:], 0, 0, true
	}
	of.waiting -= len(batch)
	w.waiting -= len(batch)
	w.bytes -= size
	return batch
}

// finish ends a batch. The records that waited for it become ready.
func (w *window[T]) finish(batch []entry[T]) {
	for i := range batch {
		w.done.add(batch[i].number)
		s := w.subjects[batch[i].Key]
		if s == nil || !s.busy {
			continue // an earlier record of the batch had the same subject
		}
		s.busy = false
		if len(s.waiting) == 0 {
			delete(w.subjects, batch[i].Key)
			continue
		}
		w.enable(s)
	}
}

// mark is the number of the record up to which all are done, and the records done beyond
// it.
type mark struct {
	through int
	beyond  map[int]bool
}

func (m *mark) add(number int) {
	m.beyond[number] = true
	for m.beyond[m.through+1] {
		m.through++
		delete(m.beyond, m.through)
	}
}
