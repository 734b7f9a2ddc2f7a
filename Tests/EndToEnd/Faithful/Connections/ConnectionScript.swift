import TapelineTestSupport
import Testing

/// What a client does, over and over the same: directly, and through the program.
struct ConnectionScript: Sendable, CustomTestStringConvertible {
  enum Scheme: String, CaseIterable, Sendable { case http, https }

  enum Client: Sendable {
    /// Python with `peer.open`, `peer.get`, … over plain sockets: everything is said.
    case script(String)
    /// Python as people write it, with `url(path)` and `requests`.
    case python(String)
    /// Node, with `url(path)`.
    case node(String)
    /// A command for each element, one after the other; `URL/` is replaced.
    case commands([[String]])
  }

  let name: String
  let client: Client
  var schemes = Scheme.allCases
  /// Requests of one client may come on connections in any order.
  var isOrdered = true

  var testDescription: String { name }

  static let all: [ConnectionScript] = [
    ConnectionScript(
      name: "one process per request",
      client: .commands([1, 2, 3].map { ["curl", "-sS", "URL/\($0)"] })),
    ConnectionScript(name: "one kept connection", client: .script("c = open(); get(c, '1'); get(c, '2'); get(c, '3'); end(c)")),
    ConnectionScript(
      name: "connections beside each other",
      client: .script("a = open(); get(a, '1'); b = open(); get(b, '2'); get(a, '3'); get(b, '4'); end(a); end(b)")),
    ConnectionScript(
      name: "TLS, never resumed",
      client: .script("for path in '123':\n  c = open(); get(c, path); end(c)"), schemes: [.https]),
    ConnectionScript(
      name: "TLS, resumed",
      client: .script(
        "c = open(); get(c, '1'); s = c.session; end(c)\nc = open(s); get(c, '2'); assert c.session_reused; s = c.session; end(c)\n"
          + "c = open(); get(c, '3'); end(c)\nc = open(s); get(c, '4'); end(c)"), schemes: [.https]),
    ConnectionScript(
      name: "TLS 1.2, resumed",
      client: .script(
        "limit_tls()\nc = open(); get(c, '1'); s = c.session; end(c)\nc = open(s); get(c, '2'); assert c.session_reused; end(c)"),
      schemes: [.https]),
    ConnectionScript(
      name: "idle for longer than the server waits",
      client: .script("c = open(); get(c, '1/idle'); await_end(c)\nc = open(); get(c, '2'); end(c)")),
    ConnectionScript(
      name: "a server that hangs up without a word",
      client: .script("c = open(); get(c, '1/hangup'); await_end(c)\nc = open(); get(c, '2'); end(c)")),
    ConnectionScript(
      name: "the client says close",
      client: .script("c = open(); get(c, '1'); get(c, '2', 'Connection: close'); await_end(c)\nc = open(); get(c, '3'); end(c)")),
    ConnectionScript(
      name: "the server says close",
      client: .script("c = open(); get(c, '1'); get(c, '2/close'); await_end(c)\nc = open(); get(c, '3'); end(c)")),
    ConnectionScript(
      name: "HTTP/1.0",
      client: .script("for path in '12':\n  c = open(); get(c, path, version='1.0'); await_end(c)")),
    ConnectionScript(
      name: "HTTP/1.0 that keeps",
      client: .script(
        "c = open(); get(c, '1', 'Connection: keep-alive', version='1.0'); get(c, '2', 'Connection: keep-alive', version='1.0'); end(c)"
      )),
    ConnectionScript(
      name: "a server that resets what is idle",
      client: .script("c = open(); get(c, '1/reset'); await_end(c)\nc = open(); get(c, '2'); end(c)")),
    ConnectionScript(
      name: "an upload, then kept",
      client: .script("c = open(); post(c, '1', b'x' * 300000); post(c, '2', b'y' * 70000, chunked=True); get(c, '3'); end(c)")),
    ConnectionScript(
      name: "100-continue", client: .script("c = open(); post(c, '1', b'x' * 1000, expect=True); get(c, '2'); end(c)")),
    ConnectionScript(
      name: "an answer before the end of the upload",
      client: .script("c = open(); early(c, '1/early'); await_end(c)\nc = open(); get(c, '2'); end(c)")),
    ConnectionScript(
      name: "a tunnel that is idle before its request",
      client: .script("a = open(); b = open(); get(b, '1'); end(b)\nget(a, '2'); end(a)"), schemes: [.https]),
    ConnectionScript(
      name: "every framing on one connection",
      client: .script(
        "c = open(); get(c, '1/chunked'); get(c, '2'); get(c, '3/eof'); await_end(c)\nc = open(); get(c, '4'); end(c)")),
    ConnectionScript(
      name: "a client that leaves by reset",
      client: .script("c = open(); get(c, '1'); reset(c)\nc = open(); get(c, '2'); end(c)"),
      schemes: [.http]),
    ConnectionScript(name: "curl with several URLs", client: .commands([["curl", "-sS", "URL/1", "URL/2", "URL/3"]])),
    ConnectionScript(
      name: "curl, several at once",
      client: .commands([["curl", "-sS", "-Z", "--parallel-immediate", "URL/1", "URL/2", "URL/3"]]),
      isOrdered: false),
    ConnectionScript(name: "wget", client: .commands([["wget", "-q", "-O", "/dev/null", "URL/1", "URL/2"]])),
    ConnectionScript(
      name: "wget without keep-alive",
      client: .commands([["wget", "-q", "--no-http-keep-alive", "-O", "/dev/null", "URL/1", "URL/2"]])),
    ConnectionScript(
      name: "requests.Session",
      client: .python(
        "s = requests.Session()\nfor path in '12':\n  assert s.get(url(path)).text == 'hello'\ns.post(url('3'), data={'a': 1})\ns.get(url('4/close'))\n"
          + "s.get(url('5'))\ns.close()")),
    ConnectionScript(
      name: "requests without a session", client: .python("for path in '123':\n  assert requests.get(url(path)).text == 'hello'")),
    ConnectionScript(
      name: "Node's agent that keeps",
      client: .node(
        "const agent = new http.Agent({keepAlive: true, maxSockets: 1}); for (const p of ['1', '2', '3']) await get(p, agent); agent.destroy();"
      ),
      schemes: [.http]),
    ConnectionScript(
      name: "Node's agent that does not",
      client: .node("const agent = new http.Agent({keepAlive: false}); for (const p of ['1', '2']) await get(p, agent);"),
      schemes: [.http]),
  ]
}
