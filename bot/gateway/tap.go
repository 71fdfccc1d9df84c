package gateway

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"time"

	"heddle/internal/discord"
)

const (
	mostMessage   = 64 << 20 // bytes of one payload; a longer one is dropped
	mostHandshake = 64 << 10 // bytes of the answer to the websocket handshake

	opDispatch  = 0
	opBeat      = 1
	opResume    = 6
	opReconnect = 7
	opInvalid   = 9
	opHello     = 10
	opAck       = 11

	frameText, frameBinary, frameClose = 1, 2, 8

	nameReady, nameResumed = "READY", "RESUMED"
)

var errFrame = errors.New("discord sent a websocket frame that the protocol does not allow")

// tap is a connection between Discord and discordgo. It reads every payload before
// discordgo does and passes on only what discordgo needs to keep the connection: HELLO,
// requests for a heartbeat, and the sequence number of each event. The tap passes events
// to the link. A request to reconnect, an invalid session and a close code, which
// discordgo handles badly, cut the link.
//
// discordgo always identifies, as it knows nothing of earlier connections. If the link
// resumes a session, the tap sends the request to resume instead.
type tap struct {
	net.Conn
	link     *link
	in       *bufio.Reader
	out      []byte // read and not yet passed on
	upgraded bool   // the handshake is over
	greeted  bool   // HELLO was passed on
	answered bool   // discordgo has answered HELLO; nothing reads greeted any more

	message  []byte // the frames so far of a message in several frames
	kind     byte   // the kind of that message
	dropping bool   // that message is too long and is dropped
}

func newTap(conn net.Conn, l *link) *tap {
	return &tap{Conn: conn, link: l, in: bufio.NewReader(conn)}
}

// Write sends what discordgo writes, but a request to resume in place of IDENTIFY if the
// link resumes a session. discordgo writes each of its payloads at once.
func (t *tap) Write(p []byte) (int, error) {
	sent := p
	if !t.answered && t.greeted {
		t.answered = true
		if t.link.resumes() {
			sent = masked(t.link.resumption)
		}
	}
	if _, err := t.Conn.Write(sent); err != nil {
		err = fmt.Errorf("%w: %w", errEnded, err)
		t.link.kill(err)
		return 0, err
	}
	return len(p), nil
}

// masked returns the websocket frame in which a client sends a payload. The mask is
// random, as RFC 6455 demands in section 5.3.
func masked(payload []byte) []byte {
	var f []byte
	switch n := len(payload); {
	case n <= 125:
		f = []byte{0x80 | frameText, 0x80 | byte(n)}
	case n <= math.MaxUint16:
		f = binary.BigEndian.AppendUint16([]byte{0x80 | frameText, 0x80 | 126}, uint16(n))
	default:
		f = binary.BigEndian.AppendUint64([]byte{0x80 | frameText, 0x80 | 127}, uint64(n))
	}
	var mask [4]byte
	_, _ = rand.Read(mask[:]) // it never fails
	f = append(f, mask[:]...)
	for i, b := range payload {
		f = append(f, b^mask[i%len(mask)])
	}
	return f
}

// Read returns what discordgo is meant to see.
func (t *tap) Read(p []byte) (int, error) {
	for len(t.out) == 0 {
		read := t.frame
		if !t.upgraded {
			read = t.handshake
		}
		if err := read(); err != nil {
			t.link.kill(fmt.Errorf("%w: %w", errEnded, err))
			return 0, err
		}
	}
	n := copy(p, t.out)
	t.out = t.out[n:]
	return n, nil
}

// handshake passes on the HTTP response to the websocket handshake, up to its empty
// line.
func (t *tap) handshake() error {
	for n := 0; n < mostHandshake; {
		line, err := t.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		n += len(line)
		t.out = append(t.out, line...)
		if len(bytes.TrimSpace(line)) == 0 {
			t.upgraded = true
			return nil
		}
	}
	return errors.New("the answer to the websocket handshake is too long")
}

// frame reads one frame, and handles the message if the frame completes it.
func (t *tap) frame() error {
	header := make([]byte, 2, 10)
	if _, err := io.ReadFull(t.in, header); err != nil {
		return err
	}
	last, kind := header[0]&0x80 != 0, header[0]&0x0f
	if header[0]&0x70 != 0 || header[1]&0x80 != 0 {
		return errFrame
	}
	length := int64(header[1])
	if length >= 126 { // the length follows, in two bytes or in eight
		wide := 2
		if length == 127 {
			wide = 8
		}
		var full [8]byte
		if _, err := io.ReadFull(t.in, full[8-wide:]); err != nil {
			return err
		}
		length = int64(binary.BigEndian.Uint64(full[:]) & math.MaxInt64)
	}
	if kind >= frameClose {
		return t.control(header, kind, length)
	}
	if kind != 0 {
		t.kind, t.message, t.dropping = kind, nil, false
	}
	if err := t.read(length); err != nil || !last {
		return err
	}
	message := t.message
	t.message = nil
	return t.take(message)
}

