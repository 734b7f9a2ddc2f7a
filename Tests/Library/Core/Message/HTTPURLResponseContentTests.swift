import FoundationEssentials
import TapelineHTTP
import Testing

@testable import TapelineCore

@Suite struct HTTPURLResponseContentTests {
  private func response(_ fields: [(String, String)] = [], url: String = "http://a.example/") throws -> HTTPURLResponse {
    HTTPURLResponse(
      head: ResponseHead(status: 200, fields: HeaderFields(fields)), request: try RequestHead(method: .get, target: url))
  }

  @Test(
    arguments: [
      ([("Content-Length", "5")], 5), ([], -1), ([("Content-Length", "x")], -1), ([("Content-Length", "-5")], -1),
      ([("Content-Length", "5"), ("Content-Length", "6")], -1),
      ([("Content-Length", "5"), ("Transfer-Encoding", "chunked")], -1),
      ([("Content-Length", "99999999999999999999")], -1),
    ] as [([(String, String)], Int64)])
  func expectedContentLength(fields: [(String, String)], length: Int64) throws {
    #expect(try response(fields).expectedContentLength == length)
  }

  @Test(
    arguments: [
      ("Text/HTML; Charset=UTF-8", "text/html", "utf-8"), ("application/json", "application/json", nil),
      (#"text/plain;charset="iso-8859-1""#, "text/plain", "iso-8859-1"), (";charset=x", nil, "x"),
    ] as [(String, String?, String?)])
  func mediaType(field: String, type: String?, charset: String?) throws {
    let response = try response([("Content-Type", field)])
    #expect(response.mimeType == type)
    #expect(response.textEncodingName == charset)
  }

  @Test func noMediaType() throws {
    #expect(try response().mimeType == nil)
    #expect(try response().textEncodingName == nil)
  }

  @Test(
    "The suggested name comes from Content-Disposition (RFC 6266)",
    arguments: [
      ("attachment; filename=a.txt", "a.txt"), (#"attachment; filename="a b.txt""#, "a b.txt"),
      (#"inline; filename="a\"b;c.txt""#, #"a"b;c.txt"#), ("attachment; filename*=UTF-8''na%C3%AFve.txt", "naïve.txt"),
      ("attachment; filename=\"fallback.txt\"; filename*=utf-8'en'%e2%82%ac.txt", "€.txt"),
      ("attachment; filename*=ISO-8859-1''%A3.txt", "£.txt"),
      ("attachment; filename=good.txt; filename*=UTF-8''%FF", "good.txt"),
      ("attachment; filename=good.txt; filename*=KOI8-R''x", "good.txt"),
      ("attachment; filename=good.txt; filename*=x", "good.txt"),
      ("ATTACHMENT; FILENAME=A.TXT", "A.TXT"),
    ])
  func dispositions(field: String, name: String) throws {
    #expect(try response([("Content-Disposition", field)]).suggestedFilename == name)
  }

  @Test(
    "A suggested name is a name and never a path",
    arguments: [
      (#""../../etc/passwd""#, "passwd"), ("/etc/passwd", "passwd"), (#""C:\\temp\\x.txt""#, "x.txt"), ("..", "Unknown"),
      (".", "Unknown"), (#""""#, "Unknown"), ("/", "Unknown"), (".bashrc", "bashrc"), ("a..", "a"), (#""  a  ""#, "a"),
      ("\"a\u{202E}gpj.exe\"", "agpj.exe"), (#""..\\..""#, "Unknown"),
    ])
  func hostileNames(value: String, name: String) throws {
    #expect(try response([("Content-Disposition", "attachment; filename=\(value)")]).suggestedFilename == name)
  }

  @Test func hostileEncodedNames() throws {
    let field = "attachment; filename*=UTF-8''..%2F%2E%2E%2Fa%00%0Ab.txt"
    #expect(try response([("Content-Disposition", field)]).suggestedFilename == "ab.txt")
    let long = String(repeating: "ä", count: 300)
    let name = try response([("Content-Disposition", "attachment; filename=\(long)")]).suggestedFilename
    #expect(name.utf8.count == 254)
  }

  @Test(
    "Without Content-Disposition, the suggested name is the last path component",
    arguments: [
      ("http://a.example/b/c.txt?d=/e", "c.txt"), ("http://a.example/b/", "b"), ("http://a.example", "Unknown"),
      ("http://a.example/a%20b%2Fc.txt", "c.txt"), ("http://a.example/%2e%2e", "Unknown"),
    ])
  func names(url: String, name: String) throws {
    #expect(try response(url: url).suggestedFilename == name)
  }
}
