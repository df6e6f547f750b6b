package graphstore_test

import (
	"reflect"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// TestBatchEmpty: a batch with one item in any of its fields is not empty. The test finds
// fields that are added later.
func TestBatchEmpty(t *testing.T) {
	if !(&graphstore.Batch{}).Empty() {
		t.Error("a batch of nothing is not empty")
	}
	fields := reflect.TypeFor[graphstore.Batch]()
	for i := range fields.NumField() {
		field := fields.Field(i)
		if field.Type.Kind() != reflect.Slice {
			t.Errorf("%s is no list: Empty and this test must learn what it means", field.Name)
			continue
		}
		batch := graphstore.Batch{}
		reflect.ValueOf(&batch).Elem().Field(i).Set(reflect.MakeSlice(field.Type, 1, 1))
		if batch.Empty() || batch.Len() != 1 {
			t.Errorf("a batch with one item in %s counts as one with %d", field.Name, batch.Len())
		}
	}
}
