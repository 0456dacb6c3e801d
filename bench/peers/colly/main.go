// The Colly side of the benchmark: one asynchronous collector over the hosts it is told, following every <a href>.
//
//	colly-crawl <seed-url> <host,host,…>
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gocolly/colly/v2"
)

const parallelism = 64

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: colly-crawl <seed-url> <host,host,…>")
		os.Exit(2)
	}
	// Colly compares the host name without its port.
	collector := colly.NewCollector(
		colly.Async(true),
		colly.AllowedDomains(strings.Split(os.Args[2], ",")...),
		colly.UserAgent("orbweaver-bench-colly"),
	)
	collector.IgnoreRobotsTxt = false
	// Go's default of two idle connections a host would make it open a new one for nearly every page.
	collector.WithTransport(&http.Transport{
		DialContext:         (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
		MaxIdleConns:        0,
		MaxIdleConnsPerHost: parallelism,
		IdleConnTimeout:     90 * time.Second,
	})
	if err := collector.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: parallelism}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}

	var pages, failures atomic.Int64
	// Colly asks whether a URL is known and then notes it, in two steps: with 64 pages at once many are fetched twice and
	// more. A set of its own, asked and noted in one step, spares it that.
	var seen sync.Map
	seen.Store(os.Args[1], true)
	collector.OnHTML("a[href]", func(link *colly.HTMLElement) {
		url := link.Request.AbsoluteURL(link.Attr("href"))
		if _, known := seen.LoadOrStore(url, true); !known {
			// An error here is a host not allowed, which is meant.
			_ = link.Request.Visit(url)
		}
	})
	collector.OnResponse(func(*colly.Response) { pages.Add(1) })
	collector.OnError(func(_ *colly.Response, err error) {
		if failures.Add(1) == 1 {
			fmt.Fprintln(os.Stderr, "first failure:", err)
		}
	})
	if err := collector.Visit(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	collector.Wait()
	fmt.Printf("{\"pages\":%d,\"failures\":%d}\n", pages.Load(), failures.Load())
}
