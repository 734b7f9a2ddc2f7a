import TapelineHAR
import TapelineSystem
import Testing

@testable import TapelineInspect

@Suite("Capture")
struct CaptureTests {
  private func har(_ entries: [String], after: String = "") -> String {
    #"{"log":{"version":"1.2","entries":[\#(entries.joined(separator: ",\n"))],"pages":[],"comment":"x"\#(after)}}"#
  }

  private func entry(_ url: String) -> String {
    var entry = HAREntry.ordinary()
    entry.request.url = url
    return String(decoding: entry.json, as: UTF8.self)
  }

  /// The caller holds the file while it is read.
  private func urls(in file: TemporaryFile) throws -> [String] {
    try urls(inPath: file.path)
  }

  private func urls(inPath path: String) throws -> [String] {
    var capture = try Capture(path: path)
    var urls: [String] = []
    while let entry = try capture.next() {
      urls.append(entry.request.url)
    }
    return urls
  }

  @Test("The exchanges come in the order of the file, whatever stands around them")
  func order() throws {
    let expected = (0..<100).map { "http://h/\($0)" }
    let file = try TemporaryFile(har(expected.map(entry)))
    #expect(try urls(in: file) == expected)
  }

  @Test("Entries larger than a piece of the file, and very many")
  func large() throws {
    let long = "http://h/" + String(repeating: "x", count: 400_000)
    let expected = [long, "http://h/2", long] + (0..<2_000).map { "http://h/\($0)" }
    let file = try TemporaryFile(har(expected.map(entry)))
    #expect(try urls(in: file) == expected)
  }

  @Test("A file without exchanges has none")
  func empty() throws {
    #expect(try urls(in: TemporaryFile(har([]))) == [])
  }

  @Test("After the end there is nothing more, as often as one asks")
  func end() throws {
    let file = try TemporaryFile(har([entry("http://h/")]))
    var capture = try Capture(path: file.path)
    #expect(try capture.next() != nil)
    #expect(try capture.next() == nil)
    #expect(try capture.next() == nil)
  }

  @Test("A damaged file yields what comes before the damage, then says where it is")
  func damaged() throws {
    let text = har([entry("http://h/1"), entry("http://h/2")])
    let file = try TemporaryFile(String(text.dropLast(200)))
    var capture = try Capture(path: file.path)
    #expect(try capture.next()?.request.url == "http://h/1")
    do {
      _ = try capture.next()
      Issue.record("half an entry was taken for a whole one")
    } catch {
      guard case .malformed(let reason) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(reason.kind == .unexpectedEnd)
    }
  }

  @Test("Every event, in the order of the file, and only the parts that were asked for")
  func events() throws {
    let file = try TemporaryFile(har([entry("http://h/1")]))
    var capture = try Capture(path: file.path, parts: .overview)
    guard case .version("1.2") = try capture.nextEvent(), case .entry(let entry) = try capture.nextEvent(),
      case .comment("x") = try capture.nextEvent()
    else {
      Issue.record("not the events of the file")
      return
    }
    #expect(entry.request.url == "http://h/1" && entry.request.headers.isEmpty && entry.timings.wait == 80)
    #expect(try capture.nextEvent() == nil)
  }

  @Test("What is no HAR, or no file, is an error")
  func errors() throws {
    let file = try TemporaryFile("hello")
    #expect(throws: CaptureError.self) { try urls(in: file) }
    #expect(throws: CaptureError.system(code: ErrorCode.notFound)) { try urls(inPath: "/tapeline-no-such-file") }
    #expect(throws: CaptureError.system(code: ErrorCode.isDirectory)) { try urls(inPath: "/tmp") }
    #expect(CaptureError.system(code: ErrorCode.notFound).description == "No such file or directory")
  }
}
