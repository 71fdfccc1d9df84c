package chatlog

import (
	"encoding/json"
	"errors"
	"fmt"
)

// record is one line of a log, as the README of the corpora describes it.
type record struct {
	ID       string    `json:"id"`
	Seconds  *float64  `json:"t"`
	Author   string    `json:"author"`
	Name     string    `json:"name"`
	Text     string    `json:"text"`
	Kind     string    `json:"kind"`
	Links    *[]string `json:"links"`
	Conv     *string   `json:"conv"`
	ReplyTo  *string   `json:"reply_to"`
	Gold     *bool     `json:"gold"`
	Mentions *[]string `json:"mentions"`
	Bot      bool      `json:"bot"`
	Files    int       `json:"att"`
}

var (
	errNoID     = errors.New("the message has no \"id\"")
	errNoTime   = errors.New("the message has no time \"t\"")
	errNotAChat = errors.New("this is not a chat message")
)

func parseRecord(line []byte) (record, error) {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return record{}, fmt.Errorf("%w: %w", errNotAChat, err)
	}
	if r.ID == "" {
		return record{}, errNoID
	}
	if r.Seconds == nil {
		return record{}, errNoTime
	}
	return r, nil
}

// annotated reports whether people marked what the message answers.
func (r *record) annotated() bool {
	if r.Gold != nil {
		return *r.Gold
	}
	return r.Conv != nil || r.Links != nil && len(*r.Links) > 0
}
