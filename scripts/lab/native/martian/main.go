// A recording, intercepting proxy on martian's library: what somebody would write in Go in an afternoon, without its mistakes. It
// keeps as many idle connections to a server as there are clients (Go's default is two), verifies servers, and writes what has
// ended to the HAR once a second, so that its heap, and with it the collector's work, stays small.
package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/google/martian/v3"
	"github.com/google/martian/v3/har"
	"github.com/google/martian/v3/log"
	"github.com/google/martian/v3/mitm"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address to listen on")
	roots := flag.String("roots", "", "PEM file of the authorities that vouch for servers")
	output := flag.String("output", "recording.har", "where the HAR goes")
	flag.Parse()
	log.SetLevel(log.Silent)

	trusted := x509.NewCertPool()
	pem, err := os.ReadFile(*roots)
	check(err)
	trusted.AppendCertsFromPEM(pem)

	proxy := martian.NewProxy()
	proxy.SetRoundTripper(&http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: trusted},
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 1024,
		IdleConnTimeout:     5 * time.Minute,
		DisableCompression:  true,
	})
	authority, key, err := mitm.NewAuthority("martian.proxy", "Martian", 24*time.Hour)
	check(err)
	interception, err := mitm.NewConfig(authority, key)
	check(err)
	proxy.SetMITM(interception)
	logger := har.NewLogger()
	proxy.SetRequestModifier(logger)
	proxy.SetResponseModifier(logger)

	file, err := os.OpenFile(*output, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	check(err)
	writer := bufio.NewWriterSize(file, 1<<20)
	_, err = io.WriteString(writer, `{"log":{"version":"1.2","creator":{"name":"martian","version":"3"},"entries":[`)
	check(err)

	listener, err := net.Listen("tcp", *listen)
	check(err)
	go proxy.Serve(listener)

	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	separator := "\n"
	for running := true; running; {
		select {
		case <-stop:
			running = false
		case <-time.After(time.Second):
		}
		for _, entry := range logger.ExportAndReset().Log.Entries {
			text, err := json.Marshal(entry)
			check(err)
			_, err = io.WriteString(writer, separator+string(text))
			check(err)
			separator = ",\n"
		}
	}
	_, err = io.WriteString(writer, "\n]}}\n")
	check(err)
	check(writer.Flush())
	check(file.Close())
}

func check(err error) {
	if err != nil {
		stdlog.Fatal(err)
	}
}
