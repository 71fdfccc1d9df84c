package config

import (
	"log/slog"
	"strings"
	"time"
)

// Config is every setting of heddle. Load makes one that is valid as a whole.
type Config struct {
	DiscordToken  Secret        `env:"DISCORD_TOKEN"   secret:"true" usage:"token of the bot, from Discord's developer portal"`
	DiscordAPIURL URL           `env:"DISCORD_API_URL" envDefault:"https://discord.com/api/v9" usage:"REST base of Discord, of an emulator or of a rate-limit proxy; the gateway's address is asked there"`
	CatchUp       time.Duration `env:"CATCH_UP"        envDefault:"10m" min:"0s" max:"24h" usage:"mentions made while the bot was away are answered when they are not older than this"`
	ShutdownGrace time.Duration `env:"SHUTDOWN_GRACE"  envDefault:"8s" min:"1s" max:"10m" usage:"longest time that answers under way are given to end when the bot is stopped; container engines kill it after 10s"`
	LastWords     time.Duration `env:"LAST_WORDS"      envDefault:"1500ms" min:"100ms" max:"1m" usage:"longest time that then is left to say that answers are cut short, and to store them"`

	EditAnswer EditAnswer    `env:"EDIT_ANSWER"     envDefault:"on" usage:"a question that is edited soon after it was asked gets a new answer in place of the old one: on, off, or offer to have the old one offer that by a button"`
	EditWindow time.Duration `env:"EDIT_WINDOW"     envDefault:"2m" min:"1s" max:"24h" usage:"how soon that is"`

	OpenAIAPIKey  Secret        `env:"OPENAI_API_KEY"  secret:"true" usage:"key for the model's API; servers of your own may need none"`
	OpenAIBaseURL URL           `env:"OPENAI_BASE_URL" envDefault:"https://api.openai.com/v1" usage:"base of any API that speaks OpenAI's chat completions"`
	LLMModel      string        `env:"LLM_MODEL"       envDefault:"gpt-4.1-mini" usage:"the model's name, as that API knows it"`
	LLMTimeout    time.Duration `env:"LLM_TIMEOUT"     envDefault:"2m" min:"1s" max:"1h" usage:"longest silence of the model, before its first word and between two"`
	SystemPrompt  string        `env:"SYSTEM_PROMPT"   file:"true" envDefault:"You are a friendly member of this Discord server. Answer the last message, briefly and plainly, in its language." usage:"what the model is told about itself; heddle adds how to read the conversation"`
	Temperature   *float64      `env:"TEMPERATURE"     min:"0" max:"2" usage:"sampling temperature; empty for the model's own, 0 for the likeliest answer"`
	MaxTokens     int           `env:"MAX_TOKENS"      envDefault:"2000" min:"0" max:"1000000" usage:"longest answer in tokens; 0 for the model's own limit"`
	TokenBudget   int           `env:"TOKEN_BUDGET"    envDefault:"16000" min:"500" max:"10000000" usage:"most tokens that are sent to the model for one answer"`

	Vision     Vision `env:"VISION"      envDefault:"auto" usage:"show the model pictures: on, off, or auto to go by its name and, where that tells nothing, to show it three colours once and ask for them"`
	Tools      Tools  `env:"TOOLS"       envDefault:"create_artifact,search_channel,ask_subagent" usage:"what the model may do on the way to an answer: make files, look through older messages of the channel, ask a helper; off for nothing"`
	ToolRounds int    `env:"TOOL_ROUNDS" envDefault:"6" min:"1" max:"50" usage:"how many times in a row it may do so for one answer"`

	MinLinear     int       `env:"MIN_LINEAR"     envDefault:"10" min:"0" max:"100" usage:"messages right before the mention that are always in"`
	MaxTotal      int       `env:"MAX_TOTAL"      envDefault:"30" min:"1" max:"1000" usage:"most messages that one mention draws in"`
	TimeThreshold Threshold `env:"TIME_THRESHOLD" envDefault:"auto" usage:"pause that ends a stretch of talk, or auto to judge by the channel's own pace"`
	Affinity      Switch    `env:"AFFINITY"       envDefault:"on" usage:"part interleaved talks by who answers whom; off for replies and pauses alone"`

	RetainBase     int           `env:"RETAIN_BASE_CHARS" envDefault:"4000" min:"0" max:"1000000" usage:"characters of what was said last that are always sent"`
	RetainRecent   int           `env:"RETAIN_RECENT"     envDefault:"20" min:"0" max:"1000" usage:"newest messages that are always sent"`
	RetainAlways   float64       `env:"RETAIN_ALWAYS"     envDefault:"0.7" min:"0" max:"1" usage:"older answers of which the model was at least this certain stay, with what asked for them"`
	RetainSpaced   float64       `env:"RETAIN_SPACED"     envDefault:"0.6" min:"0" max:"1" usage:"and every third one of which it was at least this certain"`
	Calibration    string        `env:"CALIBRATION"       usage:"file that \"heddle calibrate\" made: how often answers are good that a model was so certain of; empty compares each answer with the model's last 200"`
	Summaries      Switch        `env:"SUMMARIES"         envDefault:"off" usage:"what no longer fits is summarised by the model, once for a stretch of messages, and the summary is sent in its place"`
	ArtifactWindow time.Duration `env:"ARTIFACT_WINDOW"   envDefault:"5s" min:"0s" max:"10m" usage:"a file that follows an answer within this is taken for made by it, where nothing is on record"`

	RedisURL     Secret        `env:"REDIS_URL" secret:"true" usage:"Redis or Valkey to share what is stored, like redis://localhost:6379/0; empty for the embedded store"`
	RedisTimeout time.Duration `env:"REDIS_TIMEOUT" envDefault:"1s" min:"10ms" max:"10m" usage:"longest wait for one answer of Redis; one that is slower counts as away"`
	ClaimLease   time.Duration `env:"CLAIM_LEASE" envDefault:"20s" min:"1s" max:"10m" usage:"how long a mention stays with a process that died, or that lost Redis, before another one answers it"`
	DataDir      string        `env:"DATA_DIR"  envDefault:"data" usage:"folder of the embedded store"`
	CacheTTL     time.Duration `env:"CACHE_TTL" envDefault:"720h" min:"1m" max:"87600h" usage:"how long an answer is kept on record: for follow-ups, as an alternative, with its ratings and for exports"`
	ReuseTTL     time.Duration `env:"REUSE_TTL" envDefault:"24h" min:"0s" max:"24h" usage:"how long an answer may be given again to an equal question, on the day on which it was made (UTC); 0s for never"`

	ExportConsent IDs `env:"EXPORT_CONSENT" usage:"ids of the people who told you that what they wrote may be exported to train on, with commas between; empty exports nothing"`

	HealthAddr Address `env:"HEALTH_ADDR" usage:"where to tell over HTTP whether heddle lives (/livez) and answers (/readyz), with metrics for Prometheus (/metrics); empty for nowhere"`

	LogLevel  slog.Level `env:"LOG_LEVEL"  envDefault:"info" usage:"debug, info, warn or error"`
	LogFormat Format     `env:"LOG_FORMAT" envDefault:"text" usage:"text or json"`
}

// HasModel says whether there is a model to ask. OpenAI's own needs a key; whether
// another server does is its own matter.
func (c Config) HasModel() bool {
	return c.OpenAIAPIKey != "" || !strings.HasPrefix(string(c.OpenAIBaseURL), "https://api.openai.com/") && c.OpenAIBaseURL != ""
}
