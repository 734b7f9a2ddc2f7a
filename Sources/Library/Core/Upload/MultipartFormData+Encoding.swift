public import FoundationEssentials
internal import TapelineLoop
internal import TapelineSystem

extension MultipartFormData {
  private static let pieceSize = 64 * 1024

  /// The whole body in memory. For long bodies see `writeEncodedData(to:)`. Reads files and streams: it may block.
  public func encode() throws(TapelineError) -> Data {
    var encoded = Data(capacity: Int(clamping: encodedLength))
    try encode { piece throws(TapelineError) in encoded.append(contentsOf: piece) }
    return encoded
  }

  /// Writes the whole body to a new file, which only its owner may read. It may block.
  ///
  /// If encoding fails, the incomplete file is removed.
  public func writeEncodedData(to fileURL: URL) throws(TapelineError) {
    guard let path = fileURL.filePath else { throw .multipartEncodingFailed(reason: .outputStreamURLInvalid(url: fileURL)) }
    let file: FileDescriptor
    do throws(FileError) {
      file = try TemporaryFile.open(path)
    } catch {
      throw .multipartEncodingFailed(
        reason: error.code == ErrorCode.exists
          ? .outputStreamFileAlreadyExists(at: fileURL) : .outputStreamCreationFailed(for: fileURL))
    }
    do throws(TapelineError) {
      try write(to: file, path)
    } catch {
      file.discard()
      TemporaryFile.discard(path)
      throw error
    }
    do throws(FileError) {
      try FileCalls.close(file, path)
    } catch {
      TemporaryFile.discard(path)
      throw .multipartEncodingFailed(reason: .outputStreamWriteFailed(error: error))
    }
  }

  private func write(to file: borrowing FileDescriptor, _ path: String) throws(TapelineError) {
    let descriptor = file.rawValue
    try encode { piece throws(TapelineError) in
      do throws(FileError) {
        try FileCalls.write(piece, to: descriptor, path)
      } catch {
        throw TapelineError.multipartEncodingFailed(reason: .outputStreamWriteFailed(error: error))
      }
    }
  }

  /// Hands the body out piece by piece, in order.
  func encode(to sink: ([UInt8]) throws(TapelineError) -> Void) throws(TapelineError) {
    if let failure { throw failure }
    var isFirst = true
    for part in parts {
      try sink(isFirst ? Array(delimiter.dropFirst(2)) : delimiter)
      isFirst = false
      try sink(part.header)
      switch part.content {
      case .data(let bytes): try sink(bytes)
      case .stream(let stream): try encode(stream, to: sink)
      }
    }
    try sink(closing)
  }

  /// Encodes exactly the declared length, or throws: any other length would shift the parts that follow.
  private func encode(_ stream: UploadStream, to sink: ([UInt8]) throws(TapelineError) -> Void) throws(TapelineError) {
    var reader: UploadStream.Reader?
    while true {
      let bytes: [UInt8]
      do {
        let opened = try reader ?? stream.openChecked()
        reader = opened
        bytes = try opened(Self.pieceSize)
      } catch let error as UploadError {
        throw .multipartEncodingFailed(reason: error.multipartReason)
      } catch {
        throw .multipartEncodingFailed(reason: .inputStreamReadFailed(error: error))
      }
      if bytes.isEmpty { return }
      try sink(bytes)
    }
  }
}

extension UploadError {
  fileprivate var multipartReason: TapelineError.MultipartEncodingFailureReason {
    switch self {
    case .endedEarly(let expected, let read): .bodyPartLengthMismatch(expected: expected, read: read)
    case .exceededLength(let expected): .bodyPartLengthMismatch(expected: expected, read: expected + 1)
    }
  }
}

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
