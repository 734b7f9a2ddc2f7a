import FoundationEssentials
import Testing

@testable import TapelineCore

@Suite struct DownloadValidatorTests {
  private func response(_ headers: HTTPHeaders) throws -> HTTPURLResponse {
    let url = try #require(URL(string: "http://host/"))
    return try #require(HTTPURLResponse(url: url, statusCode: 200, headers: headers))
  }

  @Test("A strong tag is a validator; a weak tag is not, even beside a date")
  func tags() throws {
    let modified = ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Mon, 07 Nov 1994 08:49:37 GMT"]
    #expect(DownloadValidator(of: try response(["ETag": "\"a\""])) == .entityTag("\"a\""))
    #expect(DownloadValidator(of: try response(["ETag": "W/\"a\""])) == nil)
    #expect(DownloadValidator(of: try response(HTTPHeaders(modified.merging(["ETag": "W/\"a\""]) { $1 }))) == nil)
    #expect(DownloadValidator(of: try response(["ETag": "a"])) == nil)
    #expect(DownloadValidator(of: try response(["ETag": "\"a\"b\""])) == nil)
  }

  @Test("A date is a validator only if the representation is older than the response (RFC 9110 8.8.2.2)")
  func dates() throws {
    let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    #expect(
      DownloadValidator(of: try response(["Last-Modified": modified, "Date": "Sun, 06 Nov 1994 08:49:38 GMT"]))
        == .lastModified(modified))
    #expect(DownloadValidator(of: try response(["Last-Modified": modified, "Date": modified])) == nil)
    #expect(DownloadValidator(of: try response(["Last-Modified": modified])) == nil)
    #expect(DownloadValidator(of: try response([:])) == nil)
  }

  @Test("A part of another representation is noticed")
  func otherRepresentations() throws {
    let tag = DownloadValidator.entityTag("\"a\"")
    #expect(tag.allows(try response([:])))
    #expect(tag.allows(try response(["ETag": "\"a\""])))
    #expect(!tag.allows(try response(["ETag": "\"b\""])))
    #expect(!tag.allows(try response(["ETag": "W/\"a\""])))
  }
}
