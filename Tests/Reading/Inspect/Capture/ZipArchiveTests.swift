import TapelineHAR
import TapelineTestSupport
import TapelineBase
import Testing

@testable import TapelineInspect

/// A log and its bodies in one ZIP, as Playwright makes it.
@Suite("ZIP archives")
struct ZipArchiveTests {
  private static let bytes =
    Base64.decode(
      "UEsDBBQAAAAIAAAAIVyRD3jOpwAAANQAAAAHAAAAaGFyLmhhch2MzQ6CMBAG32XPRNqC/N2NL8DNGFPqok2gRboYlPTdXbztzjeZDQb/gGaDN8"
        + "7BegcNyIOCBNDRbDFAc9lgxteCgXZtRHr6O1vnU8vWMg98P4mmJk11CjFhOUzeBdztQJoWbighEjDeEVf/3H55zyqmox2x/Uz8AuFK6TRo67h8"
        + "6+2ww1KbMi8qWcq6qrBWqKQyohC9NDIrjx0KNHnd6QOtBDHGa4w/UEsDBBQAAAAIAAAAIVzxLH5TGgAAAHwBAAAsAAAAN2FjNzQ2ODE3MTk4OG"
        + "U5MmUyMTJjMDYwZjFjMTM3NWJlMGVjNDliYS50eHTLSM3JyVdIK8rPVUhUSMvMSdVRyBgVoo8QAFBLAwQUAAAAAAAAACFcC/lDVgYAAAAGAAAA"
        + "CQAAAG5vdGVzLnR4dHN0b3JlZFBLAQIUAxQAAAAIAAAAIVyRD3jOpwAAANQAAAAHAAAAAAAAAAAAAACAAQAAAABoYXIuaGFyUEsBAhQDFAAAAA"
        + "gAAAAhXPEsflMaAAAAfAEAACwAAAAAAAAAAAAAAIABzAAAADdhYzc0NjgxNzE5ODhlOTJlMjEyYzA2MGYxYzEzNzViZTBlYzQ5YmEudHh0UEsB"
        + "AhQDFAAAAAAAAAAhXAv5Q1YGAAAABgAAAAkAAAAAAAAAAAAAAIABMAEAAG5vdGVzLnR4dFBLBQYAAAAAAwADAMYAAABdAQAAAAA=") ?? []

  private static let body = String(repeating: "hello from a file, ", count: 20)

  @Test("The log is read, and its bodies come from the archive")
  func playwright() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(Self.bytes, to: "trace.zip")
    for use in [InputSource.Use.once, .again, .anywhere] {
      var capture = Capture(try InputSource.open(path, for: use, temporariesIn: directory.path("")))
      var entry = try #require(try capture.next())
      #expect(BodyFiles(besideHAR: path).bringIn(&entry) == 0)
      #expect(LoggedBody(response: entry.response) == .bytes(Array(Self.body.utf8)))
    }
    let archive = try #require(ZipArchive(path: path))
    #expect(archive["notes.txt"] == Array("stored".utf8) && archive["other"] == nil && archive[""] == nil)
  }

  @Test("An archive that is cut or changed anywhere is refused, or read in part")
  func damaged() throws {
    let directory = try TemporaryDirectory()
    for place in Self.bytes.indices {
      let cut = try directory.write(Array(Self.bytes[..<place]), to: "cut.zip")
      _ = ZipArchive(path: cut)?.unpackLog { _ in }
      var bytes = Self.bytes
      bytes[place] ^= 0xFF
      let changed = ZipArchive(path: try directory.write(bytes, to: "changed.zip"))
      _ = changed?.unpackLog { _ in }
      _ = changed?["notes.txt"]
    }
  }

  @Test("One without a log, or with several, is refused as an archive")
  func noLog() throws {
    let directory = try TemporaryDirectory()
    let text = String(decoding: Self.bytes, as: Unicode.UTF8.self)
    #expect(text.contains("har.har"))
    let other = Self.bytes.replacing(Array("har.har".utf8), with: Array("har.hax".utf8))
    let path = try directory.write(other, to: "a.zip")
    #expect(throws: CaptureError.self) {
      var capture = Capture(try InputSource.open(path))
      _ = try capture.next()
    }
  }
}
