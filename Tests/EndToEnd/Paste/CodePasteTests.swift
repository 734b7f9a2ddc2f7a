import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What the report's other buttons give is pasted into a console or a file, whoever made the capture.
  @Suite struct CodePaste {
    private static let requests = HostileRequest.all(200)

    /// A call of `fetch` or `requests.request`, as a stub got it; nothing if the request was refused.
    private struct Call: Equatable {
      var method: String?
      var url: String?
      var fields: [String]
      var body: [UInt8]

      init(_ tree: JSONTree) {
        method = tree["method"]?.string
        url = tree["url"]?.string
        fields = tree["headers"]?.elements.flatMap { $0.elements.compactMap(\.string) } ?? []
        body = tree["body"]?.elements.compactMap { $0.integer.flatMap { UInt8(exactly: $0) } } ?? []
      }

      init(sending request: HostileRequest) {
        method = request.method
        url = request.url
        fields = request.headers.flatMap { [$0.name, $0.value] }
        body = request.isBase64 ? [0, 0xFF, 0x0A] : Array((request.body ?? "").utf8)
      }
    }

    private let directory: TemporaryDirectory

    init() throws {
      directory = try TemporaryDirectory()
    }

    @Test("200 hostile requests are refused, or become literals of JavaScript; nothing else happens")
    func script() throws {
      let calls = try calls(
        of: "fetchCode",
        by: ["node", "-e"],
        """
        const codes = JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8'));
        const AsyncFunction = (async () => {}).constructor;
        (async () => {
          const calls = [];
          for (const code of codes) {
            let call = null;
            const fetch = (url, { method, headers = [], body = [], redirect }) => {
              call = { url, method, headers, body: [...body], redirect };
            };
            if (code !== null) await new AsyncFunction('fetch', code)(fetch);
            calls.push(call);
          }
          process.stdout.write(JSON.stringify(calls));
        })();
        """)
      for (request, call) in zip(Self.requests, calls) {
        let hasBody = request.body?.isEmpty == false
        let isRefused = !request.isExpressible || hasBody && ["GET", "HEAD"].contains(request.method)
        expect(call, isFor: request, isRefused: isRefused)
      }
    }

    @Test("200 hostile requests are refused, or become literals of Python; nothing else happens")
    func python() throws {
      let calls = try calls(
        of: "pythonCode",
        by: ["python3", "-c"],
        """
        import json, sys, types
        calls = []
        for code in json.load(open(sys.argv[1])):
            call = []
            def request(method, url, headers, allow_redirects, data=b''):
                kept = [[name, value.decode()] for name, value in headers.items() if value is not None]
                call.append({'method': method, 'url': url, 'headers': kept, 'body': list(data)})
            sys.modules['requests'] = types.SimpleNamespace(request=request)
            if code is not None:
                exec(compile(code, 'pasted', 'exec'), {})
            calls.append(call[0] if call else None)
        json.dump(calls, sys.stdout)
        """)
      for (request, call) in zip(Self.requests, calls) { expect(call, isFor: request, isRefused: !request.isExpressible) }
    }

    private func expect(_ tree: JSONTree, isFor request: HostileRequest, isRefused: Bool) {
      if isRefused { #expect(tree == .null, "\(request)") } else { #expect(Call(tree) == Call(sending: request)) }
    }

    /// What the code that `maker` makes of each request calls, one line each; `null` where it makes none.
    private func calls(of maker: String, by command: [String], _ program: String) throws -> [JSONTree] {
      let har = try directory.write(HostileRequest.capture(of: Self.requests), to: "hostile.har")
      let codes = try ReportScript.values(of: maker, for: har)
      for code in try JSONTree(parsing: Array(codes.utf8)).elements.compactMap(\.string) {
        #expect(!code.unicodeScalars.contains { $0 != "\n" && $0.value < 0x20 || drivesTerminal($0) }, "\(code)")
      }
      let runner = try TestProcess(command[0], [command[1], program, try directory.write(codes, to: "codes.json")])
      #expect(try runner.wait().isSuccess, "\(runner.errorText)")
      let calls = try JSONTree(parsing: runner.standardOutput).elements
      try #require(calls.count == Self.requests.count)
      return calls
    }
  }
}
