package fetch

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"mime"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/markdown"
)

// mostMedia bounds the pictures in the embeds and components of one message. Discord allows ten
// embeds with two pictures each.
const mostMedia = 20

// files returns the files of a message and of what it forwards: attachments, and what its embeds
// and components show, each once. Only those that are voice messages keep their length.
func files(m *discord.Message) []discord.Attachment {
	all := slices.Clone(m.Attachments)
	for i := range all {
		a := &all[i]
		a.Seconds = float64(secondsOf(m, a))
		a.Spoiler = a.Spoiler || a.Flags&discord.FlagSpoiler != 0 || isSpoiler(a.Name)
	}
	add := func(media *discord.Media, spoiler bool) {
		if media.URL == "" {
			return
		}
		shown := shownAs(media, spoiler)
		same := func(a discord.Attachment) bool { return a.ID == shown.ID }
		if at := slices.IndexFunc(all, same); at >= 0 {
			all[at].Spoiler = all[at].Spoiler || spoiler
		} else if len(all)-len(m.Attachments) < mostMedia {
			all = append(all, shown)
		}
	}
	if m.Flags&discord.FlagSuppressEmbeds == 0 {
		for i := range m.Embeds {
			e := &m.Embeds[i]
			add(&e.Image, isCovered(m, e))
			add(&e.Thumbnail, isCovered(m, e))
		}
	}
	var walk func(components []discord.Component, spoiler bool)
	walk = func(components []discord.Component, spoiler bool) {
		for i := range components {
			c := &components[i]
			add(&c.Media, spoiler || c.Spoiler)
			walk(c.Children, spoiler || c.Spoiler)
		}
	}
	walk(m.Components, false)
	for i := range m.Snapshots {
		all = append(all, files(&m.Snapshots[i].Message)...)
	}
	return all
}

// shownAs returns what an embed or a component shows as an attachment. It is read through the media
// proxy alone, as its own address may be of any site.
func shownAs(media *discord.Media, spoiler bool) discord.Attachment {
	name := mediaName(media)
	kind := cmp.Or(media.Type, mime.TypeByExtension(strings.ToLower(path.Ext(name))), "image/*")
	return discord.Attachment{
		ID: cmp.Or(media.Attachment, idOf(media)), Name: name, Type: kind, URL: cmp.Or(media.ProxyURL, media.URL), ProxyURL: media.ProxyURL,
		Width: media.Width, Height: media.Height, Spoiler: spoiler || isSpoiler(name),
	}
}

// idOf returns an id for what was not uploaded, by its address without what changes with each reading.
// The address at the media proxy holds that of the picture.
func idOf(media *discord.Media) graph.AttachmentID {
	address, _, signed := strings.Cut(media.ProxyURL, "?")
	if !signed && address == "" {
		address = media.URL
	}
	sum := sha256.Sum256([]byte(address))
	return graph.AttachmentID(binary.BigEndian.Uint64(sum[:]) | 1)
}

// mediaName returns the name of a file by its address.
func mediaName(media *discord.Media) string {
	address, err := url.Parse(media.URL)
	if err != nil {
		return "picture"
	}
	name := oneLine(path.Base(address.Path))
	if name == "." || name == "/" {
		return "picture"
	}
	return name
}

func isSpoiler(name string) bool { return strings.HasPrefix(name, "SPOILER_") }

// isCovered reports whether people see an embed only once they uncover it: it is the preview of a
// link between spoiler bars.
func isCovered(m *discord.Message, e *discord.Embed) bool {
	if e.Type == "rich" && m.Author.Bot || !strings.Contains(m.Content, "||") {
		return false
	}
	covered := false
	parts := strings.Split(markdown.Prose(m.Content), "||")
	for i := 1; i+1 < len(parts); i += 2 {
		covered = covered || strings.Contains(parts[i], "://")
		parts[i] = ""
	}
	return covered && (e.Link == "" || !strings.Contains(strings.Join(parts, "\n"), e.Link))
}

// longestLink is the length in bytes of the longest address that is shown whole.
const longestLink = 500

// link returns an address of the web as people can open it, in ASCII, or "" for anything else. Of
// one that is too long it returns the site.
func link(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	text := u.String()
	if len(text) > longestLink {
		text = u.Scheme + "://" + u.Host + "/…"
	}
	if len(text) > longestLink {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if r != '…' && r > unicode.MaxASCII || unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("[]()<>", r) {
			return '_'
		}
		return r
	}, text)
}
