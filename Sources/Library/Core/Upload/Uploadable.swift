public import FoundationEssentials
internal import Synchronization
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineSystem

/// The content of an upload, ready for one attempt.
public enum Uploadable: Sendable {
  /// Bytes in memory.
  case data(Data)
  /// The contents of a file, read while they are sent; with `shouldRemove`, the file is deleted when the request has ended.
  case file(URL, shouldRemove: Bool)
  /// The contents of a stream, read while they are sent.
  case stream(UploadStream)
}

/// Makes the content of an upload. Asked once per attempt, off the loop and off the caller's thread, so it may take its time.
public protocol UploadableConvertible: Sendable {
  /// The body of the attempt that begins.
  func createUploadable() throws -> Uploadable
}

/// Both halves of an upload: the request and its body.
public typealias UploadConvertible = URLRequestConvertible & UploadableConvertible

extension Uploadable: UploadableConvertible {
  /// Itself.
  public func createUploadable() throws -> Uploadable { self }
}

/// A request and a body that are independent of each other.
struct Upload: UploadConvertible {
  let request: any URLRequestConvertible
  let uploadable: any UploadableConvertible

  func asURLRequest() throws -> URLRequest { try request.asURLRequest() }

  func createUploadable() throws -> Uploadable { try uploadable.createUploadable() }
}

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
  @preconcurrency
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
