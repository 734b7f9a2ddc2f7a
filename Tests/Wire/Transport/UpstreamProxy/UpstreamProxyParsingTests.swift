import Testing

@testable import TapelineTransport

@Suite struct UpstreamProxyParsingTests {
  @Test(
    "The forms in which people write a proxy",
    arguments: [
      ("http://proxy.example:3128", "proxy.example", 3128), ("proxy.example:3128", "proxy.example", 3128),
      ("HTTP://Proxy.Example/", "proxy.example", 80), ("10.0.0.1:8080", "10.0.0.1", 8080), ("http://[::1]:3128", "::1", 3128),
      ("::1", "::1", 80), ("localhost", "localhost", 80),
    ] as [(String, String, UInt16)])
  func forms(text: String, host: String, port: UInt16) throws {
    let proxy = try UpstreamProxy(parsing: text)
    #expect(proxy.host == host)
    #expect(proxy.port == port)
    #expect(proxy.credential == nil)
  }

  @Test("RFC 1928: SOCKS5, by either of its names", arguments: ["socks5", "socks5h", "SOCKS5"])
  func socks(scheme: String) throws {
    let proxy = try UpstreamProxy(parsing: "\(scheme)://me:pw@proxy.example")
    #expect(proxy.scheme == .socks5 && proxy.port == 1080 && proxy.credential == Credential(user: "me", password: "pw"))
    #expect("\(proxy)" == "socks5://proxy.example:1080")
  }

  @Test("RFC 3986 2.1: name and password are percent-encoded, and neither is described")
  func credentials() throws {
    let proxy = try UpstreamProxy(parsing: "http://me%40work:p%3A%2Fss@proxy.example:3128")
    #expect(proxy.credential == Credential(user: "me@work", password: "p:/ss"))
    #expect("\(proxy)" == "http://proxy.example:3128")
    #expect(try UpstreamProxy(parsing: "me@proxy.example").credential == Credential(user: "me", password: ""))
  }

  @Test(
    "What names no proxy says so, without the password",
    arguments: [
      "", "http://", "https://proxy.example", "socks4://proxy.example", "socks5://", "http://me:secret@", "proxy.example:0",
      "proxy.example:65536",
      "proxy.example:http", "[::1", "[::1]x", "me:secret%4@proxy.example", "me:secret%ff@proxy.example", "pro xy", "a/b",
    ])
  func refused(text: String) {
    do throws(UpstreamProxyError) {
      _ = try UpstreamProxy(parsing: text)
      Issue.record("\(text) was taken for a proxy")
    } catch {
      #expect(!error.description.isEmpty)
      #expect(!error.description.contains("secret"))
    }
  }
}
