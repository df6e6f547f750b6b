package typesense

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/typesense/typesense-go/v3/typesense/api"
	"golang.org/x/sync/errgroup"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/recent"
	"github.com/headwater-io/headwater/internal/safely"
)

// The limits of one request: documents imported, and documents deleted by their ids.
const (
	importBatch = 1000
	deleteBatch = 100
)

// serverBatch is how many documents the server indexes at a time. During that time it
// answers no search of the collection.
const serverBatch = 100

// hash returns the form of a field's value in filters: 16 letters and digits that Typesense
// leaves unchanged.
func hash(field, value string) string {
	sum := sha256.Sum256([]byte(field + "\x00" + value))
	return strings.ToLower(base32.HexEncoding.EncodeToString(sum[:10]))
}

// wordsField is the field whose values are the words of documents in the classes of text that everybody
// searches. Each other class has a field of its own.
const wordsField = "^words"

var (
	closedWords = map[indexer.TextClass]string{
		indexer.TextLabels: "^labels", indexer.TextReferences: "^references", indexer.TextPrivileged: "^privileged",
	}
	// wordLetters are letters that no hash begins with, one for each field of words.
	wordLetters = map[string]string{
		wordsField: "z", closedWords[indexer.TextLabels]: "y", closedWords[indexer.TextReferences]: "x", closedWords[indexer.TextPrivileged]: "w",
	}
)

// wordFieldOf returns the field of the words of a class of text.
func wordFieldOf(class indexer.TextClass) string {
	if closed, is := closedWords[class]; is {
		return closed
	}
	return wordsField
}

// wordFields returns the fields of the words of all classes of text but some.
func wordFields(without indexer.ClassSet) []string {
	fields := []string{wordsField}
	for class := indexer.TextLabels; class.Closed(); class++ {
		if !without.Has(class) {
			fields = append(fields, wordFieldOf(class))
		}
	}
	return fields
}

// key returns the form of a value in filters: a hash or, for a word, the word after a
// letter that no hash begins with.
func key(field, value string) string {
	if letter, words := wordLetters[field]; words {
		return letter + value
	}
	return hash(field, value)
}

// existsHash returns the hash of every document that has a value of the field.
func existsHash(field string) string { return hash("exists", field) }

// idOf is the id of a document.
func idOf(urn string) string { return hash("id", urn) }

// seqOf returns a number that orders documents and never changes.
func seqOf(urn string) int64 {
	sum := sha256.Sum256([]byte(urn))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 1)
}

// record is a document as Typesense stores it.
type record map[string]any

// recordOf returns a document in the form that Typesense takes. known are the fields of the
// collection.
func recordOf(d *indexer.Document, known map[string]bool) (record, error) {
	r := record{
		"id": idOf(d.URN), "urn": d.URN, "type": d.Type, "seq": seqOf(d.URN), "w": rankOf(d),
	}
	for class, name := range classFields {
		r[name] = once(d.Text[class])
	}
	for i, texts := range spread(append(slices.Clone(d.Values[indexer.FieldName]), d.Text[indexer.TextName]...)) {
		r[nameFields[i]] = texts
	}
	r["kv"] = keys(hashesOf(d, known))
	r.addFacets(d, known)
	r.addFields(d, known)
	body := make(map[string][]string, len(d.Values))
	for name, values := range d.Values {
		if !strings.HasPrefix(name, "^") {
			body[name] = values
		}
	}
	text, err := json.Marshal(body)
	r["body"] = string(text)
	return r, err
}

// rankOf returns the rank of documents with the same score: first by weight, then shorter
// names first.
func rankOf(d *indexer.Document) int64 {
	return int64(d.Weight*1000)*(indexer.MaxNameLength+1) + int64(indexer.MaxNameLength-d.NameLength())
}

// hashesOf returns the hashes that conditions compare: of the scope of a document, its
// values, the fields that it has, and its words.
func hashesOf(d *indexer.Document, known map[string]bool) map[string]bool {
	hashes := map[string]bool{hash(scopeField, scopeOf(d.Type, strconv.FormatBool(d.Removed))): true}
	for name, values := range d.Values {
		_, number := d.Numbers[name]
		for _, value := range values {
			if !number {
				hashes[hash(name, value)] = true
			}
		}
		if len(values) > 0 {
			hashes[existsHash(name)] = true
		}
	}
	for name := range d.Numbers {
		hashes[existsHash(name)] = true
	}
	for field, word := range wordsOf(d) {
		hashes[key(field, word)] = true
	}
	addTyped(hashes, d, known)
	return hashes
}

// wordsOf returns the words of a document's text, with the fields that they are in. A word may come more than once.
func wordsOf(d *indexer.Document) iter.Seq2[string, string] {
	return func(yield func(field, word string) bool) {
		for class, texts := range d.Text {
			field := wordFieldOf(indexer.TextClass(class))
			for _, text := range texts {
				for word := range strings.FieldsSeq(text) {
					if !yield(field, word) {
						return
					}
				}
			}
		}
	}
}

