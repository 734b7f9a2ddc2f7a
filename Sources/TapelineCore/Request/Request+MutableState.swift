internal import Dispatch
internal import TapelineTransport

extension Request {
  /// A handler with the queue it is called on.
  struct Handler<Argument: Sendable>: Sendable {
    let queue: DispatchQueue
    let closure: @Sendable (Argument) -> Void

    func call(_ argument: Argument) {
      queue.async { [closure] in closure(argument) }
    }
  }

  /// All of a request that changes and may be read or written from any thread.
  struct MutableState: Sendable {
    var requests: [URLRequest] = []
    var tasks: [SessionTask] = []
    var metrics: [TaskMetrics] = []
    var response: HTTPURLResponse?
    /// The first error of the attempt.
    var error: TapelineError?
    var retryCount: UInt = 0

    var uploadProgress = Progress()
    var downloadProgress = Progress()
    var uploadProgressHandler: Handler<Progress>?
    var downloadProgressHandler: Handler<Progress>?

    var validators: [@Sendable () -> (any Error)?] = []
    /// What makes responses, in the order attached. Each runs on its own and answers by `responseSerializerDidComplete`.
    var serializers: [@Sendable () -> Void] = []
    /// The users' code, one for each serializer that has run.
    var completions: [@Sendable () -> Void] = []
    /// Every serializer attached so far has run, and every completion was called.
    var isProcessingFinished = false
    var finishHandlers: [@Sendable () -> Void] = []

    var redirectHandler: (any RedirectHandler)?
    var credential: Credential?
    var urlRequestHandler: Handler<URLRequest>?
    var taskHandler: Handler<SessionTask>?
    var cURLHandler: Handler<String>?
  }
}
