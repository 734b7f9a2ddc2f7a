import Testing

@testable import TapelineTransport

@Suite struct ProxyExceptionsTests {
  private struct Case: Sendable, CustomTestStringConvertible {
    let list: String
    let direct: [(String, UInt16)]
    let proxied: [(String, UInt16)]

    var testDescription: String { list }
  }

  private static let cases = [
    Case(list: "", direct: [], proxied: [("example.com", 80)]),
    Case(list: "*", direct: [("example.com", 80), ("::1", 1)], proxied: []),
    Case(list: "*:8080", direct: [("example.com", 8080)], proxied: [("example.com", 80)]),
    Case(
      list: "Example.com", direct: [("example.com", 80), ("EXAMPLE.COM", 443), ("example.com.", 80), ("www.example.com", 80)],
      proxied: [("notexample.com", 80), ("com", 80)]),
    Case(
      list: ".example.com", direct: [("www.example.com", 80), ("a.b.example.com", 80)],
      proxied: [("example.com", 80), ("notexample.com", 80)]),
    Case(list: "*.example.com.", direct: [("www.example.com", 80)], proxied: [("example.com", 80)]),
    Case(list: "example.com:8080", direct: [("example.com", 8080)], proxied: [("example.com", 80)]),
    Case(list: ".example.com:8080", direct: [("www.example.com", 8080)], proxied: [("www.example.com", 80)]),
    Case(
      list: "localhost, 10.0.0.1\tother", direct: [("localhost", 1), ("10.0.0.1", 1), ("other", 1)], proxied: [("10.0.0.2", 1)]),
    Case(
      list: "10.0.0.0/8", direct: [("10.255.0.1", 80), ("::ffff:10.0.0.1", 80)], proxied: [("11.0.0.1", 80), ("ten.example", 80)]),
    Case(list: "192.168.4.0/22", direct: [("192.168.7.255", 80)], proxied: [("192.168.8.0", 80), ("192.168.3.255", 80)]),
    Case(list: "10.0.0.77/24", direct: [("10.0.0.1", 80)], proxied: [("10.0.1.1", 80)]),
    Case(list: "0.0.0.0/0", direct: [("8.8.8.8", 80)], proxied: [("::1", 80)]),
    Case(list: "::1", direct: [("::1", 80), ("0:0:0:0:0:0:0:1", 80)], proxied: [("::2", 80)]),
    Case(list: "[::1]:8080", direct: [("::1", 8080)], proxied: [("::1", 80)]),
    Case(list: "fe80::/10", direct: [("fe80::1", 80), ("febf::1", 80)], proxied: [("fec0::1", 80)]),
  ]

  @Test("Which origins are reached directly", arguments: cases)
  private func matches(example: Case) throws {
    let exceptions = try ProxyExceptions(parsing: example.list)
    for (host, port) in example.direct { #expect(exceptions.matches(host: host, port: port), "\(host):\(port)") }
    for (host, port) in example.proxied { #expect(!exceptions.matches(host: host, port: port), "\(host):\(port)") }
  }

  @Test(
    "What is no member is refused, by name",
    arguments: [
      "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/", "name/8", "::/129", "exa mple!", "*x", "*.", "[::1", "host:99999",
      "http://host",
    ])
  func refused(list: String) {
    #expect(throws: UpstreamProxyError.self) { try ProxyExceptions(parsing: list) }
  }
}
