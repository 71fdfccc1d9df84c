package archtest_test

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// phrasings are openings and turns of phrase that Go's documentation does not use,
// with what to write instead. A reader looks for "returns" and "reports whether".
func phrasings() []struct{ pattern, instead string } {
	return []struct{ pattern, instead string }{
		{`^\w+ (gives|hands back)\b`, `"X returns …"`},
		{`\b(says|say|tells|tell|knows|finds out)( only)? whether\b`, `"X reports whether …"`},
		{`^\w+ (says|tells) (what|which|how|who|why|where|when|of)\b`, `"X returns …", "X describes …" or "X is …"`},
		{`^\w+ (is told|are told|is asked)\b`, `who calls it, and when`},
		{`\bsees? to it\b`, `"makes sure", or what it does`},
		{`\bwhere there (is|are) (one|none|any|some)\b`, `"if any", "if there is one"`},
		{`\bhas (it|them|this|that|one|all|everything) done\b`, `"does"`},
		{`\bas [\w' ]{1,24} ha(s|ve) (it|them)[.,;:)]`, `"as X defines it"`},
		{`\btold once\b`, `"logged once"`},
		{`\b(whereof|whereat|therein|thereof|hereby|lest)\b`, `a plain word`},
		{`\bwhat is no \w+\b`, `the thing's name, or "anything else"`},
	}
}

func TestCommentsReadLikeGo(t *testing.T) {
	for _, s := range files(t) {
		for _, doc := range docs(s.file) {
			for _, phrase := range phrasings() {
				if found := regexp.MustCompile(phrase.pattern).FindString(doc); found != "" {
					t.Errorf("%s: a comment says %q; write %s\n%s", s.name, found, phrase.instead, doc)
				}
			}
		}
	}
}

// docs returns the comments of a file, one string each without line breaks.
func docs(file *ast.File) []string {
	var all []string
	for _, group := range file.Comments {
		all = append(all, strings.Join(strings.Fields(group.Text()), " "))
	}
	return all
}
