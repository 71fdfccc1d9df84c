package conversation

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"image"
	_ "image/gif"  // its dimensions
	_ "image/jpeg" // its dimensions
	_ "image/png"  // its dimensions
	"log/slog"
	"mime"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/errgroup"

	"heddle/bot/guilds"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
)

// The bounds of the files of a conversation that are read.
const (
	maxPictures     = 8
	maxPictureBytes = 5 << 20
	maxPicturesSize = 16 << 20 // bytes of all pictures of a conversation
	maxTexts        = 8
	maxTextBytes    = 64 << 10
)

const (
	filesTimeout  = 20 * time.Second // for all files of a conversation
	parallelFiles = 4
)

// The bounds of the files that are held.
const (
	maxHeldFiles = 4096
	maxHeldBytes = 64 << 20
)

// Files reads the files of conversations. It holds what they contain, as those of a
// conversation are needed for every question in it. Its methods may be called from any
// goroutine.
//
// mu guards the fields below it; it is never held over I/O.
type Files struct {
	downloads *fetch.Files // nil: no file is read
	people    *guilds.People
	log       *slog.Logger
	foreign   sync.Once // warns of a file on a host that is not allowed

	mu    sync.Mutex
	held  *simplelru.LRU[graph.AttachmentID, content]
	bytes int // of texts and pictures
	gone  int // counts what may have made a file that is being read one that must not be held
	epoch int // of people, when the files that are held were read
}

// NewFiles returns Files that are downloaded by downloads. If that is nil, no file is
// read. When one of people opts out or in, nothing is held any more.
func NewFiles(downloads *fetch.Files, people *guilds.People, log *slog.Logger) *Files {
	f := &Files{downloads: downloads, people: people, epoch: people.Epoch(), log: log}
	f.held, _ = simplelru.NewLRU(maxHeldFiles, func(_ graph.AttachmentID, gone content) { f.bytes -= gone.size() }) // the size is positive
	return f
}

// Forget drops the contents of the files of deleted messages.
func (r *Files) Forget(messages []graph.MessageID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone++
	for _, id := range r.held.Keys() {
		if held, ok := r.held.Peek(id); ok && slices.Contains(messages, held.message) {
			r.held.Remove(id)
		}
	}
}

// ForgetAll drops the contents of all files.
func (r *Files) ForgetAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgetAllLocked()
}

func (r *Files) forgetAllLocked() {
	r.gone++
	r.held.Purge()
}

// followLocked drops the contents of all files if somebody opted out or in since they were read.
func (r *Files) followLocked() {
	if epoch := r.people.Epoch(); epoch != r.epoch {
		r.epoch = epoch
		r.forgetAllLocked()
	}
}

// read reads selected files of a conversation and records on their messages the hash of
// their content and their true type. A file that cannot be read is still named to the
// model. spoken has the addresses of files that are on no message; it may be nil.
func (r *Files) read(ctx context.Context, selected []file, spoken *Spoken) contents {
	if r.downloads == nil || len(selected) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, filesTimeout)
	defer cancel()
	all := make([]content, len(selected))
	var group errgroup.Group
	group.SetLimit(parallelFiles)
	for i, f := range selected {
		group.Go(func() error {
			var err error
			if all[i], err = r.content(ctx, f, spoken); err != nil {
				r.unread(ctx, f, err)
			}
			return nil
		})
	}
	_ = group.Wait() // its functions return no errors
	read := make(contents)
	for i, f := range selected {
		if all[i].hash != (path.Hash{}) {
			read[f.attachment().ID] = all[i]
			f.mark(all[i])
		}
	}
	return read
}

