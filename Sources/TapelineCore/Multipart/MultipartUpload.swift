internal import FoundationEssentials

/// An upload of a form: in memory up to a threshold, above it through a temporary file, which is removed when the request ends.
struct MultipartUpload: UploadConvertible {
  let form: MultipartFormData
  let request: any URLRequestConvertible
  /// The longest body that is encoded in memory.
  let threshold: UInt64
  var directory = TemporaryFile.directory

  func asURLRequest() throws -> URLRequest {
    var request = try request.asURLRequest()
    request.headers.update(name: "Content-Type", value: form.contentType)
    return request
  }

  func createUploadable() throws -> Uploadable {
    guard form.encodedLength > threshold else { return .data(try form.encode()) }
    let url = URL(filePath: TemporaryFile.path(in: directory, suffix: "form"), directoryHint: .notDirectory)
    try form.writeEncodedData(to: url)
    return .file(url, shouldRemove: true)
  }
}
