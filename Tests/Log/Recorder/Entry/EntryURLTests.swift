import TapelineHAR
import TapelineHTTP
import Testing

@testable import TapelineRecorder

struct EntryURLTests {
  private func url(_ target: String, _ method: HTTPMethod = .get) throws -> String {
    String(
      decoding: EntryURL.text(of: try RequestHead(method: method, target: target, fields: ["Host": "h:1"]), implied: nil),
      as: UTF8.self)
  }

  @Test func isAbsoluteWithAPath() throws {
    #expect(try url("http://a/b?c") == "http://a/b?c")
    #expect(try url("http://a:81") == "http://a:81/")
    #expect(try url("http://a?q=/x") == "http://a/?q=/x")
    #expect(try url("http://[::1]:80/x") == "http://[::1]:80/x")
    #expect(try url("/x?y") == "http://h:1/x?y")
    #expect(try url("*", .options) == "http://h:1/")
    #expect(try url("a:443", .connect) == "https://a:443/")
    #expect(try url("[::1]:443", .connect) == "https://[::1]:443/")
  }

  @Test func hidesWhoAsksAndWhereInTheDocument() throws {
    #expect(try url("http://user:pass@a/b#c") == "http://a/b")
  }

  @Test(arguments: [
    ("http://a/b c", "http://a/b%20c"), ("http://a/%41%4", "http://a/%41%254"), ("http://a/?x[]=1|2", "http://a/?x%5B%5D=1%7C2"),
    ("http://[::1]/[", "http://[::1]/%5B"), ("http://a/é\u{1}", "http://a/%C3%A9%01"), ("http://a/%zz", "http://a/%25zz"),
  ])
  func isAURI(url: String, expected: String) {
    var writer = JSONWriter()
    EntryURL.append(encoded: Array(url.utf8), to: &writer)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "\"\(expected)\"")
  }
}
