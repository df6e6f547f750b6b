package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/access/keys"
)

// TestRotateKeys changes the file of secrets of a server.
func TestRotateKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), keys.File)
	if err := keys.Create(path); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, says string
		keys       int
	}{
		{"", "2 keys are accepted", 2},
		{"-o json", `"accepted": 3`, 3},
		{"--only", "1 keys are accepted", 1},
	} {
		var out, errs bytes.Buffer
		args := append([]string{"token", "rotate-keys", path}, strings.Fields(c.args)...)
		code := run(context.Background(), args, strings.NewReader(""), &out, &errs)
		set, err := keys.Read(path)
		if code != 0 || err != nil || len(set.Signing) != c.keys || !strings.Contains(out.String(), c.says) || !strings.Contains(out.String(), set.Signing[0].ID) {
			t.Errorf("%v: %d, %s%s, %v", args, code, &out, &errs, err)
		}
		if strings.Contains(out.String(), set.Signing[0].Secret) {
			t.Error("the output has a secret")
		}
	}
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"token", "rotate-keys", filepath.Join(t.TempDir(), "none")}, strings.NewReader(""), &out, &errs); code == 0 || !strings.Contains(errs.String(), "no such file") {
		t.Errorf("a missing file: %d, %s", code, &errs)
	}
}
