package object

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/model"
)

// Chart is a chart of a dashboard tool.
type Chart struct{ *Node }

// Tool is the tool that has the chart.
func (c *Chart) Tool() string { return c.part(0) }

// ChartID is the name of the chart in the tool.
func (c *Chart) ChartID() string { return c.part(1) }

// Platform is the platform of the chart.
func (c *Chart) Platform(ctx context.Context) (*DataPlatform, error) { return c.toolPlatform(ctx) }

// changeStamps are the stamps of the creation, last change and deletion of an entity.
type changeStamps struct {
	Created      *AuditStamp `json:"created"`
	LastModified *AuditStamp `json:"lastModified"`
	Deleted      *AuditStamp `json:"deleted"`
}

// ChangeStamps are the stamps of a chart or dashboard. Records that have stamps embed
// ChangeStamps.
type ChangeStamps struct {
	Stamps changeStamps `json:"lastModified"`
}

// Created says when the tool created the entity.
func (s *ChangeStamps) Created() *AuditStamp { return s.Stamps.Created }

// LastModified says when the entity was last changed in its tool.
func (s *ChangeStamps) LastModified() *AuditStamp { return s.Stamps.LastModified }

// Deleted says when the entity was deleted in its tool.
func (s *ChangeStamps) Deleted() *AuditStamp { return s.Stamps.Deleted }

// ChartProperties are the properties that the tool states for a chart.
type ChartProperties struct {
	Name          string            `json:"title"`
	Description   *string           `json:"description"`
	URL           *string           `json:"chartUrl"`
	StatedURL     *string           `json:"externalUrl"`
	Type          *ChartType        `json:"type"`
	Access        *AccessLevel      `json:"access"`
	LastRefreshed *int64            `json:"lastRefreshed"`
	StoredInputs  []json.RawMessage `json:"inputs"`
	InputEdges    []destination     `json:"inputEdges"`
	Inputs        []*Dataset        `json:"-"`
	ChangeStamps
	Custom
}

// destination is the stored form of an edge.
type destination struct {
	URN string `json:"destinationUrn"`
}

// ExternalURL is the address at which the tool shows the chart.
func (p *ChartProperties) ExternalURL() *string { return either(p.StatedURL, p.URL) }

func either(a, b *string) *string {
	if a != nil {
		return a
	}
	return b
}

func (p *ChartProperties) complete(n *Node, below *Batch) {
	p.own(n.URN)
	for _, input := range p.StoredInputs {
		var union map[string]string
		if json.Unmarshal(input, &union) == nil {
			for _, urn := range union {
				p.Inputs = append(p.Inputs, entitiesAs[*Dataset](below, []string{urn})...)
			}
		}
	}
	if len(p.StoredInputs) == 0 {
		p.Inputs = entitiesAs[*Dataset](below, destinations(p.InputEdges))
	}
}

func destinations(edges []destination) []string {
	urns := make([]string, len(edges))
	for i, e := range edges {
		urns[i] = e.URN
	}
	return urns
}

// Properties are the properties that the tool states for the chart.
func (c *Chart) Properties(ctx context.Context) (*ChartProperties, error) {
	return aspect[ChartProperties](ctx, c.Node, model.AspectChartInfo)
}

// Info is the deprecated form of the properties.
func (c *Chart) Info(ctx context.Context) (*ChartProperties, error) { return c.Properties(ctx) }

// EditableProperties are the properties of the chart that people wrote in the catalog.
func (c *Chart) EditableProperties(ctx context.Context) (*Described, error) {
	return aspect[Described](ctx, c.Node, model.AspectEditableChartProperties)
}

// EditableInfo is the deprecated name of EditableProperties.
func (c *Chart) EditableInfo(ctx context.Context) (*Described, error) {
	return c.EditableProperties(ctx)
}

// Query is the statement that the chart shows.
func (c *Chart) Query(ctx context.Context) (*ChartQuery, error) {
	return aspect[ChartQuery](ctx, c.Node, model.AspectChartQuery)
}

// Dashboard is a group of charts shown together.
type Dashboard struct{ *Node }

// Tool is the tool that has the dashboard.
func (d *Dashboard) Tool() string { return d.part(0) }

// DashboardID is the name of the dashboard in the tool.
func (d *Dashboard) DashboardID() string { return d.part(1) }

// Platform is the platform of the dashboard.
func (d *Dashboard) Platform(ctx context.Context) (*DataPlatform, error) { return d.toolPlatform(ctx) }

// DashboardProperties are the properties that the tool states for a dashboard.
type DashboardProperties struct {
	Name          string        `json:"title"`
	Description   *string       `json:"description"`
	URL           *string       `json:"dashboardUrl"`
	StatedURL     *string       `json:"externalUrl"`
	Access        *AccessLevel  `json:"access"`
	LastRefreshed *int64        `json:"lastRefreshed"`
	ChartURNs     []string      `json:"charts"`
	ChartEdges    []destination `json:"chartEdges"`
	Charts        []*Chart      `json:"-"`
	ChangeStamps
	Custom
}

// ExternalURL is the address at which the tool shows the dashboard.
func (p *DashboardProperties) ExternalURL() *string { return either(p.StatedURL, p.URL) }

func (p *DashboardProperties) complete(n *Node, below *Batch) {
	p.own(n.URN)
	urns := p.ChartURNs
	if len(urns) == 0 {
		urns = destinations(p.ChartEdges)
	}
	p.Charts = entitiesAs[*Chart](below, urns)
}

// Properties are the properties that the tool states for the dashboard.
func (d *Dashboard) Properties(ctx context.Context) (*DashboardProperties, error) {
	return aspect[DashboardProperties](ctx, d.Node, model.AspectDashboardInfo)
}

// Info is the deprecated form of the properties.
func (d *Dashboard) Info(ctx context.Context) (*DashboardProperties, error) { return d.Properties(ctx) }

// EditableProperties are the properties of the dashboard that people wrote in the catalog.
func (d *Dashboard) EditableProperties(ctx context.Context) (*Described, error) {
	return aspect[Described](ctx, d.Node, model.AspectEditableDashboardProperties)
}

// EditableInfo is the deprecated name of EditableProperties.
func (d *Dashboard) EditableInfo(ctx context.Context) (*Described, error) {
	return d.EditableProperties(ctx)
}
