package inspect

import (
	"encoding/json"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// The names of the formats.
const (
	FormatOpenAI = "openai" // OpenAI's supervised fine-tuning
	FormatTRL    = "trl"    // TRL's prompt-completion
	FormatDPO    = "dpo"    // TRL's preference: prompt, chosen, rejected
	FormatRaw    = "raw"    // everything
	// FormatOpenAIDPO is OpenAI's preference fine-tuning.
	FormatOpenAIDPO = "openai-dpo"
)

// Formats returns the names of all formats, as people see them.
func Formats() []string {
	return []string{FormatOpenAI, FormatTRL, FormatDPO, FormatOpenAIDPO, FormatRaw}
}

// maker makes the rows of a scope's samples.
type maker func(samples []sample, withheld *Withheld) ([]any, error)

func formats() map[string]maker {
	return map[string]maker{
		FormatOpenAI: training(each(openAI)), FormatTRL: training(each(trl)), FormatRaw: each(raw),
		FormatDPO: training(eachPair(trlPair)), FormatOpenAIDPO: training(eachPair(openAIPair)),
	}
}

// training wraps a maker for training formats. It withholds samples whose requests
// showed pictures, which these formats cannot contain, and samples with words of
// somebody who may not have consented.
func training(rows maker) maker {
	return func(samples []sample, withheld *Withheld) ([]any, error) {
		var whole []sample
		for _, s := range samples {
			switch {
			case s.request.forwards():
				withheld.Forwards++
			case s.quotes:
				withheld.Quotes++
			case len(s.request.pictures) > 0:
				withheld.Pictures++
			default:
				whole = append(whole, s)
			}
		}
		return rows(whole, withheld)
	}
}

// IsTraining reports whether a format is for training models, which requires Discord's
// permission.
func IsTraining(format string) bool { return format != FormatRaw }

// each returns a maker that makes one row from each sample.
func each(row func(*sample) (any, error)) maker {
	return func(samples []sample, _ *Withheld) ([]any, error) {
		rows := make([]any, len(samples))
		for i := range samples {
			var err error
			if rows[i], err = row(&samples[i]); err != nil {
				return nil, err
			}
		}
		return rows, nil
	}
}

// message is an answer in the form of a message.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func assistant(text string) message { return message{Role: "assistant", Content: text} }

// openAI returns a conversation in which only the last answer has a weight for
// training. Earlier answers have rows of their own.
func openAI(s *sample) (any, error) {
	messages := make([]any, 0, len(s.messages)+1)
	for _, raw := range s.messages {
		masked, err := change(raw, roleAssistant, func(message fields) error {
			message["weight"] = json.RawMessage("0")
			return nil
		})
		if err != nil {
			return nil, err
		}
		messages = append(messages, masked)
	}
	answer, err := s.weighted()
	if err != nil {
		return nil, err
	}
	return struct {
		Messages []any           `json:"messages"`
		Tools    json.RawMessage `json:"tools,omitempty"`
	}{append(messages, answer), s.tools}, nil
}

// trl returns a prompt with its completion.
func trl(s *sample) (any, error) {
	prompt, err := s.prompt()
	if err != nil {
		return nil, err
	}
	completion, err := s.completion()
	return struct {
		Prompt     []json.RawMessage `json:"prompt"`
		Completion []json.RawMessage `json:"completion"`
		Tools      json.RawMessage   `json:"tools,omitempty"`
	}{prompt, []json.RawMessage{completion}, s.tools}, err
}

// raw returns everything that is stored about a response.
func raw(s *sample) (any, error) {
	answered, err := s.answered()
	if err != nil {
		return nil, err
	}
	r := &s.response
	return struct {
		Schema       string            `json:"schema"`
		ID           store.ResponseID  `json:"id"`
		Scope        store.Scope       `json:"scope"`
		PathHash     path.Hash         `json:"path_hash"`
		PromptHashes []path.Hash       `json:"prompt_hashes"`
		RequestHash  path.Hash         `json:"request_hash"`
		ResponseHash path.Hash         `json:"response_hash"`
		Model        string            `json:"model"`          // as requested
		Reported     *string           `json:"reported_model"` // the provider's name for it
		Fingerprint  *string           `json:"system_fingerprint"`
		Options      path.Options      `json:"options"`
		Without      []string          `json:"without"`
		Request      json.RawMessage   `json:"request"`
		Pictures     []picture         `json:"pictures,omitempty"` // the request holds their hashes
		Response     json.RawMessage   `json:"response"`
		FinishReason string            `json:"finish_reason"`
		Usage        store.Usage       `json:"usage"`
		Confidence   *store.Confidence `json:"confidence"`
		OnPolicy     string            `json:"on_policy"` // "text": no token ids are stored
		// Tokens holds the sampled tokens of the text that people read; null if they were
		// not stored.
		Tokens     []store.Token   `json:"tokens"`
		Created    time.Time       `json:"created"`
		Sampled    int             `json:"sampled"` // how often the model gave this answer to the request
		Reused     int             `json:"reused"`
		Question   graph.MessageID `json:"question"`
		Generation int             `json:"generation"` // number of edits of the question before this answer
		// Replaces is the answer that this one replaced after an edit of the question,
		// and Continues the answer whose path this one's path continues.
		Replaces  *store.ResponseID `json:"replaces"`
		Continues *store.ResponseID `json:"continues"`
		Shown     bool              `json:"shown"` // chosen among alternatives
		// Step is empty for an answer. "round 2" is the second response that called
		// tools on the way to an answer, and "helper" with the id of a call is the
		// answer of a helper.
		Step      string            `json:"step,omitempty"`
		Artifacts []store.Artifact  `json:"artifacts"`
		Code      []store.CodeBlock `json:"code"` // in the text that people read
		Ratings   tally             `json:"ratings"`
	}{
		"heddle/raw/1", r.ID, r.Scope, r.PathHash, r.Prompts, r.RequestHash, r.ResponseHash, r.Model, told(r.Reported), told(r.Fingerprint), r.Options,
		append([]string{}, r.Without...), s.request.body, s.request.pictures, answered, r.FinishReason, r.Usage, r.Confidence,
		"text", r.Tokens, r.Created, 1 + len(s.again), s.reuses, r.Trigger, r.Generation, known(s.replaces), known(r.Continues), s.shown,
		s.step, append([]store.Artifact{}, r.Artifacts...), append([]store.CodeBlock{}, r.Code...), s.tally,
	}, nil
}

// told returns a pointer to text, or nil if text is empty.
func told(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// known returns a pointer to id, or nil if id is zero.
func known(id store.ResponseID) *store.ResponseID {
	if id == (store.ResponseID{}) {
		return nil
	}
	return &id
}
