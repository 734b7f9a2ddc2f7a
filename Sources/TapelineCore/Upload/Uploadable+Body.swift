internal import FoundationEssentials
internal import TapelineHTTP

extension Uploadable {
  /// The body to send, and its framing on the wire. Looks at the file: do not call it on a loop.
  func body() throws -> (body: UploadBody, framing: BodyFraming) {
    switch self {
    case .data(let data):
      return (.data(data), .length(UInt64(data.count)))
    case .file(let url, shouldRemove: _):
      let path = try url.requiredFilePath
      let status = try FileCalls.status(of: path)
      guard !status.isDirectory else { throw FileError.isDirectory(.open, path) }
      return (.reader(.init(reader: BodyReader(.file(path, length: status.size)))), .length(status.size))
    case .stream(let stream):
      return (.reader(.init(reader: BodyReader(stream))), stream.length.map { .length($0) } ?? .chunked)
    }
  }

  /// Deletes the file that was made for this request alone.
  func removeIfTemporary() {
    guard case .file(let url, shouldRemove: true) = self, let path = url.filePath else { return }
    TemporaryFile.discard(path)
  }
}
