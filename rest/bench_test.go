package rest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// BenchmarkIngestProposal writes new values of existing entities from several
// clients, without the network.
func BenchmarkIngestProposal(b *testing.B) {
	server := newServer(b)
	handler := server.Config.Handler
	filler := strings.Repeat("Orders joined to customers and refunds. ", 40)
	var next atomic.Int64
	b.ReportAllocs()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n := next.Add(1)
			body := fmt.Sprintf(`{"proposal":{"entityType":"dataset","entityUrn":"urn:li:dataset:(urn:li:dataPlatform:hive,db.t%d,PROD)","changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"value":"{\"description\":\"%d %s\"}","contentType":"application/json"}}}`, n%500, n, filler)
			req := httptest.NewRequest(http.MethodPost, "/aspects?action=ingestProposal", strings.NewReader(body))
			req.Header.Set("X-RestLi-Protocol-Version", "2.0.0")
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, req)
			if w.Code != http.StatusOK {
				b.Fatal(w.Code, w.Body)
			}
		}
	})
}

// BenchmarkReadAspect reads an aspect from several clients, without the network.
func BenchmarkReadAspect(b *testing.B) {
	server := newServer(b)
	handler := server.Config.Handler
	filler := strings.Repeat("Orders joined to customers and refunds. ", 40)
	const entities = 500
	for n := range entities {
		status, text, _ := request(b, server, http.MethodPost, "/aspects?action=ingestProposal", fmt.Sprintf(`{"proposal":{"entityType":"dataset","entityUrn":"urn:li:dataset:(urn:li:dataPlatform:hive,db.t%d,PROD)","changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"value":"{\"description\":\"%s\"}","contentType":"application/json"}},"async":"true"}`, n, filler))
		if status != http.StatusOK {
			b.Fatal(text)
		}
	}
	var next atomic.Int64
	b.ReportAllocs()
	b.SetParallelism(4)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			target := fmt.Sprintf("/entitiesV2/urn%%3Ali%%3Adataset%%3A(urn%%3Ali%%3AdataPlatform%%3Ahive,db.t%d,PROD)?aspects=List(datasetProperties)", next.Add(1)%entities)
			req := httptest.NewRequest(http.MethodGet, target, http.NoBody)
			req.Header.Set("X-RestLi-Protocol-Version", "2.0.0")
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, req)
			if w.Code != http.StatusOK {
				b.Fatal(w.Code, w.Body)
			}
		}
	})
}
