package fetch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
)

// The hosts of Discord's attachments.
const (
	hostCDN   = "cdn.discordapp.com"
	hostMedia = "media.discordapp.net"
)

// The errors of downloads.
var (
	ErrTooLarge      = errors.New("the file is larger than may be read")
	ErrForeignHost   = errors.New("the file is not on Discord's own servers")
	ErrNoSuchFile    = errors.New("the message has no such file any more")
	errUnusualAnswer = errors.New("the file server gave no file")
	errNoProxy       = errors.New("no media proxy is known for the file")
)

// File is the content of an attachment.
type File struct {
	Data []byte
	Type string // media type, from the server
	Hash [sha256.Size]byte
}

const (
	fileBytes    = 10 << 20         // of one file at most
	pictureBytes = 5 << 20          // of one picture at most, as the proxy converts it
	fileTimeout  = 15 * time.Second // of one download
)

// Files downloads attachments, only from Discord. It is safe for concurrent use.
type Files struct {
	history *History
	client  *http.Client
	hosts   []string
}

// NewFiles returns a downloader for the attachments of the messages in history. hosts are
// further hosts (host or host:port) that files may come from, also over plain http, such as
// those of an emulator. Discord's own are always allowed, over https.
func NewFiles(history *History, hosts ...string) *Files {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Files{history: history, client: client, hosts: hosts}
}

// Address is where an attachment can be downloaded, valid as long as its signature.
type Address struct {
	URL   string
	Proxy string // of Discord's media proxy; "" if unknown
}

// AddressOf returns the address of an attachment.
func AddressOf(a *discord.Attachment) Address {
	return Address{cmp.Or(a.URL, a.ProxyURL), a.ProxyURL}
}

// Attached is an attachment with the message that it is on or, if it is on none, with its
// address.
type Attached struct {
	graph.Attachment

	Channel graph.ChannelID
	Message graph.MessageID
	Address Address
}

// Download reads an attachment. If its address is not held or has expired, Download reads the
// message again, once. The error is ErrTooLarge, ErrForeignHost, ErrNoSuchFile, or one of ctx,
// Discord or the network.
func (f *Files) Download(ctx context.Context, a Attached) (File, error) {
	if a.Size > fileBytes {
		return File{}, fmt.Errorf("%w: %d bytes of at most %d", ErrTooLarge, a.Size, fileBytes)
	}
	return f.located(ctx, a, func(ctx context.Context, at Address) (File, error) {
		return f.get(ctx, at.URL, fileBytes)
	})
}

// Head reads the first bytes of an attachment, most at most, even from a server that sends the
// whole file. Errors are those of Download.
func (f *Files) Head(ctx context.Context, a Attached, most int64) ([]byte, error) {
	file, err := f.located(ctx, a, func(ctx context.Context, at Address) (File, error) {
		return f.open(ctx, at.URL, fmt.Sprintf("bytes=0-%d", most-1), func(body io.Reader) ([]byte, error) {
			return io.ReadAll(io.LimitReader(body, most))
		})
	})
	return file.Data, err
}

// Picture reads a picture as Discord's media proxy converts it to a format (png, jpeg or webp),
// with no side longer than a number of pixels if its size is known. Errors are those of
// Download. What the proxy sends may be no picture.
func (f *Files) Picture(ctx context.Context, a Attached, format string, longest int) (File, error) {
	return f.located(ctx, a, func(ctx context.Context, at Address) (File, error) {
		if at.Proxy == "" {
			return File{}, errNoProxy
		}
		query := "format=" + format
		if side := max(a.Width, a.Height); side > longest && a.Width > 0 && a.Height > 0 {
			query += fmt.Sprintf("&width=%d&height=%d", max(1, a.Width*longest/side), max(1, a.Height*longest/side))
		}
		address, joint := strings.TrimRight(at.Proxy, "&?"), "?" // the signature stays as it is
		if strings.Contains(address, "?") {
			joint = "&"
		}
		return f.get(ctx, address+joint+query, pictureBytes)
	})
}

