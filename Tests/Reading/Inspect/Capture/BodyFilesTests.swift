import TapelineDigest
import TapelineHAR
import TapelineTestSupport
import Testing

@testable import TapelineInspect

/// Bodies in files come into their entries, and nothing else does.
@Suite("Body files") struct BodyFilesTests {
  private static func name(of bytes: [UInt8]) -> String { MessageDigest.sha256.hexadecimal(of: bytes.span) }

  private func entry(response: String?, request: String? = nil) -> HAREntry {
    var entry = HAREntry.ordinary()
    entry.response.content = HARContent(size: 5, mimeType: "text/plain")
    entry.response.content.custom["_file"] = response.map { .string($0) }
    if let request {
      entry.request.postData = HARPostData(mimeType: "image/png", text: "", custom: ["_file": .string(request)])
    }
    return entry
  }

  @Test("Text comes in as text, anything else in base64; the file is not named any more")
  func bothKinds() throws {
    let directory = try TemporaryDirectory()
    let text = Array("größe".utf8)
    let bytes: [UInt8] = [0, 0xFF, 1]
    _ = try directory.makeDirectory("bodies")
    for body in [text, bytes] { _ = try directory.write(body, to: "bodies/\(Self.name(of: body))") }
    var entry = entry(response: "bodies/\(Self.name(of: text))", request: "bodies/\(Self.name(of: bytes))")
    #expect(BodyFiles(besideHAR: directory.path("a.har")).bringIn(&entry) == 0)
    #expect(entry.response.content.text == "größe" && entry.response.content.encoding == nil)
    #expect(entry.response.content.custom["_file"] == nil)
    #expect(LoggedBody(request: entry.request) == .bytes(bytes))
    #expect(entry.request.postData?.custom["_file"] == nil)
  }

  @Test("Playwright names them by their SHA-1 and an extension", arguments: [".txt", ".dat", ""])
  func playwright(extension: String) throws {
    let directory = try TemporaryDirectory()
    let body = Array("größe".utf8)
    for digest in [MessageDigest.sha1, .sha256] {
      let name = digest.hexadecimal(of: body.span) + `extension`
      _ = try directory.write(body, to: name)
      for spelling in [name, "resources/\(name)"] {
        var entry = entry(response: spelling, request: name)
        #expect(BodyFiles(besideHAR: "nowhere.har", directory: directory.path("")).bringIn(&entry) == 0)
        #expect(LoggedBody(response: entry.response) == .bytes(body) && LoggedBody(request: entry.request) == .bytes(body))
      }
      var beside = entry(response: name)
      #expect(BodyFiles(besideHAR: directory.path("a.har")).bringIn(&beside) == 0)
      _ = try directory.write("other", to: name)
      var changed = entry(response: name)
      #expect(BodyFiles(besideHAR: directory.path("a.har")).bringIn(&changed) == 1)
    }
  }

  @Test("They are found in another directory by their names alone")
  func gathered() throws {
    let directory = try TemporaryDirectory()
    let body = Array("hello".utf8)
    _ = try directory.makeDirectory("elsewhere")
    _ = try directory.write(body, to: "elsewhere/\(Self.name(of: body))")
    var entry = entry(response: "bodies/\(Self.name(of: body))")
    #expect(BodyFiles(besideHAR: directory.path("a.har")).bringIn(&entry) == 1)
    #expect(LoggedBody(response: entry.response) == .inFile("bodies/\(Self.name(of: body))"))
    #expect(BodyFiles(besideHAR: directory.path("a.har"), directory: directory.path("elsewhere")).bringIn(&entry) == 0)
    #expect(entry.response.content.text == "hello")
  }

  @Test("A log in another directory names the same files")
  func moved() throws {
    let directory = try TemporaryDirectory()
    let body = Array("hello".utf8)
    for path in ["in", "in/bodies", "out"] { _ = try directory.makeDirectory(path) }
    _ = try directory.write(body, to: "in/bodies/\(Self.name(of: body))")
    let here = entry(response: "bodies/\(Self.name(of: body))", request: "bodies/\(Self.name(of: body))")
    for output in ["out/b.har", "in/bodies/b.har", "in/b.har", "b.har"].map(directory.path) {
      var entry = here
      BodyFileNames(of: directory.path("in/a.har"), in: output).follow(&entry)
      #expect(BodyFiles(besideHAR: output).bringIn(&entry) == 0)
      #expect(entry.response.content.text == "hello" && entry.request.postData?.text == "hello")
    }
    for output in [directory.path("nowhere/b.har"), nil] {
      var entry = here
      BodyFileNames(of: directory.path("in/a.har"), in: output).follow(&entry)
      #expect(entry == here)
    }
  }

  @Test("What is not named by its own hash is not read, wherever it lies")
  func strangers() throws {
    let directory = try TemporaryDirectory()
    let secret = Array("secret".utf8)
    let own = Self.name(of: Array("hello".utf8))
    _ = try directory.write(secret, to: "key")
    _ = try directory.write(secret, to: own)
    _ = try directory.write(secret, to: Self.name(of: secret))
    let names = ["key", "../\(directory.path("key"))", own, directory.path(Self.name(of: secret)), "", "/", "..", "."]
    for name in names {
      var entry = entry(response: name)
      #expect(BodyFiles(besideHAR: directory.path("a.har")).bringIn(&entry) == 1, "\(name)")
      #expect(entry.response.content.text == nil, "\(name)")
    }
  }

  @Test("An entry with its bodies in it stays as it is")
  func nothingToDo() {
    var entry = HAREntry.ordinary()
    #expect(BodyFiles(besideHAR: "a.har").bringIn(&entry) == 0)
    #expect(entry == .ordinary())
  }
}
