package gateway

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"time"
)

const (
	mostControl   = 1024     // bytes of a payload that is looked into; ops 7, 9, 10 and 11 are short
	mostHandshake = 64 << 10 // bytes of the answer to the websocket handshake
	frameHeader   = 2

	opReconnect = 7
	opInvalid   = 9
	opHello     = 10
	opAck       = 11

	frameText, frameBinary, frameClose = 1, 2, 8
)

// tap is a connection on its way from Discord to discordgo. It reads along:
// websocket frames that discordgo cannot take (reconnect, invalid session, close
// codes) never reach it, the link is cut with their reason instead. Everything
// else passes unchanged. Writes and deadlines are the connection's own.
type tap struct {
	net.Conn
	link   *link
	in     *bufio.Reader
	out    []byte // read and looked into, not yet passed on
	rest   int64  // bytes of the present frame that pass unread
	frames bool   // the handshake is over
}

func newTap(conn net.Conn, l *link) *tap {
	return &tap{Conn: conn, link: l, in: bufio.NewReader(conn)}
}

// Read passes on what may pass.
func (t *tap) Read(p []byte) (int, error) {
	for len(t.out) == 0 && t.rest == 0 {
		if err := t.next(); err != nil {
			return 0, err
		}
	}
	if len(t.out) > 0 {
		n := copy(p, t.out)
		t.out = t.out[n:]
		return n, nil
	}
	n, err := t.in.Read(p[:min(int64(len(p)), t.rest)])
	t.rest -= int64(n)
	return n, err //nolint:wrapcheck // it is the connection's error, for whoever reads it
}

// next reads the handshake's answer, then frame by frame.
func (t *tap) next() error {
	if !t.frames {
		return t.handshake()
	}
	header := make([]byte, frameHeader, 14)
	if _, err := io.ReadFull(t.in, header); err != nil {
		return err //nolint:wrapcheck // as in Read
	}
	length := int64(header[1] & 0x7f)
	if wide := map[int64]int{126: 2, 127: 8}[length]; wide > 0 {
		header = header[:frameHeader+wide]
		if _, err := io.ReadFull(t.in, header[frameHeader:]); err != nil {
			return err //nolint:wrapcheck // as in Read
		}
		var full [8]byte
		copy(full[8-wide:], header[frameHeader:])
		length = int64(binary.BigEndian.Uint64(full[:]) & math.MaxInt64)
	}
	whole, masked := header[0]&0x80 != 0, header[1]&0x80 != 0
	if !whole || masked || length > mostControl {
		t.out, t.rest = header, length
		if masked {
			t.rest += 4
		}
		return nil
	}
	frame := make([]byte, len(header)+int(length))
	copy(frame, header)
	if _, err := io.ReadFull(t.in, frame[len(header):]); err != nil {
		return err //nolint:wrapcheck // as in Read
	}
	if err := t.look(header[0]&0x0f, frame[len(header):]); err != nil {
		t.link.kill(err)
		return err
	}
	t.out = frame
	return nil
}

// handshake passes the HTTP answer on, up to its empty line.
func (t *tap) handshake() error {
	for n := 0; n < mostHandshake; {
		line, err := t.in.ReadSlice('\n')
		if err != nil {
			return err //nolint:wrapcheck // as in Read
		}
		n += len(line)
		t.out = append(t.out, line...)
		if len(bytes.TrimSpace(line)) == 0 {
			t.frames = true
			if !bytes.Contains(t.out[:bytes.IndexByte(t.out, '\n')], []byte(" 101")) {
				t.rest = math.MaxInt64 // no websocket came of it
			}
			return nil
		}
	}
	return errors.New("the answer to the websocket handshake is too long")
}

// look looks into a short frame and gives an error where it must not pass.
func (t *tap) look(kind byte, payload []byte) error {
	switch kind {
	case frameClose:
		code := 1005 // none was sent
		if len(payload) >= 2 {
			code = int(binary.BigEndian.Uint16(payload))
		}
		return &CloseError{Code: code}
	case frameBinary:
		payload = inflate(payload)
	case frameText:
	default:
		return nil
	}
	var p struct {
		Op   int             `json:"op"`
		Data json.RawMessage `json:"d"`
	}
	if len(payload) > 0 && json.Unmarshal(payload, &p) == nil { // else it is discordgo's to judge
		return t.control(p.Op, p.Data)
	}
	return nil
}

func (t *tap) control(op int, data json.RawMessage) error {
	switch op {
	case opReconnect:
		return errReconnect
	case opInvalid:
		if bytes.Equal(bytes.TrimSpace(data), []byte("true")) {
			return errAgain
		}
		return errInvalid
	case opHello:
		var hello struct {
			Interval float64 `json:"heartbeat_interval"` // milliseconds
		}
		const day = 24 * 60 * 60 * 1000
		if json.Unmarshal(data, &hello) != nil || hello.Interval < 1 || hello.Interval > day {
			return errHello // discordgo would panic at 0
		}
		t.link.hello(time.Duration(hello.Interval) * time.Millisecond)
	case opAck:
		t.link.acked()
	}
	return nil
}

// inflate unpacks a short payload; nil if it is not short or not packed.
func inflate(payload []byte) []byte {
	z, err := zlib.NewReader(bytes.NewReader(payload))
	if err != nil {
		return nil
	}
	defer func() { _ = z.Close() }()
	plain, err := io.ReadAll(io.LimitReader(z, mostControl+1))
	if err != nil || len(plain) > mostControl {
		return nil
	}
	return plain
}
