package config_test

import (
	"reflect"
	"strings"
	"testing"

	"heddle/config"
)

// claude is a file as Claude Desktop and others write it, with what heddle adds and what it leaves
// to others.
const claude = "\uFEFF" + `// mine
{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "brave-search": {
      "command": "npx", "args": ["-y", "@modelcontextprotocol/server-brave-search"],
      "env": {"BRAVE_API_KEY": "${BRAVE_KEY}", "LIMIT": 5, "SAFE": true, "NONE": null},
      "cwd": "/srv", "alwaysAllow": ["search"], "autoApprove": [], "timeout": 60, "disabled": false
    },
    /* "old": { "command": "gone" }, */
    "GitHub // docs": {
      "type": "http", "url": "https://api.example.com/mcp/?key=${env:KEY:-none}",
      "headers": {"Authorization": "Bearer ${TOKEN}"}, "roles": ["5", 81384788765712384], "people": 6, "guilds": null,
    },
    "github--docs": {"serverUrl": "http://localhost:8000/sse", "transport": "sse"},
    "off": {"command": 7, "disabled": true},
    "gone": {"httpUrl": "ftp://x", "enabled": false},
    "awslabs.aws-documentation-mcp-server": {"command": ["uvx", "awslabs"], "args": null},
  },
}`

func TestServersAreReadAsOthersWriteThem(t *testing.T) {
	t.Parallel()
	want := []config.Server{
		{
			Name: "github-docs", At: []config.Secret{"https://api.example.com/mcp/?key=none"},
			Headers: map[string]config.Secret{"Authorization": `Bearer a"b`}, For: config.IDs{5, 6, 81384788765712384},
		},
		{Name: "awslabs-aws-document", At: []config.Secret{"uvx", "awslabs"}},
		{
			Name: "brave-search", At: []config.Secret{"npx", "-y", "@modelcontextprotocol/server-brave-search"}, Dir: "/srv",
			Env: []config.Secret{"BRAVE_API_KEY=k", "LIMIT=5", "NONE=", "SAFE=true"},
		},
		{Name: "github-docs-2", At: []config.Secret{"http://localhost:8000/sse"}, Legacy: true},
	}
	environ := []string{"BRAVE_KEY=k", `TOKEN=a"b`}
	disk := files(map[string]string{"/mcp": claude, "mcp.json": claude, "code.jsonc": strings.Replace(claude, "mcpServers", "servers", 1), ".env": "TOKEN=other"})
	for _, setting := range []string{"MCP_SERVERS=/mcp", "MCP_SERVERS=mcp.json", "MCP_SERVERS=code.jsonc", "MCP_SERVERS_FILE=/mcp", "MCP_SERVERS=" + claude} {
		c, warnings, err := config.Load(append(environ, setting), disk)
		if err != nil || !reflect.DeepEqual(c.MCPServers, want) {
			t.Errorf("%.30s is read with %v as\n%#v, want\n%#v", setting, err, c.MCPServers, want)
		}
		if told(warnings) != "" {
			t.Errorf("%.30s warns: %s, want nothing, as TOKEN is used", setting, told(warnings))
		}
	}
}

func TestAllThatIsWrongWithAFileOfServersIsNamedAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, want string }{
		{`{"mcpServers": {
			"a": {"url": "ftp://hunter2"}, "b": {}, "c": {"command": "x", "url": "http://h", "env": {"K": "${HUNTER}"}},
			"d": {"command": "x", "roles": ["weavers"]}, "e": {"command": {"x": "hunter2"}}, "f": {"command": "https://hunter2"},
			"g": {"url": "http://h", "headers": {"A": "${input:token}"}}, "h": {"command": "x", "args": [{}]}, "i": "hunter2",
			"fine": {"command": "x"}
		}}`, "has the server a, whose url does not start with http:// or https:// and a host; correct the file\n" +
			"has the server b, which has neither a command nor a url; correct the file\n" +
			"has the server c, which has both a command and a url; correct the file\n" +
			"has the server c, which uses ${HUNTER}, and no variable of that name is set; correct the file\n" +
			"has the server d, whose roles are not ids of Discord; correct the file\n" +
			"has the server e, which is not described as it should be: texts, lists of texts, and objects of texts in env and headers; correct the file\n" +
			"has the server f, whose command is an address, which belongs in url; correct the file\n" +
			"has the server g, which uses ${input:token}, and no variable of that name is set; correct the file\n" +
			"has the server h, which is not described as it should be: texts, lists of texts, and objects of texts in env and headers; correct the file\n" +
			"has the server i, which is not described as it should be: texts, lists of texts, and objects of texts in env and headers; correct the file"},
		{"{\n\"mcpServers\": {\n\"a\": hunter2}}", "holds no JSON: look at line 3; "},
		{`{"mcpServer": {}}`, "has neither mcpServers nor servers; "},
		{`{"mcpServers": ["hunter2"]}`, "has mcpServers that are no object of servers; "},
		{`["hunter2"]`, "names a file that holds no object of JSON; "},
		{"", "names a file that holds no object of JSON; "},
	} {
		_, _, err := config.Load([]string{"MCP_SERVERS=/mcp"}, files(map[string]string{"/mcp": c.file}))
		if err == nil {
			t.Errorf("%s is read, want %s", c.file, c.want)
			continue
		}
		for line := range strings.Lines(c.want) {
			if line = "MCP_SERVERS " + strings.TrimSpace(line); !strings.Contains(err.Error(), line) {
				t.Errorf("the error is\n%v\nwant in it\n%s", err, line)
			}
		}
		if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "fine") {
			t.Errorf("the error tells too much: %v", err)
		}
	}
	if _, _, err := config.Load([]string{"MCP_SERVERS=/gone.json"}, noFiles); err == nil || !strings.Contains(err.Error(), "MCP_SERVERS names a file that cannot be read (file does not exist)") {
		t.Errorf("a missing file is read with %v", err)
	}
}
