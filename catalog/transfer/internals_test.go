package transfer

import "github.com/headwater-io/headwater/catalog"

// Result gives the tests of this package what an import has done so far.
func (i *Import) Result() *ImportResult { return &i.result }

// Check gives them the check of one entity.
func (s *Service) Check(e *ExportEntity) error {
	_, err := s.readImported(e, catalog.WriteOptions{})
	return err
}
