import TapelineTestSupport
import Testing

extension EndToEnd {
  /// HTTPS clients of languages' own libraries, trusting by the variables that `tapeline run` sets.
  @Suite struct HTTPSLanguages {
    private let authority: TestAuthority
    private let server: NginxServer

    init() throws {
      authority = try TestAuthority()
      server = try NginxServer(identity: authority.issue())
      try server.serve(Array("hello\n".utf8), as: "hello.txt")
    }

    private func expectTwoOnOneConnection(_ run: RunRecording, sourceLocation: SourceLocation = #_sourceLocation) throws {
      let (first, second) = (
        try run.entry("?1", sourceLocation: sourceLocation), try run.entry("?2", sourceLocation: sourceLocation)
      )
      expectDecrypted(first, sourceLocation: sourceLocation)
      expectReused(second, sourceLocation: sourceLocation)
      #expect([first, second].allSatisfy { $0.contentText == "hello\n" }, sourceLocation: sourceLocation)
      #expect(first.connectionID == second.connectionID, sourceLocation: sourceLocation)
    }

    @Test func pythonRequests() throws {
      let run = try RunRecording(
        trusting: authority,
        [
          pythonInterpreter(), "-c",
          """
          import sys, requests
          with requests.Session() as session:
              for n in (1, 2):
                  answer = session.get(f'{sys.argv[1]}?{n}')
                  assert answer.text == 'hello\\n', answer.text
          """, server.tlsURL("/hello.txt"),
        ])
      try expectTwoOnOneConnection(run)
    }

    @Test func pythonURLLib() throws {
      let run = try RunRecording(
        trusting: authority,
        [
          pythonInterpreter(), "-c",
          """
          import sys, urllib.request
          assert urllib.request.urlopen(sys.argv[1]).read() == b'hello\\n'
          """, server.tlsURL("/hello.txt"),
        ])
      expectDecrypted(try run.entry("/hello.txt"))
    }

    /// curl's extension and PHP's own streams; the latter know no proxy from the environment.
    @Test func php() throws {
      let script = """
        $curl = curl_init($argv[1] . "?1");
        curl_setopt($curl, CURLOPT_RETURNTRANSFER, true);
        $text = curl_exec($curl);
        if ($text !== "hello\\n") { fwrite(STDERR, curl_error($curl)); exit(1); }
        $options = ["http" => ["proxy" => str_replace("http://", "tcp://", getenv("http_proxy")), "request_fulluri" => false]];
        if (file_get_contents($argv[1] . "?2", false, stream_context_create($options)) !== "hello\\n") exit(2);
        """
      let run = try RunRecording(trusting: authority, ["php", "-r", script, server.tlsURL("/hello.txt")])
      for query in ["?1", "?2"] { expectDecrypted(try run.entry(query)) }
    }

    @Test func node() throws {
      // `https` of Node 20 knows no proxy: like every agent for it, this one sends CONNECT by hand. Trust is Node's own matter.
      let run = try RunRecording(
        trusting: authority,
        [
          "node", "-e",
          """
          const http = require('http'), https = require('https'), tls = require('tls');
          const proxy = new URL(process.env.HTTPS_PROXY), target = new URL(process.argv[1]);
          const connect = http.request({ host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: target.host });
          connect.on('connect', (_, socket) => {
            const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
            agent.createConnection = () => tls.connect({ socket, servername: target.hostname });
            const get = (n, then) => https.get(`${target}?${n}`, { agent }, answer => {
              let text = '';
              answer.on('data', part => text += part).on('end', () => {
                if (text !== 'hello\\n') throw new Error(text);
                setImmediate(then);
              });
            });
            get(1, () => get(2, () => { agent.destroy(); socket.destroy(); }));
          });
          connect.end();
          """, server.tlsURL("/hello.txt"),
        ])
      try expectTwoOnOneConnection(run)
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
            HttpClient client = HttpClient.newHttpClient();
            for (int n = 1; n <= 2; n++) {
              HttpRequest request = HttpRequest.newBuilder(URI.create(arguments[0] + "?" + n)).build();
              String text = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
              if (!text.equals("hello\\n")) throw new Exception(text);
            }
          }
        }
        """, to: "Fetch.java")
      let run = try RunRecording(trusting: authority, ["java", program, server.tlsURL("/hello.txt")], seconds: 120)
      try expectTwoOnOneConnection(run)
    }
  }
}
