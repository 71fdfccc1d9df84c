package llm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"
	"strings"

	"heddle/graph/path"
)

// Vision reports whether a model can see pictures.
type Vision uint8

// What is known of a model's vision.
const (
	VisionUnknown Vision = iota
	VisionYes
	VisionNo
)

// VisionOf returns the vision of a model as far as its name reveals it.
func VisionOf(model string) Vision {
	model = strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	model = strings.TrimPrefix(model, "ft:")
	switch {
	case containsAny(model, "audio", "embed", "realtime-mini", "o1-mini", "o1-preview", "o3-mini", "gpt-oss") ||
		hasAnyPrefix(model, "gpt-3.5", "gpt-35"):
		return VisionNo
	case containsAny(model, "vision", "-vl", "vl-", "llava", "pixtral", "minicpm-v", "moondream", "multimodal", "omni"),
		hasAnyPrefix(model,
			"gpt-4o", "chatgpt-4o", "gpt-4.1", "gpt-4.5", "gpt-4-turbo", "gpt-5", "o1", "o3", "o4",
			"claude-3", "claude-opus", "claude-sonnet", "claude-haiku", "gemini-", "gemma-3", "gemma3", "llama-4", "llama4",
			"mistral-small-3", "mistral-medium-3", "grok-4",
		):
		return VisionYes
	default:
		return VisionUnknown
	}
}

// testPicture is a picture of one colour.
type testPicture struct {
	name  string
	color color.NRGBA
}

// testPictures returns the pictures of TestVision. At most one in a hundred models that
// guess names these colours in this order.
func testPictures() []testPicture {
	return []testPicture{
		{"yellow", color.NRGBA{R: 255, G: 221, A: 255}},
		{"black", color.NRGBA{A: 255}},
		{"green", color.NRGBA{G: 160, A: 255}},
	}
}

const (
	visionSystem  = "You are shown three pictures, each of a single colour."
	visionRequest = "Name the colours of the three pictures above in their order, in English, with commas between, and nothing else. If you cannot see pictures, say: none."
	// visionTokens bounds the model's answer, including its reasoning.
	visionTokens = 1000
)

// TestVision reports whether the model can see. It shows pictures of colours and asks
// for the colours, because some servers drop pictures silently and their models then
// describe what they have not seen. After an error, which is an *Error, nothing is known.
func (c *Client) TestVision(ctx context.Context) (bool, error) {
	shown := path.Turn{Role: path.RoleUser, Speaker: "heddle"}
	addresses := make(map[path.Hash]string)
	for _, picture := range testPictures() {
		data, err := picture.encode()
		if err != nil {
			return false, err
		}
		hash := path.Hash(sha256.Sum256(data))
		addresses[hash] = "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)
		shown.Parts = append(shown.Parts, path.Image{Content: path.Content{Hash: hash}, Type: "image/png"})
	}
	answer, err := c.Stream(ctx, Request{
		Path: path.Path{
			Turns:   []path.Turn{{Role: path.RoleSystem, Parts: []path.Part{path.Text(visionSystem)}}, shown},
			Options: path.Options{MaxTokens: visionTokens},
		},
		Tail: visionRequest,
		Image: func(_ context.Context, picture path.Image) (string, error) {
			return addresses[picture.Content.Hash], nil
		},
	}, nil)
	if err != nil {
		return false, err
	}
	return !slices.Contains(answer.Dropped, FeatureImages) && namesColours(answer.Text), nil
}

// namesColours reports whether a text names the colours of testPictures in order.
func namesColours(text string) bool {
	text = strings.ToLower(text)
	for _, picture := range testPictures() {
		_, after, found := strings.Cut(text, picture.name)
		if !found {
			return false
		}
		text = after
	}
	return true
}

func (p testPicture) encode() ([]byte, error) {
	const side = 64 // pixels
	canvas := image.NewNRGBA(image.Rect(0, 0, side, side))
	draw.Draw(canvas, canvas.Bounds(), image.NewUniform(p.color), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, canvas); err != nil {
		return nil, fmt.Errorf("draw a picture: %w", err)
	}
	return b.Bytes(), nil
}
