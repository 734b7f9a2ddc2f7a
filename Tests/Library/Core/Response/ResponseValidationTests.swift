import Testing

@testable import TapelineCore

@Suite struct ResponseValidationTests {
  private func response(_ status: Int = 200, type: String? = nil) throws -> HTTPURLResponse {
    var headers = HTTPHeaders()
    headers["Content-Type"] = type
    return try #require(HTTPURLResponse(url: "http://a.example/".asURL(), statusCode: status, headers: headers))
  }

  @Test(
    "2xx is acceptable unless other statuses are asked for",
    arguments: [(199, false), (200, true), (299, true), (300, false)])
  func statusCodes(status: Int, isAcceptable: Bool) throws {
    let result = ResponseValidation.statusCode(try response(status), in: ResponseValidation.acceptableStatusCodes)
    #expect(result.isSuccess == isAcceptable)
    #expect(result.error?.asTapelineError?.responseCode == (isAcceptable ? nil : status))
    #expect(ResponseValidation.statusCode(try response(status), in: [status]).isSuccess)
  }

  @Test(
    "The content type must be among the acceptable ones",
    arguments: [
      ("text/html; charset=x", ["text/html"], true), ("text/html", ["image/*", "text/*"], true),
      ("text/html", ["image/png"], false),
      ("text/html", ["no type"], false), ("text/html", [], false), ("text/html", ["*/*"], true), ("garbage", ["*/*"], true),
      ("garbage", ["text/*"], false),
    ])
  func contentTypes(type: String, acceptable: [String], isAcceptable: Bool) throws {
    let result = ResponseValidation.contentType(try response(type: type), acceptable: acceptable, byteCount: 1)
    #expect(result.isSuccess == isAcceptable)
    if !isAcceptable { #expect(result.error?.asTapelineError?.acceptableContentTypes == acceptable.sorted()) }
  }

  @Test("No content type is acceptable to */* only")
  func missingContentType() throws {
    #expect(ResponseValidation.contentType(try response(), acceptable: ["a/b", "*/*"], byteCount: 1).isSuccess)
    let error = ResponseValidation.contentType(try response(), acceptable: ["a/b"], byteCount: 1).error?.asTapelineError
    guard case .responseValidationFailed(.missingContentType(["a/b"])) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("Without a byte there is no wrong content type; of a file, the size is all that is looked at")
  func noBody() throws {
    #expect(ResponseValidation.contentType(try response(type: "a/b"), acceptable: ["c/d"], byteCount: 0).isSuccess)
    #expect(ResponseValidation.contentType(try response(type: "a/b"), acceptable: ["c/d"], byteCount: nil).isSuccess)
  }

  @Test(
    "The types that Accept asks for are acceptable",
    arguments: [
      (nil, ["*/*"]), ("text/html, application/json;q=0.9", ["text/html", "application/json"]), ("a/b;q=0, c/d", ["c/d"]),
      ("", ["*/*"]), (" , ", ["*/*"]), ("a/b;q=0.0", ["*/*"]),
    ] as [(String?, [String])])
  func accept(value: String?, types: [String]) throws {
    var request = try URLRequest(url: "http://a.example/", method: .get)
    request.headers["Accept"] = value
    #expect(ResponseValidation.acceptableContentTypes(of: request) == types)
    #expect(ResponseValidation.acceptableContentTypes(of: nil) == ["*/*"])
  }
}
