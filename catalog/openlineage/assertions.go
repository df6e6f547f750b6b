package openlineage

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// assertions adds the assertions of a dataset and their results, and collects the assertions. dbt tells each
// assertion twice, as a facet of the dataset and of the input: it counts once.
func (w *work) assertions(of about, d *runDataset, in showing, all map[string]model.URN) error {
	told := map[string]bool{}
	for _, set := range []factSet{d.Facets, d.Facts} {
		f, ok := set["dataQualityAssertions"]
		if !ok {
			continue
		}
		for _, a := range read[qualityAssertions](f.Value).Assertions {
			if a.Assertion == "" && a.Name == "" || len(told) >= limits.OpenLineageAssertions {
				continue
			}
			urn, err := assertionURN(of.urn, a)
			if err != nil {
				return err
			}
			if told[urn.String()] {
				continue
			}
			told[urn.String()], all[urn.String()] = true, urn
			if err := w.assertion(about{urn: urn, run: of.run}, of.urn, a, f.At, in); err != nil {
				return err
			}
		}
	}
	return nil
}

// assertionURN names an assertion by its content, so that each run tells of the same one. Some producers send empty parameters
// where others send none.
func assertionURN(of model.URN, a assertion) (model.URN, error) {
	if len(a.Params) == 0 {
		a.Params = nil
	}
	params, err := json.Marshal(a.Params)
	if err != nil {
		return model.URN{}, err
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{of.String(), cmp.Or(a.Name, a.Assertion), a.Column, string(params)}, "\x00")))
	return model.BuildURN("li", model.EntityAssertion, hex.EncodeToString(sum[:16]))
}

func (w *work) assertion(of about, dataset model.URN, a assertion, at int64, in showing) error {
	parameters := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(a.Params)) {
		parameters[name] = fmt.Sprint(a.Params[name])
	}
	info := catalog.Tree{
		"dataset": dataset.String(), "scope": "DATASET_ROWS", "operator": "_NATIVE_", "nativeType": cmp.Or(a.Assertion, a.Name),
	}
	if len(parameters) > 0 {
		info["nativeParameters"] = parameters
	}
	if a.Content != "" {
		info["logic"] = a.Content
	}
	if a.Column != "" {
		if column, err := model.ColumnURN(dataset, a.Column); err == nil {
			info["scope"], info["fields"] = "DATASET_COLUMN", []string{column.String()}
		}
	}
	whole := catalog.Tree{"type": "DATASET", "datasetAssertion": info, "customProperties": properties{}}
	if text := cmp.Or(a.Description, a.Name); text != "" {
		whole["description"] = text
	}
	if err := w.put(about{urn: of.urn}, model.AspectAssertionInfo, whole); err != nil || a.Success == nil {
		return err
	}
	kind := "FAILURE"
	if *a.Success {
		kind = "SUCCESS"
	}
	native := map[string]string{}
	for name, text := range map[string]string{"severity": a.Severity, "expected": a.Expected, "actual": a.Actual} {
		if text != "" {
			native[name] = text
		}
	}
	return w.series(of, model.AspectAssertionRunEvent, millis(at), of.run, catalog.Tree{
		"runId": of.run, "asserteeUrn": dataset.String(), "assertionUrn": of.urn.String(), "status": "COMPLETE",
		"result": catalog.Tree{"type": kind, "nativeResults": native},
	}, in)
}
