package answer

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
)

const (
	filesTimeout  = 20 * time.Second // for all files of a conversation
	parallelFiles = 4
)

// Downloader downloads attachments; fetch.Files is one.
type Downloader interface {
	Download(ctx context.Context, channel graph.ChannelID, message graph.MessageID, a graph.Attachment) (fetch.File, error)
	// DownloadFrom downloads an attachment that is on no message.
	DownloadFrom(ctx context.Context, address string, a graph.Attachment) (fetch.File, error)
}

// Files reads the files of conversations and remembers their contents. Its methods may
// be called from any goroutine.
type Files struct {
	downloads Downloader // nil: no file is read
	cache     *fileCache
	log       *slog.Logger
	foreign   sync.Once // warns of a file on a host that is not allowed
}

// NewFiles returns Files that are downloaded by downloads. If that is nil, no file is
// read.
func NewFiles(downloads Downloader, log *slog.Logger) *Files {
	return &Files{downloads: downloads, cache: newFileCache(), log: log}
}

// Forget drops the contents of the files of deleted messages.
func (f *Files) Forget(messages []graph.MessageID) { f.cache.forget(messages) }

// ForgetAll drops the contents of all files.
func (f *Files) ForgetAll() { f.cache.forgetAll() }

// read reads selected files of a graph's conversation and records on their messages
// the hash of their content and their true type. A file that cannot be read is still
// named to the model. Addresses are those of files that are on no message.
func (f *Files) read(ctx context.Context, selected []attachment, addresses map[graph.AttachmentID]string) readFiles {
	if f.downloads == nil || len(selected) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, filesTimeout)
	defer cancel()
	var mu sync.Mutex
	read := make(readFiles)
	var group errgroup.Group
	group.SetLimit(parallelFiles)
	for _, file := range selected {
		group.Go(func() error {
			c, err := f.cache.read(file, func() (fetch.File, error) {
				attached := file.message.Attachments[file.at]
				if address, loose := addresses[attached.ID]; loose {
					return f.downloads.DownloadFrom(ctx, address, attached)
				}
				return f.downloads.Download(ctx, file.message.Channel, file.message.ID, attached)
			})
			if err != nil {
				f.unread(ctx, file, err)
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			read[file.id()] = c
			return nil
		})
	}
	_ = group.Wait() // its functions return no errors
	for _, file := range selected {
		if c, ok := read[file.id()]; ok {
			file.mark(c)
		}
	}
	return read
}

// unread logs why a file was not read. The first file on a foreign host is logged as a
// warning, because only the operator can allow the host.
func (f *Files) unread(ctx context.Context, file attachment, err error) {
	if errors.Is(err, fetch.ErrForeignHost) {
		f.foreign.Do(func() {
			f.log.WarnContext(ctx, "no file is read from this host, the model is told names only; DISCORD_CDN_HOSTS can allow it", "error", err)
		})
	}
	f.log.DebugContext(ctx, "a file could not be read, the model is told its name only", "attachment", file.id(), "error", err)
}

// mark records on a message the hash and type of its file. It copies the list of
// attachments, which the message shares with others.
func (a attachment) mark(c content) {
	a.message.Attachments = slices.Clone(a.message.Attachments)
	marked := &a.message.Attachments[a.at]
	marked.Hash = c.hash
	if a.picture {
		marked.Type = c.kind
	}
}

// readFiles are the contents of those files of a conversation that could be read.
type readFiles map[graph.AttachmentID]content

// inlined returns a turn that includes the texts of its files.
func (r readFiles) inlined(turn path.Turn) path.Turn {
	for i, part := range turn.Parts {
		file, ok := part.(path.File)
		if text := r[file.Content.Attachment].text; ok && text != "" && file.Text == "" {
			file.Text = text
			turn.Parts = slices.Clone(turn.Parts)
			turn.Parts[i] = file
		}
	}
	return turn
}

// named returns a turn whose pictures are files unless they are shown. A file takes
// only the tokens of its name.
func (r readFiles) named(turn path.Turn) path.Turn {
	for i, part := range turn.Parts {
		if picture, ok := part.(path.Image); ok && r[picture.Content.Attachment].data == nil {
			turn.Parts = slices.Clone(turn.Parts)
			turn.Parts[i] = path.File{Content: picture.Content, Type: picture.Type}
		}
	}
	return turn
}

// pictures returns the hashes of the pictures that can be shown, each once and in order.
func (r readFiles) pictures() []path.Hash {
	var hashes []path.Hash
	for _, c := range r {
		if c.data != nil && !slices.Contains(hashes, c.hash) {
			hashes = append(hashes, c.hash)
		}
	}
	slices.SortFunc(hashes, func(a, b path.Hash) int { return bytes.Compare(a[:], b[:]) })
	return hashes
}

var errNotShown = errors.New("the picture cannot be shown")

// address returns a picture as a data URI.
func (r readFiles) address(_ context.Context, picture path.Image) (string, error) {
	c := r[picture.Content.Attachment]
	if c.data == nil {
		return "", errNotShown
	}
	return "data:" + c.kind + ";base64," + base64.StdEncoding.EncodeToString(c.data), nil
}
