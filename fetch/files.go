package fetch

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime"
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
)

// File is the content of an attachment.
type File struct {
	Data []byte
	Type string // media type, from the attachment or else from the server
	Hash [sha256.Size]byte
}

const (
	fileBytes   = 10 << 20         // of one file at most
	fileTimeout = 15 * time.Second // of one download
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

// Download reads an attachment of a message. If its address is not held or has expired,
// Download reads the message again, once. The error is ErrTooLarge, ErrForeignHost,
// ErrNoSuchFile, or one of ctx, Discord or the network.
func (f *Files) Download(ctx context.Context, channel graph.ChannelID, message graph.MessageID, a graph.Attachment) (File, error) {
	owner, address := f.history.logs.address(channel, message, a.ID)
	if address != "" {
		file, err := f.DownloadFrom(ctx, address, a)
		if !errors.Is(err, ErrNoSuchFile) {
			return file, err
		}
	}
	address, err := f.refresh(ctx, channel, owner, a.ID)
	if err != nil {
		return File{}, err
	}
	return f.DownloadFrom(ctx, address, a)
}

// DownloadFrom downloads an attachment that is not on a message, from the address that
// Discord sent. Errors are those of Download.
func (f *Files) DownloadFrom(ctx context.Context, address string, a graph.Attachment) (File, error) {
	if a.Size > fileBytes {
		return File{}, fmt.Errorf("%w: %d bytes of at most %d", ErrTooLarge, a.Size, fileBytes)
	}
	if !f.allowed(address) {
		return File{}, foreignHost(address)
	}
	ctx, cancel := context.WithTimeout(ctx, fileTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return File{}, foreignHost(address)
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return File{}, fmt.Errorf("download a file: %w", withoutAddress(err))
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone:
		return File{}, ErrNoSuchFile
	case resp.StatusCode != http.StatusOK:
		return File{}, fmt.Errorf("%w: HTTP %d", errUnusualAnswer, resp.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, fileBytes+1))
	if err != nil {
		return File{}, fmt.Errorf("download a file: %w", withoutAddress(err))
	}
	if int64(len(data)) > fileBytes {
		return File{}, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, fileBytes)
	}
	mediaType := a.Type
	if mediaType == "" {
		mediaType, _, _ = mime.ParseMediaType(resp.Header.Get("Content-Type"))
	}
	return File{Data: data, Type: mediaType, Hash: sha256.Sum256(data)}, nil
}

// allowed reports whether a file may come from address.
func (f *Files) allowed(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Host == "" {
		return false
	}
	if u.Scheme == "https" && (u.Host == hostCDN || u.Host == hostMedia) {
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
func (f *Files) refresh(ctx context.Context, channel graph.ChannelID, message graph.MessageID, id graph.AttachmentID) (string, error) {
	if f.history.rest == nil {
		return "", errNotRecorded
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	m, err := discord.ReadMessage(ctx, f.history.rest, channel, message)
	if discord.IsNotFound(err) {
		return "", ErrNoSuchFile
	}
	if err != nil {
		return "", fmt.Errorf("read a file's message: %w", err)
	}
	for _, a := range addressesOfFiles(&m) {
		if a.id == id && a.url != "" {
			return a.url, nil
		}
	}
	return "", ErrNoSuchFile
}

// withoutAddress removes the signed address from an error of the HTTP client.
func withoutAddress(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// address returns the address of an attachment, or "" if it is not held. It also
// returns the message that has the attachment, which may be another part of the same
// answer.
func (l *logs) address(channel graph.ChannelID, message graph.MessageID, id graph.AttachmentID) (graph.MessageID, string) {
	c := l.known(channel)
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.messages.find(message)
	if at < 0 {
		return message, ""
	}
	from, to := at, at+1
	if c.messages.entries[at].own() {
		from, to = c.messages.answer(at)
	}
	for _, e := range c.messages.entries[from:to] {
		for _, a := range e.addresses {
			if a.id == id {
				return e.ID, a.url
			}
		}
	}
	return message, ""
}
