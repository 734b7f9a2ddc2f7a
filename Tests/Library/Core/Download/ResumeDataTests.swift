import FoundationEssentials
import Testing

@testable import TapelineCore

@Suite struct ResumeDataTests {
  private func request(_ url: String = "http://user:secret@host:81/path?q=%20#fragment") throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.headers = [
      "Accept": "*/*", "Authorization": "Basic c2VjcmV0", "Cookie": "a=secret", "Proxy-Authorization": "Basic c2VjcmV0",
      "Range": "bytes=1-", "If-Range": "\"x\"", "X-Own": "1",
    ]
    request.headers.append(name: "X-Own", value: "2")
    return request
  }

  private func make(_ validator: DownloadValidator = .entityTag("\"a\"")) throws -> ResumeData {
    try #require(
      ResumeData(
        request: try request(), validator: validator, offset: 100, length: 1_000, temporaryPath: "/tmp/tapeline-1.download"))
  }

  @Test("Written resume data reads back, with any validator")
  func roundTrip() throws {
    let validators: [DownloadValidator] = [.entityTag("\"a\""), .lastModified("Sun, 06 Nov 1994 08:49:37 GMT")]
    for validator in validators {
      let data = try make(validator)
      #expect(try ResumeData(data.encoded) == data)
    }
  }

  @Test("Resume data has the format of version 1")
  func format() throws {
    #expect(
      String(decoding: try make().encoded, as: UTF8.self)
        == #"{"entityTag":"\"a\"","file":"/tmp/tapeline-1.download","headers":[["Accept","*/*"],["X-Own","1"],["X-Own","2"]],"#
        + #""length":1000,"method":"GET","offset":100,"url":"http://host:81/path?q=%20","version":1}"#)
  }

  @Test("Resume data keeps no credentials")
  func credentials() throws {
    #expect(!String(decoding: try make().encoded, as: UTF8.self).contains("secret"))
    #expect(!String(decoding: try make().encoded, as: UTF8.self).contains("c2VjcmV0"))
  }

  @Test("A resumed request asks for the rest with a range and its validator")
  func continuing() throws {
    let request = try make().continuingRequest
    #expect(request.url?.absoluteString == "http://host:81/path?q=%20")
    #expect(request.headers.value(for: "Range") == "bytes=100-")
    #expect(request.headers.value(for: "If-Range") == "\"a\"")
    #expect(request.headers.values(for: "X-Own") == ["1", "2"])
  }

  @Test("Only a GET that has begun can be continued")
  func unsuitable() throws {
    var post = try request()
    post.method = .post
    #expect(
      ResumeData(request: post, validator: .entityTag("\"a\""), offset: 1, length: nil, temporaryPath: "/tapeline-1.download")
        == nil)
    #expect(
      ResumeData(
        request: try request(), validator: .entityTag("\"a\""), offset: 0, length: nil, temporaryPath: "/tapeline-1.download")
        == nil)
  }

  @Test("A later version is refused as such")
  func laterVersion() throws {
    let error = #expect(throws: TapelineError.self) { try ResumeData(Data(#"{"version":2,"other":[]}"#.utf8)) }
    guard case .invalidResumeData(reason: .unsupportedVersion(2)) = error else {
      Issue.record("unexpected: \(String(describing: error))")
      return
    }
  }

  @Test("Damaged data is a clear error, wherever it is cut")
  func cutData() throws {
    let whole = try make().encoded
    for count in 0..<whole.count {
      let error = #expect(throws: TapelineError.self) { try ResumeData(whole.prefix(count)) }
      guard case .invalidResumeData(reason: .malformed) = error else {
        Issue.record("unexpected at \(count): \(String(describing: error))")
        return
      }
    }
  }

  @Test(
    "Data that nobody wrote is refused",
    arguments: [
      (#""url":"http://host:81/path?q=%20""#, #""url":"file:///etc/passwd""#),
      (#""url":"http://host:81/path?q=%20""#, #""url":"http:///""#),
      (#""method":"GET""#, #""method":"POST""#),
      (#""offset":100"#, #""offset":0"#),
      (#""offset":100"#, #""offset":-1"#),
      (#""offset":100"#, #""offset":1001"#),
      (#""file":"/tmp/tapeline-1.download""#, #""file":"/etc/passwd""#),
      (#""file":"/tmp/tapeline-1.download""#, #""file":"tmp/tapeline-1.download""#),
      (#""file":"/tmp/tapeline-1.download""#, #""file":"/tmp/\u0000/tapeline-1.download""#),
      (#""entityTag":"\"a\"""#, #""entityTag":"W/\"a\"""#),
      (#""entityTag":"\"a\"""#, #""entityTag":"\"a\r\nX: y\"""#),
      (#""entityTag":"\"a\"","#, ""),
      (#""entityTag":"\"a\"""#, #""lastModified":"yesterday""#),
      (#"["Accept","*/*"]"#, #"["Accept"]"#),
      (#"["Accept","*/*"]"#, #"["Accept","a\r\nb"]"#),
    ])
  func forged(original: String, replacement: String) throws {
    let text = String(decoding: try make().encoded, as: UTF8.self)
    let halves = text.split(separator: original, omittingEmptySubsequences: false)
    try #require(halves.count == 2)
    let forged = halves[0] + replacement + halves[1]
    #expect(throws: TapelineError.self) { try ResumeData(Data(forged.utf8)) }
  }
}
