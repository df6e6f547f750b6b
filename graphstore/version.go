package graphstore

// A version has two numbers.
//
// The inside number is its Seq, which it has as long as it is stored. The first version of an
// aspect has Seq 1, and the numbers rise by one. So Seq tells in which order versions were
// written.
//
// The outside number of the latest version is 0, whatever its Seq. The outside number of an
// archived version is its Seq. Callers may also count from the end: -1 is the highest archived
// version, -2 is the version whose Seq is lower by one, and so on. If no version is archived,
// -1 is the latest version.
//
// The outside number of a version changes when the version is archived or restored. Each store
// remembers in its own way which version is the latest (embedded has a table for these, Neo4j
// stores the outside number as a property). Only this file defines the meaning of the numbers,
// and storetest checks that both stores follow it.

// LatestVersion is the outside number of the latest version.
const LatestVersion int64 = 0

// VersionNumber returns the outside number of a stored version.
func VersionNumber(seq int64, latest bool) int64 {
	if latest {
		return LatestVersion
	}
	return seq
}

// IsLatest reports whether a version that was read is the latest one.
func (a *Aspect) IsLatest() bool { return a.Version == LatestVersion }

// VersionPlace selects a stored version of an aspect. One of its members is set.
type VersionPlace struct {
	// Latest selects the latest version.
	Latest bool
	// Seq selects the archived version with this Seq.
	Seq int64
	// FromEnd is negative. FromEnd selects the archived version whose Seq is the highest archived
	// Seq + FromEnd + 1.
	FromEnd int64
}

// FindVersion returns the version with an outside number, and sets that number in it. The
// function find reads one place from the store.
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
