package playground

import (
	_ "embed" // the scenes
	"encoding/json"
	"fmt"
)

// scenesFile holds channels that demonstrate heddle: two days with three conversations and a
// thread, an old message that matters, and an empty channel to try things in.
//
//go:embed scenes.json
var scenesFile []byte

// scene is a channel or a thread with its earlier messages.
type scene struct {
	Name   string `json:"name"`
	Topic  string `json:"topic"`
	Lines  []line `json:"lines"`
	Thread *scene `json:"thread"` // of a channel; nil for none
	From   string `json:"from"`   // the label of the line in the channel that a thread starts from
	Hints  []hint `json:"hints"`
}

type line struct {
	Minutes int    `json:"minutes"` // ago
	Who     string `json:"who"`
	Text    string `json:"text"`
	Label   string `json:"label"`   // names the line for replies; "" for none
	Answers string `json:"answers"` // the label of the line that it replies to; "" for none
}

type hint struct {
	Who     string `json:"who"`
	Text    string `json:"text"`
	Answers string `json:"answers"`
}

// scenes returns the channels that there are from the start.
func scenes() ([]scene, error) {
	var all []scene
	if err := json.Unmarshal(scenesFile, &all); err != nil {
		return nil, fmt.Errorf("read the scenes: %w", err)
	}
	return all, nil
}
