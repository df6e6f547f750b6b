package typesense

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/typesense/typesense-go/v3/typesense"
	"github.com/typesense/typesense-go/v3/typesense/api"
	"github.com/typesense/typesense-go/v3/typesense/api/pointer"

	"github.com/headwater-io/headwater/indexer"
)

// importAll writes records. It returns the reason for each refused record, by the record's
// index.
func importAll[T any](ctx context.Context, x *Index, collection string, records []T) (map[int]string, error) {
	refused := map[int]string{}
	for low := 0; low < len(records); low += importBatch {
		if err := importSome(ctx, x, collection, records, low, min(low+importBatch, len(records)), refused); err != nil {
			return nil, err
		}
	}
	return refused, nil
}

// importSome writes records[low:high]. If the server refuses the whole request, importSome
// sends the records again in halves, down to the record that causes the refusal.
func importSome[T any](ctx context.Context, x *Index, collection string, records []T, low, high int, refused map[int]string) error {
	err := importOnce(ctx, x, collection, records, low, high, refused)
	if err == nil || !isStatus(err, http.StatusBadRequest) {
		return err
	}
	if high-low == 1 {
		refused[low] = reasonOf(err)
		return nil
	}
	middle := (low + high) / 2
	if err := importSome(ctx, x, collection, records, low, middle, refused); err != nil {
		return err
	}
	return importSome(ctx, x, collection, records, middle, high, refused)
}

// reasonOf returns the server's error message.
func reasonOf(err error) string {
	var answer *typesense.HTTPError
	if errors.As(err, &answer) {
		return string(answer.Body)
	}
	return err.Error()
}

// importOnce sends one request. The server answers with one line for each record. Any other
// answer, such as one during the election of a leader, is an error for the whole request.
func importOnce[T any](ctx context.Context, x *Index, collection string, records []T, low, high int, refused map[int]string) error {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	for i := low; i < high; i++ {
		if err := encoder.Encode(records[i]); err != nil {
			return err
		}
	}
	answer, err := x.client.Collection(collection).Documents().ImportJsonl(ctx, bytes.NewReader(body.Bytes()),
		&api.ImportDocumentsParams{Action: pointer.Any(api.Upsert), BatchSize: pointer.Int(serverBatch)})
	if err != nil {
		return err
	}
	defer answer.Close()
	decoder := json.NewDecoder(answer)
	for i := low; i < high; i++ {
		var line struct {
			Success bool   `json:"success"`
			Error   string `json:"error"`
			Code    int    `json:"code"`
		}
		if err := decoder.Decode(&line); err != nil {
			return fmt.Errorf("%w: the search server did not answer for every document: %w", indexer.ErrUnavailable, err)
		}
		switch {
		case line.Success:
		case line.Code == http.StatusBadRequest:
			refused[i] = line.Error
		default: // the failure is not the document's: the disk may be full
			return fmt.Errorf("%w: the search server did not accept a document: %d %s", indexer.ErrUnavailable, line.Code, line.Error)
		}
	}
	_, err = io.Copy(io.Discard, answer)
	return err
}
