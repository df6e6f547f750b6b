package graphstore

// A version has two numbers.
//
// Inside, it has its Seq for as long as it is stored: the first version of an
// aspect has 1, and the numbers rise by one. It says in which order versions
// were written.
//
// Outside, the latest version is number 0, whatever its Seq, and an archived
// version has its Seq as its number. Callers may also count from the end: -1 is
// the highest archived version, -2 is the one whose Seq is lower by one, and so
// on. If nothing is archived, -1 is the latest version.
//
// A version changes its outside number when it is archived or restored. How a
// store remembers which version is the latest is its own matter (embedded has a
// table for these, Neo4j keeps the outside number as a property). What the
// numbers mean is decided in this file alone, and storetest holds both stores
// to it.

// LatestVersion is the outside number of the latest version.
const LatestVersion int64 = 0

// VersionNumber is the outside number of a stored version.
func VersionNumber(seq int64, latest bool) int64 {
	if latest {
		return LatestVersion
	}
	return seq
}

// IsLatest reports whether a version that was read is the latest one.
func (a *Aspect) IsLatest() bool { return a.Version == LatestVersion }

// VersionPlace says which stored version of an aspect is meant. One of the
// three is set.
type VersionPlace struct {
	// Latest means the latest version.
	Latest bool
	// Seq means the archived version with this Seq.
	Seq int64
	// FromEnd is negative. It means the archived version whose Seq is the
	// highest archived Seq + FromEnd + 1.
	FromEnd int64
}

// FindVersion finds the version that an outside number means, and gives it its
// own outside number. find looks into one place of the store.
func FindVersion(number int64, find func(VersionPlace) (Aspect, bool, error)) (Aspect, bool, error) {
	var place VersionPlace
	switch {
	case number == LatestVersion:
		place.Latest = true
	case number > 0:
		place.Seq = number
	default:
		place.FromEnd = number
	}
	a, ok, err := find(place)
	if err == nil && !ok && number == -1 {
		place = VersionPlace{Latest: true}
		a, ok, err = find(place)
	}
	if err != nil || !ok {
		return Aspect{}, false, err
	}
	a.Version = VersionNumber(a.Seq, place.Latest)
	return a, true, nil
}
