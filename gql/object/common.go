package object

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// Ownership lists the users and groups that are responsible for an entity.
type Ownership struct {
	Owners       []*Owner    `json:"owners"`
	LastModified *AuditStamp `json:"lastModified"`
}

// Owner is a user or group that is responsible in some way.
type Owner struct {
	OwnerURN      string               `json:"owner"`
	Type          *OwnershipType       `json:"type"`
	TypeURN       string               `json:"typeUrn"`
	Source        *OwnershipSource     `json:"source"`
	Owner         OwnerType            `json:"-"`
	OwnershipType *OwnershipTypeEntity `json:"-"`
	AssociatedURN string               `json:"-"`
	statedLabel
}

func (o *Owner) complete(n *Node, below *Batch) {
	o.AssociatedURN = n.URN
	o.Owner, _ = below.Entity(o.OwnerURN).(OwnerType)
	if o.TypeURN != "" {
		o.OwnershipType = entityAs[*OwnershipTypeEntity](below, o.TypeURN)
	}
}

func (o *Ownership) complete(n *Node, below *Batch) {
	places := labelPlaces{}
	for _, owner := range o.Owners {
		owner.statedLabel = places.next(n, "owner", owner.OwnerURN)
	}
	o.Owners = slices.DeleteFunc(o.Owners, func(owner *Owner) bool {
		owner.complete(n, below)
		return owner.Owner == nil
	})
}

// Ownership reads the owners of the entity.
func (n *Node) Ownership(ctx context.Context) (*Ownership, error) {
	return aspect[Ownership](ctx, n, model.AspectOwnership)
}

// GlobalTags are the tags of an entity or column.
type GlobalTags struct {
	Tags []*TagAssociation `json:"tags"`
}

// TagAssociation is one tag of an entity or column.
type TagAssociation struct {
	TagURN        string `json:"tag"`
	Tag           *Tag   `json:"-"`
	AssociatedURN string `json:"-"`
	statedLabel
}

func (t *GlobalTags) complete(n *Node, below *Batch) {
	places := labelPlaces{}
	for _, a := range t.Tags {
		a.statedLabel = places.next(n, "tag", a.TagURN)
	}
	t.resolve(n, below)
}

// resolve adds the entities that the tags name, also the tags of a column.
func (t *GlobalTags) resolve(n *Node, below *Batch) {
	if t == nil {
		return
	}
	t.Tags = slices.DeleteFunc(t.Tags, func(a *TagAssociation) bool {
		a.Tag, a.AssociatedURN = entityAs[*Tag](below, a.TagURN), n.URN
		return a.Tag == nil
	})
}

// Tags reads the entity's tags.
func (n *Node) Tags(ctx context.Context) (*GlobalTags, error) {
	return aspect[GlobalTags](ctx, n, model.AspectGlobalTags)
}

// GlobalTags is another name of Tags.
func (n *Node) GlobalTags(ctx context.Context) (*GlobalTags, error) { return n.Tags(ctx) }

// GlossaryTerms are the terms of an entity or column.
type GlossaryTerms struct {
	Terms []*GlossaryTermAssociation `json:"terms"`
}

// GlossaryTermAssociation is one term of an entity or column.
type GlossaryTermAssociation struct {
	TermURN       string        `json:"urn"`
	ActorURN      string        `json:"actor"`
	Actor         *CorpUser     `json:"-"`
	Term          *GlossaryTerm `json:"-"`
	AssociatedURN string        `json:"-"`
	statedLabel
}

func (t *GlossaryTerms) complete(n *Node, below *Batch) {
	places := labelPlaces{}
	for _, a := range t.Terms {
		a.statedLabel = places.next(n, "term", a.TermURN)
	}
	t.resolve(n, below)
}

