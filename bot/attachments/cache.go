package attachments

import (
	"slices"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"heddle/fetch"
	"heddle/graph"
)

// The bounds of the cache of files.
const (
	maxCachedFiles = 4096
	maxCachedBytes = 64 << 20
)

// cache remembers the contents of files, as those of a conversation are needed for
// every question in it. It may be used by any goroutine.
//
// mu guards the rest; it is never held over I/O.
type cache struct {
	mu   sync.Mutex
	lru  *simplelru.LRU[graph.AttachmentID, content]
	size int // bytes of texts and pictures
	gone int // counts the calls of forget and forgetAll
}

func newCache() *cache {
	c := &cache{}
	c.lru, _ = simplelru.NewLRU(maxCachedFiles, func(_ graph.AttachmentID, gone content) { c.size -= gone.size() }) // the size is positive
	return c
}

func (c content) size() int { return len(c.text) + len(c.data) }

// read returns the content of a file, from memory or by download.
func (c *cache) read(f File, download func() (fetch.File, error)) (content, error) {
	id := f.id()
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
	got := f.contentOf(file)
	got.message = f.message.ID
	c.mu.Lock()
	defer c.mu.Unlock()
	if gone == c.gone && !c.lru.Contains(id) { // otherwise it may belong to a message that was deleted meanwhile
		c.size += got.size()
		c.lru.Add(id, got)
	}
	for c.size > maxCachedBytes {
		c.lru.RemoveOldest()
	}
	return got, nil
}

// forget drops the contents of the files of deleted messages.
func (c *cache) forget(messages []graph.MessageID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone++
	for _, id := range c.lru.Keys() {
		if held, ok := c.lru.Peek(id); ok && slices.Contains(messages, held.message) {
			c.lru.Remove(id)
		}
	}
}

// forgetAll drops everything.
func (c *cache) forgetAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone++
	c.lru.Purge()
}
