import FoundationEssentials
import TapelineTestSupport
import Testing

@testable import TapelineCore

@Suite struct MultipartUploadTests {
  private func upload(_ count: Int, threshold: UInt64, in directory: TemporaryDirectory) throws -> MultipartUpload {
    let form = MultipartFormData(boundary: "b")
    form.append(Data(patternedBytes(count)), withName: "x")
    let request = URLRequest(url: try #require(URL(string: "http://host/")))
    return MultipartUpload(form: form, request: request, threshold: threshold, directory: directory.path)
  }

  @Test("A form up to the threshold is encoded in memory; a larger form goes to a file that is removed")
  func threshold() throws {
    let directory = try TemporaryDirectory()
    let form = try upload(1_000, threshold: 0, in: directory).form
    let exact = form.encodedLength
    guard case .data(let data) = try upload(1_000, threshold: exact, in: directory).createUploadable() else {
      Issue.record("not in memory")
      return
    }
    #expect(UInt64(data.count) == exact)
    guard case .file(let url, shouldRemove: true) = try upload(1_000, threshold: exact - 1, in: directory).createUploadable()
    else {
      Issue.record("not in a file")
      return
    }
    #expect(try readFile(url.path) == Array(data))
    #expect(try fileMode(url.path) == 0o600)
    Uploadable.file(url, shouldRemove: false).removeIfTemporary()
    #expect(fileExists(url.path))
    Uploadable.file(url, shouldRemove: true).removeIfTemporary()
    #expect(!fileExists(url.path))
  }

  @Test("The default threshold is ten million bytes")
  func defaultThreshold() {
    #expect(MultipartFormData.encodingMemoryThreshold == 10_000_000)
  }

  @Test("The request names the boundary")
  func contentType() throws {
    let request = try upload(1, threshold: 10, in: try TemporaryDirectory()).asURLRequest()
    #expect(request.headers.value(for: "Content-Type") == "multipart/form-data; boundary=b")
  }
}
