package ingest

import (
	"encoding/json"
	"fmt"

	"github.com/headwater-io/headwater/model"
)

// checkRecord validates a record without a server.
func checkRecord(r *model.Registry, record *model.FileRecord) error {
	if record.Snapshot != nil {
		return checkSnapshot(r, record.Snapshot)
	}
	p := record.Proposal
	entity, ok := r.Entity(p.EntityType)
	if !ok {
		return fmt.Errorf("unknown entity type %q", p.EntityType)
	}
	d := r.Dialects()[0]
	if p.EntityURN != "" {
		var err error
		if d, err = checkURN(r, p.EntityURN, entity.Name); err != nil {
			return err
		}
	} else if p.KeyAspect == nil {
		return fmt.Errorf("either entityUrn or entityKeyAspect must be set")
	}
	if !entity.Has(p.AspectName) {
		return fmt.Errorf("unknown aspect %q for entity %s", p.AspectName, entity.Name)
	}
	if p.Aspect == nil || p.ChangeType == "PATCH" {
		return nil
	}
	_, err := r.Parse(d, p.AspectName, []byte(p.Aspect.Value))
	return err
}

func checkURN(r *model.Registry, text, entityType string) (model.Dialect, error) {
	u, err := r.ReadURN(text)
	if err != nil {
		return model.Dialect{}, err
	}
	if u.EntityType() != entityType {
		return model.Dialect{}, fmt.Errorf("the urn %s has type %s, but the record has type %s", u, u.EntityType(), entityType)
	}
	d, _ := r.DialectOf(u) // cannot fail, because ReadURN refuses unknown namespaces
	return d, nil
}

func checkSnapshot(r *model.Registry, snapshot json.RawMessage) error {
	var union map[string]struct {
		URN     string                       `json:"urn"`
		Aspects []map[string]json.RawMessage `json:"aspects"`
	}
	if err := json.Unmarshal(snapshot, &union); err != nil {
		return err
	}
	for name, body := range union {
		spec, ok := r.Snapshot(name)
		if !ok {
			return fmt.Errorf("unknown snapshot %q", name)
		}
		d, err := checkURN(r, body.URN, spec.Entity)
		if err != nil {
			return err
		}
		for _, holder := range body.Aspects {
			for record, value := range holder {
				aspect, ok := r.AspectByRecord(record)
				if !ok {
					return fmt.Errorf("unknown aspect record %q", record)
				}
				if _, err := r.Parse(d, aspect.Name, value); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
