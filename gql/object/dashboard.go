package object

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/model"
)

// Chart is a chart of a dashboard tool.
type Chart struct{ *Node }

// Tool is the dashboard tool.
func (c *Chart) Tool() string { return c.part(0) }

// ChartID is its name in the tool.
func (c *Chart) ChartID() string { return c.part(1) }

// Platform is where it is.
func (c *Chart) Platform(ctx context.Context) (*DataPlatform, error) { return c.toolPlatform(ctx) }

// changeStamps are when something was created, changed and deleted.
type changeStamps struct {
	Created      *AuditStamp `json:"created"`
	LastModified *AuditStamp `json:"lastModified"`
	Deleted      *AuditStamp `json:"deleted"`
}

// ChangeStamps are the stamps of a chart or dashboard. Records that have them
// embed it.
type ChangeStamps struct {
	Stamps changeStamps `json:"lastModified"`
}

// Created is when it was created in its tool.
func (s *ChangeStamps) Created() *AuditStamp { return s.Stamps.Created }

// LastModified is when it was last changed in its tool.
func (s *ChangeStamps) LastModified() *AuditStamp { return s.Stamps.LastModified }

// Deleted is when it was deleted in its tool.
func (s *ChangeStamps) Deleted() *AuditStamp { return s.Stamps.Deleted }

// ChartProperties are what the tool states about a chart.
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

// ExternalURL is where the tool shows it.
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

// Properties are what the tool says.
func (c *Chart) Properties(ctx context.Context) (*ChartProperties, error) {
	return aspect[ChartProperties](ctx, c.Node, model.AspectChartInfo)
}

// Info is the deprecated form of the properties.
func (c *Chart) Info(ctx context.Context) (*ChartProperties, error) { return c.Properties(ctx) }

// EditableProperties are what people wrote in the catalog.
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

// Tool is the dashboard tool.
func (d *Dashboard) Tool() string { return d.part(0) }

// DashboardID is its name in the tool.
func (d *Dashboard) DashboardID() string { return d.part(1) }

// Platform is where it is.
func (d *Dashboard) Platform(ctx context.Context) (*DataPlatform, error) { return d.toolPlatform(ctx) }

// DashboardProperties are what the tool states about a dashboard.
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

// ExternalURL is where the tool shows it.
func (p *DashboardProperties) ExternalURL() *string { return either(p.StatedURL, p.URL) }

func (p *DashboardProperties) complete(n *Node, below *Batch) {
	p.own(n.URN)
	urns := p.ChartURNs
	if len(urns) == 0 {
		urns = destinations(p.ChartEdges)
	}
	p.Charts = entitiesAs[*Chart](below, urns)
}

// Properties are what the tool says.
func (d *Dashboard) Properties(ctx context.Context) (*DashboardProperties, error) {
	return aspect[DashboardProperties](ctx, d.Node, model.AspectDashboardInfo)
}

// Info is the deprecated form of the properties.
func (d *Dashboard) Info(ctx context.Context) (*DashboardProperties, error) { return d.Properties(ctx) }

// EditableProperties are what people wrote in the catalog.
func (d *Dashboard) EditableProperties(ctx context.Context) (*Described, error) {
	return aspect[Described](ctx, d.Node, model.AspectEditableDashboardProperties)
}

// EditableInfo is the deprecated name of EditableProperties.
func (d *Dashboard) EditableInfo(ctx context.Context) (*Described, error) {
	return d.EditableProperties(ctx)
}
