package marquez

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// entry is an entity in a list.
type entry struct {
	urn string
	id  ID
}

func urnsOf(of []entry) []string {
	urns := make([]string, len(of))
	for i := range of {
		urns[i] = of[i].urn
	}
	return urns
}

// entries lists the entities of a type that the caller may see and that have a name, ordered by it. A list looks
// at the first entities by URN, as many as limits.MarquezListed. If the prefix is not "", only entities whose URNs
// begin so are looked at. Of several entities with one name, the first by URN counts.
func (s *Service) entries(ctx context.Context, entityType, prefix string) ([]entry, error) {
	var urns []string
	var err error
	if prefix == "" {
		urns, _, err = s.store.ListEntities(ctx, entityType, graphstore.Page{Count: limits.MarquezListed})
	} else {
		urns, err = s.store.WithPrefix(ctx, prefix, limits.MarquezListed)
	}
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	known, err := s.existing(ctx, urns)
	if err != nil {
		return nil, err
	}
	urns = slices.DeleteFunc(urns, func(urn string) bool { return !known[urn] })
	names, err := s.named(ctx, urns)
	if err != nil {
		return nil, err
	}
	var found []entry
	for _, urn := range urns {
		if id, ok := names[urn]; ok {
			found = append(found, entry{urn, id})
		}
	}
	slices.SortStableFunc(found, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.id.Namespace, b.id.Namespace), cmp.Compare(a.id.Name, b.id.Name))
	})
	return slices.CompactFunc(found, func(a, b entry) bool { return a.id == b.id }), nil
}

// datasetsOf lists the datasets of a namespace. The platform of a dataset follows from its namespace, so that only
// the datasets of one platform are looked at.
func (s *Service) datasetsOf(ctx context.Context, namespace string) ([]entry, error) {
	prefix := datasetBeginning + "(" + beginningOf(model.EntityDataPlatform) + s.names.PlatformPart(namespace) + ","
	all, err := s.entries(ctx, model.EntityDataset, prefix)
	return inNamespace(all, namespace), err
}

func (s *Service) jobsOf(ctx context.Context, namespace string) ([]entry, error) {
	all, err := s.entries(ctx, model.EntityDataJob, "")
	return inNamespace(all, namespace), err
}

func inNamespace(all []entry, namespace string) []entry {
	return slices.DeleteFunc(all, func(e entry) bool { return e.id.Namespace != namespace })
}

// Namespace is a namespace of datasets and jobs.
type Namespace struct {
	Name string `json:"name"`
	// CreatedAt and UpdatedAt are when the catalog was told of its first and of its latest entity.
	CreatedAt *string `json:"createdAt"`
	UpdatedAt *string `json:"updatedAt"`
	// OwnerName is always anonymous: namespaces have no owners here.
	OwnerName   string  `json:"ownerName"`
	Description *string `json:"description"`
	IsHidden    bool    `json:"isHidden"`
}

// Namespaces is a page of namespaces.
type Namespaces struct {
	Namespaces []Namespace `json:"namespaces"`
}

// Namespaces lists the namespaces that have a dataset or a job that the caller may see, by name.
func (s *Service) Namespaces(ctx context.Context, p Page) (*Namespaces, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	datasets, err := s.entries(ctx, model.EntityDataset, "")
	if err != nil {
		return nil, err
	}
	jobs, err := s.entries(ctx, model.EntityDataJob, "")
	if err != nil {
		return nil, err
	}
	found, err := s.namespacesOf(ctx, slices.Concat(datasets, jobs))
	return &Namespaces{pageOf(found, p)}, err
}

// namespacesOf collects the namespaces of entities.
func (s *Service) namespacesOf(ctx context.Context, of []entry) ([]Namespace, error) {
	times, err := s.aspectsOf(ctx, urnsOf(of), model.AspectDatasetKey, model.AspectDataJobKey)
	if err != nil {
		return nil, err
	}
	type span struct{ first, last int64 }
	spans, order := map[string]span{}, []string{}
	for _, e := range of {
		known, ok := spans[e.id.Namespace]
		if !ok {
			order = append(order, e.id.Namespace)
		}
		if at := times[e.urn].created; at != 0 {
			if known.first == 0 || at < known.first {
				known.first = at
			}
			known.last = max(known.last, at)
		}
		spans[e.id.Namespace] = known
	}
	slices.Sort(order)
	found := []Namespace{}
	for _, name := range order {
		found = append(found, Namespace{Name: name, CreatedAt: moment(spans[name].first), UpdatedAt: moment(spans[name].last), OwnerName: "anonymous"})
	}
	return found, nil
}

// noNamespace is the error of a namespace that has no entity that the caller may see.
func noNamespace(name string) error {
	return catalog.Errorf(catalog.NotFound, "there is no namespace %q", name)
}

// Namespace returns a namespace. It fails with NotFound if the caller may see no dataset and no job in it.
func (s *Service) Namespace(ctx context.Context, name string) (*Namespace, error) {
	datasets, err := s.datasetsOf(ctx, name)
	if err != nil {
		return nil, err
	}
	jobs, err := s.jobsOf(ctx, name)
	if err != nil {
		return nil, err
	}
	found, err := s.namespacesOf(ctx, slices.Concat(datasets, jobs))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, noNamespace(name)
	}
	return &found[0], nil
}

// requireNamespace fails with NotFound if a list is empty because there is no such namespace.
func (s *Service) requireNamespace(ctx context.Context, name string, listed int) error {
	if listed > 0 {
		return nil
	}
	_, err := s.Namespace(ctx, name)
	return err
}

// Tag is a tag.
type Tag struct {
	Name        string  `json:"name"`
	Description *string `json:"description"`
}

// Tags is a page of tags.
type Tags struct {
	Tags []Tag `json:"tags"`
}

// Tags lists the tags that the caller may see.
func (s *Service) Tags(ctx context.Context, p Page) (*Tags, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	urns, _, err := s.store.ListEntities(ctx, model.EntityTag, graphstore.Page{Count: limits.MarquezListed})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	known, err := s.existing(ctx, urns)
	if err != nil {
		return nil, err
	}
	urns = pageOf(slices.DeleteFunc(urns, func(urn string) bool { return !known[urn] }), p)
	values, err := s.aspectsOf(ctx, urns, model.AspectTagProperties)
	if err != nil {
		return nil, err
	}
	tags := []Tag{}
	for _, urn := range urns {
		text := valueIn[struct{ Description string }](values[urn], model.AspectTagProperties).Description
		tags = append(tags, Tag{Name: tagName(urn), Description: textOrNil(text)})
	}
	return &Tags{tags}, nil
}
