import TapelineTestSupport
import Testing

extension EndToEnd.HTTP2 {
  /// Clients of languages' own libraries, each with two requests on one connection to nginx.
  @Suite struct Languages {
    private let authority: TestAuthority
    private let server: NginxServer

    init() throws {
      authority = try TestAuthority()
      server = try NginxServer(identity: authority.issue(), speaksHTTP2: true)
      try server.serve(Array("hello\n".utf8), as: "hello.txt")
    }

    private func expectTwoStreams(
      _ command: [String], environment: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let run = try RunRecording(
        trusting: authority, command, environment: environment, seconds: 180, sourceLocation: sourceLocation)
      let entries = [
        try run.entry("?1", sourceLocation: sourceLocation), try run.entry("?2", sourceLocation: sourceLocation),
      ]
      entries.forEach { expectHTTP2($0, sourceLocation: sourceLocation) }
      expectOneConnection(entries, sourceLocation: sourceLocation)
      #expect(entries.allSatisfy { $0.contentText == "hello\n" }, sourceLocation: sourceLocation)
    }

    @Test func httpx() throws {
      try expectTwoStreams([
        pythonInterpreter(), "-c",
        """
        import sys, httpx
        with httpx.Client(http2=True) as client:
            for n in (1, 2):
                answer = client.get(f'{sys.argv[1]}?{n}')
                assert (answer.text, answer.http_version) == ('hello\\n', 'HTTP/2'), (answer.text, answer.http_version)
        """, server.tlsURL("/hello.txt"),
      ])
    }

    /// `http2` of Node takes no proxy: CONNECT is sent by hand.
    @Test func node() throws {
      try expectTwoStreams([
        "node", "-e",
        """
        const http = require('http'), http2 = require('http2'), tls = require('tls'), net = require('net');
        const proxy = new URL(process.env.HTTPS_PROXY), target = new URL(process.argv[1]);
        const socket = net.connect(proxy.port, proxy.hostname);
        socket.write(`CONNECT ${target.host} HTTP/1.1\\r\\nHost: ${target.host}\\r\\n\\r\\n`);
        socket.once('data', head => {
          if (!/^HTTP\\/1.1 200 /.test(head)) throw new Error(head);
          const secured = tls.connect({ socket, servername: target.hostname, ALPNProtocols: ['h2'] });
          const session = http2.connect(target.origin, { createConnection: () => secured });
          const get = n => new Promise((done, failed) => {
            let text = '';
            session.request({ ':path': `${target.pathname}?${n}` }).on('error', failed).setEncoding('utf8')
              .on('data', part => text += part).on('end', () => text === 'hello\\n' ? done() : failed(new Error(text)));
          });
          Promise.all([get(1), get(2)]).then(() => session.close());
        });
        """, server.tlsURL("/hello.txt"),
      ])
    }

    /// It speaks HTTP/1.1 unless told otherwise, and is answered in it.
    @Test func fetchOfNode() throws {
      let run = try RunRecording(
        trusting: authority,
        [
          "node", "-e",
          "fetch(process.argv[1]).then(answer => answer.text()).then(text => process.stdout.write(text))",
          server.tlsURL("/hello.txt"),
        ])
      #expect(run.process.outputText == "hello\n")
      #expect(try run.entry("/hello.txt").version == "HTTP/1.1")
    }

    @Test func java() throws {
      let directory = try TemporaryDirectory()
      let program = try directory.write(
        """
        import java.net.URI;
        import java.net.http.HttpClient;
        import java.net.http.HttpRequest;
        import java.net.http.HttpResponse;

        class Fetch {
          public static void main(String[] arguments) throws Exception {
            HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
            for (int n = 1; n <= 2; n++) {
              HttpRequest request = HttpRequest.newBuilder(URI.create(arguments[0] + "?" + n)).build();
              HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
              if (!answer.body().equals("hello\\n")) throw new Exception(answer.body());
              if (answer.version() != HttpClient.Version.HTTP_2) throw new Exception(answer.version().toString());
            }
          }
        }
        """, to: "Fetch.java")
      try expectTwoStreams(["java", program, server.tlsURL("/hello.txt")])
    }

    /// Go goes past a proxy for loopback, unless told to use it.
    @Test func go() throws {
      let directory = try TemporaryDirectory()
      let built = try GoProgram.build(
        """
        package main

        import (
          "fmt"
          "io"
          "net/http"
          "net/url"
          "os"
        )

        func main() {
          proxy, _ := url.Parse(os.Getenv("HTTPS_PROXY"))
          client := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), ForceAttemptHTTP2: true}}
          for n := 1; n <= 2; n++ {
            answer, err := client.Get(fmt.Sprintf("%s?%d", os.Args[1], n))
            if err != nil {
              panic(err)
            }
            text, err := io.ReadAll(answer.Body)
            if err != nil || string(text) != "hello\\n" || answer.ProtoMajor != 2 {
              panic(fmt.Sprint(err, string(text), answer.Proto))
            }
            answer.Body.Close()
          }
        }
        """, in: directory)
      try expectTwoStreams([built, server.tlsURL("/hello.txt")])
    }
  }
}
