import Glibc
import TapelineHAR
import TapelineTestSupport
import Testing

@testable import TapelineInspect

@Suite("Input sources")
struct InputSourceTests {
  private func contents(of source: InputSource) throws -> String {
    var file = InputFile(source, expecting: .anything)
    var bytes: [UInt8] = []
    while try file.read() {
      file.withPiece { piece in
        for index in piece.indices { bytes.append(piece[index]) }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A pipe that gives `bytes` in two pieces, by the name of its descriptor.
  private func pipe(of bytes: [UInt8]) throws -> (path: String, descriptor: Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe Glibc.pipe(&ends) == 0)
    let count = unsafe bytes.withUnsafeBytes { unsafe write(ends[1], $0.baseAddress, $0.count) }
    try #require(count == bytes.count)
    close(ends[1])
    return ("/dev/fd/\(ends[0])", ends[0])
  }

  @Test("Compressed files are read as what they hold", arguments: [CodedText.gzip, CodedText.zstandard])
  func compressed(bytes: [UInt8]) throws {
    let file = try TemporaryFile(bytes)
    for use in [InputSource.Use.once, .again, .anywhere] {
      let source = try InputSource.open(file.path, for: use)
      #expect(try contents(of: source) == CodedText.text)
      #expect(try contents(of: source) == CodedText.text)
    }
  }

  @Test("What can be read once only is kept, when it is needed again", arguments: [CodedText.gzip, Array("plain".utf8)])
  func pipes(bytes: [UInt8]) throws {
    let text = bytes == CodedText.gzip ? CodedText.text : "plain"
    for use in [InputSource.Use.again, .anywhere] {
      let (path, descriptor) = try pipe(of: bytes)
      defer { close(descriptor) }
      let source = try InputSource.open(path, for: use)
      #expect(try contents(of: source) == text)
      #expect(try contents(of: source) == text)
    }
    let (path, descriptor) = try pipe(of: bytes)
    defer { close(descriptor) }
    #expect(try contents(of: .open(path)) == text)
  }

  @Test("Anywhere in what a compressed file holds")
  func anywhere() throws {
    let file = try TemporaryFile(CodedText.gzip)
    let source = try InputSource.open(file.path, for: .anywhere)
    let input = InputFile(source, expecting: .anything)
    #expect(try input.bytes(in: 0..<6) == Array(CodedText.text.utf8.prefix(6)))
  }

  @Test("Temporary files have no name, and what cannot be kept is said")
  func temporaries() throws {
    let directory = try TemporaryDirectory()
    let file = try TemporaryFile(CodedText.gzip)
    let source = try InputSource.open(file.path, for: .anywhere, temporariesIn: directory.path)
    #expect(unsafe rmdir(directory.path) == 0)
    #expect(try contents(of: source) == CodedText.text)
    #expect(throws: CaptureError.notKept(directory: "/tapeline-nowhere", reason: "No such file or directory")) {
      try InputSource.open(file.path, for: .anywhere, temporariesIn: "/tapeline-nowhere")
    }
  }

  @Test("Damaged compressed data gives what comes before the damage, then says so")
  func damaged() throws {
    let file = try TemporaryFile(Array(CodedText.gzip.dropLast(3)))
    var input = try InputFile(path: file.path, expecting: .anything)
    #expect(try input.read())
    #expect(input.withPiece { $0.count } == CodedText.text.utf8.count)
    #expect(throws: CaptureError.undecodable("gzip: it ends in the middle")) { _ = try input.read() }
    #expect(throws: CaptureError.undecodable("gzip: it ends in the middle")) { _ = try input.read() }
  }
}
