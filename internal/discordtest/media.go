package discordtest

import (
	"bytes"
	"encoding/json"
	"image"
	_ "image/gif" // which the media proxy converts
	"image/jpeg"
	"image/png"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// proxyPrefix begins the paths of the media proxy. The path of a file or, after external, another
// site's address follows.
const (
	proxyPrefix    = "/media"
	externalPrefix = proxyPrefix + "/external/"
)

// attachmentSpoiler is the flag of an attachment that people see after a click.
const attachmentSpoiler = 1 << 3

// measure sets the size of a picture.
func (a *Attachment) measure() {
	shown := a.Data
	if a.Shown != nil {
		shown = a.Shown
	}
	if config, _, err := image.DecodeConfig(bytes.NewReader(shown)); err == nil {
		a.Width, a.Height = config.Width, config.Height
	}
}

// proxied returns an attachment as the media proxy shows it: in the format and within the width
// and height that a request names. It returns nil if the proxy does not show such a file. WebP is
// not written here.
func (a *Attachment) proxied(r *http.Request) *Attachment {
	width, _ := strconv.Atoi(r.FormValue("width"))
	height, _ := strconv.Atoi(r.FormValue("height"))
	format := r.FormValue("format")
	shown := a.Data
	if a.Shown != nil {
		shown = a.Shown
	}
	picture, kind, err := image.Decode(bytes.NewReader(shown))
	switch {
	case err != nil && width+height == 0 && format == "":
		return a
	case err != nil:
		return nil
	case width > 0 && height > 0:
		picture = scaled(picture, width, height)
	}
	if format == "" {
		format = kind
	}
	var out bytes.Buffer
	switch format {
	case "png", "gif":
		format, err = "png", png.Encode(&out, picture)
	case "jpeg", "jpg":
		format, err = "jpeg", jpeg.Encode(&out, picture, nil)
	default:
		return nil
	}
	if err != nil {
		return nil
	}
	return &Attachment{Name: a.Name, Type: "image/" + format, Data: out.Bytes()}
}

// scaled returns a picture with a size, but none greater than it has.
func scaled(from image.Image, width, height int) image.Image {
	of := from.Bounds()
	width, height = min(width, of.Dx()), min(height, of.Dy())
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			to.Set(x, y, from.At(of.Min.X+x*of.Dx()/width, of.Min.Y+y*of.Dy()/height))
		}
	}
	return to
}

// embed completes the embeds of m as Discord does: with their type, and what the media proxy shows
// of their pictures. A picture "attachment://name" is an attachment, which is then not listed.
func (w *world) embed(m *Message) {
	var embeds []object
	if json.Unmarshal(m.Embeds, &embeds) != nil {
		return // Discord refuses them; package documented checks what heddle sends
	}
	for _, e := range embeds {
		if e["type"] == nil {
			e["type"] = "rich"
		}
		for _, name := range []string{"image", "thumbnail", "video"} {
			media, _ := e[name].(object)
			address, _ := media["url"].(string)
			if file, ok := strings.CutPrefix(address, "attachment://"); ok {
				w.embedFile(m, media, file)
			} else if address != "" && media["proxy_url"] == nil {
				media["proxy_url"] = w.base + externalPrefix + "0/" + url.PathEscape(address)
				media["width"], media["height"] = 0, 0
			}
		}
	}
	m.Embeds = mustJSON(embeds)
}

// embedFile shows an attachment of m in an embed.
func (w *world) embedFile(m *Message, media object, name string) {
	at := slices.IndexFunc(m.Attachments, func(a Attachment) bool { return a.Name == name })
	if at < 0 {
		return
	}
	a := &m.Attachments[at]
	a.embedded = true
	wire := w.wireAttachment(filePath(m.Channel, a), a)
	media["url"], media["proxy_url"], media["width"], media["height"] = wire.URL, wire.ProxyURL, a.Width, a.Height
}
