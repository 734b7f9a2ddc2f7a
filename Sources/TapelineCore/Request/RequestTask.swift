public import TapelineTransport

/// The kind of task of a request, with its `URLRequest` and the task itself; each is `nil` until it exists.
public enum RequestTask: Sendable {
  /// A response that is kept in memory, or streamed.
  case data(URLRequest?, SessionTask?)
  /// A response that goes into a file.
  case download(URLRequest?, SessionTask?)
  /// A body that is pulled.
  case upload(URLRequest?, SessionTask?)
  /// A raw stream has no `URLRequest`.
  case stream(SessionTask?)
}

extension Request {
  /// The task of the last attempt, by its kind.
  public var requestTask: RequestTask {
    switch self {
    case is UploadRequest: .upload(request, task)
    case is DownloadRequest: .download(request, task)
    case is StreamRequest: .stream(task)
    default: .data(request, task)
    }
  }
}
