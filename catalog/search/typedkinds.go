package search

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Fields that tell the kind of an entity.
const (
	subTypeField  = "typeNames"
	platformField = "platform"
)

// typeWords are the words that people use for entity types, as tokens. Names of sub types and
// platforms are taken from the index.
var typeWords = func() map[string][]string {
	words := map[string][]string{}
	for text, types := range map[string][]string{
		"dashboard": {model.EntityDashboard}, "report": {model.EntityDashboard, model.EntityChart},
		"chart": {model.EntityChart}, "graph": {model.EntityChart}, "tile": {model.EntityChart}, "look": {model.EntityChart},
		"table": {model.EntityDataset}, "dataset": {model.EntityDataset},
		"job": {model.EntityDataJob}, "task": {model.EntityDataJob}, "pipeline": {model.EntityDataFlow, model.EntityDataJob},
		"flow": {model.EntityDataFlow}, "dag": {model.EntityDataFlow}, "workflow": {model.EntityDataFlow},
		"person": {model.EntityCorpuser}, "people": {model.EntityCorpuser}, "user": {model.EntityCorpuser},
		"team": {model.EntityCorpGroup}, "group": {model.EntityCorpGroup},
		"tag": {model.EntityTag}, "term": {model.EntityGlossaryTerm}, "glossary": {model.EntityGlossaryTerm, model.EntityGlossaryNode},
		"domain": {model.EntityDomain}, "product": {model.EntityDataProduct}, "notebook": {model.EntityNotebook},
		"schema": {model.EntityContainer}, "database": {model.EntityContainer}, "container": {model.EntityContainer}, "folder": {model.EntityContainer},
		"model": {model.EntityMlModel}, "feature": {model.EntityMlFeature, model.EntityMlFeatureTable}, "document": {model.EntityDocument},
	} {
		words[indexer.Normalize(text)] = types
	}
	return words
}()

// platformWords are the words that people use for the datasets of certain platforms.
var platformWords = map[string][]string{"topic": {"kafka", "pulsar", "kinesis", "pubsub"}, "stream": {"kafka", "pulsar", "kinesis", "pubsub"}}

// kindNames are the names of sub types and platforms that entities have.
type kindNames struct{ subTypes, platforms []string }

// kindNames reads the names of sub types and platforms that the entities of a search may have.
func (t *typedSearch) kindNames(ctx context.Context) (*kindNames, error) {
	filter, err := t.scope.filter(t.request.Filter, show{removed: t.request.IncludeRemoved, stages: t.request.HiddenStages})
	if err != nil {
		return nil, err
	}
	found, err := t.searchIndex(ctx, &indexer.Query{Filter: filter, Plain: true, Facets: []string{subTypeField, platformField}, FacetSize: limits.MaxKindNames})
	if err != nil {
		return nil, err
	}
	names := &kindNames{}
	for _, facet := range found.Facets {
		for _, n := range facet.Counts {
			if facet.Field == subTypeField {
				names.subTypes = append(names.subTypes, n.Value)
			} else {
				names.platforms = append(names.platforms, n.Value)
			}
		}
	}
	return names, nil
}

// of returns the condition that entities are of the kind that a word names, nil if the word
// names no kind.
func (n *kindNames) of(tokens []string) indexer.Or {
	var any indexer.Or
	in := func(field string, values []string) {
		if len(values) > 0 {
			any = append(any, indexer.In{Field: field, Values: values})
		}
	}
	word := strings.Join(tokens, " ")
	in(indexer.FieldType, typeWords[word])
	in(subTypeField, where(n.subTypes, func(name string) bool { return everyWord(tokens, indexer.Tokens(name)) }))
	in(platformField, where(n.platforms, func(urn string) bool {
		u := model.StoredURN(urn)
		return !u.IsZero() && (indexer.Normalize(indexer.Leaf(u)) == word || slices.Contains(platformWords[word], indexer.Leaf(u)))
	}))
	return any
}

func where(texts []string, is func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return !is(text) })
}

// everyWord reports whether the words include every token as a whole.
func everyWord(tokens, words []string) bool {
	return !slices.ContainsFunc(tokens, func(token string) bool { return !slices.Contains(words, token) })
}
