public import FoundationEssentials

/// What an upload sends, made ready for one attempt.
public enum Uploadable: Sendable {
  /// Bytes in memory.
  case data(Data)
  /// The contents of a file, read while they are sent; with `shouldRemove`, the file is deleted when the request has ended.
  case file(URL, shouldRemove: Bool)
  /// What a stream gives, read while it is sent.
  case stream(UploadStream)
}

/// Makes what an upload sends. Asked once per attempt, off the loop and off the caller's thread, so it may take its time.
public protocol UploadableConvertible: Sendable {
  /// The body of the attempt that begins.
  func createUploadable() throws -> Uploadable
}

/// Both halves of an upload: the request and what it sends.
public typealias UploadConvertible = URLRequestConvertible & UploadableConvertible

extension Uploadable: UploadableConvertible {
  /// Itself.
  public func createUploadable() throws -> Uploadable { self }
}

/// A request and a body that know nothing of each other.
struct Upload: UploadConvertible {
  let request: any URLRequestConvertible
  let uploadable: any UploadableConvertible

  func asURLRequest() throws -> URLRequest { try request.asURLRequest() }

  func createUploadable() throws -> Uploadable { try uploadable.createUploadable() }
}
