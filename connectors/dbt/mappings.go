package dbt

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/dbt"
	"github.com/headwater-io/headwater/connectors/internal/settings"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
)

// mappings reads the rules, and how owners and tags are named.
func mappings(r *settings.Reader) dbt.Mappings {
	prefix := r.Text("tag_prefix", "dbt:")
	return dbt.Mappings{
		Meta: rules(r, "meta_mapping"), Columns: rules(r, "column_meta_mapping"), QueryTag: rules(r, "query_tag_mapping"),
		Off: !r.Bool("enable_meta_mapping", true), QueryTagOff: !r.Bool("enable_query_tag_mapping", true),
		StripEmails: r.Bool("strip_user_ids_from_email", false), NoOwners: !r.Bool("enable_owner_extraction", true), TagPrefix: &prefix,
		OwnerPattern: ownerPattern(r),
	}
}

// ownerPattern reads the expression whose group owner is the owner, nil if there is none.
func ownerPattern(r *settings.Reader) *regexp.Regexp {
	const name = "owner_extraction_pattern"
	text := r.Text(name, "")
	if text == "" {
		return nil
	}
	pattern := r.Expression(name, "", text)
	if pattern != nil && pattern.SubexpIndex("owner") < 0 {
		r.Fail(name, "must have a group of the name owner, as in (?P<owner>[a-z]+)")
	}
	return pattern
}

// rules reads a mapping, in the order of the names of its properties.
func rules(r *settings.Reader, setting string) []dbt.Rule {
	mapping := r.Section(setting)
	names := mapping.Names()
	if len(names) > limits.DBTRules {
		r.Fail(setting, fmt.Sprintf("has %d rules, more than %d", len(names), limits.DBTRules))
		return nil
	}
	var all []dbt.Rule
	for _, name := range names {
		all = append(all, rule(name, mapping.Section(name)))
	}
	return all
}

// rule reads a rule.
func rule(property string, r *settings.Reader) dbt.Rule {
	one := dbt.Rule{Property: property, Match: r.JSON("match"), Operation: r.Text("operation", "")}
	switch {
	case one.Match == nil:
		r.Fail("match", "is missing: the value that the rule is for")
	case one.Match[0] == '[' || one.Match[0] == '{':
		r.Fail("match", "must be a text, a number, or true or false")
	default:
		one.Matching = r.Expression("match", "", dbt.MatchText(one.Match))
	}
	config := r.Section("config")
	text := func(name string) string {
		text := config.Text(name, "")
		if text == "" {
			config.Fail(name, "is missing")
		}
		return text
	}
	switch one.Operation {
	case dbt.AddTag:
		one.Text = text("tag")
	case dbt.AddTerm:
		one.Text = text("term")
	case dbt.AddDomain:
		one.Text = text("domain")
	case dbt.AddDocLink:
		one.Text, one.Description = text("link"), text("description")
	case dbt.AddTerms:
		if one.Separator = config.Text("separator", ","); one.Separator == "" {
			config.Fail("separator", "is missing or empty")
		}
	case dbt.AddOwner:
		one.Group = config.OneOf("owner_type", "user", "user", "group") == "group"
		one.Ownership = ownershipType(config)
	case dbt.AddProperty:
		property := text("structured_property_urn")
		urn, is := dbt.PropertyURN(property)
		if !is && property != "" {
			config.Fail("structured_property_urn", fmt.Sprintf("%q is not the URN of a structured property", property))
		}
		one.PropertyURN, one.Value = urn, value(config)
		one.Number = config.Text("value_type", "") == "number"
	case "":
		r.Fail("operation", "is missing: one of "+strings.Join(dbt.Operations(), ", "))
	default:
		r.Fail("operation", unknown(one.Operation, "is not an operation", dbt.Operations()))
	}
	return one
}

// value reads the value of a structured property.
func value(config *settings.Reader) json.RawMessage {
	text := config.JSON("value")
	if text != nil && text[0] == '{' {
		config.Fail("value", "must be a text, a number, true or false, or a list of those")
		return nil
	}
	return text
}

// ownershipType reads the type of ownership.
func ownershipType(config *settings.Reader) string {
	kind := config.Text("owner_category", "")
	switch {
	case kind == "" || strings.HasPrefix(kind, "urn:li:ownershipType:"):
	case strings.HasPrefix(kind, "urn:li:"):
		config.Fail("owner_category", fmt.Sprintf("%q is not the URN of a type of ownership", kind))
	case !slices.Contains(dbt.OwnershipTypes(), strings.ToUpper(kind)):
		config.Fail("owner_category", unknown(kind, "is not a type of ownership", dbt.OwnershipTypes()))
	}
	return kind
}

// unknown says that a name is not a known one, and names the nearest known name.
func unknown(name, says string, known []string) string {
	if near := nearest.Names(name, slices.Values(known)); len(near) > 0 {
		return fmt.Sprintf("%q %s; did you mean %s?", name, says, near[0])
	}
	return fmt.Sprintf("%q %s; known are %s", name, says, strings.Join(known, ", "))
}
