internal import Dispatch
internal import TapelineTransport

extension Request {
  /// A handler with the queue it is called on.
  struct Handler<Argument: Sendable>: Sendable {
    private let queue: DispatchQueue?
    private let closure: @Sendable (Argument) -> Void

    /// - Parameter queue: `nil`: it is called where things happen, and does not wait. So whatever keeps the queues busy does not hold it up.
    init(queue: DispatchQueue?, closure: @escaping @Sendable (Argument) -> Void) {
      self.queue = queue
      self.closure = closure
    }

    func call(_ argument: Argument) {
      guard let queue else { return closure(argument) }
      queue.async { [closure] in closure(argument) }
    }
  }

  /// A handler of curl commands.
  struct CURLHandler: Sendable {
    let handler: Handler<String>
    /// Whether it is called for every attempt, or once.
    let isLasting: Bool
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
    var cachedResponseHandler: (any CachedResponseHandler)?
    var urlRequestHandler: Handler<URLRequest>?
    var taskHandler: Handler<SessionTask>?
    var cURLHandlers: [CURLHandler] = []

    /// Those to be called now; who wants one command only is called no more.
    mutating func takeCURLHandlers() -> [Handler<String>] {
      defer { cURLHandlers.removeAll { !$0.isLasting } }
      return cURLHandlers.map(\.handler)
    }
  }
}
