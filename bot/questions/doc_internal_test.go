package questions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/internal/errtest"
)

// TestTheDocumentationNamesEveryFile compares doc.go with the files of the package.
func TestTheDocumentationNamesEveryFile(t *testing.T) {
	doc := errtest.Must(os.ReadFile("doc.go"))(t)
	files := errtest.Must(filepath.Glob("*.go"))(t)
	for _, file := range files {
		if file != "doc.go" && !strings.HasSuffix(file, "_test.go") && !strings.Contains(string(doc), file) {
			t.Errorf("doc.go does not name %s, want every file of the package in it", file)
		}
	}
	for word := range strings.FieldsSeq(string(doc)) {
		if strings.HasSuffix(word, ".go") {
			if _, err := os.Stat(word); err != nil {
				t.Errorf("doc.go names %s, want only files of the package: %v", word, err)
			}
		}
	}
}
