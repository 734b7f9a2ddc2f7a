public import FoundationEssentials

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
