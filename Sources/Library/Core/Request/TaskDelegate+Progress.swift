public import Dispatch
internal import TapelineTransport

// Progress as Alamofire 4 has it on task delegates: it is the request's. Setting a handler replaces the request's own.

/// A closure that gets progress, and the queue on which it is called.
public typealias QueuedProgressHandler = (closure: Request.ProgressHandler, queue: DispatchQueue)

extension DataTaskDelegate {
  /// How much of the response's body has come.
  public final var progress: Progress { request?.downloadProgress ?? Progress() }

  /// The request's handler of `progress`; `nil` without one.
  public final var progressHandler: QueuedProgressHandler? {
    get { request?.mutableState.downloadProgressHandler?.pair }
    set { request?.mutableState.downloadProgressHandler = newValue.map { .init(queue: $0.queue, closure: $0.closure) } }
  }
}

extension DownloadTaskDelegate {
  /// How much of the response's body has come, with the part that was there before.
  public var progress: Progress { request?.downloadProgress ?? Progress() }

  /// The request's handler of `progress`; `nil` without one.
  public var progressHandler: QueuedProgressHandler? {
    get { request?.mutableState.downloadProgressHandler?.pair }
    set { request?.mutableState.downloadProgressHandler = newValue.map { .init(queue: $0.queue, closure: $0.closure) } }
  }
}

extension UploadTaskDelegate {
  /// How much of the request's body was sent.
  public final var uploadProgress: Progress { request?.uploadProgress ?? Progress() }

  /// The request's handler of `uploadProgress`; `nil` without one.
  public final var uploadProgressHandler: QueuedProgressHandler? {
    get { request?.mutableState.uploadProgressHandler?.pair }
    set { request?.mutableState.uploadProgressHandler = newValue.map { .init(queue: $0.queue, closure: $0.closure) } }
  }
}
