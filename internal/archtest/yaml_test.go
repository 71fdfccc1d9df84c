package archtest_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestYAMLFilesCanBeRead parses every YAML file. Prometheus and container engines refuse
// a file as a whole for one wrong quotation mark.
func TestYAMLFilesCanBeRead(t *testing.T) {
	found := 0
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && skipped(entry.Name()):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".yml") && !strings.HasSuffix(name, ".yaml"):
			return nil
		}
		found++
		var content map[string]any
		if err := yaml.Unmarshal([]byte(read(t, name)), &content); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found == 0 {
		t.Error("there are no YAML files")
	}
}