// addFacets adds the fields that are counted: facets, and browse paths by their depth.
func (r record) addFacets(d *indexer.Document, known map[string]bool) {
	for _, name := range d.Facets {
		switch {
		case known["f_"+name]:
			r["f_"+name] = facetValues(name, d.Values[name])
		case indexer.IsStructured(name):
			r[ownFacet(name)] = facetValues(name, d.Values[name])
		}
	}
	for _, name := range []string{indexer.FieldAncestors, indexer.FieldAncestorsV2} {
		for _, path := range d.Values[name] {
			if path == "" {
				continue
			}
			at := depthField(name, path)
			values, _ := r[at].([]string)
			r[at] = append(values, facetValues(name, []string{path})...)
		}
	}
}

// addFields adds the fields for comparing, sorting and completing.
func (r record) addFields(d *indexer.Document, known map[string]bool) {
	for name, n := range d.Numbers {
		if known["i_"+name] {
			r["i_"+name] = n
		}
	}
	for _, name := range d.SortKeys {
		if known["s_"+name] && len(d.Values[name]) > 0 {
			r["s_"+name] = sortKey(slices.Min(d.Values[name]))
		}
	}
	for name, texts := range d.Completions {
		if known["a_"+name] {
			var completions []string
			for _, text := range texts {
				completions = append(completions, indexer.IndexTokens(text)...)
			}
			r["a_"+name] = once(completions)
		}
	}
}

func nonNil(texts []string) []string {
	slices.Sort(texts)
	if texts = slices.Compact(texts); texts == nil {
		return []string{}
	}
	return texts
}

func keys(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for key := range set {
		list = append(list, key)
	}
	return list
}

// maxFacet is the size in bytes of the longest value that a facet contains. The server cuts
// longer values, so they are looked up by their hash.
const maxFacet = 72

// facetValues writes values in a form that facets keep apart: the hash and, if the value is
// short, the value.
func facetValues(field string, values []string) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = hash(field, value) + " "
		if len(value) <= maxFacet {
			texts[i] += "=" + value
		}
	}
	return texts
}

// depthField returns the name of the facet of all paths that are as deep as path.
func depthField(field, path string) string {
	separator, letter := "/", "1"
	if field == indexer.FieldAncestorsV2 {
		separator, letter = indexer.PathV2Separator, "2"
	}
	return fmt.Sprintf("b_%s_%d", letter, strings.Count(path, separator))
}

// ownFacet returns the name of the facet of a structured property. The server makes the
// facet when the first document has it.
func ownFacet(field string) string { return "b_" + hash("facet", field) }

// sortKey encodes a text so that the server orders texts by their bytes.
func sortKey(text string) string { return hex.EncodeToString([]byte(text[:min(len(text), 200)])) }

// valueRecord is a distinct value of a field, with the pieces and words by which it is
// found.
type valueRecord struct {
	ID    string   `json:"id"`
	Field string   `json:"f"`
	Grams []string `json:"g"`
	Words []string `json:"w"`
	Value string   `json:"v"`
	// Time is when the record was made, in epoch seconds.
	Time int64 `json:"t"`
}

// longValue is the size in bytes from which a value is not found by its pieces, but is
// always compared.
const longValue = 512

// anyGram is the only piece of such values.
const anyGram = "long"

func valueRecordOf(field, value string) valueRecord {
	r := valueRecord{ID: key(field, value), Field: hash("field", field), Words: []string{}, Value: value, Time: time.Now().Unix()}
	if wordLetters[field] == "" {
		r.Words = nonNil(indexer.ValueTokens(value))
	}
	if len(value) >= longValue {
		r.Grams = []string{anyGram}
		return r
	}
	r.Grams = nonNil(grams("\x02" + value + "\x03"))
	return r
}

// grams returns the pieces of three bytes of a text, in hexadecimal.
func grams(text string) []string {
	var list []string
	for i := 0; i+3 <= len(text); i++ {
		list = append(list, hex.EncodeToString([]byte(text[i:i+3])))
	}
	return list
}

// sentValues remembers, up to a bound, which values a collection has.
type sentValues struct {
	collection string
	ids        *recent.Map[string, bool]
}

const recentValues = 200_000

// add adds a value of the i-th document to the values to send, unless the collection has
// it. bringers records which documents have each new value.
func (s *sentValues) add(values []valueRecord, bringers map[string][]int, i int, field, value string) []valueRecord {
	id := key(field, value)
	if _, known := s.ids.Get(id); known {
		return values
	}
	from := bringers[id]
	if len(from) == 0 {
		values = append(values, valueRecordOf(field, value))
	}
	if len(from) == 0 || from[len(from)-1] != i {
		bringers[id] = append(from, i)
	}
	return values
}

// Write applies a batch: values and documents, then deletes, then the cursor.
func (x *Index) Write(ctx context.Context, batch indexer.Batch) error {
	if err := x.open(); err != nil {
		return err
	}
	into, err := x.target(ctx)
	if err != nil {
		return failure(err)
	}
	x.writing.Lock()
	defer x.writing.Unlock()
	return x.missing(ctx, into, x.write(ctx, into, &x.sent, batch))
}

