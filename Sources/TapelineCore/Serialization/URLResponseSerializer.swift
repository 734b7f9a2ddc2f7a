public import FoundationEssentials

/// Where the file of a download is.
public struct URLResponseSerializer: DownloadResponseSerializerProtocol {
  /// It has no options.
  public init() {}

  public func serializeDownload(
    request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, error: (any Error)?
  ) throws -> URL {
    if let error { throw error }
    guard let fileURL else { throw TapelineError.responseSerializationFailed(reason: .inputFileNil) }
    return fileURL
  }
}

extension DownloadResponseSerializerProtocol where Self == URLResponseSerializer {
  /// Where the file is.
  public static var url: URLResponseSerializer { URLResponseSerializer() }
}
