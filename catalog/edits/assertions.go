package edits

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// CustomAssertion is a condition that another tool checks.
type CustomAssertion struct {
	// Entity is the entity that the condition is about, and Fields are the paths of its columns.
	Entity model.URN
	Fields []string
	// Type is the kind of condition, in the words of the tool.
	Type, Description string
	// Platform is the tool that checks the condition.
	Platform model.URN
	// ExternalURL and Logic are left out if they are nil.
	ExternalURL, Logic *string
	// Further has more members of the condition, in the form of the aspect.
	Further catalog.Tree
}

// PutCustomAssertion creates or replaces an assertion and returns its URN. The
// zero URN creates one.
func (s *Service) PutCustomAssertion(ctx context.Context, urn model.URN, c CustomAssertion, o catalog.WriteOptions) (model.URN, error) {
	if err := s.writer.RequireExisting(ctx, c.Entity); err != nil {
		return model.URN{}, err
	}
	if err := catalog.RequireType(c.Platform, model.EntityDataPlatform); err != nil {
		return model.URN{}, err
	}
	created, by, err := s.newURN(model.EntityAssertion, "", o)
	if err != nil {
		return model.URN{}, err
	}
	if urn.IsZero() {
		urn = created
	} else if err := catalog.RequireType(urn, model.EntityAssertion); err != nil {
		return model.URN{}, err
	}
	condition, err := c.condition()
	if err != nil {
		return model.URN{}, err
	}
	info := catalog.Tree{
		"type": "CUSTOM", "customAssertion": condition, "description": c.Description, "entityUrn": c.Entity.String(),
		"source": catalog.Tree{"type": "EXTERNAL", "created": by.Tree()}, "lastUpdated": by.Tree(),
	}
	setTexts(info, map[string]*string{"externalUrl": c.ExternalURL})
	what, err := proposalOf(urn, model.AspectAssertionInfo, info)
	if err != nil {
		return model.URN{}, err
	}
	checker, err := proposalOf(urn, model.AspectDataPlatformInstance, catalog.Tree{"platform": c.Platform.String()})
	if err != nil {
		return model.URN{}, err
	}
	return urn, s.writer.IngestTogether(ctx, []write.Proposal{what, checker}, o)
}

// condition returns the condition in the form of the aspect.
func (c *CustomAssertion) condition() (catalog.Tree, error) {
	condition := catalog.Tree{"type": c.Type, "entity": c.Entity.String()}
	setTexts(condition, map[string]*string{"logic": c.Logic})
	for name, value := range c.Further {
		condition[name] = value
	}
	var columns []any
	for _, path := range c.Fields {
		column, err := model.ColumnURN(c.Entity, path)
		if err != nil {
			return nil, catalog.Errorf(catalog.Invalid, "the column %q: %w", path, err)
		}
		columns = append(columns, column.String())
	}
	switch len(columns) {
	case 0:
	case 1:
		condition["field"] = columns[0]
	default:
		condition["fields"] = columns
	}
	return condition, nil
}

// AssertionResult is the result of one evaluation of an assertion.
type AssertionResult struct {
	Assertion model.URN
	// Type is SUCCESS, FAILURE, ERROR or INIT. Severity says how bad a failure is, "" if that is
	// not known.
	Type, Severity string
	// Time is epoch milliseconds, now when nil.
	Time *int64
	// Properties are further facts that the tool reports.
	Properties  map[string]string
	ExternalURL *string
	// ErrorType and ErrorMessage say why the evaluation could not be completed.
	ErrorType, ErrorMessage string
}

// ReportAssertion stores the result of an evaluation of an assertion, which must name its entity.
func (s *Service) ReportAssertion(ctx context.Context, r AssertionResult, o catalog.WriteOptions) error {
	if err := s.requireFound(ctx, r.Assertion, model.EntityAssertion); err != nil {
		return err
	}
	about, err := s.assertee(ctx, r.Assertion)
	if err != nil {
		return err
	}
	at := optional.Or(r.Time, s.now().UnixMilli())
	result := catalog.Tree{"type": r.Type}
	setTexts(result, map[string]*string{"externalUrl": r.ExternalURL})
	if len(r.Properties) > 0 {
		result["nativeResults"] = r.Properties
	}
	if r.Severity != "" {
		result["severity"] = r.Severity
	}
	if r.ErrorType != "" {
		result["error"] = catalog.Tree{"type": r.ErrorType, "properties": map[string]string{"message": r.ErrorMessage}}
	}
	p, err := proposalOf(r.Assertion, model.AspectAssertionRunEvent, catalog.Tree{
		"timestampMillis": at, "assertionUrn": r.Assertion.String(), "asserteeUrn": about, "runId": fmt.Sprintf("reported-%d", at),
		"status": "COMPLETE", "result": result,
	})
	if err != nil {
		return err
	}
	_, err = s.writer.Ingest(ctx, p, o)
	return err
}

// assertee is the URN of the entity that an assertion is about.
func (s *Service) assertee(ctx context.Context, assertion model.URN) (string, error) {
	stored, err := s.store.LatestAspects(ctx, []string{assertion.String()}, []string{model.AspectAssertionInfo})
	if err != nil {
		return "", catalog.StoreFailure(err)
	}
	for _, a := range stored[assertion.String()] {
		info, err := jsontree.DecodeObject(a.Value)
		if err != nil {
			return "", catalog.Errorf(catalog.Internal, "%s of %s: %w", model.AspectAssertionInfo, assertion, err)
		}
		if about, _ := model.AssertionSubject(info); about != "" {
			return about, nil
		}
	}
	return "", catalog.Errorf(catalog.Invalid, "the assertion %s does not state what it is about", assertion)
}

// proposalOf returns the proposal that writes an aspect.
func proposalOf(urn model.URN, aspect string, value catalog.Tree) (write.Proposal, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return write.Proposal{}, catalog.Errorf(catalog.Internal, "%s: %w", aspect, err)
	}
	return write.Proposal{
		EntityType: urn.EntityType(), EntityURN: urn.String(), AspectName: aspect,
		Aspect: &write.GenericAspect{Value: text, ContentType: "application/json"},
	}, nil
}
