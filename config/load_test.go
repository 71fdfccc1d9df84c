package config_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"heddle/config"
	"heddle/internal/errtest"
)

// files reads from a map, as a disk that holds just that.
func files(content map[string]string) config.ReadFile {
	return func(name string) ([]byte, error) {
		if text, ok := content[name]; ok {
			return []byte(text), nil
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
}

func noFiles(name string) ([]byte, error) { return files(nil)(name) }

// load returns settings that are valid.
func load(t *testing.T, environ []string, read config.ReadFile) config.Config {
	t.Helper()
	c, _, err := config.Load(environ, read)
	errtest.None(t, err)
	return c
}

func TestDefaultsAreValid(t *testing.T) {
	c := load(t, nil, noFiles)
	if c.MinLinear != 10 || c.MaxTotal != 30 || c.TimeThreshold != 0 {
		t.Errorf("graph settings are %d, %d, %v, want 10, 30 and 0", c.MinLinear, c.MaxTotal, c.TimeThreshold)
	}
	if c.Temperature != nil || !bool(c.Affinity) || c.LogLevel != slog.LevelInfo || c.RedisURL != "" {
		t.Errorf("the defaults are %+v, want no temperature, affinity on, level info and no Redis", c)
	}
}

func TestEveryVariableIsRead(t *testing.T) {
	c := load(t, []string{
		"DISCORD_API_URL=http://localhost:8080/proxy/api/v10/", "TEMPERATURE=0", "TIME_THRESHOLD=auto",
		"AFFINITY=off", "LOG_LEVEL=DEBUG", "LOG_FORMAT=json", "CATCH_UP= 0s ", "REDIS_URL=redis://:pw@host:1/2",
	}, noFiles)
	if c.DiscordAPIURL != "http://localhost:8080/proxy/api/v10" {
		t.Errorf("DISCORD_API_URL is %q, want %q", c.DiscordAPIURL, "http://localhost:8080/proxy/api/v10")
	}
	if c.Temperature == nil || *c.Temperature != 0 {
		t.Error("a temperature of 0 is not told apart from none")
	}
	if c.TimeThreshold != 0 || bool(c.Affinity) || c.LogLevel != slog.LevelDebug || c.CatchUp != 0 {
		t.Errorf("read is %+v, want an automatic threshold, affinity off, level debug and no catching up", c)
	}
	if c.RedisURL.Reveal() != "redis://:pw@host:1/2" {
		t.Errorf("REDIS_URL is %q, want it as it was set", c.RedisURL.Reveal())
	}
}

func TestSettingsComeFromTheEnvironmentThenDotEnvThenTheDefault(t *testing.T) {
	dotEnv := files(map[string]string{
		".env":     "MAX_TOTAL=40\nMIN_LINEAR=5\nLLM_MODEL=\nSYSTEM_PROMPT=\"two\nlines\"\nDISCORD_TOKEN=from-dotenv\n",
		"/run/tok": "from-file\n",
	})
	c := load(t, []string{"MAX_TOTAL=50", "DISCORD_TOKEN_FILE=/run/tok"}, dotEnv)
	if c.MaxTotal != 50 || c.MinLinear != 5 || c.LLMModel != "gpt-4.1-mini" || c.SystemPrompt != "two\nlines" {
		t.Errorf("read %+v, want MaxTotal 50, MinLinear 5, LLMModel %q and SystemPrompt %q", c, "gpt-4.1-mini", "two\nlines")
	}
	if c.DiscordToken.Reveal() != "from-file" {
		t.Error("the environment's DISCORD_TOKEN_FILE does not come before .env's DISCORD_TOKEN")
	}
}

func TestEverySecretCanBeNamedByAFile(t *testing.T) {
	for _, v := range config.Variables() {
		if !v.Secret {
			continue
		}
		_, _, err := config.Load([]string{v.Name + "_FILE=/nowhere"}, noFiles)
		if err == nil || !strings.Contains(err.Error(), v.Name+"_FILE") {
			t.Errorf("%s_FILE is not read: %v, want an error and %q in it", v.Name, err, v.Name+"_FILE")
		}
	}
}

// useServers ends each fault of MCP_SERVERS.
const useServers = "use a path like mcp.json, or names and addresses or commands, like docs: https://mcp.example.com/mcp key; notes for 80351110224678912: npx -y notes-server"

func TestFaultsNameVariableProblemAndRemedy(t *testing.T) {
	disk := files(map[string]string{"/empty": "\n", "/full": "x"})
	for _, c := range []struct{ environ, want string }{
		{"MIN_LINEAR=ten", `MIN_LINEAR is "ten"; use a whole number from 0 to 100`},
		{"MIN_LINEAR=-1", `MIN_LINEAR is "-1"; use a whole number from 0 to 100`},
		{"MAX_TOTAL=99999999999999999999", `MAX_TOTAL is "99999999999999999999"; use a whole number from 1 to 1000`},
		{"MIN_LINEAR=31", "MIN_LINEAR is 31, more than MAX_TOTAL, which is 30; lower it or raise MAX_TOTAL"},
		{"TEMPERATURE=NaN", `TEMPERATURE is "NaN"; use a number from 0 to 2`},
		{"CATCH_UP=10", `CATCH_UP is "10"; use a duration from 0s to 24h, like 90s, 10m or 24h`},
		{"HEALTH_ADDR=8086", `HEALTH_ADDR is "8086"; use a host and a port like 127.0.0.1:8086, or :8086 for all of the machine's addresses`},
		{"SHARDS=0-3", `SHARDS is "0-3"; use all or leased`},
		{"SHARDS=leased", "SHARDS is leased, and REDIS_URL is not set; set it, as processes divide the shards through Redis, or use all"},
		{"CONTACT=" + strings.Repeat("ü", 201), `CONTACT is "` + strings.Repeat("ü", 201) + `"; use one line of at most 200 characters`},
		{"LLM_PRICES=0.40/1.60", `LLM_PRICES is "0.40/1.60"; use three prices with slashes between, like 0.40/0.10/1.60, or several with models, like gpt-4.1=2/0.5/8, gpt-4.1-mini=0.40/0.10/1.60`},
		{"LLM_PRICES=0.40/NaN/1.60", `LLM_PRICES is "0.40/NaN/1.60"; use three prices with slashes between, like 0.40/0.10/1.60, or several with models, like gpt-4.1=2/0.5/8, gpt-4.1-mini=0.40/0.10/1.60`},
		{"LLM_PRICES=large=1/2", `LLM_PRICES is "large=1/2"; use three prices with slashes between, like 0.40/0.10/1.60, or several with models, like gpt-4.1=2/0.5/8, gpt-4.1-mini=0.40/0.10/1.60`},
		{"LLM_FALLBACKS=sk-secret", `LLM_FALLBACKS is not a model, an address and a key with spaces between; use a model, an address and a key, like gpt-4.1-mini https://api.openai.com/v1 sk-key`},
		{"MCP_SERVERS=Docs:cmd", "MCP_SERVERS has a name that is not 1 to 20 of a-z, 0-9 and hyphens; " + useServers},
		{"MCP_SERVERS=docs", "MCP_SERVERS has a server without an address or a command; " + useServers},
		{"MCP_SERVERS=docs:a;docs:b", "MCP_SERVERS names two servers alike; " + useServers},
		{"MCP_SERVERS=docs:ftp://a", "MCP_SERVERS has an address that does not start with http:// or https://; " + useServers},
		{"TOOLS=fly", `TOOLS is "fly"; use any of create_artifact, search_channel, ask_subagent with commas between, or off`},
		{"TOOLS=off,search_channel", `TOOLS is "off,search_channel"; use any of create_artifact, search_channel, ask_subagent with commas between, or off`},
		{"TOOLS=,", `TOOLS is ","; use any of create_artifact, search_channel, ask_subagent with commas between, or off`},
		{"VISION=ON", `VISION is "ON"; use auto, on or off`},
		{"OVERRIDES=everything", `OVERRIDES is "everything"; use any of context, model, persona with commas between, or off`},
		{"TIME_THRESHOLD=0s", `TIME_THRESHOLD is "0s"; use a duration like 90s, 10m or 24h, or auto`},
		{"AFFINITY=maybe", `AFFINITY is "maybe"; use on or off`},
		{"BUTTONS=yes", `BUTTONS is "yes"; use on or off`},
		{"EDIT_ANSWER=yes", `EDIT_ANSWER is "yes"; use on or off`},
		{"EXPORT_CONSENT=ann", `EXPORT_CONSENT is "ann"; use ids of Discord with commas between, like 80351110224678912,80351110224678913`},
		{"LOG_LEVEL=loud", `LOG_LEVEL is "loud"; use debug, info, warn or error`},
		{"TZ=Atlantis", `TZ is "Atlantis"; use a time zone like Europe/Berlin or UTC`},
		{"LOG_FORMAT=xml", `LOG_FORMAT is "xml"; use text or json`},
		{"DISCORD_API_URL=discord.com", "DISCORD_API_URL does not start with http:// or https://; use an address like https://example.com/v1"},
		{"OPENAI_BASE_URL=https://", "OPENAI_BASE_URL names no host; use an address like https://example.com/v1"},
		{"OPENAI_BASE_URL=https://h/?a=b", "OPENAI_BASE_URL has a ? or # part, which a base cannot have; use an address like https://example.com/v1"},
		{"DISCORD_TOKEN_FILE=/empty", "DISCORD_TOKEN_FILE names an empty file; put the value into it"},
		{"DISCORD_TOKEN=a DISCORD_TOKEN_FILE=/full", "DISCORD_TOKEN is set, and DISCORD_TOKEN_FILE is set too; keep one of the two"},
		{"OPENAI_API_KEY_FILE=/gone", "OPENAI_API_KEY_FILE names a file that cannot be read (file does not exist); name one that heddle may read"},
	} {
		t.Run(c.environ, func(t *testing.T) {
			_, _, err := config.Load(strings.Fields(c.environ), disk)
			if want := "the configuration has a fault: " + c.want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

func TestUnknownNamesAreWarnedOf(t *testing.T) {
	for _, c := range []struct{ environ, dotEnv, want string }{
		{"", "MIN_LINAER=3", "MIN_LINAER in .env is not a setting of heddle and is ignored; did you mean MIN_LINEAR?"},
		{"MIN_LINAER=3", "", "MIN_LINAER is not a setting of heddle and is ignored; did you mean MIN_LINEAR?"},
		{"", "COMPOSE_PROFILES=x", `COMPOSE_PROFILES in .env is not a setting of heddle and is ignored; "heddle config" lists all settings`},
		{"HOME=/root PATH=/bin TERM=xterm LANG=C TMPDIR=/tmp HOSTNAME=h LOGNAME=l SHELL=/bin/sh PWD=/ SHLVL=1 COMPOSE_PROFILES=x", "", ""},
		{"DISCORD_TOKEN_FILE=/token", "DISCORD_TOKEN_FILE=/token\nGOGC=100", `GOGC in .env is not a setting of heddle and is ignored; "heddle config" lists all settings`},
	} {
		_, warnings, err := config.Load(strings.Fields(c.environ), files(map[string]string{".env": c.dotEnv, "/token": "t"}))
		if err != nil || told(warnings) != c.want {
			t.Errorf("%q, .env %q: warnings %q, error %v, want %q and no error", c.environ, c.dotEnv, told(warnings), err, c.want)
		}
	}
}

func TestListsAreRead(t *testing.T) {
	c := load(t, []string{
		"TOOLS=off", "OVERRIDES=model, context", "BLOCK=5, 6", "LLM_PRICES=1/0/2, a=0.5/0.25/3 EUR",
		"LLM_FALLBACKS=a http://a/v1/ sk-a, b http://b/v1",
		`MCP_SERVERS=docs: https://a/mcp key; notes for 5, 6 : npx -y notes; said: sh -c "a; b" 'c d' it's {"e;f":1}`,
	}, noFiles)
	for name, pair := range map[string][2]any{
		"TOOLS":         {c.Tools, config.Names(nil)},
		"OVERRIDES":     {c.Overrides, config.Names{"model", "context"}},
		"BLOCK":         {c.Block, config.IDs{5, 6}},
		"LLM_PRICES":    {c.LLMPrices, config.Prices{Of: map[string]config.Price{"": {1, 0, 2}, "a": {0.5, 0.25, 3}}, Currency: "EUR"}},
		"LLM_FALLBACKS": {c.Fallbacks, []config.Provider{{"a", "http://a/v1", "sk-a"}, {"b", "http://b/v1", ""}}},
		"MCP_SERVERS": {c.MCPServers, []config.Server{
			{Name: "docs", At: []config.Secret{"https://a/mcp", "key"}},
			{Name: "notes", At: []config.Secret{"npx", "-y", "notes"}, For: config.IDs{5, 6}},
			{Name: "said", At: []config.Secret{"sh", "-c", "a; b", "c d", "it's", `{"e;f":1}`}},
		}},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s is %+v, want %+v", name, pair[0], pair[1])
		}
	}
}

// told returns warnings as people read them.
func told(warnings []config.Fault) string {
	lines := make([]string, len(warnings))
	for i, w := range warnings {
		lines[i] = w.String()
	}
	return strings.Join(lines, "\n")
}

func TestAllFaultsAreReportedTogetherInTheTablesOrder(t *testing.T) {
	_, _, err := config.LoadBot([]string{"LOG_FORMAT=xml", "MAX_TOTAL=0", "AFFINITY=2"}, noFiles)
	var invalid config.InvalidError
	if !errors.As(err, &invalid) {
		t.Fatalf("got %v, want an InvalidError", err)
	}
	var names []string
	for _, f := range invalid.Faults {
		names = append(names, f.Variable)
	}
	if got, want := strings.Join(names, " "), "DISCORD_TOKEN OPENAI_API_KEY MAX_TOTAL AFFINITY LOG_FORMAT"; got != want {
		t.Errorf("faults of %s, want %s", got, want)
	}
	if !strings.HasPrefix(err.Error(), "the configuration has 5 faults:\n") {
		t.Errorf("got %v, want %q at its start", err, "the configuration has 5 faults:\n")
	}
}

// TestARemovedSettingIsRefusedWithWhatReplacedIt sets removed settings in the environment and in
// .env. Nothing else is said of them, and without a value they count as unset.
func TestARemovedSettingIsRefusedWithWhatReplacedIt(t *testing.T) {
	for setting, want := range map[string]string{
		"CLAIM_LEASE=20s":   "CLAIM_LEASE is no longer a setting; remove it: a mention of a process that died is answered by another after 20s",
		"CONFIDENCE=raw":    "CONFIDENCE=raw is no longer a setting; remove it: CONFIDENCE=rank compares an answer with the last 200 of its model",
		"EDITED_TTL=1m":     "EDITED_TTL is no longer a setting; remove it: the old version of an edited message is always kept for 10m",
		"LLM_PATIENCE=15s":  "LLM_PATIENCE is no longer a setting; remove it: people are told that the model is slow after an eighth of LLM_TIMEOUT",
		"SHUTDOWN_GRACE=8s": "SHUTDOWN_GRACE is no longer a setting; remove it: heddle always takes at most 10s to stop",
		"SHUTDOWN_GRACE=":   "", "CONFIDENCE=rank": "",
	} {
		if want != "" {
			want = "the configuration has a fault: " + want
		}
		for _, dotEnv := range []string{"", setting} {
			environ := []string{setting}
			if dotEnv != "" {
				environ = nil
			}
			_, warnings, err := config.Load(environ, files(map[string]string{".env": dotEnv}))
			if got := fmt.Sprint(err); (want == "") != (err == nil) || err != nil && (got != want || len(warnings) > 0) {
				t.Errorf("%s: got %s with the warnings %v, want %q alone", setting, got, warnings, want)
			}
		}
	}
}

func TestABotNeedsATokenAndAKeyOnlyWhereTheServerDoes(t *testing.T) {
	for _, c := range []struct {
		name, environ string
		faults        int
	}{
		{"nothing", "", 2},
		{"token only", "DISCORD_TOKEN=t", 1},
		{"a server of one's own", "DISCORD_TOKEN=t OPENAI_BASE_URL=http://localhost:11434/v1", 0},
		{"both", "DISCORD_TOKEN=t OPENAI_API_KEY=k", 0},
		{"a server that is misspelt", "DISCORD_TOKEN=t OPENAI_BASE_URL=localhost", 1},
		{"both in an unreadable file", "DISCORD_TOKEN_FILE=/x OPENAI_API_KEY_FILE=/y", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := config.LoadBot(strings.Fields(c.environ), noFiles)
			var invalid config.InvalidError
			errors.As(err, &invalid)
			if len(invalid.Faults) != c.faults {
				t.Errorf("%d faults, want %d: %v", len(invalid.Faults), c.faults, err)
			}
		})
	}
}

func TestDotEnvFaultsNameTheLineAndNeverItsText(t *testing.T) {
	_, _, err := config.Load(nil, files(map[string]string{".env": "MAX_TOTAL=3\n# fine\nhunter2 hunter2\n"}))
	if err == nil || !strings.Contains(err.Error(), "line 3") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v, want an error, %q in it and no %q in it", err, "line 3", "hunter2")
	}
}

func TestNoSecretShows(t *testing.T) {
	const secret = "hunter2"
	environ := []string{"OPENAI_BASE_URL=https://user:" + secret + "@host/v1", "DISCORD_API_URL=http://" + secret + "\x7f"}
	for _, v := range config.Variables() {
		switch {
		case v.Name == "LLM_FALLBACKS":
			environ = append(environ, v.Name+"=model http://host/v1 "+secret)
		case v.Name == "MCP_SERVERS":
			environ = append(environ, "MCP_SERVERS=a: http://host/"+secret+" "+secret+"; b: run "+secret)
		case v.Secret:
			environ = append(environ, v.Name+"="+secret)
		}
	}
	c, _, err := config.Load(environ, noFiles)
	var out strings.Builder
	fmt.Fprintf(&out, "%v %+v %#v %d %q", err, c, c, c.DiscordToken, c.OpenAIAPIKey)
	slog.New(slog.NewTextHandler(&out, nil)).Info("config", "token", c.DiscordToken, "all", c)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("config", "token", c.DiscordToken, "all", c)
	out.WriteString(c.Table())
	if strings.Contains(out.String(), secret) {
		t.Errorf("a secret shows:\n%s\nwant no %q in it", out.String(), secret)
	}
	if c.RedisURL.Reveal() != secret {
		t.Error("the secret itself is lost, want Reveal to return it")
	}
}

func TestAContactIsOneLine(t *testing.T) {
	_, _, err := config.Load([]string{"CONTACT=ann\nbob"}, noFiles)
	if want := `the configuration has a fault: CONTACT is "ann\nbob"; use one line of at most 200 characters`; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
