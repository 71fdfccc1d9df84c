package discordtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	_ "image/gif" // which the media proxy converts
	"image/jpeg"
	"image/png"
	"net/http"
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
	if a.Page != "" {
		return &Attachment{Name: a.Name, Type: "text/html", Data: []byte(a.Page)}
	}
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

// AddSite adds what the media proxy finds at an address of another site.
func (a *World) AddSite(address string, data []byte) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	if a.world.sites == nil {
		a.world.sites = make(map[string]*Attachment)
	}
	site := &Attachment{Name: address, Type: http.DetectContentType(data), Data: data}
	site.measure()
	a.world.sites[address] = site
}

// unfurl completes the embeds and components of m as Discord does: embeds with their type, and both
// with what the media proxy shows of their pictures. A picture "attachment://name" is an attachment,
// which is then not listed if an embed shows it.
func (w *world) unfurl(m *Message) {
	var embeds []object
	if json.Unmarshal(m.Embeds, &embeds) == nil { // Discord refuses others; package documented checks what heddle sends
		for _, e := range embeds {
			if e["type"] == nil {
				e["type"] = "rich"
			}
			for _, name := range []string{"image", "thumbnail", "video"} {
				media, _ := e[name].(object)
				if at := w.show(m, media); at >= 0 {
					m.Attachments[at].embedded = true
				}
			}
		}
		m.Embeds = mustJSON(embeds)
	}
	if isNull(m.Components) {
		return
	}
	m.Components = Rewritten(func(component map[string]any) {
		for _, name := range []string{"media", "file"} {
			media, _ := component[name].(object)
			if at := w.show(m, media); at >= 0 {
				media["attachment_id"] = m.Attachments[at].ID
				component["name"], component["size"] = m.Attachments[at].Name, m.Attachments[at].Size
			}
		}
	})(m.Components)
}

// show completes what an embed or a component of m shows, and returns the index of the attachment
// that it is, or -1.
func (w *world) show(m *Message, media object) int {
	address, _ := media["url"].(string)
	name, isFile := strings.CutPrefix(address, "attachment://")
	switch {
	case address == "" || media["proxy_url"] != nil:
		return -1
	case !isFile:
		media["proxy_url"] = w.base + externalPrefix + "0/" + base64.RawURLEncoding.EncodeToString([]byte(address))
		media["width"], media["height"] = 0, 0
		if site := w.sites[address]; site != nil {
			media["width"], media["height"], media["content_type"] = site.Width, site.Height, site.Type
		}
		return -1
	}
	at := slices.IndexFunc(m.Attachments, func(a Attachment) bool { return a.Name == name })
	if at >= 0 {
		a := &m.Attachments[at]
		wire := w.wireAttachment(filePath(m.Channel, a), a)
		media["url"], media["proxy_url"], media["width"], media["height"], media["content_type"] = wire.URL, wire.ProxyURL, a.Width, a.Height, a.Type
	}
	return at
}
