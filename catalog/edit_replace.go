package catalog

import (
	"slices"

	"github.com/headwater-io/headwater/model"
)

// ReplaceOwners makes an edit that gives an entity other owners.
func ReplaceOwners(urn string, owners []NewOwner) Edit {
	owners = slices.Clone(owners)
	edit := Replace(urn, model.AspectOwnership, func(by AuditStamp) Tree {
		namespace := model.LI().Namespace
		if u, err := model.ParseURN(urn); err == nil {
			namespace = u.Namespace()
		}
		list := make([]any, len(owners))
		for i := range owners {
			list[i] = owners[i].entry(namespace)
		}
		return Tree{"owners": list, "lastModified": by.tree()}
	})
	for i := range owners {
		edit.named = append(edit.named, &owners[i].URN, &owners[i].TypeURN)
	}
	return edit
}

// ReplaceTags makes an edit that gives an entity other tags.
func ReplaceTags(urn string, tags []string) Edit {
	tags = slices.Clone(tags)
	edit := Replace(urn, TagLabel.aspect, func(AuditStamp) Tree { return tagTree(tags) })
	edit.names(tags)
	return edit
}

// names records the URNs that an edit writes.
func (e *Edit) names(urns []string) {
	for i := range urns {
		e.named = append(e.named, &urns[i])
	}
}

// tagTree returns tags in the form that an aspect has, each once.
func tagTree(tags []string) Tree {
	list := []any{}
	for i, tag := range tags {
		if !slices.Contains(tags[:i], tag) {
			list = append(list, Tree{TagLabel.member: tag})
		}
	}
	return Tree{TagLabel.list: list}
}

// Link is a link to documentation elsewhere.
type Link struct {
	URL, Description string
	// Author is the URN of a user, At when it was made (now when nil), epoch
	// milliseconds.
	Author string
	At     *int64
}

// ReplaceLinks makes an edit that gives an entity other links.
func ReplaceLinks(urn string, links []Link) Edit {
	links = slices.Clone(links)
	edit := Replace(urn, model.AspectInstitutionalMemory, func(by AuditStamp) Tree {
		list := make([]any, len(links))
		for i, l := range links {
			stamp := AuditStamp{Time: valueOr(l.At, by.Time), Actor: l.Author}
			list[i] = Tree{"url": l.URL, "description": l.Description, "createStamp": stamp.tree()}
		}
		return Tree{"elements": list}
	})
	for i := range links {
		edit.named = append(edit.named, &links[i].Author)
	}
	return edit
}

// ReplaceDescription makes an edit of an entity's description, in the aspect
// that its type has for it.
func ReplaceDescription(urn, aspect, description string) Edit {
	return Replace(urn, aspect, func(by AuditStamp) Tree {
		return Tree{"description": description, "created": by.tree(), "lastModified": by.tree()}
	})
}

// ReplaceLegacyDeprecation makes an edit of the older aspect by which datasets
// are deprecated.
func ReplaceLegacyDeprecation(urn string, d Deprecation) Edit {
	return Replace(urn, model.AspectDatasetDeprecation, func(by AuditStamp) Tree { return d.tree(by) })
}

// tree returns the deprecation in the form that an aspect has.
func (d *Deprecation) tree(by AuditStamp) Tree {
	value := Tree{"deprecated": d.Deprecated, "note": d.Note, "actor": by.Actor}
	if d.DecommissionTime != nil {
		value["decommissionTime"] = *d.DecommissionTime
	}
	return value
}

// ColumnNote is what people wrote about a column; nil leaves a part out.
type ColumnNote struct {
	FieldPath   string
	Description *string
	Tags        []string
}

// ReplaceColumnNotes makes an edit of what people wrote about a dataset's
// columns; columns that are not named lose their notes.
func ReplaceColumnNotes(urn string, notes []ColumnNote) Edit {
	notes = slices.Clone(notes)
	edit := Replace(urn, model.AspectEditableSchemaMetadata, func(by AuditStamp) Tree {
		list := make([]any, len(notes))
		for i, n := range notes {
			entry := Tree{"fieldPath": n.FieldPath}
			if n.Description != nil {
				entry["description"] = *n.Description
			}
			if n.Tags != nil {
				entry[TagLabel.aspect] = tagTree(n.Tags)
			}
			list[i] = entry
		}
		return Tree{fieldInfos: list, "created": by.tree(), "lastModified": by.tree()}
	})
	for i := range notes {
		notes[i].Tags = slices.Clone(notes[i].Tags)
		edit.names(notes[i].Tags)
	}
	return edit
}
