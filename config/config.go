package config

import (
	"log/slog"
	"strings"
	"time"
)

// Config holds the settings of heddle. Load returns one that is valid as a whole.
type Config struct {
	DiscordToken  Secret        `section:"Discord" env:"DISCORD_TOKEN" readme:"true" secret:"true" usage:"token of the bot, from Discord's developer portal"`
	DiscordAPIURL URL           `env:"DISCORD_API_URL" envDefault:"https://discord.com/api/v9" usage:"base URL of Discord's REST API, of an emulator or of a rate-limit proxy; heddle asks it for the gateway's address"`
	CDNHosts      Hosts         `env:"DISCORD_CDN_HOSTS" usage:"further hosts that attachments may be read from, with commas between, where an emulator or a proxy serves them elsewhere than at its API; Discord's own are always allowed"`
	Shards        Shards        `env:"SHARDS"          envDefault:"all" usage:"which shards of the gateway this process runs: all; leased, to divide them with the other processes of one Redis, which take over from each other; or numbers, such as 0-3,7"`
	ShardCount    int           `env:"SHARD_COUNT"     envDefault:"0" min:"0" max:"100000" usage:"how many shards there are, equal in all processes; 0 for as many as Discord recommends"`
	CatchUp       time.Duration `env:"CATCH_UP"        envDefault:"10m" min:"0s" max:"24h" usage:"how old a mention may be that is answered after heddle was away"`
	ShutdownGrace time.Duration `env:"SHUTDOWN_GRACE"  envDefault:"8s" min:"1s" max:"10m" usage:"how long running answers may continue when heddle is stopped; container engines kill it after 10s"`
	ShutdownFlush time.Duration `env:"SHUTDOWN_FLUSH"  envDefault:"1500ms" min:"100ms" max:"1m" usage:"how long heddle then has to mark unfinished answers as cut short and to store them"`

	Contact Contact `env:"CONTACT" usage:"whom people can ask about heddle: a name, an address or a link, shown by /heddle privacy and with errors that only whoever runs heddle can fix; it pings nobody"`

	Operators IDs `env:"OPERATORS" usage:"ids of the people who run heddle, with commas between; they may use /heddle status and /heddle pause"`

	EditAnswer EditAnswer    `section:"Answers" env:"EDIT_ANSWER"     envDefault:"on" usage:"what happens when a question is edited soon after it was asked: on replaces the answer, offer adds a button that does, off changes nothing"`
	EditWindow time.Duration `env:"EDIT_WINDOW"     envDefault:"2m" min:"1s" max:"24h" usage:"how soon after the question the edit has to come"`

	Buttons Buttons `env:"BUTTONS" envDefault:"on" usage:"the buttons below answers: on is a row with Why, another answer and a menu, and Stop while an answer grows; alternatives is only the way between several answers to one question; off is none, except those of EDIT_ANSWER=offer"`

	OpenAIAPIKey  Secret        `section:"The model" env:"OPENAI_API_KEY" readme:"true" secret:"true" usage:"key for the model's API; a server of your own may not need one"`
	OpenAIBaseURL URL           `env:"OPENAI_BASE_URL" readme:"true" envDefault:"https://api.openai.com/v1" usage:"base URL of any API that speaks OpenAI's chat completions"`
	LLMModel      string        `env:"LLM_MODEL" readme:"true" envDefault:"gpt-4.1-mini" usage:"name of the model, as that API knows it"`
	LLMTimeout    time.Duration `env:"LLM_TIMEOUT"     envDefault:"2m" min:"1s" max:"1h" usage:"longest wait for the model's first word, and between two words"`
	LLMPatience   time.Duration `env:"LLM_PATIENCE"    envDefault:"15s" min:"10ms" max:"10m" usage:"how long to wait for the model's first word before people are told that it is slow; after seven late or failed answers in a row, people are told at once that it is away, until it is back"`
	LLMFallback1  Provider      `env:"LLM_FALLBACK_1"  secret:"true" usage:"whom to ask if the model fails before its first word: a model's name, the base URL of its API and its key, with spaces between; without a key if it needs none"`
	LLMFallback2  Provider      `env:"LLM_FALLBACK_2"  secret:"true" usage:"whom to ask if that fails, too"`
	LLMFallback3  Provider      `env:"LLM_FALLBACK_3"  secret:"true" usage:"whom to ask if that fails, too"`
	SystemPrompt  string        `env:"SYSTEM_PROMPT" readme:"true" file:"true" envDefault:"You are a friendly member of this Discord server. Answer the last message, briefly and plainly, in its language." usage:"what the model is told about itself; heddle adds how to read the conversation. {guild}, {channel} and {topic} are filled in, {date} and {members} are added after the question"`
	Temperature   *float64      `env:"TEMPERATURE"     min:"0" max:"2" usage:"sampling temperature; empty for the model's default, 0 for the most likely answer"`
	MaxTokens     int           `env:"MAX_TOKENS"      envDefault:"2000" min:"0" max:"1000000" usage:"longest answer in tokens; 0 for the model's own limit"`
	TokenBudget   int           `env:"TOKEN_BUDGET"    envDefault:"16000" min:"500" max:"10000000" usage:"most tokens sent to the model for one answer"`

	Vision     Vision `env:"VISION"      envDefault:"auto" usage:"whether the model is shown pictures: on, off, or auto, which goes by the model's name or, if that is not enough, asks it once to name three colours"`
	Tools      Tools  `env:"TOOLS"       envDefault:"create_artifact,search_channel,ask_subagent" usage:"what the model may do while it answers: make files, search older messages of the channel, ask a helper; off for nothing"`
	ToolRounds int    `env:"TOOL_ROUNDS" envDefault:"6" min:"1" max:"50" usage:"most rounds of tool calls in one answer"`

	LimitPerson  Limits     `section:"Limits" env:"LIMIT_PERSON" readme:"true" envDefault:"off" usage:"most requests and tokens of one person in an hour or a day (UTC); a request is an answer that is asked for by a mention, an edit, a button or \"again\" and not given from the store"`
	LimitRoles   RoleLimits `env:"LIMIT_ROLES"   usage:"limits of people with a role, in place of LIMIT_PERSON; of several roles the most generous counts"`
	LimitChannel Limits     `env:"LIMIT_CHANNEL" envDefault:"off" usage:"the same for each channel"`
	LimitGuild   Limits     `env:"LIMIT_GUILD"   envDefault:"off" usage:"the same for each server"`
	LimitAll     Limits     `env:"LIMIT_ALL"     envDefault:"off" usage:"the same for everybody together, which bounds what heddle may cost"`

	MinLinear     int       `section:"Which messages are read" env:"MIN_LINEAR" readme:"true" envDefault:"10" min:"0" max:"100" usage:"messages right before the mention that are always included"`
	MaxTotal      int       `env:"MAX_TOTAL" readme:"true" envDefault:"30" min:"1" max:"1000" usage:"most messages in the conversation that a mention is answered from"`
	TimeThreshold Threshold `env:"TIME_THRESHOLD" readme:"true" envDefault:"auto" usage:"pause that separates two stretches of talk; auto adapts to the channel's pace, and is never below 10s"`
	Affinity      Switch    `env:"AFFINITY"       envDefault:"on" usage:"separate interleaved conversations by who answers whom; off goes by replies and pauses alone"`

	Overrides        Choices `section:"What admins may change on Discord" env:"OVERRIDES"          envDefault:"context,model,persona" usage:"what admins may change on Discord, for their server or a channel: context, the three thresholds above; model, to one of MODELS; persona, what the model is told in addition to SYSTEM_PROMPT"`
	OverrideMaxTotal int     `env:"OVERRIDE_MAX_TOTAL" envDefault:"60" min:"1" max:"1000" usage:"most that admins may set MAX_TOTAL to"`
	Models           Names   `env:"MODELS"             usage:"further models of OPENAI_BASE_URL that admins may choose, with commas between; empty leaves no choice"`

	RetainBase     int           `section:"Long conversations" env:"RETAIN_BASE_CHARS" envDefault:"4000" min:"0" max:"1000000" usage:"characters of the latest messages that are always sent"`
	RetainRecent   int           `env:"RETAIN_RECENT"     envDefault:"20" min:"0" max:"1000" usage:"newest messages that are always sent"`
	RetainAlways   float64       `env:"RETAIN_ALWAYS"     envDefault:"0.7" min:"0" max:"1" usage:"older answers stay, with their questions, if the model's confidence in them was at least this"`
	RetainSpaced   float64       `env:"RETAIN_SPACED"     envDefault:"0.6" min:"0" max:"1" usage:"and every third one stays if it was at least this"`
	Confidence     Confidence    `env:"CONFIDENCE"        envDefault:"calibrated" usage:"what RETAIN_ALWAYS and RETAIN_SPACED are compared with: calibrated, the share of good answers by CALIBRATION, or the rank without it; rank, the share of the model's last 200 answers that were less confident; raw, the model's own token probability, which nearly always exceeds 0.7"`
	AskConfidence  Switch        `env:"ASK_CONFIDENCE"    envDefault:"off" usage:"ask the model how certain it is of an answer if its provider sends no log-probabilities; costs one more request for each answer, with the question and the answer in it"`
	KeepLogprobs   Switch        `env:"KEEP_LOGPROBS"     envDefault:"off" usage:"keep each token of an answer with its log-probability, for exports with --format raw; takes several times the space of the answer's text"`
	Calibration    string        `env:"CALIBRATION"       usage:"file written by \"heddle calibrate\", which says how often answers of a given confidence are good"`
	Summaries      Switch        `env:"SUMMARIES"         envDefault:"off" usage:"let the model summarise messages that no longer fit, once per stretch, and send the summary in their place"`
	RecallShare    int           `env:"RECALL_SHARE"      envDefault:"10" min:"0" max:"50" usage:"percent of TOKEN_BUDGET for older messages that come back because the question shares rare words, names, code or files with them; 0 brings none back"`
	EmbeddingModel string        `env:"EMBEDDING_MODEL"   usage:"model whose embeddings also bring back older messages with a similar meaning; sends the channel's messages to its provider; empty goes by rare words alone"`
	EmbeddingURL   URL           `env:"EMBEDDING_BASE_URL" usage:"base URL of the API that embeds; empty for OPENAI_BASE_URL"`
	EmbeddingKey   Secret        `env:"EMBEDDING_API_KEY" secret:"true" usage:"key for that API; empty for OPENAI_API_KEY, unless EMBEDDING_BASE_URL is set"`
	ArtifactWindow time.Duration `env:"ARTIFACT_WINDOW"   envDefault:"5s" min:"0s" max:"10m" usage:"a file posted within this time after an answer without a record counts as made by it"`

	RedisURL     Secret        `section:"The store" env:"REDIS_URL" readme:"true" secret:"true" usage:"Redis or Valkey to store everything in, such as redis://localhost:6379/0; empty for the embedded store"`
	RedisTimeout time.Duration `env:"REDIS_TIMEOUT" envDefault:"1s" min:"10ms" max:"10m" usage:"longest wait for one reply of Redis; a slower one counts as unavailable"`
	Processes    int           `env:"PROCESSES" envDefault:"1" min:"1" max:"100000" usage:"how many processes share this Redis; with more than 1, none answers without a claim while Redis is away"`
	ClaimLease   time.Duration `env:"CLAIM_LEASE" envDefault:"20s" min:"1s" max:"10m" usage:"how long a mention stays reserved for a process that died or lost Redis, before another process answers it"`
	StoreKey     Secret        `env:"STORE_KEY" secret:"true" usage:"key that encrypts what is stored: 32 random bytes in base64, as \"openssl rand -base64 32\" prints them; empty for a key that heddle makes itself in DATA_DIR, and for no encryption in Redis"`
	DataDir      string        `env:"DATA_DIR" readme:"true" envDefault:"data" usage:"folder of the embedded store"`
	CacheTTL     time.Duration `env:"CACHE_TTL" envDefault:"720h" min:"1m" max:"87600h" usage:"how long an answer is kept: for follow-ups, as an alternative, with its ratings and for exports"`
	EditedTTL    time.Duration `env:"EDITED_TTL" envDefault:"10m" min:"1ms" max:"24h" usage:"how long the old version of an edited message, and answers made from it, stay stored; until then a question that is edited back gets its answer back"`
	ReuseTTL     time.Duration `env:"REUSE_TTL" envDefault:"24h" min:"0s" max:"24h" usage:"how long an answer may be given again to an equal question, within the day it was made on (UTC); 0s for never"`

	AllowUsers    IDs `section:"Who may ask" env:"ALLOW_USERS"    usage:"ids of the people who may ask, with commas between; empty, as ALLOW_ROLES, for everybody"`
	BlockUsers    IDs `env:"BLOCK_USERS"    usage:"ids of people who may not ask; they get no answer, and are told so only in direct messages"`
	AllowRoles    IDs `env:"ALLOW_ROLES"    usage:"ids of the roles whose members may ask, besides ALLOW_USERS; in direct messages nobody's roles are known"`
	BlockRoles    IDs `env:"BLOCK_ROLES"    usage:"ids of roles whose members may not ask"`
	AllowChannels IDs `env:"ALLOW_CHANNELS" usage:"ids of the channels in which heddle answers, with their threads; empty for all; direct messages are not affected"`
	BlockChannels IDs `env:"BLOCK_CHANNELS" usage:"ids of channels in which heddle does not answer, nor in their threads"`
	AllowGuilds   IDs `env:"ALLOW_GUILDS"   usage:"ids of the servers in which heddle answers; empty for all; direct messages are not affected"`
	BlockGuilds   IDs `env:"BLOCK_GUILDS"   usage:"ids of servers in which heddle does not answer"`
	AllowBots     IDs `env:"ALLOW_BOTS"     usage:"ids of other bots that may ask, by mentioning heddle; empty for none; what bots say is context in any case"`
	BotTurns      int `env:"BOT_TURNS"      envDefault:"3" min:"0" max:"100" usage:"most questions of bots that are answered in a channel before a person writes there again, so that two bots do not talk for ever"`

	ExportConsent IDs `section:"Training data" env:"EXPORT_CONSENT" usage:"ids of the people who agreed that what they wrote is exported as training data, with commas between; empty exports nothing"`

	TrainingPermission Switch `env:"DISCORD_TRAINING_PERMISSION" envDefault:"off" usage:"on states that Discord itself has permitted you to train a model on messages, as its terms demand; the consent of members does not replace that. Without it, heddle export writes only the format raw"`

	HealthAddr Address `section:"Operating" env:"HEALTH_ADDR" usage:"address to serve health (/livez, /readyz) and Prometheus metrics (/metrics) on; empty for none"`

	DashboardAddr  Address `env:"DASHBOARD_ADDR"  usage:"address to serve the dashboard on: the graphs of the latest answers, and counts; empty for none. Without DASHBOARD_TOKEN it has to be an address of this machine, such as 127.0.0.1:8087"`
	DashboardToken Secret  `env:"DASHBOARD_TOKEN" usage:"password of the dashboard, for any user name"`
	DashboardTexts Switch  `env:"DASHBOARD_TEXTS" envDefault:"off" usage:"on shows on the dashboard what people wrote, as far as heddle still holds it; off shows lengths"`

	PprofAddr Loopback `env:"PPROF_ADDR" usage:"address of this machine to serve Go's profiles (/debug/pprof/) on, such as 127.0.0.1:6060; empty for none"`
	LLMPrices Prices   `env:"LLM_PRICES" usage:"prices of a million tokens, for the metrics and /heddle usage: prompt/cached prompt/completion, such as 0.40/0.10/1.60, or a list of them with a model before each; empty counts only tokens"`

	TracesEndpoint URL    `env:"OTEL_EXPORTER_OTLP_ENDPOINT" usage:"address of an OpenTelemetry collector that takes traces over HTTP, such as http://127.0.0.1:4318; empty for none"`
	TracesHeaders  Secret `env:"OTEL_EXPORTER_OTLP_HEADERS" usage:"headers of requests to the collector, such as api-key=secret, with commas between"`

	LogLevel  slog.Level `env:"LOG_LEVEL"  envDefault:"info" usage:"debug, info, warn or error"`
	LogFormat Format     `env:"LOG_FORMAT" envDefault:"text" usage:"text or json"`
}

// HasModel reports whether there is a model to ask. OpenAI requires a key; other
// servers may not.
func (c Config) HasModel() bool {
	return c.OpenAIAPIKey != "" || !strings.HasPrefix(string(c.OpenAIBaseURL), "https://api.openai.com/") && c.OpenAIBaseURL != ""
}
