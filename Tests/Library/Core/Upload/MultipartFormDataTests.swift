import FoundationEssentials
import TapelineTestSupport
import Testing

@testable import TapelineCore

@Suite struct MultipartFormDataTests {
  private func text(_ form: MultipartFormData) throws -> String {
    String(decoding: try form.encode(), as: UTF8.self)
  }

  /// A stream that gives `bytes` in pieces of at most `size`.
  static func stream(_ bytes: [UInt8], size: Int = .max) -> UploadStream {
    UploadStream {
      let position = Protected(0)
      return { limit in
        position.write { position in
          let end = min(bytes.count, position + min(size, limit))
          defer { position = end }
          return Array(bytes[position..<end])
        }
      }
    }
  }

  @Test("Fields and files in memory are encoded exactly (RFC 7578)")
  func dataParts() throws {
    let form = MultipartFormData(boundary: "b")
    form.append(Data("1".utf8), withName: "one")
    form.append(Data("{}".utf8), withName: "two", fileName: "two.json", mimeType: "application/json")
    let expected = [
      "--b", "Content-Disposition: form-data; name=\"one\"", "", "1",
      "--b", "Content-Disposition: form-data; name=\"two\"; filename=\"two.json\"", "Content-Type: application/json", "", "{}",
      "--b--", "",
    ].joined(separator: "\r\n")
    #expect(try text(form) == expected)
    #expect(form.contentType == "multipart/form-data; boundary=b")
    #expect(form.contentLength == 3)
    #expect(form.encodedLength == UInt64(expected.utf8.count))
  }

  @Test("A form without parts is a closing delimiter")
  func emptyForm() throws {
    let form = MultipartFormData(boundary: "b")
    #expect(try text(form) == "--b--\r\n")
    #expect(form.encodedLength == 7)
  }

