package discord

import (
	"encoding/json"
	"strconv"
)

// Payload is a message of the gateway.
type Payload struct {
	Op       int             `json:"op"`
	Sequence int64           `json:"s"`
	Name     string          `json:"t"`
	Data     json.RawMessage `json:"d"`
}

// DecodePayload decodes a message of the gateway. It reports false for anything else.
// The payload's data shares memory with raw.
func DecodePayload(raw []byte) (p Payload, ok bool) {
	o := parseObject(raw)
	if o == nil {
		return Payload{}, false
	}
	op, isOp := whole(o.field("op"))
	sequence, isSequence := whole(o.field("s"))
	name, data := o.field("t"), o.field("d")
	if !isOp || !isSequence || o.given("t") && name[0] != '"' {
		return Payload{}, false
	}
	return Payload{Op: int(op), Sequence: sequence, Name: textOf(name), Data: data}, true
}

// whole returns a whole number, or 0 for what is absent or null. It reports false for
// anything else.
func whole(raw json.RawMessage) (n int64, ok bool) {
	if raw == nil || string(raw) == "null" {
		return 0, true
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}
