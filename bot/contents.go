package bot

import (
	"slices"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"heddle/fetch"
	"heddle/graph"
)

// The bounds of what is remembered of files.
const (
	maxContents     = 4096
	maxContentBytes = 64 << 20
)

// contents remembers what was read of files: those of a conversation come again with
// every mention in it.
//
// mu guards the rest; it is never held over I/O.
type contents struct {
	mu   sync.Mutex
	lru  *simplelru.LRU[graph.AttachmentID, content]
	size int // bytes of texts and pictures
	gone int // counts the times that something was forgotten
}

func newContents() *contents {
	c := &contents{}
	c.lru, _ = simplelru.NewLRU(maxContents, func(_ graph.AttachmentID, gone content) { c.size -= gone.size() }) // the size is positive
	return c
}

func (c content) size() int { return len(c.text) + len(c.data) }

// read gives a file's content, from memory or by download.
func (c *contents) read(w attachment, download func() (fetch.File, error)) (content, error) {
	id := w.message.Attachments[w.at].ID
	c.mu.Lock()
	held, ok := c.lru.Get(id)
	gone := c.gone
	c.mu.Unlock()
	if ok {
		return held, nil
	}
	file, err := download()
	if err != nil {
		return content{}, err
	}
	got := contentOf(file, w.picture)
	got.message = w.message.ID
	c.mu.Lock()
	defer c.mu.Unlock()
	if gone == c.gone && !c.lru.Contains(id) { // else it may be what was to be forgotten
		c.size += got.size()
		c.lru.Add(id, got)
	}
	for c.size > maxContentBytes {
		c.lru.RemoveOldest()
	}
	return got, nil
}

// forget drops what was read of the files of messages: they were deleted.
func (c *contents) forget(messages []graph.MessageID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone++
	for _, id := range c.lru.Keys() {
		if held, ok := c.lru.Peek(id); ok && slices.Contains(messages, held.message) {
			c.lru.Remove(id)
		}
	}
}

// forgetAll drops everything that was read.
func (c *contents) forgetAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone++
	c.lru.Purge()
}
