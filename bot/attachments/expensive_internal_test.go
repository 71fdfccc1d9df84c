package attachments

import (
	"testing"
	"unicode/utf8"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/expensive"
)

// BenchmarkExpensiveFile reads files that are neither text nor a picture.
func BenchmarkExpensiveFile(b *testing.B) {
	expensive.Text(b, func(text string) {
		contentOf(fetch.File{Data: []byte(text)})
		textOf(fetch.File{Data: []byte(text)})
		pictureOf(fetch.File{Data: []byte(text)})
		isText(graph.Attachment{Name: text, Type: text})
	})
}

// FuzzTextsOfFilesAreText demands that the model reads valid text of a file, or none.
func FuzzTextsOfFilesAreText(f *testing.F) {
	for _, data := range []string{"plain", "\xef\xbb\xbfwith a mark", "\xff\xfea\x00b\x00", "\xfe\xff\x00a", "\x00", "GIF89a\x01\x00\x01\x00", "RIFF\x00\x00\x00\x00WEBPVP8 ", "\x89PNG\r\n"} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text := textOf(fetch.File{Data: data})
		if !utf8.ValidString(text.text) {
			t.Fatalf("%q is read as %q, want valid UTF-8", data, text.text)
		}
		pictureOf(fetch.File{Data: data})
	})
}
