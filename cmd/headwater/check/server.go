package check

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// entitiesAtOnce is how many entities one request asks for: their URNs are in its address.
const entitiesAtOnce = 20

// server is a catalog behind a server. It only reads.
type server struct {
	client *client.Client
	// paths are the paths of the columns of datasets, by the dataset and by the column's name in lower case.
	paths map[string]map[string][]string
}

// Readers returns the readers of a column, as the server's impact says.
func (s *server) Readers(ctx context.Context, dataset, column, kind string) ([]change.Affected, error) {
	if plain := model.PlainPath(column); plain != column {
		return s.readersOfField(ctx, dataset, plain, kind)
	}
	names := []string{column}
	for _, other := range []string{strings.ToLower(column), strings.ToUpper(column)} {
		if !slices.Contains(names, other) {
			names = append(names, other)
		}
	}
	for _, name := range names {
		found, err := s.impact(ctx, dataset, url.Values{"hops": {"1"}, "column": {name}, "change": {kind}})
		if err != nil || found != nil {
			return found, err
		}
	}
	return nil, nil
}

// readersOfField returns the readers of a field, under each path that the catalog has for its name: one for each type in a union.
func (s *server) readersOfField(ctx context.Context, dataset, name, kind string) ([]change.Affected, error) {
	if s.paths == nil {
		s.paths = map[string]map[string][]string{}
	}
	paths := s.paths[dataset]
	if paths == nil {
		paths = map[string][]string{}
		err := s.each(ctx, []string{dataset}, []string{model.AspectSchemaMetadata}, func(_ string, e client.Entity) {
			var schema struct{ Fields []struct{ FieldPath string } }
			_ = json.Unmarshal(e.Aspects[model.AspectSchemaMetadata].Value, &schema) // another value has no columns
			for _, f := range schema.Fields {
				plain := strings.ToLower(model.PlainPath(f.FieldPath))
				paths[plain] = append(paths[plain], f.FieldPath)
			}
		})
		if err != nil {
			return nil, err
		}
		s.paths[dataset] = paths
	}
	var all []change.Affected
	for _, path := range paths[strings.ToLower(name)] {
		found, err := s.impact(ctx, dataset, url.Values{"hops": {"1"}, "column": {path}, "change": {kind}})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// Behind returns the entities downstream of an entity.
func (s *server) Behind(ctx context.Context, urn string, direct bool) ([]change.Affected, error) {
	hops := "0"
	if direct {
		hops = "1"
	}
	return s.impact(ctx, urn, url.Values{"hops": {hops}})
}

// impact asks for the impact of an entity. The answer is nil if the catalog does not have it.
func (s *server) impact(ctx context.Context, urn string, query url.Values) ([]change.Affected, error) {
	var answer lineage.Impact
	err := s.client.Get(ctx, "/impact/"+model.EncodeURN(urn)+"?"+query.Encode(), &answer)
	var refused *client.Error
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	people := map[string]change.Owner{}
	for _, o := range answer.Owners {
		people[o.URN] = change.Owner{URN: o.URN, Name: o.Name, Email: o.Email}
	}
	found := []change.Affected{}
	for i := range answer.Entities {
		e := &answer.Entities[i]
		a := change.Affected{Effect: change.Certain, Impact: change.Impact{URN: e.URN, Name: e.Name, Type: e.Type, Platform: strings.TrimPrefix(e.Platform, "urn:li:dataPlatform:"), Owners: []change.Owner{}, Why: e.Why}}
		if e.Effect == lineage.EffectPossible {
			a.Effect = change.Possible
		}
		if a.Name == "" {
			a.Name = e.URN
		}
		for _, owner := range e.Owners {
			if known, ok := people[owner]; ok {
				a.Owners = append(a.Owners, known)
			} else {
				a.Owners = append(a.Owners, change.Owner{URN: owner})
			}
		}
		found = append(found, a)
	}
	return found, nil
}

// each reads aspects of entities, some at once.
func (s *server) each(ctx context.Context, urns, aspects []string, take func(urn string, e client.Entity)) error {
	urns = slices.Compact(slices.Sorted(slices.Values(urns)))
	urns = slices.DeleteFunc(urns, func(urn string) bool { _, err := model.ParseURN(urn); return err != nil })
	for some := range slices.Chunk(urns, entitiesAtOnce) {
		entities, err := s.client.Entities(ctx, some, aspects)
		if err != nil {
			return err
		}
		for _, urn := range some {
			if e, ok := entities[urn]; ok {
				take(urn, e)
			}
		}
	}
	return nil
}

// Tables returns the columns of tables.
func (s *server) Tables(ctx context.Context, urns []string) (map[string]*change.Table, error) {
	found := map[string]*change.Table{}
	err := s.each(ctx, urns, []string{model.AspectSchemaMetadata, model.AspectEditableSchemaMetadata}, func(urn string, e client.Entity) {
		if schema, ok := e.Aspects[model.AspectSchemaMetadata]; ok {
			edited := e.Aspects[model.AspectEditableSchemaMetadata].Value
			found[urn] = &change.Table{URN: urn, Columns: change.ColumnsOf(schema.Value, edited), Fields: change.FieldsOf(schema.Value, edited)}
		}
	})
	return found, err
}

// Attached returns the forms and structured properties of a dataset, or of a column.
func (s *server) Attached(ctx context.Context, dataset, column string) (change.Attached, error) {
	var found change.Attached
	plain := model.PlainPath(column)
	owners := []string{dataset}
	if column != "" {
		paths := []string{column}
		if plain != column {
			if _, err := s.readersOfField(ctx, dataset, plain, change.Drop); err != nil { // it reads the paths
				return found, err
			}
			paths = s.paths[dataset][strings.ToLower(plain)]
		}
		for _, path := range paths {
			owners = append(owners, "urn:li:"+model.EntitySchemaField+":("+dataset+","+model.EncodeFieldPath(path)+")")
		}
	}
	add := func(list *[]change.AttachedTo, urn string) {
		if !slices.ContainsFunc(*list, func(a change.AttachedTo) bool { return a.URN == urn }) {
			*list = append(*list, change.AttachedTo{URN: urn, Name: urn[strings.LastIndexByte(urn, ':')+1:]})
		}
	}
	err := s.each(ctx, owners, []string{model.AspectForms, model.AspectStructuredProperties}, func(urn string, e client.Entity) {
		var facts struct {
			Incomplete []change.FormState `json:"incompleteForms"`
			Complete   []change.FormState `json:"completedForms"`
			Properties []struct{ PropertyURN string }
		}
		for _, aspect := range e.Aspects {
			_ = json.Unmarshal(aspect.Value, &facts) // other members are left out
		}
		forms := slices.Concat(facts.Incomplete, facts.Complete)
		for i := range forms {
			if column == "" || forms[i].Asks(plain) {
				add(&found.Forms, forms[i].URN)
			}
		}
		for _, p := range facts.Properties {
			if column == "" || urn != dataset {
				add(&found.Properties, p.PropertyURN)
			}
		}
	})
	if err != nil {
		return found, err
	}
	var urns []string
	for _, list := range [][]change.AttachedTo{found.Forms, found.Properties} {
		for _, one := range list {
			urns = append(urns, one.URN)
		}
	}
	err = s.each(ctx, urns, []string{model.AspectFormInfo, model.AspectPropertyDefinition}, func(urn string, e client.Entity) {
		var facts struct{ Name, DisplayName, QualifiedName string }
		for _, aspect := range e.Aspects {
			_ = json.Unmarshal(aspect.Value, &facts) // other members are left out
		}
		for _, list := range [][]change.AttachedTo{found.Forms, found.Properties} {
			for i := range list {
				if list[i].URN == urn {
					list[i].Name = cmp.Or(facts.Name, facts.DisplayName, facts.QualifiedName, list[i].Name)
				}
			}
		}
	})
	return found, err
}

// Labels returns the columns with labels of personal data.
func (s *server) Labels(ctx context.Context) (map[string]map[string][]string, error) {
	var answer struct {
		Columns []struct {
			Dataset, Path string
			Tags, Terms   []string
		}
		Personal []string
	}
	if err := s.client.Get(ctx, "/columns?personal=true&count="+strconv.Itoa(limits.MaxFoundColumns), &answer); err != nil {
		return nil, err
	}
	found := map[string]map[string][]string{}
	for _, c := range answer.Columns {
		for _, label := range slices.Concat(c.Tags, c.Terms) {
			if slices.Contains(answer.Personal, label) || change.IsPersonal(label) {
				if found[c.Dataset] == nil {
					found[c.Dataset] = map[string][]string{}
				}
				name := strings.ToLower(c.Path)
				found[c.Dataset][name] = append(found[c.Dataset][name], label)
			}
		}
	}
	return found, nil
}

// Details returns the owners and domains of entities.
func (s *server) Details(ctx context.Context, urns []string) (map[string]change.Details, error) {
	found, people := map[string]change.Details{}, map[string]change.Owner{}
	var owners []string
	err := s.each(ctx, urns, []string{model.AspectOwnership, model.AspectDomains}, func(urn string, e client.Entity) {
		var facts struct {
			Owners  []struct{ Owner string }
			Domains []string
		}
		for _, aspect := range e.Aspects {
			_ = json.Unmarshal(aspect.Value, &facts) // other members are left out
		}
		d := change.Details{Domains: facts.Domains}
		for _, o := range facts.Owners {
			d.Owners = append(d.Owners, change.Owner{URN: o.Owner})
			owners = append(owners, o.Owner)
		}
		found[urn] = d
	})
	if err != nil {
		return nil, err
	}
	err = s.each(ctx, owners, []string{model.AspectCorpUserInfo, model.AspectCorpGroupInfo}, func(urn string, e client.Entity) {
		var facts struct{ DisplayName, FullName, Email string }
		for _, aspect := range e.Aspects {
			_ = json.Unmarshal(aspect.Value, &facts) // other members are left out
		}
		if facts.DisplayName == "" {
			facts.DisplayName = facts.FullName
		}
		people[urn] = change.Owner{URN: urn, Name: facts.DisplayName, Email: facts.Email}
	})
	for _, d := range found {
		for i := range d.Owners {
			if known, ok := people[d.Owners[i].URN]; ok {
				d.Owners[i] = known
			}
		}
	}
	return found, err
}
