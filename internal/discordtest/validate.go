package discordtest

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Discord's limits on a message, in characters (code points) unless a comment says
// otherwise.
const (
	maxContent       = 2000
	maxComponentText = 4000
	maxEmbeds        = 10
	maxEmbedText     = 6000
	maxNonce         = 25
	maxStickers      = 3
	maxAttachments   = 10
	maxUpload        = 10 << 20 // bytes of one file
	maxRequest       = 25 << 20 // bytes

	settableFlags = FlagSuppressEmbeds | 1<<12 | 1<<13 | FlagComponentsV2
)

// parts are the contents of a message, before they are validated.
type parts struct {
	content                    string
	embeds, components, poll   json.RawMessage
	stickers, files, reference int // how many
	flags                      int
}

// count returns how many items a JSON array holds.
func count(list json.RawMessage) int {
	if isNull(list) {
		return 0
	}
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		return 0
	}
	return len(items)
}

// validate checks a whole message as it would be after a create or an edit.
func (p *parts) validate() error {
	if utf8.RuneCountInString(p.content) > maxContent {
		return errForm("content", "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length.")
	}
	if p.files > maxAttachments {
		return errForm("attachments", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.")
	}
	if p.stickers > maxStickers {
		return errForm("sticker_ids", "BASE_TYPE_MAX_LENGTH", "Must be 3 or fewer in length.")
	}
	if err := validateEmbeds(p.embeds); err != nil {
		return err
	}
	if p.flags&FlagComponentsV2 != 0 {
		return p.validateComponentsV2()
	}
	present := count(p.embeds) + count(p.components) + p.stickers + p.files + p.reference
	if p.content == "" && present == 0 && isNull(p.poll) {
		return errEmptyMessage()
	}
	return nil
}

// validateComponentsV2 checks a message that consists of components alone.
func (p *parts) validateComponentsV2() error {
	const code = "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"
	const message = "The 'content' field cannot be used when using MessageFlags.IS_COMPONENTS_V2"
	switch {
	case p.content != "":
		return errForm("content", code, message)
	case count(p.embeds) > 0:
		return errForm("embeds", code, strings.Replace(message, "content", "embeds", 1))
	case !isNull(p.poll):
		return errForm("poll", code, strings.Replace(message, "content", "poll", 1))
	case p.stickers > 0:
		return errForm("sticker_ids", code, strings.Replace(message, "content", "sticker_ids", 1))
	case count(p.components) == 0:
		return errEmptyMessage()
	}
	var tree any
	if json.Unmarshal(p.components, &tree) == nil && componentText(tree) > maxComponentText {
		return errForm("components", "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
			"The total text in components must be 4000 or fewer in length.")
	}
	return nil
}

// componentText returns how many characters the text displays in a tree of components
// hold.
func componentText(tree any) int {
	total := 0
	switch node := tree.(type) {
	case []any:
		for _, child := range node {
			total += componentText(child)
		}
	case map[string]any:
		if text, ok := node["content"].(string); ok {
			total += utf8.RuneCountInString(text)
		}
		for _, name := range []string{"components", "component", "accessory"} {
			total += componentText(node[name])
		}
	}
	return total
}

// validateEmbeds checks the embeds of a message.
func validateEmbeds(raw json.RawMessage) error {
	if isNull(raw) {
		return nil
	}
	var embeds []struct {
		Title       string `json:"title"`
		Description string `json:"description"`
		Footer      struct {
			Text string `json:"text"`
		} `json:"footer"`
		Author struct {
			Name string `json:"name"`
		} `json:"author"`
		Fields []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"fields"`
	}
	if json.Unmarshal(raw, &embeds) != nil {
		return errForm("embeds", "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
	}
	if len(embeds) > maxEmbeds {
		return errForm("embeds", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.")
	}
	total := 0
	for _, e := range embeds {
		if utf8.RuneCountInString(e.Title) > 256 || utf8.RuneCountInString(e.Description) > 4096 || len(e.Fields) > 25 {
			return errForm("embeds", "BASE_TYPE_MAX_LENGTH", "An embed is over its limits.")
		}
		total += utf8.RuneCountInString(e.Title + e.Description + e.Footer.Text + e.Author.Name)
		for _, f := range e.Fields {
			total += utf8.RuneCountInString(f.Name + f.Value)
		}
	}
	if total > maxEmbedText {
		return errForm("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000")
	}
	return nil
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// validateNonce checks a nonce: a number, or a string of up to 25 characters.
func validateNonce(raw json.RawMessage) error {
	if utf8.RuneCountInString(nonceText(raw)) > maxNonce {
		return errForm("nonce", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
	}
	return nil
}
