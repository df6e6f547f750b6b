package neo4j

import (
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
)

// putVersions archives the superseded versions, and then creates the new versions.
func (t *tx) putVersions(b *graphstore.Batch) error {
	superseded, created, err := t.s.newVersionRows(b.PutVersions)
	if err != nil {
		return err
	}
	if err := execRows(t, "write/archive", superseded); err != nil {
		return err
	}
	return t.createVersions(created)
}

// createVersions stores versions, a portion at a time.
func (t *tx) createVersions(versions []row) error {
	for portion := range slices.Chunk(versions, rowsAtOnce) {
		if err := execRows(t, "write/create_versions", byEntity(portion)); err != nil {
			return err
		}
	}
	return nil
}

// byEntity collects the versions of each entity in one row, so that the database looks up the
// entity once.
func byEntity(versions []row) []row {
	var rows []row
	of := map[any]row{}
	for _, v := range versions {
		urn := v["urn"]
		r := of[urn]
		if r == nil {
			r = row{"urn": urn}
			of[urn], rows = r, append(rows, r)
		}
		list, _ := r["versions"].([]row)
		delete(v, "urn")
		r["versions"] = append(list, v)
	}
	return rows
}

// newVersionRows returns the rows that archive the superseded versions, and the rows that
// create the new latest versions.
func (s *Store) newVersionRows(versions []graphstore.Aspect) (superseded, created []row, err error) {
	last, seen := map[graphstore.AspectKey]int{}, map[graphstore.AspectKey]bool{}
	for i := range versions {
		last[graphstore.AspectKey{URN: versions[i].URN, Name: versions[i].Name}] = i
	}
	for i := range versions {
		a := &versions[i]
		key := graphstore.AspectKey{URN: a.URN, Name: a.Name}
		if a.Seq > 1 && !seen[key] {
			superseded = append(superseded, row{"urn": a.URN, "name": a.Name})
		}
		seen[key] = true
		r, err := s.versionRow(a, last[key] == i) // a later version of the batch supersedes an earlier one
		if err != nil {
			return nil, nil, err
		}
		created = append(created, r)
	}
	return superseded, created, nil
}

func (t *tx) putArchived(b *graphstore.Batch) error {
	created := make([]row, len(b.PutArchived))
	for i := range b.PutArchived {
		a := &b.PutArchived[i]
		var err error
		if created[i], err = t.s.versionRow(a, false); err != nil {
			return err
		}
	}
	return t.createVersions(created)
}

// versionRow returns the row of a version to store, the latest or an archived one.
func (s *Store) versionRow(a *graphstore.Aspect, latest bool) (row, error) {
	p, err := stampProperties(a.CreatedOn, a.CreatedBy, &a.System)
	if err != nil {
		return nil, err
	}
	if a.System.LastRunID != "" {
		p["lastRunId"] = a.System.LastRunID
	}
	if made := a.System.AspectCreated; made != nil {
		p["aspectCreatedOn"], p["aspectCreatedBy"] = made.Time, made.Actor
	}
	p["urn"], p["name"], p["version"], p["seq"], p["value"] = a.URN, a.Name, graphstore.VersionNumber(a.Seq, latest), a.Seq, string(a.Value)
	return row{"urn": a.URN, "label": s.aspectLabel(a.Name), "properties": p}, nil
}

// stampProperties returns the properties that versions and time-series values share.
func stampProperties(createdOn int64, createdBy string, system *graphstore.SystemMetadata) (row, error) {
	p := row{
		"createdOn": createdOn, "createdBy": createdBy, "lastObserved": system.LastObserved, "runId": system.RunID,
		"registryName": system.RegistryName, "registryVersion": system.RegistryVersion,
	}
	if system.PipelineName != "" {
		p["pipelineName"] = system.PipelineName
	}
	if system.SchemaVersion != 0 {
		p["schemaVersion"] = system.SchemaVersion
	}
	if len(system.Properties) > 0 {
		text, err := json.Marshal(system.Properties)
		if err != nil {
			return nil, err
		}
		p["systemProperties"] = string(text)
	}
	return p, nil
}
