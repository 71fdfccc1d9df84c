package playground

import (
	_ "embed" // the scenes
	"encoding/json"
	"fmt"
)

// scenesFile holds channels that demonstrate heddle: two talks at once, an old message
// that matters, and an empty channel to try things in.
//
//go:embed scenes.json
var scenesFile []byte

// scene is a channel with its earlier messages.
type scene struct {
	Name, Topic string
	Lines       []line
	Hints       []hint
}

type line struct {
	Minutes int // ago
	Who     string
	Text    string
	Label   string // names the line for replies; "" for none
	Answers string // the label of the line that it replies to; "" for none
}

type hint struct{ Who, Text, Answers string }

// scenes returns the channels that there are from the start.
func scenes() ([]scene, error) {
	var all []scene
	if err := json.Unmarshal(scenesFile, &all); err != nil {
		return nil, fmt.Errorf("read the scenes: %w", err)
	}
	return all, nil
}
