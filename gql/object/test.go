package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// Test is a rule about metadata.
type Test struct{ *Node }

type testInfo struct {
	Name        string          `json:"name"`
	Category    string          `json:"category"`
	Description *string         `json:"description"`
	Definition  *TestDefinition `json:"definition"`
}

func (t *Test) info(ctx context.Context) (*testInfo, error) {
	return stated[testInfo](ctx, t.Node, model.AspectTestInfo)
}

// Name is the name of the rule.
func (t *Test) Name(ctx context.Context) (string, error) {
	i, err := t.info(ctx)
	return i.Name, err
}

// Category is the category of the rule.
func (t *Test) Category(ctx context.Context) (string, error) {
	i, err := t.info(ctx)
	return i.Category, err
}

// Description is the purpose of the rule.
func (t *Test) Description(ctx context.Context) (*string, error) {
	i, err := t.info(ctx)
	return i.Description, err
}

// Definition is the rule.
func (t *Test) Definition(ctx context.Context) (*TestDefinition, error) {
	i, err := t.info(ctx)
	if i.Definition == nil {
		return &TestDefinition{}, err
	}
	return i.Definition, err
}

// TestResults are the results of tests of an entity.
type TestResults struct {
	Passing []*TestResult `json:"passing"`
	Failing []*TestResult `json:"failing"`
}

// TestResult is the result of one test.
type TestResult struct {
	URN  string         `json:"test"`
	Type TestResultType `json:"type"`
	Test *Test          `json:"-"`
}

func (r *TestResults) complete(_ *Node, below *Batch) {
	for _, results := range [][]*TestResult{r.Passing, r.Failing} {
		for _, result := range results {
			result.Test = entityAs[*Test](below, result.URN)
		}
	}
}

// TestResults are the results of tests of the dataset.
func (d *Dataset) TestResults(ctx context.Context) (*TestResults, error) {
	return aspect[TestResults](ctx, d.Node, model.AspectTestResults)
}
