package config

import (
	"log/slog"
	"strings"
	"time"

	"heddle/graph"
)

// Config holds the settings of heddle. Load returns one that is valid as a whole.
type Config struct {
	DiscordToken  Secret        `section:"Discord" env:"DISCORD_TOKEN" readme:"true" secret:"true" usage:"token of the bot, from Discord's developer portal"`
	DiscordAPIURL URL           `env:"DISCORD_API_URL" envDefault:"https://discord.com/api/v10" usage:"base URL of Discord's REST API, of an emulator or of a rate-limit proxy; heddle asks it for the gateway's address"`
	Shards        string        `env:"SHARDS" envDefault:"all" oneof:"all,leased" usage:"which shards of the gateway this process runs: all, or leased, to divide them with the other processes of one Redis"`
	CatchUp       time.Duration `env:"CATCH_UP"        envDefault:"10m" min:"0s" max:"24h" usage:"how old a mention may be that is answered after heddle was away"`

	Contact string `env:"CONTACT" max:"200" usage:"whom people can ask about heddle: a name, an address or a link, shown by /heddle privacy and with errors that only whoever runs heddle can fix; it pings nobody"`

	Operators []graph.UserID `env:"OPERATORS" usage:"ids of the people who run heddle, with commas between; they may use /heddle status and /heddle pause"`

	EditAnswer Switch `section:"Answers" env:"EDIT_ANSWER" envDefault:"on" usage:"whether an edit within two minutes counts: an edited question gets another answer in place of the first, and an edit can make a message a question"`
	Buttons    Switch `env:"BUTTONS" envDefault:"on" usage:"whether buttons stand below answers: Why, another answer, a menu and the way between several answers, and Stop while an answer grows"`

	OpenAIAPIKey  Secret        `section:"The model" env:"OPENAI_API_KEY" readme:"true" secret:"true" usage:"key for the model's API; a server of your own may not need one"`
	OpenAIBaseURL URL           `env:"OPENAI_BASE_URL" readme:"true" envDefault:"https://api.openai.com/v1" usage:"base URL of any API that speaks OpenAI's chat completions"`
	LLMModel      string        `env:"LLM_MODEL" readme:"true" envDefault:"gpt-4.1-mini" usage:"name of the model, as that API knows it"`
	LLMTimeout    time.Duration `env:"LLM_TIMEOUT"     envDefault:"2m" min:"1s" max:"1h" usage:"longest wait for the model's first word, and between two words"`
	Fallbacks     []Provider    `env:"LLM_FALLBACKS" secret:"true" usage:"whom to ask if the model fails before its first word, in this order, with commas between: a model's name, the base URL of its API and its key, with spaces between; without a key if it needs none"`
	SystemPrompt  string        `env:"SYSTEM_PROMPT" readme:"true" file:"true" envDefault:"You are a friendly member of this Discord server. Answer the last message, briefly and plainly, in its language." usage:"what the model is told about itself; heddle adds how to read the conversation. {guild}, {channel} and {topic} are filled in, {date} and {members} are added right before the question"`
	Zone          Zone          `env:"TZ" usage:"time zone in which the model reads times, such as Europe/Berlin; empty for the machine's"`
	Temperature   *float64      `env:"TEMPERATURE"     min:"0" max:"2" usage:"sampling temperature; empty for the model's default, 0 for the most likely answer"`
	MaxTokens     int           `env:"MAX_TOKENS"      envDefault:"2000" min:"0" max:"1000000" usage:"longest answer in tokens; 0 for the model's own limit"`
	TokenBudget   int           `env:"TOKEN_BUDGET"    envDefault:"16000" min:"500" max:"10000000" usage:"most tokens sent to the model for one answer"`

	Vision     string   `env:"VISION" envDefault:"auto" oneof:"auto,on,off" usage:"whether the model is shown pictures: on, off, or auto, which goes by the model's name"`
	Transcribe Provider `env:"TRANSCRIBE" secret:"true" usage:"who turns voice messages into text, as in LLM_FALLBACKS: a model, the base URL of an API with /audio/transcriptions, and its key if it needs one; empty or off for nobody"`
	Tools      Names    `env:"TOOLS" envDefault:"create_artifact,search_channel,ask_subagent" oneof:"create_artifact,search_channel,ask_subagent" usage:"what the model may do while it answers: make files, search older messages of the channel, ask a helper; off for nothing"`

	MCPServers []Server `env:"MCP_SERVERS" secret:"true" usage:"MCP servers whose tools the model may also call: the path of a JSON file with mcpServers, as Claude Desktop, Cursor and VS Code write it, where a server may also have roles, people and guilds, the ids of those on Discord whom it is for. Or in one line: servers with semicolons between, each a name, the word for and such ids, a colon, and its address and key or its command"`

	LimitPerson RoleLimits   `section:"Limits" env:"LIMIT_PERSON" readme:"true" envDefault:"off" usage:"most that one person may ask for in an hour or a day (UTC), in requests or tokens; after semicolons the same for people with a role, of several roles the most generous. Answers that are given from the store are free"`
	LimitShared SharedLimits `env:"LIMIT_SHARED" envDefault:"off" usage:"the same for each channel, for each server, and for everybody together, which bounds what heddle may cost"`

	MinLinear     int       `section:"Which messages are read" env:"MIN_LINEAR" readme:"true" envDefault:"10" min:"0" max:"100" usage:"how many of the newest messages are always sent, as far as TOKEN_BUDGET allows"`
	MaxTotal      int       `env:"MAX_TOTAL" readme:"true" envDefault:"30" min:"1" max:"1000" usage:"most messages in the conversation that a mention is answered from"`
	Background    int       `env:"BACKGROUND" envDefault:"8000" min:"0" max:"100000" usage:"most characters that this conversation and what the question may need beside it have together; the conversation itself may have more"`
	TimeThreshold Threshold `env:"TIME_THRESHOLD" readme:"true" envDefault:"auto" usage:"pause that separates two stretches of talk; auto adapts to the channel's pace, and is never below 10s"`
	Affinity      Switch    `env:"AFFINITY"       envDefault:"on" usage:"separate interleaved conversations by who answers whom; off goes by replies and pauses alone"`
	Reader        string    `env:"READER" envDefault:"off" usage:"model of OPENAI_BASE_URL that is sent the last hundred messages, in up to half of TOKEN_BUDGET, where AFFINITY is in doubt, and chooses what the question needs of them; best a fast one, as it has 1.5s"`

	Overrides Names `section:"What admins may change on Discord" env:"OVERRIDES" envDefault:"context,model,persona" oneof:"context,model,persona" usage:"what admins may change on Discord, for their server or a channel: context, the three thresholds above, with at most 60 messages or MAX_TOTAL if that is more; model, to one of MODELS; persona, what the model is told in addition to SYSTEM_PROMPT; off for nothing"`
	Models    Names `env:"MODELS"             usage:"further models of OPENAI_BASE_URL that admins may choose, with commas between; empty leaves no choice"`

	RetainBase int    `section:"Long conversations" env:"RETAIN_BASE_CHARS" envDefault:"4000" min:"0" max:"1000000" usage:"characters of the latest messages that are always sent"`
	Confidence string `env:"CONFIDENCE" envDefault:"rank" oneof:"rank,ask" usage:"what decides about older answers: those of at least 0.7 stay with their questions, and every third one of at least 0.6. rank is the share of the model's last 200 answers that were less confident; ask, the rank, for which the model is asked how certain it is if its provider sends no log-probabilities: one more request for each answer"`
	Summaries  Switch `env:"SUMMARIES"         envDefault:"off" usage:"let the model summarise messages that no longer fit, once per stretch, and send the summary in their place"`

	RedisURL Secret        `section:"The store" env:"REDIS_URL" readme:"true" secret:"true" usage:"Redis or Valkey to store everything in, such as redis://localhost:6379/0; empty for the embedded store"`
	StoreKey Secret        `env:"STORE_KEY" secret:"true" usage:"key that encrypts what is stored: 32 random bytes in base64, as \"openssl rand -base64 32\" prints them; empty for a key that heddle makes itself in DATA_DIR, and for no encryption in Redis"`
	DataDir  string        `env:"DATA_DIR" readme:"true" envDefault:"data" usage:"folder of the embedded store"`
	CacheTTL time.Duration `env:"CACHE_TTL" envDefault:"720h" min:"1m" max:"87600h" usage:"how long an answer is kept: for follow-ups, as an alternative, with its ratings and for exports"`

	AllowPeople IDs            `section:"Who may ask" env:"ALLOW_PEOPLE" usage:"ids of the people who may ask and of the roles whose members may, with commas between; empty for everybody. In direct messages nobody's roles are known"`
	AllowPlaces IDs            `env:"ALLOW_PLACES" usage:"ids of the servers and of the channels, with their threads, in which heddle answers; empty for all. Direct messages are not affected"`
	Block       IDs            `env:"BLOCK" usage:"ids of people, roles, channels and servers that get no answer; people are told so only in direct messages"`
	AllowBots   []graph.UserID `env:"ALLOW_BOTS"     usage:"ids of other bots, and of webhooks or the applications that own them, that may ask by mentioning heddle; empty for none; who speaks through a webhook is answered from what @everyone may read, and shares its limit"`

	ExportConsent []graph.UserID `section:"Training data" env:"EXPORT_CONSENT" usage:"ids of the people who agreed that what they wrote is exported as training data, with commas between; empty exports nothing. While it names anybody, each token of an answer is stored with its log-probability, for exports"`

	HealthAddr Address `section:"Operating" env:"HEALTH_ADDR" usage:"address to serve health (/livez, /readyz) and Prometheus metrics (/metrics) on, and Go's profiles (/debug/pprof/) if it is an address of this machine, such as 127.0.0.1:8086; empty for none"`

	DashboardAddr  Address `env:"DASHBOARD_ADDR"  usage:"address to serve the dashboard on: the graphs of the latest answers, and counts; empty for none. Without DASHBOARD_TOKEN it has to be an address of this machine, such as 127.0.0.1:8087"`
	DashboardToken Secret  `env:"DASHBOARD_TOKEN" usage:"password of the dashboard, for any user name"`

	LLMPrices Prices `env:"LLM_PRICES" usage:"prices of a million tokens, for the metrics and /heddle usage: prompt/cached prompt/completion, such as 0.40/0.10/1.60 USD, or a list of them with a model before each; empty counts only tokens"`

	LogLevel  slog.Level `env:"LOG_LEVEL"  envDefault:"info" usage:"debug, info, warn or error"`
	LogFormat string     `env:"LOG_FORMAT" envDefault:"text" oneof:"text,json" usage:"format of the log"`

	texts map[string]string // the values of all variables as they may be shown
}

// HasModel reports whether there is a model to ask. OpenAI requires a key; other
// servers may not.
func (c Config) HasModel() bool {
	return c.OpenAIAPIKey != "" || !strings.HasPrefix(string(c.OpenAIBaseURL), "https://api.openai.com/") && c.OpenAIBaseURL != ""
}
