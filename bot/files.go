package bot

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"image"
	_ "image/gif"  // its dimensions
	_ "image/jpeg" // its dimensions
	_ "image/png"  // its dimensions
	"mime"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
)

const (
	maxPixels = 50_000_000 // of a picture that is shown

	filesTimeout  = 20 * time.Second // for all files of a conversation
	parallelFiles = 4
)

// Files downloads attachments; fetch.Files is one.
type Files interface {
	Download(ctx context.Context, channel graph.ChannelID, message graph.MessageID, a graph.Attachment) (fetch.File, error)
}

// content is what was read of an attachment, which never changes.
type content struct {
	hash path.Hash
	kind string // the media type of the bytes
	text string // of a text
	data []byte // of a picture that can be shown

	message graph.MessageID
}

// readFiles are the contents of a conversation's files, as far as they were read.
type readFiles map[graph.AttachmentID]content

// inlined is a turn with the texts of its files in it.
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

// named is a turn with the pictures that are not shown as files, which take the same
// tokens: their names.
func (r readFiles) named(turn path.Turn) path.Turn {
	for i, part := range turn.Parts {
		if picture, ok := part.(path.Image); ok && r[picture.Content.Attachment].data == nil {
			turn.Parts = slices.Clone(turn.Parts)
			turn.Parts[i] = path.File{Content: picture.Content, Type: picture.Type}
		}
	}
	return turn
}

// pictures are the contents of those that can be shown, each once.
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

// address is a picture as a data URI.
func (r readFiles) address(_ context.Context, picture path.Image) (string, error) {
	c := r[picture.Content.Attachment]
	if c.data == nil {
		return "", errNotShown
	}
	return "data:" + c.kind + ";base64," + base64.StdEncoding.EncodeToString(c.data), nil
}

// attachment is a file of a conversation that is to be read.
type attachment struct {
	message *graph.Message
	at      int // among the message's
	picture bool
}

// readFiles reads files of a graph's conversation and marks them with what was
// found: the hash of their content and its true type. A file that cannot be read is
// named to the model and costs nothing else.
func (b *Bot) readFiles(ctx context.Context, wanted []attachment) readFiles {
	if b.files == nil || len(wanted) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, filesTimeout)
	defer cancel()
	var mu sync.Mutex
	read := make(readFiles)
	var group errgroup.Group
	group.SetLimit(parallelFiles)
	for _, w := range wanted {
		group.Go(func() error {
			a := w.message.Attachments[w.at]
			c, err := b.contents.read(w, func() (fetch.File, error) {
				return b.files.Download(ctx, w.message.Channel, w.message.ID, a)
			})
			if err != nil {
				b.log.DebugContext(ctx, "a file could not be read", "attachment", a.ID, "error", err)
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			read[a.ID] = c
			return nil
		})
	}
	_ = group.Wait() // each file stands for itself
	for _, w := range wanted {
		if c, ok := read[w.message.Attachments[w.at].ID]; ok {
			mark(w, c)
		}
	}
	return read
}

// mark notes what was found in a file on its message, which shares its list with others.
func mark(w attachment, c content) {
	w.message.Attachments = slices.Clone(w.message.Attachments)
	a := &w.message.Attachments[w.at]
	a.Hash = c.hash
	if w.picture {
		a.Type = c.kind
	}
}

func isPicture(a graph.Attachment) bool {
	return strings.HasPrefix(a.Type, "image/") || a.Type == "" && slices.Contains(
		[]string{".png", ".jpg", ".jpeg", ".gif", ".webp"}, strings.ToLower(filepath.Ext(a.Name)))
}

// isText says whether a file claims to be text that the model can read.
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

// contentOf is what a downloaded file holds.
func contentOf(file fetch.File, picture bool) content {
	c := content{hash: file.Hash, kind: http.DetectContentType(file.Data)}
	if !picture {
		if text := string(file.Data); utf8.ValidString(text) && !strings.Contains(text, "\x00") {
			c.text = strings.TrimPrefix(text, "\uFEFF")
		}
		return c
	}
	switch c.kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		if width, height, ok := dimensions(file.Data, c.kind); ok && width > 0 && height > 0 && width <= maxPixels/height {
			c.data = file.Data
		}
	}
	return c
}

// dimensions reads how large a picture would be, without making it.
func dimensions(data []byte, kind string) (width, height int, ok bool) {
	if kind == "image/webp" {
		return webpDimensions(data)
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	return config.Width, config.Height, err == nil
}

// webpDimensions reads the first chunk of a WebP file, which has one of three forms.
func webpDimensions(data []byte) (width, height int, ok bool) {
	const header = 30
	if len(data) < header {
		return 0, 0, false
	}
	low := func(b []byte, bits int) int { return int(binary.LittleEndian.Uint16(b)) & (1<<bits - 1) }
	switch string(data[12:16]) {
	case "VP8 ":
		return low(data[26:], 14), low(data[28:], 14), true
	case "VP8L":
		bits := binary.LittleEndian.Uint32(data[21:])
		return int(bits&0x3FFF) + 1, int(bits>>14&0x3FFF) + 1, true
	case "VP8X":
		three := func(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
		return three(data[24:]) + 1, three(data[27:]) + 1, true
	}
	return 0, 0, false
}
