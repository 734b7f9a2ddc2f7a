import TapelineCore
import TapelineHTTP
import TapelineTransport
import Testing

@testable import TapelineProxy

/// The client's body on its way up, without sockets.
@Suite struct ForwardedUploadTests {
  private func upload(captures: Bool = true, limit: Int = 100) -> ForwardedUpload {
    ForwardedUpload(into: BodyCapture(limit: limit), captures: captures)
  }

  private func receive(_ text: String, _ upload: inout ForwardedUpload) {
    let bytes = Array(text.utf8)
    upload.capture(bytes.span)
    upload.keep(bytes.span)
  }

  private func text(_ chunk: BodyChunk) -> String {
    switch chunk {
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .later: "later"
    case .end: "end"
    }
  }

  @Test("The origin gets all that waits, up to its limit, then what is left, then the end")
  func pulling() {
    var upload = upload()
    #expect(text(upload.pull(limit: 4)) == "later")
    receive("abcdef", &upload)
    #expect(upload.isBehind && !upload.awaitsClient)
    #expect(text(upload.pull(limit: 4)) == "abcd")
    #expect(upload.isBehind == true)
    #expect(text(upload.pull(limit: 4)) == "ef")
    #expect(!upload.isBehind && upload.awaitsClient)
    #expect(text(upload.pull(limit: 4)) == "later")
    receive("g", &upload)
    upload.end()
    #expect(upload.isComplete && !upload.awaitsClient)
    #expect(text(upload.pull(limit: 4)) == "g")
    #expect(text(upload.pull(limit: 4)) == "end")
    #expect(upload.body.bytes == Array("abcdefg".utf8))
  }

  @Test("Bytes that go up at once are captured, and do not wait")
  func passing() {
    var upload = upload(limit: 4)
    upload.capture(Array("abc".utf8).span)
    upload.capture(Array("def".utf8).span)
    #expect(!upload.isBehind && upload.awaitsClient)
    #expect(upload.body.bytes == Array("abcd".utf8) && upload.body.size == 6)
    #expect(text(upload.pull(limit: 4)) == "later")
  }

  @Test("A body that is not kept is counted")
  func counting() {
    var upload = upload(captures: false)
    receive("abc", &upload)
    #expect(upload.body.bytes.isEmpty && upload.body.size == 3)
    #expect(text(upload.pull(limit: 10)) == "abc")
  }

  @Test("A client is told to go on once, and not when it has sent everything (RFC 9110 10.1.1)")
  func inviting() {
    var upload = upload()
    let first = upload.invite()
    let second = upload.invite()
    #expect(first && !second)
    var whole = self.upload()
    whole.end()
    let late = whole.invite()
    #expect(!late)
  }

  @Test("Trailers are kept for the origin")
  func trailers() {
    var upload = upload()
    #expect(upload.trailers == nil)
    upload.receive(["Checksum": "1"])
    #expect(upload.trailers?.values(named: "checksum") == ["1"])
  }
}
