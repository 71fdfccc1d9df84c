package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// maxModels bounds what is read of a list of models, in bytes.
const maxModels = 1 << 20

// Models returns the names of the models that an API lists. It fails only if nobody answers:
// an API may keep no such list, or not show it.
func Models(ctx context.Context, baseURL, key string) ([]string, error) {
	api := Config{BaseURL: baseURL, APIKey: key}
	request, err := api.newRequest(ctx, http.MethodGet, "/models", http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("ask for the models: %w", err)
	}
	response, err := (&http.Client{CheckRedirect: sameHost}).Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask for the models: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // it is only read
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	_ = json.NewDecoder(io.LimitReader(response.Body, maxModels)).Decode(&list)
	names := make([]string, len(list.Data))
	for i := range list.Data {
		names[i] = list.Data[i].ID
	}
	return names, nil
}

// Reach asks the model's API for the list of its models, for ten seconds at most. It fails only
// if nobody answers.
func (c *Client) Reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	_, err := Models(ctx, c.config.BaseURL, c.config.APIKey)
	return err
}

// newRequest returns a request to the API, with the key if there is one.
func (c Config) newRequest(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(c.BaseURL, "/")+path, body)
	if err == nil && c.APIKey != "" {
		request.Header.Set("Authorization", "Bearer "+c.APIKey)
	}
	return request, err //nolint:wrapcheck // the caller says what failed
}
