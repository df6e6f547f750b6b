// Package form converts changes, and the events that follow from changes, to the events of
// Kafka's topics.
package form

import (
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/kafka/wire"
)

// LogOf converts a change to a MetadataChangeLog.
func LogOf(c *catalog.Change) *wire.MetadataChangeLog {
	return &wire.MetadataChangeLog{
		EntityType: c.EntityType, EntityURN: &c.URN, ChangeType: string(c.Kind), AspectName: &c.Aspect,
		Aspect: content(c.Value), SystemMetadata: systemOf(c.System),
		PreviousAspectValue: content(c.Previous), PreviousSystemMetadata: systemOf(c.PreviousSystem),
		Created: &wire.Stamp{Time: c.Time, Actor: c.Actor},
	}
}

func content(value json.RawMessage) *wire.Content {
	if value == nil {
		return nil
	}
	return &wire.Content{Value: wire.Text(value), ContentType: wire.JSONContent}
}

func systemOf(s *catalog.SystemMetadata) *wire.SystemMetadata {
	if s == nil {
		return nil
	}
	w := &wire.SystemMetadata{
		LastObserved: &s.LastObserved, RunID: said(&s.RunID), LastRunID: said(&s.LastRunID), PipelineName: said(&s.PipelineName),
		RegistryName: said(&s.RegistryName), RegistryVersion: said(&s.RegistryVersion), Version: said(&s.Version),
		AspectCreated: (*stamp)(s.AspectCreated).wire(), AspectModified: (*stamp)(s.AspectModified).wire(),
	}
	if s.Properties != nil {
		w.Properties = &s.Properties
	}
	if s.SchemaVersion != 0 {
		w.SchemaVersion = &s.SchemaVersion
	}
	return w
}

// said returns a text, nil for an empty text.
func said(text *string) *string {
	if *text == "" {
		return nil
	}
	return text
}

type stamp catalog.AuditStamp

func (s *stamp) wire() *wire.Stamp {
	if s == nil {
		return nil
	}
	return &wire.Stamp{Time: s.Time, Actor: s.Actor}
}