// content returns the content of a file, which is downloaded unless it is held.
func (r *Files) content(ctx context.Context, f file, spoken *Spoken) (content, error) {
	attached := *f.attachment()
	r.mu.Lock()
	r.followLocked()
	held, ok := r.held.Get(attached.ID)
	gone := r.gone
	r.mu.Unlock()
	if ok {
		return held, nil
	}
	address := ""
	if spoken != nil {
		address = spoken.Addresses[attached.ID]
	}
	var downloaded fetch.File
	var err error
	if address != "" {
		downloaded, err = r.downloads.DownloadFrom(ctx, address, attached)
	} else {
		downloaded, err = r.downloads.Download(ctx, f.message.Channel, cmp.Or(attached.On, f.message.ID), attached)
	}
	if err != nil {
		return content{}, err
	}
	got := contentOf(downloaded, f.picture)
	got.message = cmp.Or(attached.On, f.message.ID)
	r.hold(attached.ID, got, gone)
	return got, nil
}

// hold holds the content of a file, unless something was forgotten since gone was read:
// the file may belong to a message that was deleted meanwhile.
func (r *Files) hold(id graph.AttachmentID, got content, gone int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.followLocked()
	if gone == r.gone && !r.held.Contains(id) {
		r.bytes += got.size()
		r.held.Add(id, got)
	}
	for r.bytes > maxHeldBytes {
		r.held.RemoveOldest()
	}
}

// unread logs why a file was not read. The first file on a foreign host is logged as a
// warning, because only the operator can allow the host.
func (r *Files) unread(ctx context.Context, f file, err error) {
	if errors.Is(err, fetch.ErrForeignHost) {
		r.foreign.Do(func() {
			r.log.WarnContext(ctx, "no file is read from this host, the model is told names only", "error", err)
		})
	}
	r.log.DebugContext(ctx, "a file could not be read, the model is told its name only", "attachment", f.attachment().ID, "error", err)
}

// mark records on a message the hash and type of its file. It copies the list of
// attachments, which the message shares with others.
func (f file) mark(c content) {
	f.message.Attachments = slices.Clone(f.message.Attachments)
	marked := &f.message.Attachments[f.at]
	marked.Hash = c.hash
	if f.picture {
		marked.Type = c.kind
	}
}

// contents are the contents of those files of a conversation that could be read.
type contents map[graph.AttachmentID]content

// inlined returns a turn that includes the texts of its files.
func (r contents) inlined(turn path.Turn) path.Turn {
	for i, part := range turn.Parts {
		f, ok := part.(path.File)
		if text := r[f.Content.Attachment].text; ok && text != "" && f.Text == "" {
			f.Text = text
			turn.Parts = slices.Clone(turn.Parts)
			turn.Parts[i] = f
		}
	}
	return turn
}

// named returns a turn whose pictures are files unless they are shown. A file takes
// only the tokens of its name.
func (r contents) named(turn path.Turn) path.Turn {
	for i, part := range turn.Parts {
		if picture, ok := part.(path.Image); ok && r[picture.Content.Attachment].data == nil {
			turn.Parts = slices.Clone(turn.Parts)
			turn.Parts[i] = path.File{Content: picture.Content, Type: picture.Type}
		}
	}
	return turn
}

// pictures returns the hashes of the pictures that can be shown, each once and in order.
func (r contents) pictures() []path.Hash {
	var hashes []path.Hash
	for _, c := range r {
		if c.data != nil && !slices.Contains(hashes, c.hash) {
			hashes = append(hashes, c.hash)
		}
	}
	slices.SortFunc(hashes, func(a, b path.Hash) int { return bytes.Compare(a[:], b[:]) })
	return hashes
}

// address returns a picture as a data URI, or "" if it cannot be shown.
func (r contents) address(picture path.Image) string {
	c := r[picture.Content.Attachment]
	if c.data == nil {
		return ""
	}
	return "data:" + c.kind + ";base64," + base64.StdEncoding.EncodeToString(c.data)
}

// file is a file of a conversation that was selected to be read.
type file struct {
	message *graph.Message
	at      int // index into the message's attachments
	picture bool
}

func (f file) attachment() *graph.Attachment { return &f.message.Attachments[f.at] }

