import TapelineHAR
import TapelineTestSupport
import Testing

@testable import TapelineInspect

@Suite("Foreign content")
struct ForeignContentTests {
  @Test(
    "What a file is that is no HAR",
    arguments: [
      ([], "an empty file"), (Array(" \n".utf8), "a file of nothing but blanks"),
      ([0x89] + Array("PNG\r\n".utf8), "a PNG image"), ([0xD4, 0xC3, 0xB2, 0xA1, 2, 0], "a pcap capture"),
      ([0x0A, 0x0D, 0x0D, 0x0A, 0x1C], "a pcap capture"), (Array("\n<!DOCTYPE HTML>".utf8), "an HTML page"),
      (Array("<html lang=en>".utf8), "an HTML page"), (Array("<?xml version".utf8), "a document of XML or HTML"),
      (Array("[ {\"a\":1}]".utf8), "a JSON document without a log"), (Array("[2026-01-02] x".utf8), "a text file"),
      (Array("[main]".utf8), "a text file"), (Array("hello".utf8), "a text file"), ([0, 1, 2, 3], "a binary file"),
      ([0xFF, 0xFE, 0x7B, 0], "a text in UTF-16"), (Array("PK\u{3}\u{4}".utf8), "a ZIP archive"),
    ] as [([UInt8], String)])
  func names(bytes: [UInt8], name: String) {
    #expect(ForeignContent(startingWith: bytes.span)?.name == name)
  }

  @Test("What may be a HAR", arguments: ["{", "\u{FEFF}{\"log\"", " \n\t{}"])
  func har(text: String) {
    #expect(ForeignContent(startingWith: Array(text.utf8).span) == nil)
  }

  @Test("A damaged HAR may look like a text or like nothing, but not like an image")
  func damaged() throws {
    for text in ["\0\0\0\0", "ntries\":["] {
      let file = try TemporaryFile(text)
      var reading = try InputFile(path: file.path, expecting: .damagedHAR)
      #expect(try reading.read())
      #expect(throws: CaptureError.self) {
        var reading = try InputFile(path: file.path)
        _ = try reading.read()
      }
    }
    let image = try TemporaryFile([0x89] + Array("PNG".utf8))
    #expect(throws: CaptureError.self) {
      var reading = try InputFile(path: image.path, expecting: .damagedHAR)
      _ = try reading.read()
    }
  }

  @Test("JSON without a log is told by its reader, compressed too")
  func json() throws {
    for bytes in [Array("{\"a\":1}".utf8), Array("{\"log\":[]}".utf8)] {
      let file = try TemporaryFile(bytes)
      let error = #expect(throws: CaptureError.self) {
        var capture = try Capture(path: file.path)
        _ = try capture.next()
      }
      #expect(error?.description == "it is a JSON document without a log, not a HAR")
    }
    let packed = try TemporaryFile(CodedText.gzip)
    let error = #expect(throws: CaptureError.self) {
      var capture = try Capture(path: packed.path)
      _ = try capture.next()
    }
    #expect(error?.description == "it is a gzip file of a text file, not a HAR")
  }
}
