package transfer

import "github.com/headwater-io/headwater/catalog"

// Result returns the counts of an import so far. Only the tests of this package need it.
func (i *Import) Result() *ImportResult { return &i.result }

// Check checks one entity, as an import does.
func (s *Service) Check(e *ExportEntity) error {
	_, err := s.readImported(e, catalog.WriteOptions{})
	return err
}