// resolve adds the entities that the terms name, also the terms of a column.
func (t *GlossaryTerms) resolve(n *Node, below *Batch) {
	if t == nil {
		return
	}
	t.Terms = slices.DeleteFunc(t.Terms, func(a *GlossaryTermAssociation) bool {
		a.Term, a.AssociatedURN = entityAs[*GlossaryTerm](below, a.TermURN), n.URN
		if a.ActorURN != "" {
			a.Actor = entityAs[*CorpUser](below, a.ActorURN)
		}
		return a.Term == nil
	})
}

// GlossaryTerms reads the entity's terms.
func (n *Node) GlossaryTerms(ctx context.Context) (*GlossaryTerms, error) {
	return aspect[GlossaryTerms](ctx, n, model.AspectGlossaryTerms)
}

// InstitutionalMemoryMetadata is a link.
type InstitutionalMemoryMetadata struct {
	URL           string                               `json:"url"`
	Description   string                               `json:"description"`
	Created       *AuditStamp                          `json:"createStamp"`
	Updated       *AuditStamp                          `json:"updateStamp"`
	Settings      *InstitutionalMemoryMetadataSettings `json:"settings"`
	Author        *CorpUser                            `json:"-"`
	Actor         ResolvedActor                        `json:"-"`
	AssociatedURN string                               `json:"-"`
}

// Label is the text of the link.
func (m *InstitutionalMemoryMetadata) Label() string { return m.Description }

// InstitutionalMemory contains links to documentation elsewhere.
type InstitutionalMemory struct {
	Elements []*InstitutionalMemoryMetadata `json:"elements"`
}

func (m *InstitutionalMemory) complete(n *Node, below *Batch) {
	for _, e := range m.Elements {
		e.AssociatedURN = n.URN
		if e.Created != nil && e.Created.Actor != nil {
			e.Author = entityAs[*CorpUser](below, *e.Created.Actor)
			e.Actor, _ = below.Entity(*e.Created.Actor).(ResolvedActor)
		}
		if e.Author == nil { // clients need an author also for links of actors that are not users
			e.Author = entityAs[*CorpUser](below, "urn:"+n.key.Namespace()+":corpuser:unknown")
		}
		if e.Actor == nil {
			e.Actor = e.Author
		}
	}
}

// InstitutionalMemory reads the entity's links.
func (n *Node) InstitutionalMemory(ctx context.Context) (*InstitutionalMemory, error) {
	return aspect[InstitutionalMemory](ctx, n, model.AspectInstitutionalMemory)
}

// Deprecation says whether and why an entity should no longer be used.
type Deprecation struct {
	Deprecated       bool    `json:"deprecated"`
	DecommissionTime *int64  `json:"decommissionTime"`
	Note             *string `json:"note"`
	Actor            *string `json:"actor"`
	ReplacementURN   string  `json:"replacement"`
	ActorEntity      Entity  `json:"-"`
	Replacement      Entity  `json:"-"`
}

func (d *Deprecation) complete(_ *Node, below *Batch) {
	d.ActorEntity, d.Replacement = below.Entity(optional.Or(d.Actor, "")), below.Entity(d.ReplacementURN)
}

// Deprecation reads whether the entity should no longer be used.
func (n *Node) Deprecation(ctx context.Context) (*Deprecation, error) {
	return aspect[Deprecation](ctx, n, model.AspectDeprecation)
}

// Status reads whether the entity is soft-deleted.
func (n *Node) Status(ctx context.Context) (*Status, error) {
	return aspect[Status](ctx, n, model.AspectStatus)
}

// SubTypes reads the more precise kinds of the entity.
func (n *Node) SubTypes(ctx context.Context) (*SubTypes, error) {
	return aspect[SubTypes](ctx, n, model.AspectSubTypes)
}

// Embed reads the address at which another tool shows the entity.
func (n *Node) Embed(ctx context.Context) (*Embed, error) {
	return aspect[Embed](ctx, n, model.AspectEmbed)
}

