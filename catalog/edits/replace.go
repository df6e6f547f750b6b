package edits

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// ReplaceOwners returns an edit that replaces the owners of an entity.
func ReplaceOwners(urn model.URN, owners []NewOwner) write.Edit {
	return write.Replace(urn, model.AspectOwnership, func(by catalog.AuditStamp) catalog.Tree {
		list := make([]any, len(owners))
		for i := range owners {
			list[i] = owners[i].entry(urn.Namespace())
		}
		return catalog.Tree{"owners": list, "lastModified": by.Tree()}
	})
}

// ReplaceTags returns an edit that replaces the tags of an entity.
func ReplaceTags(urn model.URN, tags []model.URN) write.Edit {
	return write.Replace(urn, TagLabel.aspect, func(catalog.AuditStamp) catalog.Tree { return tagTree(tags) })
}

// tagTree returns tags in the form of an aspect, each tag once.
func tagTree(tags []model.URN) catalog.Tree {
	list := []any{}
	for _, tag := range catalog.Distinct(tags) {
		list = append(list, catalog.Tree{TagLabel.member: tag.String()})
	}
	return catalog.Tree{TagLabel.list: list}
}

// Link is a link to documentation elsewhere.
type Link struct {
	URL, Description string
	// Author is a user. At is the time at which the link was added, in epoch milliseconds; nil
	// stands for now.
	Author model.URN
	At     *int64
}

// ReplaceLinks returns an edit that replaces the links of an entity.
func ReplaceLinks(urn model.URN, links []Link) write.Edit {
	return write.Replace(urn, model.AspectInstitutionalMemory, func(by catalog.AuditStamp) catalog.Tree {
		list := make([]any, len(links))
		for i, l := range links {
			stamp := catalog.AuditStamp{Time: optional.Or(l.At, by.Time), Actor: l.Author.String()}
			list[i] = catalog.Tree{"url": l.URL, "description": l.Description, "createStamp": stamp.Tree()}
		}
		return catalog.Tree{"elements": list}
	})
}

// ReplaceDescription returns an edit of the description of an entity. The aspect is the one in
// which entities of the type have the description.
func ReplaceDescription(urn model.URN, aspect, description string) write.Edit {
	return write.Replace(urn, aspect, func(by catalog.AuditStamp) catalog.Tree {
		return catalog.Tree{"description": description, "created": by.Tree(), "lastModified": by.Tree()}
	})
}

// ReplaceLegacyDeprecation returns an edit of the older aspect for the deprecation of datasets.
func ReplaceLegacyDeprecation(urn model.URN, d Deprecation) write.Edit {
	return write.Replace(urn, model.AspectDatasetDeprecation, func(by catalog.AuditStamp) catalog.Tree { return d.tree(by) })
}

// tree returns the deprecation in the form of the aspect.
func (d *Deprecation) tree(by catalog.AuditStamp) catalog.Tree {
	value := catalog.Tree{"deprecated": d.Deprecated, "note": d.Note, "actor": by.Actor}
	if d.DecommissionTime != nil {
		value["decommissionTime"] = *d.DecommissionTime
	}
	return value
}

// ColumnNote has the notes of people about a column. A part that is nil is left out.
type ColumnNote struct {
	FieldPath   string
	Description *string
	Tags        []model.URN
}

// ReplaceColumnNotes returns an edit that replaces the notes of people about the columns of a
// dataset. A column without a note in the list loses its notes.
func ReplaceColumnNotes(urn model.URN, notes []ColumnNote) write.Edit {
	return write.Replace(urn, model.AspectEditableSchemaMetadata, func(by catalog.AuditStamp) catalog.Tree {
		list := make([]any, len(notes))
		for i, n := range notes {
			entry := catalog.Tree{"fieldPath": n.FieldPath}
			if n.Description != nil {
				entry["description"] = *n.Description
			}
			if n.Tags != nil {
				entry[TagLabel.aspect] = tagTree(n.Tags)
			}
			list[i] = entry
		}
		return catalog.Tree{fieldInfos: list, "created": by.Tree(), "lastModified": by.Tree()}
	})
}
