package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// record is an entry in a file of metadata.
type record struct {
	ProposedSnapshot                  map[string]object
	EntityType, EntityURN, ChangeType string
	AspectName                        string
	Aspect                            struct {
		JSON  any
		Value string
	}
}

// sources returns the files of metadata in the reference directory, in order.
func sources(reference string) []string {
	if reference == "" {
		return nil
	}
	var files []string
	for _, pattern := range []string{"bootstrap_mce.json", "demo-profiles.json", "test_containers.json", "sources/*.json"} {
		found, _ := filepath.Glob(filepath.Join(reference, "data", pattern)) // the patterns are valid
		slices.Sort(found)
		files = append(files, found...)
	}
	return files
}

// load sends the content of a file to the server and to the mirror. It returns the number
// of its records.
func load(ctx context.Context, c *client, m *mirror, file string) (int, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	// Files have the record names of Avro, the interface has others.
	content = bytes.ReplaceAll(content, []byte("com.linkedin.pegasus2avro."), []byte("com.linkedin."))
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	var records []record
	if err := decoder.Decode(&records); err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	for i := range records {
		if err := loadRecord(ctx, c, m, &records[i]); err != nil {
			return 0, fmt.Errorf("%s, record %d: %w", filepath.Base(file), i, err)
		}
	}
	return len(records), nil
}

func loadRecord(ctx context.Context, c *client, m *mirror, r *record) error {
	for name, snapshot := range r.ProposedSnapshot {
		snapshot := canonical(snapshot).(object)
		at(snapshot, "aspects/*", func(aspect any) {
			for record, value := range aspect.(object) {
				aspect.(object)[record] = m.facts.plain(m.facts.members[record], value)
			}
		})
		if err := c.snapshot(ctx, name, snapshot); err != nil {
			return err
		}
		urn, _ := snapshot["urn"].(string)
		var ops []op
		at(snapshot, "aspects/*", func(aspect any) {
			for record, value := range aspect.(object) {
				ops = append(ops, op{upsert, urn, m.facts.members[record], value})
			}
		})
		for _, o := range ops { // the aspects of a snapshot are written together
			m.latest[urn] = merged(m.latest[urn], o.aspect, canonical(o.value))
		}
		m.addDefaults(urn)
		return nil
	}
	value := r.Aspect.JSON
	if value == nil {
		decoder := json.NewDecoder(strings.NewReader(r.Aspect.Value))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			return err
		}
	}
	if r.ChangeType != "PATCH" {
		value = m.facts.plain(r.AspectName, canonical(value))
	}
	o := op{upsert, r.EntityURN, r.AspectName, value}
	p := proposal(o)
	p["changeType"] = r.ChangeType
	if err := c.action(ctx, "/aspects?action=ingestProposal", object{"proposal": p}, nil); err != nil {
		return err
	}
	if r.ChangeType == "PATCH" {
		o.value = patched(m.latest[o.urn][o.aspect], value)
	}
	m.apply(o)
	return nil
}

func merged(aspects map[string]any, name string, value any) map[string]any {
	if aspects == nil {
		aspects = map[string]any{}
	}
	aspects[name] = value
	return aspects
}

// patched returns a value after a patch of the only kind in the files, which adds an
// upstream under its URN.
func patched(value, patch any) any {
	said, _ := canonical(value).(object)
	if said == nil {
		said = object{"upstreams": []any{}, "fineGrainedLineages": []any{}} // the value to which a patch of an absent aspect is applied
	}
	for _, step := range canonical(patch).([]any) {
		step := step.(object)
		path, _ := step["path"].(string)
		if step["op"] != "add" || !strings.HasPrefix(path, "/upstreams/") {
			panic("the oracle does not know this patch: " + text(step))
		}
		added := step["value"].(object)
		upstreams, _ := said["upstreams"].([]any)
		upstreams = slices.DeleteFunc(upstreams, func(u any) bool { return u.(object)["dataset"] == added["dataset"] })
		said["upstreams"] = append(upstreams, added)
	}
	return said
}
