import TapelineOffline
@testable import TapelineLive
import Testing

@Suite("Proxy environment")
struct ProxyEnvironmentTests {
  private func variables(_ endpoint: String, _ current: [String: String] = [:]) throws -> [String: String] {
    let endpoint = try #require(Endpoint(endpoint))
    let assignments = ProxyEnvironment(endpoint: endpoint, current: current).assignments
    return Dictionary(uniqueKeysWithValues: assignments.map { ($0.name, $0.value) })
  }

  @Test("Both spellings of every variable name the proxy")
  func names() throws {
    let expected = [
      "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "WS_PROXY", "ws_proxy", "WSS_PROXY",
      "wss_proxy", "grpc_proxy", "TAPELINE_PROXY",
    ]
    #expect(try variables("127.0.0.1:80") == Dictionary(uniqueKeysWithValues: expected.map { ($0, "http://127.0.0.1:80") }))
  }

  @Test("RFC 3986 3.2.1: the credentials that the proxy asks for are in its URL")
  func credentials() throws {
    let endpoint = try #require(Endpoint("127.0.0.1:80"))
    let environment = ProxyEnvironment(endpoint: endpoint, credentials: CredentialPair("me@home:p:w"), current: [:])
    #expect(Set(environment.assignments.map(\.value)) == ["http://me%40home:p%3Aw@127.0.0.1:80"])
  }

  @Test("A proxy on all addresses is named by the loopback one")
  func unspecified() throws {
    #expect(try variables("0.0.0.0:80")["http_proxy"] == "http://127.0.0.1:80")
    #expect(try variables("[::]:80")["http_proxy"] == "http://[::1]:80")
  }

  @Test("Exceptions stay where they were, without this machine")
  func exceptions() throws {
    let result = try variables(
      "127.0.0.1:80", ["NO_PROXY": "localhost,.corp.example", "no_grpc_proxy": "127.0.0.1", "HTTP_PROXY": "http://other"])
    #expect(result["NO_PROXY"] == ".corp.example")
    #expect(result["no_proxy"] == nil)
    #expect(result["no_grpc_proxy"]?.isEmpty == true)
    #expect(result["HTTP_PROXY"] == "http://127.0.0.1:80")
  }

  @Test(
    "What means this machine, or everything, goes; the rest stays",
    arguments: [
      ("localhost,127.0.0.1,::1", ""),
      ("LOCALHOST:8080, .localhost,*.localhost,[::1],[::1]:80,127.0.0.0/8,127.1.2.3,0:0:0:0:0:0:0:1,::1/128", ""),
      ("*", ""),
      ("a.example,*,10.0.0.0/8", "a.example,10.0.0.0/8"),
      ("localhost.example,127.example,::10,mylocalhost", "localhost.example,127.example,::10,mylocalhost"),
      ("a b,,c", "a,b,c"),
      ("", ""),
    ])
  func loopback(list: String, expected: String) {
    #expect(ProxyEnvironment.withoutLoopback(list) == expected)
  }
}
