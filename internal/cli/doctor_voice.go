package cli

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"heddle/config"
	"heddle/llm"
)

// silence is a second of silence as Discord sends voice messages: Opus in Ogg, which some servers
// refuse.
//
//go:embed silence.ogg
var silence []byte

// examineTranscriber has a second of silence transcribed. It finds nothing if TRANSCRIBE is off.
func examineTranscriber(ctx context.Context, c *config.Config) []finding {
	const remedy = "check TRANSCRIBE: its address needs /audio/transcriptions and has to take Ogg with Opus (whisper.cpp: --convert, and --inference-path /v1/audio/transcriptions)"
	transcriber, err := newTranscriber(c, nil)
	switch {
	case err != nil:
		return []finding{{fault, "voice", err.Error(), "correct TRANSCRIBE"}}
	case transcriber == nil:
		return nil
	}
	_, err = transcriber.Transcribe(ctx, llm.Recording{Data: silence, Ending: ".ogg", Type: "audio/ogg", Length: time.Second})
	if err != nil {
		if llm.KindOf(err) == llm.Unreachable {
			err = innermost(err)
		}
		return []finding{{warning, "voice", fmt.Sprintf("%s hears no voice messages at %s: %s", c.Transcribe.Model, c.Transcribe.BaseURL.Host(), err), remedy}}
	}
	return []finding{inOrder("voice", "%s hears voice messages at %s", c.Transcribe.Model, c.Transcribe.BaseURL.Host())}
}
