package discordtest

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"strconv"
	"strings"
)

// mediaPrefix is where Discord's media proxy serves attachments, scaled and converted.
const mediaPrefix = "/media"

// mostProxied is the longest side of a picture that the proxy scales, in pixels
// (discord-api-docs#6392).
const mostProxied = 9500

// proxy serves pictures as media.discordapp.net does: width and height scale one, and format
// converts it. It refuses anything else with 415.
type proxy struct{ cdn }

// ServeHTTP serves the picture that a signed address names.
func (s *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.record.countFile()
	a := s.file(strings.TrimPrefix(r.URL.Path, mediaPrefix))
	if a == nil || !s.world.signed(r) {
		http.Error(w, "This content is no longer available.", http.StatusNotFound)
		return
	}
	if a.Proxied != "" { // an error page of whatever stands before the proxy
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(a.Proxied))
		return
	}
	picture := a.decode()
	if picture == nil || max(picture.Bounds().Dx(), picture.Bounds().Dy()) > mostProxied {
		http.Error(w, "Unsupported Media Type", http.StatusUnsupportedMediaType)
		return
	}
	picture = scaled(picture, r.FormValue("width"), r.FormValue("height"))
	var b bytes.Buffer
	kind := r.FormValue("format")
	switch kind {
	case "jpeg":
		_ = jpeg.Encode(&b, picture, nil) // a buffer takes everything
	case "gif":
		_ = gif.Encode(&b, picture, nil)
	default:
		kind = "png"
		_ = png.Encode(&b, picture)
	}
	w.Header().Set("Content-Type", "image/"+kind)
	_, _ = w.Write(b.Bytes())
}

// decode returns the picture in an attachment, or nil if it is none. Of one that Go cannot
// decode, such as HEIC and AVIF, it returns a grey one of its size.
func (a *Attachment) decode() image.Image {
	if picture, _, err := image.Decode(bytes.NewReader(a.Data)); err == nil {
		return picture
	}
	if len(a.Data) < 12 || string(a.Data[4:8]) != "ftyp" || a.Width <= 0 {
		return nil
	}
	return image.NewGray(image.Rect(0, 0, a.Width, a.Height))
}

// scaled returns a picture at another size, if a size is given.
func scaled(of image.Image, width, height string) image.Image {
	w, errWidth := strconv.Atoi(width)
	h, errHeight := strconv.Atoi(height)
	from := of.Bounds()
	if errWidth != nil || errHeight != nil || w < 1 || h < 1 || w > from.Dx() || h > from.Dy() {
		return of
	}
	to := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			to.Set(x, y, color.RGBAModel.Convert(of.At(from.Min.X+x*from.Dx()/w, from.Min.Y+y*from.Dy()/h)))
		}
	}
	return to
}
