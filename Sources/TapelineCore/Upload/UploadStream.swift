/// A request body that is read while it is sent.
///
/// It is opened anew for every attempt, so that a retry or a redirection can send it again from its start. Reading may block:
/// it happens on a queue of its own, a little ahead of the connection and no further.
public struct UploadStream: Sendable {
  /// Returns the next bytes, at most `limit`; no bytes at the end.
  public typealias Reader = @Sendable (_ limit: Int) throws -> [UInt8]

  /// How long the body is. `nil` when it is not known: it is then sent in chunks (RFC 9112 7.1).
  public let length: UInt64?
  let open: @Sendable () throws -> Reader

  /// - Parameters:
  ///   - length: the body's exact length, if known. A stream that turns out shorter or longer fails its request.
  ///   - open: begins at the stream's start and returns its reader.
  public init(length: UInt64? = nil, open: @escaping @Sendable () throws -> Reader) {
    self.length = length
    self.open = open
  }

  /// The bytes of a file.
  static func file(_ path: String, length: UInt64) -> UploadStream {
    UploadStream(length: length) {
      let file = try FileReader(path)
      return { limit in try file.read(upTo: limit) }
    }
  }

  /// Like `open`, with the declared length enforced: the reader throws if the stream is longer or shorter.
  func openChecked() throws -> Reader {
    let read = try open()
    guard let length else { return read }
    let check = LengthCheck(length)
    return { limit in try check.pass(try read(limit)) }
  }
}
