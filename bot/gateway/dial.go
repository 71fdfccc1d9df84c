package gateway

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

// dialTimeout bounds the time to reach the gateway or a proxy.
const dialTimeout = 5 * time.Second

// tlsFor returns the TLS configuration for addr.
func tlsFor(base *tls.Config, addr string) *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if base != nil {
		config = base.Clone()
	}
	if config.ServerName == "" {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			host = addr
		}
		config.ServerName = host
	}
	return config
}

// proxyFor returns the proxy for a request, like the field Proxy of http.Transport.
type proxyFor func(*http.Request) (*url.URL, error)

// dialThrough connects to addr, through the HTTP proxy that proxies returns for it, if
// any. discordgo's own dialling is not used, because TLS would then hide the frames
// from the tap.
func dialThrough(ctx context.Context, proxies proxyFor, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	proxy, err := proxies(&http.Request{URL: &url.URL{Scheme: "https", Host: addr}})
	if err != nil {
		return nil, fmt.Errorf("read the proxy's address: %w", err)
	}
	var dialer net.Dialer
	if proxy == nil {
		return dialer.DialContext(ctx, network, addr)
	}
	if proxy.Scheme != "http" {
		return nil, fmt.Errorf("the proxy is %s, only http proxies are supported", proxy.Scheme)
	}
	proxyAddr := proxy.Host
	if proxy.Port() == "" {
		proxyAddr = net.JoinHostPort(proxy.Hostname(), "80")
	}
	conn, err := dialer.DialContext(ctx, network, proxyAddr)
	if err != nil {
		return nil, fmt.Errorf("reach the proxy: %w", err)
	}
	if err := tunnel(ctx, conn, proxy, addr); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// tunnel asks a proxy for a connection to addr. The server at addr sends nothing before
// it gets a request, so that a buffered read of the proxy's response cannot swallow any
// of the server's bytes.
func tunnel(ctx context.Context, conn net.Conn, proxy *url.URL, addr string) error {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: addr}, Host: addr, Header: http.Header{}}
	if user := proxy.User; user != nil {
		password, _ := user.Password()
		auth := &http.Request{Header: http.Header{}}
		auth.SetBasicAuth(user.Username(), password)
		req.Header.Set("Proxy-Authorization", auth.Header.Get("Authorization"))
	}
	if err := req.Write(conn); err != nil {
		return fmt.Errorf("ask the proxy: %w", err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), req) //nolint:bodyclose // the body is the tunnel
	if err != nil {
		return fmt.Errorf("read the proxy's answer: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the proxy refused with status %d", resp.StatusCode)
	}
	return nil
}
