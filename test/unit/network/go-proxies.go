//go:build ignore

// Makes go-proxies.json anew: reads it, and writes for each NO_PROXY and each URL whether Go goes through the proxy (P) or not (-),
// as golang.org/x/net/http/httpproxy sees it, which net/http is built with.
package main

import (
	"encoding/json"
	"net/url"
	"os"

	"golang.org/x/net/http/httpproxy"
)

func main() {
	var table struct {
		Urls []string          `json:"urls"`
		Ways map[string]string `json:"ways"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&table); err != nil {
		panic(err)
	}
	for list := range table.Ways {
		ways := ""
		for _, text := range table.Urls {
			place, err := url.Parse(text)
			if err != nil {
				panic(err)
			}
			config := httpproxy.Config{HTTPProxy: "http://proxy:3128", HTTPSProxy: "http://proxy:3128", NoProxy: list}
			if proxy, err := config.ProxyFunc()(place); err != nil {
				panic(err)
			} else if proxy != nil {
				ways += "P"
			} else {
				ways += "-"
			}
		}
		table.Ways[list] = ways
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	if err := out.Encode(table); err != nil {
		panic(err)
	}
}
