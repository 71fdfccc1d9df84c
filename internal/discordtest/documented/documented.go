// Package documented holds the bodies of requests as Discord's documentation describes
// them: names, types and limits. Discord ignores what it does not know; other servers that
// speak its API refuse it. Of components, commands and answers to interactions only those
// are here that heddle makes.
package documented

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"heddle/internal/discordtest"
)

// check returns what the body of a request holds that Discord's documentation does not
// allow for its route. Names are compared with their case.
func check(r discordtest.Request) []string {
	want := body(r.Route)
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

// body returns the body of a route; nil for one without.
func body(route string) kind {
	switch route {
	case discordtest.RouteCreateMessage:
		return creation().object
	case discordtest.RouteEditMessage, discordtest.RouteEditFollowUp:
		return edit().object
	case discordtest.RouteFollowUp:
		return followUp().object
	case discordtest.RouteAnswer:
		return interactionAnswer()
	case discordtest.RouteThreadFrom:
		return fields{"name": named(100), "auto_archive_duration": integer, "rate_limit_per_user": nullable(integer)}.object
	case discordtest.RouteOpenDM:
		return fields{"recipient_id": text}.object
	case discordtest.RouteSetCommands:
		return list(100, command().object)
	default:
		return nil
	}
}

// message returns the fields that every message has.
func message() fields {
	return fields{
		"content": upTo(2000), "embeds": list(10, embed().object), "allowed_mentions": allowedMentions().object,
		"components": list(5, component()), "attachments": list(10, attachment().object), "flags": integer,
	}
}

// creation is the body of Create Message.
func creation() fields {
	all := followUp()
	all["nonce"], all["enforce_nonce"], all["message_reference"] = either(integer, upTo(25)), truth, reference().object
	all["sticker_ids"] = list(3, text)
	return all
}

// edit is the body of Edit Message, and of Edit Followup Message.
func edit() fields {
	all := message()
	for name, of := range all {
		all[name] = nullable(of)
	}
	return all
}

// followUp is the body of Create Followup Message, which is Execute Webhook's without what
// only webhooks can set.
func followUp() fields {
	all := message()
	all["tts"] = truth
	return all
}

// interactionAnswer is the body of Create Interaction Response.
func interactionAnswer() kind {
	of := func(data fields) fields { return fields{"type": integer, "data": data.object} }
	return byType(map[string]fields{
		"4": of(followUp()), // a message
		"5": of(followUp()), // a message is coming
		"6": of(followUp()), // nothing to see
		"7": of(followUp()), // an edit
		"9": of(fields{"custom_id": named(100), "title": named(45), "components": list(5, component())}),
	})
}

func embed() fields {
	return fields{"title": upTo(256), "description": upTo(4096), "url": text, "color": integer}
}

func allowedMentions() fields {
	return fields{"parse": list(3, text), "roles": list(100, text), "users": list(100, text), "replied_user": truth}
}

func reference() fields {
	return fields{"type": integer, "message_id": text, "channel_id": text, "guild_id": text, "fail_if_not_exists": truth}
}

func attachment() fields {
	return fields{"id": either(integer, text), "filename": text, "title": text, "description": upTo(1024)}
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
	all := fields{
		"type": integer, "name": lowercase, "name_localizations": nullable(translations(lowercase)),
		"description": named(100), "description_localizations": nullable(translations(named(100))),
		"required": truth, "choices": list(25, choice().object), "channel_types": list(25, integer), "min_value": number,
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

func choice() fields {
	return fields{"name": named(100), "name_localizations": nullable(translations(named(100))), "value": either(upTo(100), number)}
}
