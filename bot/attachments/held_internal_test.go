package attachments

import (
	"bytes"
	"testing"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/heaptest"
)

func TestWhatIsHeldOfFiles(t *testing.T) {
	heaptest.AtMost(t, "files of conversations", func() any {
		c := newCache()
		for n := range 2 * maxCachedBytes / maxTextBytes {
			file := File{message: &graph.Message{ID: 1, Attachments: []graph.Attachment{{ID: graph.AttachmentID(n + 1)}}}}
			_, err := c.read(file, func() (fetch.File, error) {
				return fetch.File{Data: bytes.Repeat([]byte("a"), maxTextBytes), Type: "text/plain"}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return c
	})
}