// selectFiles selects the files to read: pictures, if the model sees them, and short
// texts, the newest first, as many as fit.
func selectFiles(g *graph.Graph, sees bool) []file {
	var all []file
	pictures, pictureBytes, texts := 0, int64(0), 0
	add := func(m *graph.Message) {
		if m.Origin == graph.OriginSelf {
			return
		}
		for i, a := range m.Attachments {
			switch {
			case a.ID == 0:
			case sees && isPicture(a) && a.Size <= maxPictureBytes && pictures < maxPictures && pictureBytes+a.Size <= maxPicturesSize:
				pictures, pictureBytes = pictures+1, pictureBytes+a.Size
				all = append(all, file{m, i, true})
			case isText(a) && a.Size <= maxTextBytes && texts < maxTexts:
				texts++
				all = append(all, file{m, i, false})
			}
		}
	}
	add(&g.Trigger)
	for i := range slices.Backward(g.Conversation) {
		add(g.Conversation[i].Message)
	}
	return all
}

// maxPixels bounds the pictures that are shown.
const maxPixels = 50_000_000

// content is the content of an attachment. It is immutable.
type content struct {
	hash path.Hash
	kind string // the media type of the bytes
	text string // of a text
	data []byte // of a picture that can be shown

	message graph.MessageID
}

func (c content) size() int { return len(c.text) + len(c.data) }

// isPicture reports whether a file claims to be a picture.
func isPicture(a graph.Attachment) bool {
	return strings.HasPrefix(a.Type, "image/") || a.Type == "" && slices.Contains(
		[]string{".png", ".jpg", ".jpeg", ".gif", ".webp"}, strings.ToLower(filepath.Ext(a.Name)))
}

// isText reports whether a file claims to be text that the model can read.
func isText(a graph.Attachment) bool {
	kind, _, _ := mime.ParseMediaType(a.Type)
	switch {
	case strings.HasPrefix(kind, "text/"):
		return true
	case strings.HasPrefix(kind, "image/"), strings.HasPrefix(kind, "audio/"), strings.HasPrefix(kind, "video/"):
		return false
	}
	switch strings.TrimPrefix(kind, "application/") {
	case "json", "xml", "javascript", "x-sh", "x-yaml", "yaml", "toml", "sql", "x-httpd-php", "x-ndjson", "graphql", "typescript":
		return true
	}
	return slices.Contains([]string{
		".txt", ".md", ".log", ".csv", ".tsv", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".env", ".xml",
		".go", ".py", ".js", ".ts", ".jsx", ".tsx", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".rs", ".rb", ".php",
		".sh", ".bash", ".zsh", ".ps1", ".bat", ".lua", ".pl", ".r", ".sql", ".swift", ".scala", ".zig", ".nix", ".tf", ".proto",
		".html", ".htm", ".css", ".scss", ".vue", ".svelte", ".tex", ".diff", ".patch", ".dockerfile", ".gradle", ".gitignore",
	}, strings.ToLower(filepath.Ext(a.Name)))
}

// contentOf returns the content of a downloaded file that claims to be a picture, or text.
// It has neither if the claim is wrong.
func contentOf(file fetch.File, picture bool) content {
	c := content{hash: file.Hash, kind: http.DetectContentType(file.Data)}
	switch text := string(file.Data); {
	case picture && isDrawable(file.Data, c.kind):
		c.data = file.Data
	case !picture && utf8.ValidString(text) && !strings.Contains(text, "\x00"):
		c.text = strings.TrimPrefix(text, "\uFEFF")
	}
	return c
}

// isDrawable reports whether a picture has a form that models read and, as far as that is
// known without decoding it, a size that they take.
func isDrawable(data []byte, kind string) bool {
	switch kind {
	case "image/webp":
		return true
	case "image/png", "image/jpeg", "image/gif":
		size, _, err := image.DecodeConfig(bytes.NewReader(data))
		return err == nil && size.Width > 0 && size.Height > 0 && size.Width <= maxPixels/size.Height
	}
	return false
}
