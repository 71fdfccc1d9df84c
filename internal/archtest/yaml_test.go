package archtest_test

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestYAMLFilesCanBeRead parses every YAML file. Prometheus and container engines refuse
// a file as a whole for one wrong quotation mark.
func TestYAMLFilesCanBeRead(t *testing.T) {
	all := named(t, ".yml", ".yaml")
	for _, name := range all {
		var content map[string]any
		if err := yaml.Unmarshal([]byte(read(t, name)), &content); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(all) == 0 {
		t.Error("there are no YAML files")
	}
}