// read reads the next bytes of a message. A message that is too long is read but not
// kept.
func (t *tap) read(length int64) error {
	t.dropping = t.dropping || length > mostMessage-int64(len(t.message))
	if t.dropping {
		t.message = nil
		_, err := io.CopyN(io.Discard, t.in, length)
		return err
	}
	have := len(t.message)
	t.message = append(t.message, make([]byte, length)...)
	_, err := io.ReadFull(t.in, t.message[have:])
	return err
}

// control handles a control frame: it cuts the link on a close frame, and passes on
// pings and pongs.
func (t *tap) control(header []byte, kind byte, length int64) error {
	const most = 125 // bytes, as the protocol says
	if length > most {
		return errFrame
	}
	payload := make([]byte, length)
	if _, err := io.ReadFull(t.in, payload); err != nil {
		return err
	}
	if kind != frameClose {
		t.out = append(append(t.out, header...), payload...)
		return nil
	}
	code := 1005 // none was sent
	if len(payload) >= 2 {
		code = int(binary.BigEndian.Uint16(payload))
	}
	return t.cut(&CloseError{Code: code})
}

// cut ends the link for a reason that came from Discord.
func (t *tap) cut(why error) error {
	t.link.kill(why)
	return why
}

// take handles a complete message. A message that cannot be read is dropped.
func (t *tap) take(message []byte) error {
	if t.kind == frameBinary {
		message = inflate(message)
	}
	p, ok := discord.DecodePayload(message)
	if !ok {
		t.link.dropped("")
		return nil
	}
	t.link.received()
	switch p.Op {
	case opDispatch:
		return t.dispatch(p)
	case opBeat:
		t.pass(opBeat, 0, nil)
	case opReconnect:
		return t.cut(errReconnect)
	case opInvalid:
		if string(bytes.TrimSpace(p.Data)) == "true" {
			return t.cut(errAgain)
		}
		return t.cut(errInvalid)
	case opHello:
		return t.hello(p.Data)
	case opAck:
		t.link.acked() // discordgo must not see it: see client.open
	}
	return nil
}

// hello passes HELLO on to discordgo without anything but the interval of heartbeats. It
// cuts the link if the interval is shorter than a millisecond or longer than a day, or if
// the turn to identify is over.
func (t *tap) hello(data json.RawMessage) error {
	var hello struct {
		Interval float64 `json:"heartbeat_interval"` // milliseconds
	}
	const day = 24 * 60 * 60 * 1000
	if json.Unmarshal(data, &hello) != nil || hello.Interval < 1 || hello.Interval > day {
		return t.cut(errHello)
	}
	if err := t.link.hello(time.Duration(hello.Interval * float64(time.Millisecond))); err != nil {
		return t.cut(err)
	}
	t.greeted = true
	t.pass(opHello, 0, fmt.Appendf(nil, `{"heartbeat_interval":%d}`, int64(hello.Interval)))
	if t.link.resumes() {
		t.pass(opDispatch, t.link.sequence, []byte("{}")) // heartbeats name it
	}
	return nil
}

// dispatch delivers an event, and passes its sequence number to discordgo afterwards.
// An event that was not delivered is therefore sent again when the session is resumed.
func (t *tap) dispatch(p discord.Payload) error {
	isObject := bytes.HasPrefix(p.Data, []byte("{"))
	switch {
	case p.Name == "", !isObject && p.Name != nameResumed:
		t.link.dropped(p.Name)
	default:
		if err := t.link.deliver(p.Name, p.Data); err != nil {
			return t.cut(err)
		}
	}
	if p.Sequence > 0 {
		t.link.handled(p.Sequence)
		t.pass(opDispatch, p.Sequence, []byte("{}"))
	}
	return nil
}

// pass passes a payload on to discordgo.
func (t *tap) pass(op int, sequence int64, data json.RawMessage) {
	message, err := json.Marshal(discord.Payload{Op: op, Sequence: sequence, Data: data})
	if err != nil { // data is not JSON, which no caller passes
		t.link.dropped("")
		return
	}
	t.out = append(t.out, 0x80|frameText, 127) // 127: the length follows in eight bytes
	t.out = binary.BigEndian.AppendUint64(t.out, uint64(len(message)))
	t.out = append(t.out, message...)
}

// inflate decompresses a message. It returns nil if the message is not compressed or
// too long.
func inflate(message []byte) []byte {
	z, err := zlib.NewReader(bytes.NewReader(message))
	if err != nil {
		return nil
	}
	defer func() { _ = z.Close() }()
	plain, err := io.ReadAll(io.LimitReader(z, mostMessage+1))
	if err != nil || len(plain) > mostMessage {
		return nil
	}
	return plain
}