// missing returns the error of a request that failed. If a collection is missing, it
// distinguishes two cases: another server has just replaced it, which lasts a short moment,
// or somebody deleted it, which is damage.
func (x *Index) missing(ctx context.Context, of collections, err error) error {
	if !isStatus(err, http.StatusNotFound) {
		return failure(err)
	}
	if now, targetErr := x.target(ctx); targetErr != nil || now != of {
		return failure(err)
	}
	return fmt.Errorf("%w: %w", indexer.ErrDamaged, err)
}

func (x *Index) write(ctx context.Context, into collections, sent *sentValues, batch indexer.Batch) error {
	var refused []indexer.Refusal
	for chunk := range slices.Chunk(batch.Put, importBatch) {
		some, err := x.put(ctx, into, sent, chunk)
		if err != nil {
			return err
		}
		refused = append(refused, some...)
	}
	for chunk := range slices.Chunk(batch.Delete, deleteBatch) {
		ids := make([]string, len(chunk))
		for i, urn := range chunk {
			ids[i] = idOf(urn)
		}
		filter := "id:[" + strings.Join(ids, ",") + "]"
		if _, err := x.client.Collection(into.docs).Documents().Delete(ctx, &api.DeleteDocumentsParams{FilterBy: &filter}); err != nil {
			return err
		}
	}
	if batch.Cursor != "" {
		reasons, err := importAll(ctx, x, into.values, []valueRecord{{ID: cursorID, Field: cursorID, Grams: []string{}, Words: []string{}, Value: batch.Cursor}})
		if err != nil {
			return err
		}
		if len(reasons) > 0 { // the collection has not the schema that this package gives it
			return fmt.Errorf("%w: the search server refused the position: %s", indexer.ErrDamaged, reasons[0])
		}
	}
	if len(refused) > 0 {
		return &indexer.RefusedError{Refusals: refused}
	}
	return nil
}

// put writes documents and their values, and returns the refused documents.
func (x *Index) put(ctx context.Context, into collections, sent *sentValues, docs []indexer.Document) ([]indexer.Refusal, error) {
	if sent.collection != into.values {
		*sent = sentValues{into.values, recent.New[string, bool](recentValues)}
	}
	records := make([]record, len(docs))
	var values []valueRecord
	bringers := map[string][]int{} // the documents with each new value
	for i := range docs {
		var err error
		if records[i], err = recordOf(&docs[i], x.known); err != nil {
			return nil, err
		}
		for name, texts := range docs[i].Values {
			if _, number := docs[i].Numbers[name]; number || strings.HasPrefix(name, "^") && name != indexer.FieldAncestors && name != indexer.FieldAncestorsV2 {
				continue
			}
			for _, text := range texts {
				values = sent.add(values, bringers, i, name, text)
			}
		}
		for field, word := range wordsOf(&docs[i]) {
			values = sent.add(values, bringers, i, field, word)
		}
	}
	var ofValues, ofDocs map[int]string
	group, ctx := errgroup.WithContext(ctx)
	group.Go(safely.Func(func() (err error) { ofValues, err = importAll(ctx, x, into.values, values); return err }))
	group.Go(safely.Func(func() (err error) { ofDocs, err = importAll(ctx, x, into.docs, records); return err }))
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for v, reason := range ofValues {
		for _, i := range bringers[values[v].ID] {
			ofDocs[i] = cmp.Or(ofDocs[i], reason)
		}
		delete(bringers, values[v].ID)
	}
	for id := range bringers {
		sent.ids.Put(id, true)
	}
	var refused []indexer.Refusal
	for _, i := range slices.Sorted(maps.Keys(ofDocs)) {
		refused = append(refused, indexer.Refusal{URN: docs[i].URN, Reason: ofDocs[i]})
	}
	return refused, nil
}

// cursorID is the id of the record that holds the cursor.
const cursorID = "cursor"

// Cursor returns the position of the last write, or "" if the index has another
// fingerprint.
func (x *Index) Cursor(ctx context.Context) (string, error) {
	if err := x.open(); err != nil {
		return "", err
	}
	of, err := x.target(ctx)
	if err != nil {
		return "", failure(err)
	}
	if !strings.HasPrefix(of.docs, x.live.docs+"_"+hash("fingerprint", x.options.Fingerprint)[:8]+"_") {
		return "", nil
	}
	cursor, err := x.cursorOf(ctx, of)
	if err == nil && cursor == "" {
		// Another server may have replaced this index with a new one since then.
		now, targetErr := x.target(ctx)
		if targetErr != nil || now != of {
			return "", errors.Join(indexer.ErrUnavailable, targetErr)
		}
	}
	return cursor, failure(err)
}

func (x *Index) cursorOf(ctx context.Context, of collections) (string, error) {
	found, err := x.client.Collection(of.values).Document(cursorID).Retrieve(ctx)
	if isStatus(err, http.StatusNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	cursor, ok := found["v"].(string)
	if !ok {
		return "", errors.New("the search server's cursor is not text")
	}
	return cursor, nil
}
