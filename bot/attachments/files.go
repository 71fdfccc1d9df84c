package attachments

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

// Reader reads the files of conversations and remembers their contents. Its methods may
// be called from any goroutine.
type Reader struct {
	downloads Downloader // nil: no file is read
	cache     *cache
	log       *slog.Logger
	foreign   sync.Once // warns of a file on a host that is not allowed
}

// NewReader returns a Reader of files that are downloaded by downloads. If that is nil, no
// file is read.
func NewReader(downloads Downloader, log *slog.Logger) *Reader {
	return &Reader{downloads: downloads, cache: newCache(), log: log}
}

// Forget drops the contents of the files of deleted messages.
func (r *Reader) Forget(messages []graph.MessageID) { r.cache.forget(messages) }

// ForgetAll drops the contents of all files.
func (r *Reader) ForgetAll() { r.cache.forgetAll() }

// Read reads selected files of a graph's conversation and records on their messages
// the hash of their content and their true type. A file that cannot be read is still
// named to the model. Addresses are those of files that are on no message.
func (r *Reader) Read(ctx context.Context, selected []File, addresses map[graph.AttachmentID]string) Contents {
	if r.downloads == nil || len(selected) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, filesTimeout)
	defer cancel()
	var mu sync.Mutex
	read := make(Contents)
	var group errgroup.Group
	group.SetLimit(parallelFiles)
	for _, file := range selected {
		group.Go(func() error {
			c, err := r.cache.read(file, func() (fetch.File, error) {
				attached := file.message.Attachments[file.at]
				if address, loose := addresses[attached.ID]; loose {
					return r.downloads.DownloadFrom(ctx, address, attached)
				}
				return r.downloads.Download(ctx, file.message.Channel, file.message.ID, attached)
			})
			if err != nil {
				r.unread(ctx, file, err)
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
func (r *Reader) unread(ctx context.Context, file File, err error) {
	if errors.Is(err, fetch.ErrForeignHost) {
		r.foreign.Do(func() {
			r.log.WarnContext(ctx, "no file is read from this host, the model is told names only; DISCORD_CDN_HOSTS can allow it", "error", err)
		})
	}
	r.log.DebugContext(ctx, "a file could not be read, the model is told its name only", "attachment", file.id(), "error", err)
}

// mark records on a message the hash and type of its file. It copies the list of
// attachments, which the message shares with others.
func (f File) mark(c content) {
	f.message.Attachments = slices.Clone(f.message.Attachments)
	marked := &f.message.Attachments[f.at]
	marked.Hash = c.hash
	if f.picture {
		marked.Type = c.kind
	}
}

// Contents are the contents of those files of a conversation that could be read.
type Contents map[graph.AttachmentID]content

// Inlined returns a turn that includes the texts of its files.
func (r Contents) Inlined(turn path.Turn) path.Turn {
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

// Named returns a turn whose pictures are files unless they are shown. A file takes
// only the tokens of its name.
func (r Contents) Named(turn path.Turn) path.Turn {
	for i, part := range turn.Parts {
		if picture, ok := part.(path.Image); ok && r[picture.Content.Attachment].data == nil {
			turn.Parts = slices.Clone(turn.Parts)
			turn.Parts[i] = path.File{Content: picture.Content, Type: picture.Type}
		}
	}
	return turn
}

// Pictures returns the hashes of the pictures that can be shown, each once and in order.
func (r Contents) Pictures() []path.Hash {
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

// Address returns a picture as a data URI.
func (r Contents) Address(_ context.Context, picture path.Image) (string, error) {
	c := r[picture.Content.Attachment]
	if c.data == nil {
		return "", errNotShown
	}
	return "data:" + c.kind + ";base64," + base64.StdEncoding.EncodeToString(c.data), nil
}