// DomainAssociation is the domain of an entity.
type DomainAssociation struct {
	Domains       []string `json:"domains"`
	Domain        *Domain  `json:"-"`
	AssociatedURN string   `json:"-"`
}

func (d *DomainAssociation) complete(n *Node, below *Batch) {
	d.AssociatedURN = n.URN
	if len(d.Domains) > 0 {
		d.Domain = entityAs[*Domain](below, d.Domains[0])
	}
}

// Domain reads the domain of the entity. If the entity has several domains, Domain reads the
// first.
func (n *Node) Domain(ctx context.Context) (*DomainAssociation, error) {
	d, err := aspect[DomainAssociation](ctx, n, model.AspectDomains)
	if d == nil || d.Domain == nil {
		return nil, err
	}
	return d, err
}

// SiblingProperties names the entities for the same data in other platforms.
type SiblingProperties struct {
	Primary  *bool    `json:"primary"`
	URNs     []string `json:"siblings"`
	Siblings []Entity `json:"-"`
}

// IsPrimary reports whether pages show this entity instead of its siblings.
func (s *SiblingProperties) IsPrimary() *bool { return s.Primary }

func (s *SiblingProperties) complete(_ *Node, below *Batch) {
	for _, urn := range s.URNs {
		s.Siblings = append(s.Siblings, below.Entity(urn))
	}
}

// Siblings reads the entities for the same data in other platforms.
func (n *Node) Siblings(ctx context.Context) (*SiblingProperties, error) {
	return aspect[SiblingProperties](ctx, n, model.AspectSiblings)
}

// platformInstance is an aspect that names a platform and an instance of it.
type platformInstance struct {
	PlatformURN string                `json:"platform"`
	InstanceURN string                `json:"instance"`
	Platform    *DataPlatform         `json:"-"`
	Instance    *DataPlatformInstance `json:"-"`
}

func (p *platformInstance) complete(_ *Node, below *Batch) {
	p.Platform = entityAs[*DataPlatform](below, p.PlatformURN)
	p.Instance = entityAs[*DataPlatformInstance](below, p.InstanceURN)
}

// DataPlatformInstance reads the instance of the platform that has the entity.
func (n *Node) DataPlatformInstance(ctx context.Context) (*DataPlatformInstance, error) {
	p, err := aspect[platformInstance](ctx, n, model.AspectDataPlatformInstance)
	if p == nil {
		return nil, err
	}
	return p.Instance, err
}

// platformKey distinguishes reads of platforms in a batch: of the platforms that the keys of
// the entities name, and of a fixed platform.
type platformKey struct{ fixed string }

// namedPlatform is the platform named fixed. If fixed is "", it is the platform that the key of
// the entity names, such as the tool of a chart.
func (n *Node) namedPlatform(fixed string) (*DataPlatform, error) {
	return related[*DataPlatform](n, platformKey{fixed}, func(owner *Node) string { return owner.platformURN(fixed) })
}

// platformURN is the URN of a platform: of the platform named fixed or, if fixed is "", of the
// platform that the first part of the key names. The name may itself be a URN.
func (n *Node) platformURN(fixed string) string {
	name := n.part(0)
	if fixed != "" {
		name = fixed
	}
	if len(name) > 4 && name[:4] == "urn:" {
		return name
	}
	return "urn:" + n.key.Namespace() + ":dataPlatform:" + name
}

// statedPlatform is the platform that an aspect names, or else the platform "unknown".
func (n *Node) statedPlatform(ctx context.Context) (*DataPlatform, error) {
	return n.platformOr(ctx, "unknown")
}

// platformOr is the platform that an aspect names, or else the platform with the given name.
func (n *Node) platformOr(ctx context.Context, name string) (*DataPlatform, error) {
	p, err := aspect[platformInstance](ctx, n, model.AspectDataPlatformInstance)
	if err != nil {
		return nil, err
	}
	if p != nil && p.Platform != nil {
		return p.Platform, nil
	}
	return n.namedPlatform(name)
}

