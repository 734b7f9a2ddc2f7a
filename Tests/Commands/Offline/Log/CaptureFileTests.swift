import TapelineHAR
import TapelineInspect
import TapelineTestSupport
import Testing

@testable import TapelineOffline

@Suite("Exchanges that are passed")
struct CaptureFileTests {
  /// Two ordinary exchanges, one without an answer, two more; 300 KiB each, so that no piece of the file holds one of them whole.
  private static func file(in directory: TemporaryDirectory) throws -> String {
    let text = String(repeating: "x", count: 300 << 10)
    let entries = [200, 404, 0, 204, 500].map { status in
      #"{"time":1,"request":{"method":"GET","url":"http://a/\#(status)"},"response":{"status":\#(status),"_x":"\#(text)"}}"#
    }
    return try directory.write(#"{"log":{"entries":[\#(entries.joined(separator: ","))],"comment":"c"}}"#, to: "in.har")
  }

  @Test("Ordinary ones, however large, and the next one keeps its number")
  func passed() throws {
    let directory = try TemporaryDirectory()
    var capture = try CaptureFile(path: try Self.file(in: directory), parts: .overview)
    #expect(try !capture.passOrdinary())
    #expect(try capture.next()?.number == 1)
    #expect(try capture.passOrdinary())
    #expect(try !capture.passOrdinary())
    let next = try #require(try capture.next())
    #expect(next.number == 3 && next.entry.response.status == 0)
    for _ in 0..<2 { #expect(try capture.passOrdinary()) }
    #expect(try !capture.passOrdinary())
    var others = 0
    #expect(try capture.next(onOther: { _ in others += 1 })?.number == nil)
    #expect(others == 1)
  }

  @Test("None that a filter must look at")
  func filtered() throws {
    let directory = try TemporaryDirectory()
    var capture = try CaptureFile(path: try Self.file(in: directory), parts: .overview, filter: try Query("status >= 500"))
    #expect(try !capture.passOrdinary())
    let next = try #require(try capture.next())
    #expect(next.number == 5 && next.entry.response.status == 500)
  }
}
