package conversation

import (
	"bytes"
	"image"
	_ "image/gif"  // its dimensions
	_ "image/jpeg" // its dimensions
	_ "image/png"  // its dimensions
	"mime"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"heddle/bot/phrases"
	"heddle/graph"
)

// claim is what a file's declared type says that it is.
type claim uint8

const (
	claimNothing claim = iota // its first bytes tell
	claimText
	claimPicture
	claimOther // the model cannot read it
)

// claimOf returns what a file claims to be and, if the model cannot read that, why.
func claimOf(a *graph.Attachment) (claim, phrases.ID) {
	kind, _, _ := mime.ParseMediaType(a.Type)
	major, minor, _ := strings.Cut(kind, "/")
	switch {
	case kind == "image/svg+xml", major == "text":
		return claimText, ""
	case kind == "video/mp2t", kind == "audio/x-mod": // TypeScript, and the module files of Go
		return claimNothing, ""
	case major == "image":
		return claimPicture, ""
	case major == "audio":
		return claimOther, "unread_audio"
	case major == "video":
		return claimOther, "unread_video"
	case major == "font":
		return claimOther, "unread_font"
	case minor == "pdf":
		return claimOther, "unread_pdf"
	case minor == "msword", strings.HasPrefix(minor, "vnd.ms-"), strings.HasPrefix(minor, "vnd.openxmlformats-"), strings.HasPrefix(minor, "vnd.oasis."):
		return claimOther, "unread_office"
	case slices.Contains([]string{
		"zip", "gzip", "x-gzip", "x-tar", "x-gtar", "x-7z-compressed", "x-rar-compressed", "vnd.rar", "x-rar", "x-bzip2", "x-bzip", "x-xz", "zstd",
		"x-zip-compressed", "java-archive", "x-java-archive", "vnd.android.package-archive", "x-apple-diskimage", "x-iso9660-image", "epub+zip",
	}, minor):
		return claimOther, "unread_archive"
	case slices.Contains([]string{
		"json", "xml", "javascript", "x-sh", "x-yaml", "yaml", "toml", "sql", "x-httpd-php", "x-ndjson", "graphql", "typescript",
	}, minor):
		return claimText, ""
	}
	return claimNothing, ""
}

// kindOf returns the media type of what begins with head, which also tells the pictures that
// Discord's media proxy converts. It returns "text/plain" for what may be a text.
func kindOf(head []byte, declared string) string {
	if len(head) >= 12 && string(head[4:8]) == "ftyp" {
		switch string(head[8:12]) {
		case "heic", "heix", "heim", "heis", "hevc", "mif1", "msf1":
			return "image/heic"
		case "avif", "avis":
			return "image/avif"
		}
	}
	if bytes.HasPrefix(head, []byte("II*\x00")) || bytes.HasPrefix(head, []byte("MM\x00*")) {
		return "image/tiff"
	}
	kind, _, _ := mime.ParseMediaType(http.DetectContentType(head))
	if strings.HasPrefix(kind, "text/") || kind == "application/octet-stream" {
		if looksLikeText(head, declared) {
			return "text/plain"
		}
		return "application/octet-stream"
	}
	return kind
}

// unreadable returns why the model cannot read a file with a name and a true media type.
func unreadable(name, kind string) phrases.ID {
	if kind == "application/zip" && slices.Contains([]string{".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp"}, strings.ToLower(filepath.Ext(name))) {
		return "unread_office"
	}
	if what, why := claimOf(&graph.Attachment{Type: kind}); what == claimOther {
		return why
	}
	return "unread_binary"
}

// maxPixels bounds the pictures that are shown.
const maxPixels = 50_000_000

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

// longestSide is the longest side of a picture that models look at, in pixels: providers scale
// larger ones down.
const longestSide = 1568

// convertedTo returns the format in which the media proxy is asked for a picture of a type, and
// whether it must be asked: for what models cannot read, and for what is larger than they need.
func convertedTo(a *graph.Attachment, kind string) (format string, must bool) {
	must = a.Size > maxPictureBytes || max(a.Width, a.Height) > longestSide
	switch kind {
	case "image/png", "image/gif", "image/webp":
		return "png", must
	case "image/jpeg":
		return "jpeg", must
	}
	return "jpeg", true
}
