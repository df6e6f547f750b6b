// Command shrink rewrites pictures of the page with at most 256 colours each, which makes them a third as large. The
// tests compare the page with these pictures and allow for more than the colours differ (web/playwright.config.ts).
//
//	go run ./web/shrink web/e2e/pictures
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: shrink FOLDER")
		os.Exit(2)
	}
	size, err := shrinkAll(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "shrink:", err)
		os.Exit(1)
	}
	fmt.Printf("%s: %d bytes\n", os.Args[1], size)
}

// shrinkAll rewrites the pictures of a folder and returns their size together.
func shrinkAll(folder string) (int, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.png"))
	if err != nil {
		return 0, err
	}
	if len(names) == 0 {
		return 0, errors.New("the folder has no pictures")
	}
	size := 0
	for _, name := range names {
		before, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		after, err := shrink(before)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		size += len(after)
		if bytes.Equal(before, after) {
			continue
		}
		if err := os.WriteFile(name, after, 0o644); err != nil { //nolint:gosec // a file of the repository
			return 0, err
		}
	}
	return size, nil
}

// shrink returns a picture with at most 256 of its colours. Every other colour becomes the nearest of these. A picture
// that has been shrunk stays the same.
func shrink(raw []byte) ([]byte, error) {
	decoded, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	if _, ok := decoded.(*image.Paletted); ok {
		return raw, nil
	}
	bounds := decoded.Bounds()
	plain := image.NewRGBA(bounds)
	draw.Draw(plain, bounds, decoded, bounds.Min, draw.Src)
	counts := map[color.RGBA]int{}
	for at := 0; at < len(plain.Pix); at += 4 {
		counts[colorAt(plain, at)]++
	}
	colors := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(number(a), number(b)))
	})
	palette := paletteOf(colors)
	nearest := map[color.RGBA]uint8{}
	for _, one := range colors {
		nearest[one] = uint8(palette.Index(one))
	}
	small := image.NewPaletted(bounds, palette)
	for at := 0; at < len(plain.Pix); at += 4 {
		small.Pix[at/4] = nearest[colorAt(plain, at)]
	}
	var packed bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&packed, small); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// paletteOf chooses at most 256 of some colours, in their order: each one that is not near one that is already chosen. What counts
// as near begins at 0 and grows until 256 are enough, so no colour of the picture is further than that from the palette.
func paletteOf(colors []color.RGBA) color.Palette {
	for near := 0; ; near++ {
		palette := color.Palette{}
		for _, one := range colors {
			if slices.ContainsFunc(palette, func(chosen color.Color) bool { return distance(one, chosen.(color.RGBA)) <= near }) {
				continue
			}
			if palette = append(palette, one); len(palette) > 256 {
				break
			}
		}
		if len(palette) <= 256 {
			return palette
		}
	}
}

// distance is the largest difference of two colours in red, green or blue.
func distance(a, b color.RGBA) int {
	apart := func(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }
	return max(apart(a.R, b.R), apart(a.G, b.G), apart(a.B, b.B))
}

func colorAt(of *image.RGBA, at int) color.RGBA {
	return color.RGBA{of.Pix[at], of.Pix[at+1], of.Pix[at+2], of.Pix[at+3]}
}

func number(of color.RGBA) int {
	return int(of.R)<<24 | int(of.G)<<16 | int(of.B)<<8 | int(of.A)
}
