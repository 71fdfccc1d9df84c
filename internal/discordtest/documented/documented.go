// Package documented holds the bodies of requests as Discord's documentation describes
// them: names, types and limits. Discord ignores what it does not know; other servers that
// speak its API refuse it. Of components, commands and answers to interactions only those
// are here that heddle makes.
package documented

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"heddle/internal/discordtest"
)

// check returns what the body of a request holds that Discord's documentation does not
// allow for its route. Names are compared with their case.
func check(r discordtest.Request) []string {
	want := bodies()[r.Route]
	switch {
	case len(r.Body) == 0:
		return nil
	case want == nil:
		return []string{r.Route + " has a body"}
	}
	var sent any
	decoder := json.NewDecoder(bytes.NewReader(r.Body))
	decoder.UseNumber()
	if err := decoder.Decode(&sent); err != nil {
		return []string{r.Route + " has a body that is not JSON: " + err.Error()}
	}
	return append(want(r.Route, sent), repeated(sent, map[string]bool{})...)
}

// repeated returns the ids of components that occur twice in a value, which Discord
// refuses. It notes those that it has seen.
func repeated(value any, seen map[string]bool) (faults []string) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			faults = append(faults, repeated(item, seen)...)
		}
	case map[string]any:
		if id, ok := value["custom_id"].(string); ok {
			if seen[id] {
				faults = append(faults, fmt.Sprintf("custom_id %q occurs twice", id))
			}
			seen[id] = true
		}
		for _, inner := range value {
			faults = append(faults, repeated(inner, seen)...)
		}
	}
	return faults
}

// Test is a test that can fail; testing.TB is one.
type Test interface {
	Errorf(format string, args ...any)
}

// Demanded returns an Options.Inspect that fails a test for every request that holds what
// the documentation does not allow.
func Demanded(t Test) func(discordtest.Request) {
	return func(r discordtest.Request) {
		for _, fault := range check(r) {
			t.Errorf("heddle sends what Discord's documentation does not allow: %s, in %s", fault, r.Body)
		}
	}
}

// bodies returns the bodies of requests by their routes. Other routes have none.
func bodies() map[string]kind {
	followUp := message() // Execute Webhook without what only webhooks can set
	followUp["tts"] = truth
	creation, edit := maps.Clone(followUp), message()
	creation["nonce"], creation["enforce_nonce"], creation["sticker_ids"] = either(integer, upTo(25)), truth, list(3, text)
	creation["message_reference"] = fields{
		"type": integer, "message_id": text, "channel_id": text, "guild_id": text, "fail_if_not_exists": truth,
	}.object
	for name, of := range edit {
		edit[name] = nullable(of)
	}
	withMessage := fields{"type": integer, "data": followUp.object}
	form := fields{"custom_id": named(100), "title": named(45), "components": list(5, component())}
	return map[string]kind{
		discordtest.RouteCreateMessage: creation.object,
		discordtest.RouteEditMessage:   edit.object,
		discordtest.RouteEditFollowUp:  edit.object,
		discordtest.RouteFollowUp:      followUp.object,
		discordtest.RouteAnswer: byType(map[string]fields{
			"4": withMessage, // a message
			"5": withMessage, // a message is coming
			"6": withMessage, // nothing to see
			"7": withMessage, // an edit
			"9": {"type": integer, "data": form.object},
		}),
		discordtest.RouteThreadFrom:  fields{"name": named(100), "auto_archive_duration": integer, "rate_limit_per_user": nullable(integer)}.object,
		discordtest.RouteOpenDM:      fields{"recipient_id": text}.object,
		discordtest.RouteSetCommands: list(100, command().object),
	}
}

// message returns the fields that every message has.
func message() fields {
	embed := fields{"title": upTo(256), "description": upTo(4096), "url": text, "color": integer}
	allowed := fields{"parse": list(3, text), "roles": list(100, text), "users": list(100, text), "replied_user": truth}
	attachment := fields{"id": either(integer, text), "filename": text, "title": text, "description": upTo(1024)}
	return fields{
		"content": upTo(2000), "embeds": list(10, embed.object), "allowed_mentions": allowed.object,
		"components": list(5, component()), "attachments": list(10, attachment.object), "flags": integer,
	}
}

// component is a row, or what stands in one.
func component() kind {
	inRow := byType(map[string]fields{
		"2": {
			"type": integer, "id": integer, "style": integer, "label": upTo(80), "emoji": fields{"id": nullable(text), "name": text, "animated": truth}.object,
			"custom_id": named(100), "sku_id": text, "url": named(512), "disabled": truth,
		},
		"4": { // Discord prefers labels around text inputs to labels in them
			"type": integer, "id": integer, "custom_id": named(100), "style": integer, "label": named(45), "min_length": integer,
			"max_length": integer, "required": truth, "value": upTo(4000), "placeholder": upTo(100),
		},
	})
	return byType(map[string]fields{"1": {"type": integer, "id": integer, "components": list(5, inRow)}})
}

// command is one of Bulk Overwrite Global Application Commands.
func command() fields {
	return fields{
		"id": text, "type": integer, "name": named(32), "name_localizations": nullable(translations(named(32))),
		"description": upTo(100), "description_localizations": nullable(translations(upTo(100))), "options": list(25, option().object),
		"default_member_permissions": nullable(text), "dm_permission": nullable(truth), "default_permission": truth,
		"integration_types": list(2, integer), "contexts": list(3, integer), "nsfw": truth,
	}
}

// option is an option of a command, or a subcommand with its options.
func option() fields {
	choice := fields{"name": named(100), "name_localizations": nullable(translations(named(100))), "value": either(upTo(100), number)}
	all := fields{
		"type": integer, "name": lowercase, "name_localizations": nullable(translations(lowercase)),
		"description": named(100), "description_localizations": nullable(translations(named(100))),
		"required": truth, "choices": list(25, choice.object), "channel_types": list(25, integer), "min_value": number,
		"max_value": number, "min_length": integer, "max_length": integer, "autocomplete": truth,
	}
	all["options"] = list(25, all.object)
	return all
}

// lowercase is the name of an option.
func lowercase(at string, value any) []string {
	if s, ok := value.(string); !ok || !optionName.MatchString(s) || s != strings.ToLower(s) {
		return wrong(at, value, "the name of an option")
	}
	return nil
}

// optionName is what the name of an option looks like; it has no capital letters either.
var optionName = regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)
