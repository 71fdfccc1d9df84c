package discordtest

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Discord's limits on commands (application commands reference): counts, and
// characters of a text.
const (
	maxSlashCommands   = 100
	maxMenuCommands    = 15 // of each type
	maxCommandName     = 32
	maxCommandText     = 100 // of a description
	maxCommandOptions  = 25
	maxChoices         = 25
	maxChoice          = 100
	maxCommandTotal    = 8000 // of all names, descriptions and values of a command
	maxAutocompletions = 25
)

// commandName is what the name of a slash command or an option looks like; it has no
// capital letters either.
var commandName = regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)

// locales are Discord's locales (reference, "Locales").
func locales() []string {
	return []string{
		"id", "da", "de", "en-GB", "en-US", "es-ES", "es-419", "fr", "hr", "it", "lt", "hu", "nl", "no", "pl", "pt-BR", "ro",
		"fi", "sv-SE", "vi", "tr", "cs", "el", "bg", "ru", "uk", "hi", "th", "zh-CN", "ja", "zh-TW", "ko",
	}
}

// validateCommands checks the commands that a bot registers together.
func validateCommands(commands []Command) error {
	taken, counts := map[string]bool{}, map[int]int{}
	for i := range commands {
		c := &commands[i]
		at := []string{strconv.Itoa(i)}
		if err := c.validate(at); err != nil {
			return err
		}
		key := strconv.Itoa(c.Type) + " " + c.Name
		if taken[key] {
			return errFormAt(below(at, "name"), "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
		}
		taken[key] = true
		counts[c.Type]++
	}
	if counts[CommandSlash] > maxSlashCommands || counts[CommandUser] > maxMenuCommands || counts[CommandMessage] > maxMenuCommands {
		return errBadRequest(30032, "Maximum number of application commands reached (100).")
	}
	return nil
}

// validate checks one command. at is its place in the request, for the error.
func (c *Command) validate(at []string) error {
	switch c.Type {
	case CommandSlash:
		if err := validateNamed(c.Name, c.Names, c.Description, c.Descriptions, at); err != nil {
			return err
		}
	case CommandUser, CommandMessage:
		if n := utf8.RuneCountInString(c.Name); n == 0 || n > maxCommandName {
			return errFormAt(below(at, "name"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 32 in length.")
		}
		if c.Description != "" || len(c.Options) > 0 {
			return errFormAt(below(at, "description"), "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID", "Context menu commands cannot have description")
		}
	default:
		return errFormAt(below(at, "type"), "BASE_TYPE_CHOICES", "Value must be one of {1, 2, 3}.")
	}
	if total := c.size(); total > maxCommandTotal {
		return errFormAt(at, "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (8000)")
	}
	return validateOptions(c.Options, below(at, "options"), 0)
}

// validateNamed checks the name and the description of a slash command or an option, in
// all languages.
func validateNamed(name string, names map[string]string, description string, descriptions map[string]string, at []string) error {
	if err := validateLocales(names, below(at, "name_localizations")); err != nil {
		return err
	}
	if err := validateLocales(descriptions, below(at, "description_localizations")); err != nil {
		return err
	}
	for locale, name := range withDefault(name, names) {
		if !commandName.MatchString(name) || name != strings.ToLower(name) {
			return errFormAt(below(at, locale, "name"), "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
		}
	}
	for locale, description := range withDefault(description, descriptions) {
		if n := utf8.RuneCountInString(description); n == 0 || n > maxCommandText {
			return errFormAt(below(at, locale, "description"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
		}
	}
	return nil
}

// withDefault returns the translations of a text together with the text itself.
func withDefault(text string, localized map[string]string) map[string]string {
	all := map[string]string{"default": text}
	maps.Copy(all, localized)
	return all
}

// validateLocales checks that translations are for locales that Discord knows.
func validateLocales(localized map[string]string, at []string) error {
	for locale := range localized {
		if !slices.Contains(locales(), locale) {
			return errFormAt(below(at, locale), "BASE_TYPE_CHOICES", "Value must be one of Discord's locales.")
		}
	}
	return nil
}

// validateOptions checks the options of a command, and those below them.
func validateOptions(options []CommandOption, at []string, depth int) error {
	if len(options) > maxCommandOptions {
		return errFormAt(at, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
	}
	taken := map[string]bool{}
	for i := range options {
		o, at := &options[i], below(at, strconv.Itoa(i))
		if err := validateNamed(o.Name, o.Names, o.Description, o.Descriptions, at); err != nil {
			return err
		}
		switch {
		case taken[o.Name]:
			return errFormAt(below(at, "name"), "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", "Option name already exists")
		case o.Required && i > 0 && !options[i-1].Required && options[i-1].Type > OptionGroup:
			return errFormAt(at, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must be placed before non-required options")
		case o.Type == OptionGroup && depth > 0, o.Type == OptionSubcommand && depth > 1:
			return errFormAt(below(at, "type"), "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Sub-command option type is invalid")
		case o.Completed && len(o.Choices) > 0:
			return errFormAt(below(at, "autocomplete"), "APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES", "Autocomplete cannot be used with choices")
		}
		taken[o.Name] = true
		if err := validateChoices(o.Choices, maxChoices, below(at, "choices")); err != nil {
			return err
		}
		if err := validateOptions(o.Options, below(at, "options"), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// validateChoices checks the number of choices, and how long each is.
func validateChoices(choices []Choice, most int, at []string) error {
	if len(choices) > most {
		return errFormAt(at, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
	}
	for i := range choices {
		if n := utf8.RuneCountInString(choices[i].Name); n == 0 || n > maxChoice {
			return errFormAt(below(at, strconv.Itoa(i), "name"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
		}
		if text, ok := choices[i].Value.(string); ok && utf8.RuneCountInString(text) > maxChoice {
			return errFormAt(below(at, strconv.Itoa(i), "value"), "BASE_TYPE_MAX_LENGTH", "Must be 100 or fewer in length.")
		}
	}
	return nil
}

// size returns the number of characters that count towards the limit of a command. Of
// each text only the longest of its translations counts.
func (c *Command) size() int {
	return longest(c.Name, c.Names) + longest(c.Description, c.Descriptions) + sizeOf(c.Options)
}

// sizeOf returns the number of characters of options that count towards the limit of a command.
func sizeOf(options []CommandOption) int {
	total := 0
	for i := range options {
		o := &options[i]
		total += longest(o.Name, o.Names) + longest(o.Description, o.Descriptions) + sizeOf(o.Options)
		for k := range o.Choices {
			total += longest(o.Choices[k].Name, o.Choices[k].Names)
			if text, ok := o.Choices[k].Value.(string); ok {
				total += utf8.RuneCountInString(text)
			}
		}
	}
	return total
}

// longest returns the number of characters of a text or of its longest translation.
func longest(text string, localized map[string]string) int {
	most := 0
	for _, text := range withDefault(text, localized) {
		most = max(most, utf8.RuneCountInString(text))
	}
	return most
}
