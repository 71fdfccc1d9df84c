package attachments

import (
	"bytes"
	"encoding/binary"
	"image"
	_ "image/gif"  // its dimensions
	_ "image/jpeg" // its dimensions
	_ "image/png"  // its dimensions
	"mime"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
)

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

// contentOf returns a downloaded file without its text or picture.
func contentOf(file fetch.File) content {
	return content{hash: file.Hash, kind: http.DetectContentType(file.Data)}
}

// textOf returns a downloaded file with its text.
func textOf(file fetch.File) content {
	c := contentOf(file)
	if text := string(file.Data); utf8.ValidString(text) && !strings.Contains(text, "\x00") {
		c.text = strings.TrimPrefix(text, "\uFEFF")
	}
	return c
}

// pictureOf returns a downloaded file with its picture.
func pictureOf(file fetch.File) content {
	c := contentOf(file)
	switch c.kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		if width, height, ok := dimensions(file.Data, c.kind); ok && width > 0 && height > 0 && width <= maxPixels/height {
			c.data = file.Data
		}
	}
	return c
}

// dimensions returns the size of a picture in pixels, without decoding it.
func dimensions(data []byte, kind string) (width, height int, ok bool) {
	if kind == "image/webp" {
		return webpDimensions(data)
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	return config.Width, config.Height, err == nil
}

// webpDimensions returns the dimensions in the first chunk of a WebP file, which has
// one of three forms.
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