// toolPlatform is the platform that an aspect names, or else the platform in the first part of
// the key.
func (n *Node) toolPlatform(ctx context.Context) (*DataPlatform, error) {
	p, err := aspect[platformInstance](ctx, n, model.AspectDataPlatformInstance)
	if err != nil {
		return nil, err
	}
	if p != nil && p.Platform != nil {
		return p.Platform, nil
	}
	return n.namedPlatform("")
}

// Custom are the ingested properties. Records that have custom properties embed Custom.
type Custom struct {
	Stored map[string]string `json:"customProperties"`
	owner  string
}

func (c *Custom) own(urn string) { c.owner = urn }

func (c *Custom) complete(n *Node, _ *Batch) { c.own(n.URN) }

// CustomProperties lists the properties by key.
func (c *Custom) CustomProperties() []*CustomPropertiesEntry {
	entries := make([]*CustomPropertiesEntry, 0, len(c.Stored))
	for _, key := range slices.Sorted(maps.Keys(c.Stored)) {
		value := c.Stored[key]
		entries = append(entries, &CustomPropertiesEntry{Key: key, Value: &value, AssociatedUrn: c.owner})
	}
	return entries
}

// Pairs lists a map by key.
func Pairs(m map[string]string) []*StringMapEntry {
	entries := make([]*StringMapEntry, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		value := m[key]
		entries = append(entries, &StringMapEntry{Key: key, Value: &value})
	}
	return entries
}

// Described is a description of an entity that people wrote in the catalog.
type Described struct {
	Description *string `json:"description"`
}

// Exists reports whether anything is stored of the entity.
func (n *Node) Exists(ctx context.Context) (*bool, error) {
	return batched(n, "exists", func(nodes []*Node) (map[*Node]*bool, error) {
		stored, err := n.batch.session.Catalog.Existing(ctx, keysOf(n.batch.nodes))
		if err != nil {
			return nil, err
		}
		exists := make(map[*Node]*bool, len(nodes))
		for _, node := range nodes {
			answer := stored[node.key]
			exists[node] = &answer
		}
		return exists, nil
	})
}

// LastIngested is the time at which an ingestion run last stated one of the aspects that the
// schema shows, in epoch milliseconds.
func (n *Node) LastIngested(ctx context.Context) (*int64, error) {
	if err := n.batch.load(ctx, n.kind.allAspects()...); err != nil {
		return nil, err
	}
	n.batch.loading.Lock()
	defer n.batch.loading.Unlock()
	var last *int64
	for _, a := range n.aspects {
		if a.System == nil || a.System.RunID == "" || a.System.RunID == catalog.NoRunID {
			continue
		}
		if at := a.System.LastObserved; last == nil || at > *last {
			last = &at
		}
	}
	return last, nil
}

// Aspects reads the stored values unchanged.
func (n *Node) Aspects(ctx context.Context, input *AspectParams) ([]*RawAspect, error) {
	if input != nil && input.AutoRenderOnly != nil && *input.AutoRenderOnly {
		return []*RawAspect{}, nil // the model marks no aspect for this list
	}
	all, err := batched(n, "all aspects", func(nodes []*Node) (map[*Node]map[string]json.RawMessage, error) {
		found, err := n.batch.session.Catalog.Entities(ctx, keysOf(n.batch.nodes), nil)
		if err != nil {
			return nil, err
		}
		values := make(map[*Node]map[string]json.RawMessage, len(nodes))
		for _, node := range nodes {
			values[node] = map[string]json.RawMessage{}
			for name, a := range found[node.URN].Aspects {
				values[node][name] = a.Value
			}
		}
		return values, nil
	})
	raw := make([]*RawAspect, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		payload := string(all[name])
		raw = append(raw, &RawAspect{AspectName: name, Payload: &payload})
	}
	return raw, err
}
