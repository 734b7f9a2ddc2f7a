import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Recorded body")
struct LoggedBodyTests {
  private func body(_ text: String?, encoding: String? = nil, size: Int = 0, bodySize: Int = -1) -> LoggedBody {
    var response = HAREntry.ordinary().response
    response.content = HARContent(size: size, mimeType: "x", text: text, encoding: encoding)
    response.bodySize = bodySize
    return LoggedBody(response: response)
  }

  @Test("Text is its UTF-8, base64 its bytes")
  func bytes() {
    #expect(body("grüße", size: 7) == .bytes(Array("grüße".utf8)))
    #expect(body("AP8=", encoding: "base64", size: 2) == .bytes([0x00, 0xFF]))
    #expect(body("AP8=", encoding: "BASE64", size: 2) == .bytes([0x00, 0xFF]))
  }

  @Test("Nothing there, nothing kept, and nonsense are three things")
  func absence() {
    #expect(body(nil) == .empty)
    #expect(body("") == .empty)
    #expect(body(nil, size: 9) == .notRecorded(size: 9))
    #expect(body(nil, bodySize: 9) == .notRecorded(size: 9))
    #expect(body("!", encoding: "base64", size: 9) == .damaged)
  }

  @Test("A body in a file that was not brought in is not the same as one that was not recorded")
  func inFile() {
    var response = HAREntry.ordinary().response
    response.content = HARContent(size: 9, mimeType: "x", custom: ["_file": "bodies/a"])
    #expect(LoggedBody(response: response) == .inFile("bodies/a"))
    var request = HAREntry.ordinary().request
    request.postData = HARPostData(mimeType: "x", text: "", custom: ["_file": "bodies/b"])
    #expect(LoggedBody(request: request) == .inFile("bodies/b"))
  }

  @Test("A request's binary body is marked by a member of ours")
  func request() {
    var request = HAREntry.ordinary().request
    #expect(LoggedBody(request: request) == .empty)
    request.postData = HARPostData(mimeType: "x", text: "AP8=", custom: ["_encoding": "base64"])
    request.bodySize = 2
    #expect(LoggedBody(request: request) == .bytes([0x00, 0xFF]))
    request.postData = HARPostData(mimeType: "x", text: "")
    #expect(LoggedBody(request: request) == .notRecorded(size: 2))
  }
}
