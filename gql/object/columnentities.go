package object

import (
	"sync"

	"github.com/headwater-io/headwater/model"
)

// columnEntities are the columns of schemas that were read together. The entities of these
// columns make one batch, which is made when a query asks for the first of these entities. Most
// queries ask for no such entity, and a schema may have thousands of columns.
type columnEntities struct {
	session *Session
	columns []*SchemaField
	once    sync.Once
}

// add adds a column. All columns are added before a field of a column's entity is resolved.
func (c *columnEntities) add(f *SchemaField) {
	f.columns = c
	c.columns = append(c.columns, f)
}

func (c *columnEntities) make() {
	batch := c.session.NewBatch()
	for _, f := range c.columns {
		if f.stated != "" {
			f.entity = entityAs[*SchemaFieldEntity](batch, f.stated)
			continue
		}
		column, err := model.ColumnURN(f.of.key, f.FieldPath)
		if err == nil {
			f.entity, _ = batch.entity(column).(*SchemaFieldEntity)
		}
	}
}

// SchemaFieldEntity is the entity of the column, nil if the column is neither part of a schema
// nor shown by a chart or dashboard.
func (f *SchemaField) SchemaFieldEntity() *SchemaFieldEntity {
	if f.columns == nil {
		return nil
	}
	f.columns.once.Do(f.columns.make)
	return f.entity
}
