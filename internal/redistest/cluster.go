package redistest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Cluster is a Redis Cluster of three masters on the loopback interface.
type Cluster struct {
	nodes []*Server
	ports []string
}

// masters is the number of nodes in a Cluster, which is the minimum.
const masters = 3

// slots is the number of slots into which a Cluster divides its keys.
const slots = 16384

// StartCluster starts a Cluster and waits until every node serves its slots.
func StartCluster(ctx context.Context) (*Cluster, error) {
	c := &Cluster{}
	for range masters {
		if err := c.add(ctx); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	if err := c.join(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// add starts a node, which also needs the port 10,000 above its own.
func (c *Cluster) add(ctx context.Context) error {
	// The timeout is long, so that no node counts as failed on a loaded machine.
	node, port, err := startOnPort(ctx, volatile("--cluster-enabled", "yes", "--cluster-node-timeout", "60000")...)
	if err != nil {
		return err
	}
	c.nodes, c.ports = append(c.nodes, node), append(c.ports, port)
	return nil
}

// join assigns its slots to every node, and makes the nodes known to each other.
func (c *Cluster) join(ctx context.Context) error {
	for i, node := range c.nodes {
		from, to := i*slots/masters, (i+1)*slots/masters
		words := make([]string, 0, to-from+2)
		words = append(words, "CLUSTER", "ADDSLOTS")
		for slot := from; slot < to; slot++ {
			words = append(words, strconv.Itoa(slot))
		}
		for _, command := range [][]string{words, {"CLUSTER", "MEET", "127.0.0.1", c.ports[0]}} {
			if answer, err := node.Do(ctx, command...); err != nil || answer != "OK" {
				return fmt.Errorf("set up a node: %q, %w", answer, err)
			}
		}
	}
	return until(ctx, "the cluster", func() bool { return c.serves(ctx) })
}

// until waits until something holds. It says what it waits for if ctx ends before.
func until(ctx context.Context, what string, holds func() bool) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, ctx.Err())
		}
	}
	return nil
}

// serves reports whether every node knows all slots.
func (c *Cluster) serves(ctx context.Context) bool {
	for _, node := range c.nodes {
		info, err := node.Do(ctx, "CLUSTER", "INFO")
		if err != nil || !strings.Contains(info, "cluster_state:ok") || !strings.Contains(info, "cluster_known_nodes:"+strconv.Itoa(masters)) {
			return false
		}
	}
	return true
}

// URL returns the address for REDIS_URL. It is that of one node, which knows the
// others.
func (c *Cluster) URL() string { return "redis+cluster://127.0.0.1:" + c.ports[0] + patient }

// Nodes returns the servers of the Cluster.
func (c *Cluster) Nodes() []*Server { return c.nodes }

// Close kills all nodes.
func (c *Cluster) Close() error {
	var all error
	for _, node := range c.nodes {
		all = errors.Join(all, node.Close())
	}
	return all
}
