internal import Dispatch
internal import TapelineTransport

extension Request {
  /// A handler with the queue it is called on.
  struct Handler<Argument: Sendable>: Sendable {
    private let queue: DispatchQueue?
    private let closure: @Sendable (Argument) -> Void

    /// - Parameter queue: `nil`: the handler is called where the event happens, without waiting, so busy queues do not delay it.
    init(queue: DispatchQueue?, closure: @escaping @Sendable (Argument) -> Void) {
      self.queue = queue
      self.closure = closure
    }

    func call(_ argument: Argument) {
      guard let queue else { return closure(argument) }
      queue.async { [closure] in closure(argument) }
    }
  }

  /// A handler that gets cURL commands.
  struct CURLHandler: Sendable {
    let handler: Handler<String>
    /// Whether it is called for every attempt, or once.
    let isLasting: Bool
  }

  /// The mutable parts of a request that any thread may read or write.
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
    /// The serializers, in the order attached. Each runs on its own and reports with `responseSerializerDidComplete`.
    var serializers: [@Sendable () -> Void] = []
    /// The users' code, one for each serializer that has run.
    var completions: [@Sendable () -> Void] = []
    /// Every serializer attached so far has run, and every completion was called.
    var isProcessingFinished = false
    var finishHandlers: [@Sendable () -> Void] = []

    var redirectHandler: (any RedirectHandler)?
    var credential: Credential?
    var cachedResponseHandler: (any CachedResponseHandler)?
    var urlRequestHandler: Handler<URLRequest>?
    var taskHandler: Handler<SessionTask>?
    var cURLHandlers: [CURLHandler] = []

    /// Returns the handlers to call now, and removes those that want only one command.
    mutating func takeCURLHandlers() -> [Handler<String>] {
      defer { cURLHandlers.removeAll { !$0.isLasting } }
      return cURLHandlers.map(\.handler)
    }
  }
}
