package discordtest

import (
	"bytes"
	"compress/zlib"

	"github.com/gorilla/websocket"
)

// packer turns payloads into websocket messages.
type packer interface {
	pack(payload []byte) (messageType int, data []byte)
}

// plain sends text.
type plain struct{}

func (plain) pack(payload []byte) (int, []byte) { return websocket.TextMessage, payload }

// each compresses every payload by itself, for identify's "compress".
type each struct{}

func (each) pack(payload []byte) (int, []byte) {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(payload) // a bytes.Buffer takes everything
	_ = z.Close()
	return websocket.BinaryMessage, b.Bytes()
}

// stream is one zlib stream over the whole connection, flushed after each
// payload, for "compress=zlib-stream".
type stream struct {
	b *bytes.Buffer
	z *zlib.Writer
}

func newStream() *stream {
	b := new(bytes.Buffer)
	return &stream{b, zlib.NewWriter(b)}
}

func (p *stream) pack(payload []byte) (int, []byte) {
	p.b.Reset()
	_, _ = p.z.Write(payload)
	_ = p.z.Flush()
	return websocket.BinaryMessage, bytes.Clone(p.b.Bytes())
}