  @Test("A file is read when the form is encoded, with its own name and the type of its extension")
  func filePart() throws {
    let directory = try TemporaryDirectory()
    let url = URL(filePath: try directory.write("<p>", to: "page.HTML"))
    let form = MultipartFormData(boundary: "b")
    form.append(url, withName: "file")
    #expect(
      try text(form)
        == "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"page.HTML\"\r\nContent-Type: text/html\r\n\r\n<p>\r\n--b--\r\n"
    )
    #expect(form.encodedLength == UInt64(try form.encode().count))
  }

  @Test("A stream part is the same however its pieces are cut", arguments: 1...20)
  func streamPart(size: Int) throws {
    let bytes = Array("0123456789\r\n--b\r\n..".utf8)
    let form = MultipartFormData(boundary: "boundary")
    form.append(
      Self.stream(bytes, size: size), withLength: UInt64(bytes.count), name: "s", fileName: "f", mimeType: "text/plain")
    form.append(Data("x".utf8), withName: "after")
    let head = "--boundary\r\nContent-Disposition: form-data; name=\"s\"; filename=\"f\"\r\nContent-Type: text/plain\r\n\r\n"
    let tail = "\r\n--boundary\r\nContent-Disposition: form-data; name=\"after\"\r\n\r\nx\r\n--boundary--\r\n"
    #expect(Array(try form.encode()) == Array(head.utf8) + bytes + Array(tail.utf8))
  }

  @Test("A part can have the caller's own headers")
  func ownHeaders() throws {
    let form = MultipartFormData(boundary: "b")
    form.append(Self.stream([0x78]), withLength: 1, headers: ["Content-Disposition": "form-data; name=\"x\"", "X-Own": "1"])
    #expect(try text(form) == "--b\r\nContent-Disposition: form-data; name=\"x\"\r\nX-Own: 1\r\n\r\nx\r\n--b--\r\n")
  }

  @Test("A stream part never writes more or less than its declared length", arguments: [0, 1, 4, 6, 100_000])
  func declaredLength(length: Int) throws {
    let bytes: [UInt8] = [1, 2, 3, 4, 5]
    for size in [1, 2, 5] {
      let form = MultipartFormData(boundary: "b")
      form.append(Self.stream(bytes, size: size), withLength: UInt64(length), name: "s", fileName: "f", mimeType: "m/n")
      let error = #expect(throws: TapelineError.self) { try form.encode() }
      guard case .multipartEncodingFailed(reason: .bodyPartLengthMismatch(let expected, _)) = error else {
        Issue.record("unexpected: \(String(describing: error))")
        continue
      }
      #expect(expected == UInt64(length))
    }
  }

  @Test("A file that changed its size after it was added is an error")
  func changedFile() throws {
    let directory = try TemporaryDirectory()
    let url = URL(filePath: try directory.write("12345", to: "f"))
    let form = MultipartFormData()
    form.append(url, withName: "f")
    try directory.write("1234", to: "f")
    #expect(throws: TapelineError.self) { try form.encode() }
    try directory.write("123456", to: "f")
    #expect(throws: TapelineError.self) { try form.encode() }
  }

  @Test("A large part passes in small pieces, however large it is")
  func smallPieces() throws {
    let directory = try TemporaryDirectory()
    let form = MultipartFormData()
    form.append(URL(filePath: try directory.makeSparseFile("large", size: 32 << 20)), withName: "large")
    var total: UInt64 = 0
    var largest = 0
    try form.encode { piece throws(TapelineError) in
      total += UInt64(piece.count)
      largest = max(largest, piece.count)
    }
    #expect(total == form.encodedLength)
    #expect(largest <= 64 * 1024)
  }

  @Test("Names are escaped as browsers do")
  func names() throws {
    let form = MultipartFormData(boundary: "b")
    form.append(Data(), withName: "a\"b\nc\r\nd\re;ü%", fileName: "f\"\ng\rh.txt", mimeType: "text/plain")
    #expect(
      try text(form).contains(
        "; name=\"a%22b%0D%0Ac%0D%0Ad%0D%0Ae;ü%\"; filename=\"f%22%0Ag%0Dh.txt\"\r\n"))
  }

  @Test("A part that cannot be added is an encoding error")
  func failures() throws {
    let directory = try TemporaryDirectory()
    func reason(_ add: (MultipartFormData) -> Void) throws -> TapelineError.MultipartEncodingFailureReason {
      let form = MultipartFormData()
      add(form)
      let error = #expect(throws: TapelineError.self) { try form.encode() }
      guard case .multipartEncodingFailed(let reason) = try #require(error) else { throw try #require(error) }
      return reason
    }
    let missing = URL(filePath: directory.path("missing"))
    guard case .bodyPartFileNotReachable(missing) = try reason({ $0.append(missing, withName: "x") }) else {
      Issue.record("a missing file")
      return
    }
    guard case .bodyPartFileIsDirectory = try reason({ $0.append(URL(filePath: directory.path), withName: "x") }) else {
      Issue.record("a directory")
      return
    }
    let remote = try #require(URL(string: "http://host/file"))
    guard case .bodyPartURLInvalid(remote) = try reason({ $0.append(remote, withName: "x") }) else {
      Issue.record("no file URL")
      return
    }
    guard case .bodyPartFilenameInvalid = try reason({ $0.append(URL(filePath: "/"), withName: "x") }) else {
      Issue.record("no name")
      return
    }
  }

  @Test("A body goes to a new file that only its owner may read")
  func writing() throws {
    let directory = try TemporaryDirectory()
    let form = MultipartFormData()
    let bytes = patternedBytes(300_000)
    form.append(Self.stream(bytes, size: 7_777), withLength: 300_000, name: "s", fileName: "f", mimeType: "m/n")
    let url = URL(filePath: directory.path("body"))
    try form.writeEncodedData(to: url)
    #expect(try readFile(url.path) == Array(try form.encode()))
    #expect(try fileMode(url.path) == 0o600)
    guard
      case .multipartEncodingFailed(reason: .outputStreamFileAlreadyExists) = #expect(
        throws: TapelineError.self, performing: { try form.writeEncodedData(to: url) })
    else {
      Issue.record("an existing file was not refused")
      return
    }
  }

  @Test("The partial file of a failed body is removed")
  func failedWriting() throws {
    let directory = try TemporaryDirectory()
    let form = MultipartFormData()
    form.append(Data(repeating: 1, count: 100_000), withName: "first")
    form.append(Self.stream([1]), withLength: 2, name: "s", fileName: "f", mimeType: "m/n")
    let url = URL(filePath: directory.path("body"))
    #expect(throws: TapelineError.self) { try form.writeEncodedData(to: url) }
    #expect(!fileExists(url.path))
  }

  @Test("Boundaries that are not tokens are quoted, and random boundaries differ")
  func boundaries() {
    #expect(MultipartFormData(boundary: "a b").contentType == "multipart/form-data; boundary=\"a b\"")
    #expect(MultipartFormData().boundary != MultipartFormData().boundary)
    #expect(MultipartBoundary.isValid(MultipartFormData().boundary))
    #expect(!MultipartBoundary.isValid("a\r\nb"))
    #expect(!MultipartBoundary.isValid("a "))
    #expect(!MultipartBoundary.isValid(String(repeating: "x", count: 71)))
    #expect(!MultipartBoundary.isValid(""))
  }
}
