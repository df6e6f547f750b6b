package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// TestShrink: a picture with many colours becomes smaller and differs little. What was shrunk stays as it is, byte by byte.
func TestShrink(t *testing.T) {
	// A white page with lines of many colours, as the edges of letters have.
	page := image.NewRGBA(image.Rect(0, 0, 400, 300))
	for i := range page.Pix {
		page.Pix[i] = 255
	}
	for y := 20; y < 280; y += 20 {
		for x := range 400 {
			grey := (x*37 + y*11) % 256
			page.Set(x, y, color.RGBA{uint8(grey), uint8(min(255, grey+x%9)), uint8(grey), 255})
		}
	}
	var raw bytes.Buffer
	if err := png.Encode(&raw, page); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	name := filepath.Join(folder, "page.png")
	if err := os.WriteFile(name, raw.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	size, err := shrinkAll(folder)
	if err != nil || size >= raw.Len() {
		t.Fatalf("%d of %d bytes: %v", size, raw.Len(), err)
	}
	small, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := png.Decode(bytes.NewReader(small))
	if err != nil || decoded.Bounds() != page.Bounds() {
		t.Fatalf("%v %v", decoded.Bounds(), err)
	}
	worst := 0
	for x := range 400 {
		before, after := page.RGBAAt(x, 60), color.RGBAModel.Convert(decoded.At(x, 60)).(color.RGBA)
		worst = max(worst, distance(before, after))
	}
	if worst == 0 || worst > 8 {
		t.Errorf("colours differ by up to %d", worst)
	}
	second, err := shrink(small)
	if err != nil || !bytes.Equal(second, small) {
		t.Errorf("not the same when shrunk again: %v", err)
	}
	if _, err := shrinkAll(t.TempDir()); err == nil {
		t.Error("a folder without pictures is no error")
	}
}