// located downloads an attachment from its address. If the address is not held or has expired,
// it reads the message again, once.
func (f *Files) located(ctx context.Context, a Attached, download func(context.Context, Address) (File, error)) (File, error) {
	if a.Address != (Address{}) {
		return download(ctx, a.Address)
	}
	owner, at := f.history.logs.address(a.Channel, a.Message, a.ID)
	if at != (Address{}) {
		file, err := download(ctx, at)
		if !errors.Is(err, ErrNoSuchFile) {
			return file, err
		}
	}
	at, err := f.refresh(ctx, a.Channel, owner, a.ID)
	if err != nil {
		return File{}, err
	}
	return download(ctx, at)
}

// get downloads what is at an address, most bytes at most.
func (f *Files) get(ctx context.Context, address string, most int64) (File, error) {
	return f.open(ctx, address, "", func(body io.Reader) ([]byte, error) {
		data, err := io.ReadAll(io.LimitReader(body, most+1))
		if int64(len(data)) > most {
			return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, most)
		}
		return data, err //nolint:wrapcheck // open does
	})
}

// open asks for a range of what is at an address, or for all of it, and reads the answer.
func (f *Files) open(ctx context.Context, address, part string, read func(io.Reader) ([]byte, error)) (File, error) {
	if !f.allowed(address) {
		return File{}, foreignHost(address)
	}
	ctx, cancel := context.WithTimeout(ctx, fileTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return File{}, foreignHost(address)
	}
	if part != "" {
		req.Header.Set("Range", part)
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return File{}, fmt.Errorf("download a file: %w", withoutAddress(err))
	}
	defer func() { _ = resp.Body.Close() }()
	switch resp.StatusCode {
	case http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return File{}, ErrNoSuchFile
	case http.StatusOK, http.StatusPartialContent:
	case http.StatusRequestedRangeNotSatisfiable: // the file is empty
		return File{}, nil
	default:
		return File{}, fmt.Errorf("%w: HTTP %d", errUnusualAnswer, resp.StatusCode)
	}
	data, err := read(resp.Body)
	if err != nil {
		return File{}, fmt.Errorf("download a file: %w", withoutAddress(err))
	}
	return File{Data: data, Type: resp.Header.Get("Content-Type"), Hash: sha256.Sum256(data)}, nil
}

// allowed reports whether a file may come from address.
func (f *Files) allowed(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Host == "" {
		return false
	}
	external := strings.HasPrefix(u.Host, "images-ext-") && strings.HasSuffix(u.Host, ".discordapp.net") // what embeds show of other sites
	if u.Scheme == "https" && (u.Host == hostCDN || u.Host == hostMedia || external) {
		return true
	}
	return (u.Scheme == "http" || u.Scheme == "https") && slices.ContainsFunc(f.hosts, func(host string) bool {
		return strings.EqualFold(host, u.Host) || strings.EqualFold(host, u.Hostname())
	})
}

// foreignHost returns an ErrForeignHost that contains only the host of an address.
func foreignHost(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ErrForeignHost
	}
	return fmt.Errorf("%w: %q", ErrForeignHost, u.Host)
}

// refresh reads a message to get the current address of one of its files.
func (f *Files) refresh(ctx context.Context, channel graph.ChannelID, message graph.MessageID, id graph.AttachmentID) (Address, error) {
	if f.history.rest == nil {
		return Address{}, errNotRecorded
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	m, err := discord.ReadMessage(ctx, f.history.rest, channel, message)
	if discord.IsNotFound(err) {
		return Address{}, ErrNoSuchFile
	}
	if err != nil {
		return Address{}, fmt.Errorf("read a file's message: %w", err)
	}
	for _, a := range addressesOfFiles(&m) {
		if a.id == id && a.URL != "" {
			return a.Address, nil
		}
	}
	return Address{}, ErrNoSuchFile
}

// withoutAddress removes the signed address from an error of the HTTP client.
func withoutAddress(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// address returns the address of an attachment, or none if it is not held. It also
// returns the message that has the attachment, which may be another part of the same
// answer.
func (l *logs) address(channel graph.ChannelID, message graph.MessageID, id graph.AttachmentID) (graph.MessageID, Address) {
	c := l.known(channel)
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.messages.find(message)
	if at < 0 {
		return message, Address{}
	}
	from, to := at, at+1
	if c.messages.entries[at].own() {
		from, to = c.messages.answer(at)
	}
	for _, e := range c.messages.entries[from:to] {
		for _, a := range e.addresses {
			if a.id == id {
				return e.ID, a.Address
			}
		}
	}
	return message, Address{}
}
