import Testing

@testable import TapelineLive

@Suite("Endpoint")
struct EndpointTests {
  @Test(
    "Numeric addresses, and localhost",
    arguments: [
      ("127.0.0.1:8888", "127.0.0.1:8888"), ("0.0.0.0:0", "0.0.0.0:0"), ("[::1]:80", "[::1]:80"),
      ("localhost:65535", "127.0.0.1:65535"),
      ("LocalHost:1", "127.0.0.1:1"),
    ])
  func reading(text: String, printed: String) {
    #expect(Endpoint(text)?.description == printed)
  }

  @Test(
    "Anything else is refused",
    arguments: [
      "", ":", "8888", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "::1:80", "[127.0.0.1]:80",
      "[::1]", "example.com:80", ":80",
    ])
  func refusal(text: String) {
    #expect(Endpoint(text) == nil)
  }

  @Test(
    "All of this machine's addresses are reached at the loopback one",
    arguments: [("0.0.0.0:80", "127.0.0.1:80"), ("[::]:80", "[::1]:80"), ("192.0.2.1:80", "192.0.2.1:80")])
  func reachable(text: String, target: String) {
    #expect(Endpoint(text)?.reachable.description == target)
  }
}
