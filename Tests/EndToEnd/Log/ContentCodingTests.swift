import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The log shows what was meant; the client gets the bytes that the server sent.
  @Suite struct ContentCoding {
    private static let text = String(repeating: "What is written once more takes little room. ", count: 200)

    /// Serves `body` with `fields`, and returns the entry and what the client got.
    private static func exchange(
      _ body: [UInt8], fields: [String], options: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RecordedEntry {
      let origin = try ScriptedOrigin([.expectRequest, .respond(fields: fields, body: body)])
      let recording = try recording(options, sourceLocation: sourceLocation) { proxy in
        let curl = try proxy.curl([origin.url("/coded")])
        #expect(curl.standardOutput == body, "untouched", sourceLocation: sourceLocation)
      }
      try HARValidators.expectAccepted(recording.log.path, sourceLocation: sourceLocation)
      let entry = try recording.entry("/coded", sourceLocation: sourceLocation)
      #expect(entry.responseBodySize == body.count, sourceLocation: sourceLocation)
      return entry
    }

    private static func expectText(_ entry: RecordedEntry, sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(entry.contentText == text, sourceLocation: sourceLocation)
      #expect(entry.contentSize == text.utf8.count, sourceLocation: sourceLocation)
      let saved = text.utf8.count - (entry.responseBodySize ?? 0)
      #expect(entry.response?["content"]?["compression"]?.integer == saved, sourceLocation: sourceLocation)
      #expect(entry.response?["content"]?["encoding"] == nil, sourceLocation: sourceLocation)
    }

    @Test(arguments: ContentCodings.all)
    func isUndoneInTheLog(coding: String) throws {
      let body = try ContentCodings.encode(Array(Self.text.utf8), coding)
      let fields = ["Content-Type: text/plain", "Content-Encoding: \(ContentCodings.name(of: coding))"]
      Self.expectText(try Self.exchange(body, fields: fields))
    }

    @Test func isUndoneInReverseOrder() throws {
      var body = Array(Self.text.utf8)
      for coding in ["gzip", "br", "deflate", "zstd"] { body = try ContentCodings.encode(body, coding) }
      let fields = ["Content-Type: text/plain", "Content-Encoding: gzip, br", "Content-Encoding: deflate, zstd"]
      Self.expectText(try Self.exchange(body, fields: fields))
    }

    @Test(arguments: ["gzip", "deflate", "br", "zstd"])
    func whatIsNotCodedAsItSaysIsKept(coding: String) throws {
      let body = Array(String(repeating: "This is not compressed at all, whatever the field says. ", count: 20).utf8)
      let entry = try Self.exchange(body, fields: ["Content-Type: text/plain", "Content-Encoding: \(coding)"])
      let content = entry.response?["content"]
      let encoded = try base64(Array(body.prefix(300)))
      #expect(content?["encoding"]?.string == "base64")
      #expect(content?["_decodeError"]?.string?.isEmpty == false)
      #expect(content?["text"]?.string?.hasPrefix(encoded) == true)
    }

    @Test func aCodingThatNobodyKnowsIsKept() throws {
      let body = patternedBytes(300)
      let entry = try Self.exchange(body, fields: ["Content-Type: text/plain", "Content-Encoding: snappy"])
      #expect(entry.response?["content"]?["encoding"]?.string == "base64")
      #expect(entry.contentText == (try base64(body)))
    }

    @Test func aBombIsBounded() throws {
      // A thousand to one in each layer.
      var body = try ContentCodings.encode([UInt8](repeating: 0, count: 200_000_000), "gzip")
      body = try ContentCodings.encode(body, "gzip")
      let entry = try Self.exchange(body, fields: ["Content-Type: text/plain", "Content-Encoding: gzip, gzip"])
      let content = entry.response?["content"]
      #expect((entry.contentText?.utf8.count ?? 0) < 50_000_000)
      #expect("\(content ?? .null)".contains("runcated"), "it says that there is more")
    }

    @Test func whatWasKeptOfACodedBodyIsShown() throws {
      let long = (0..<60_000).map { "line \($0 &* 7919)\n" }.joined()
      let body = try ContentCodings.encode(Array(long.utf8), "gzip")
      #expect(body.count > 100_000)
      let fields = ["Content-Type: text/plain", "Content-Encoding: gzip"]
      let entry = try Self.exchange(body, fields: fields, options: ["--max-body", "50000"])
      let text = try #require(entry.contentText)
      #expect(long.hasPrefix(text))
      #expect(text.utf8.count > 50_000)
      #expect((entry.response?["content"]?["_truncated"]?.integer ?? 0) == body.count - 50_000)
    }

    @Test(
      arguments: [
        ("iso-8859-1", "caf\u{E9}", [0x63, 0x61, 0x66, 0xE9]), ("windows-1252", "\u{20AC}", [0x80]),
        ("koi8-r", "\u{41F}\u{440}", [0xF0, 0xD2]), ("shift_jis", "\u{65E5}\u{672C}", [0x93, 0xFA, 0x96, 0x7B]),
        ("utf-16le", "h\u{17C}", [0x68, 0x00, 0x7C, 0x01]), ("gbk", "\u{4E2D}", [0xD6, 0xD0]),
        ("iso-8859-2", "\u{142}", [0xB3]), ("euc-kr", "\u{D55C}", [0xC7, 0xD1]),
      ] as [(String, String, [UInt8])])
    func charsetsBecomeUTF8(charset: String, text: String, bytes: [UInt8]) throws {
      let entry = try Self.exchange(bytes, fields: ["Content-Type: text/plain; charset=\(charset)"])
      #expect(entry.contentText == text)
      #expect(entry.response?["content"]?["encoding"] == nil)
    }

    @Test func whatIsNoTextInItsCharsetIsKept() throws {
      let bytes: [UInt8] = [0x61, 0xFF, 0xFE, 0x80]
      let entry = try Self.exchange(bytes, fields: ["Content-Type: text/plain; charset=utf-8"])
      #expect(entry.contentText == (try base64(bytes)))
      #expect(entry.response?["content"]?["encoding"]?.string == "base64")
    }
  }
}

/// By a program that other people wrote.
func base64(_ bytes: [UInt8]) throws -> String {
  let process = try TestProcess("base64", ["-w", "0"], input: bytes)
  try process.wait()
  return process.outputText
}
