internal import Dispatch

/// Where the code of a session's user runs, apart from its event monitors. `nil` means the loop.
struct SessionContexts {
  static let rootLabel = "tapeline.session.rootQueue"

  let request: (any SerialContext)?
  let serialization: (any SerialContext)?
  let callbackQueue: DispatchQueue

  /// The session's own queues, or serial queues on top of those given. No queue is the main queue by default: a program whose
  /// main thread waits for its requests would wait for ever.
  init(requestQueue: DispatchQueue?, serializationQueue: DispatchQueue?, callbackQueue: DispatchQueue?) {
    request = requestQueue.map(DispatchContext.init(_:)) ?? DispatchContext(label: Self.rootLabel + ".requestQueue")
    serialization =
      serializationQueue.map(DispatchContext.init(_:)) ?? DispatchContext(label: Self.rootLabel + ".serializationQueue")
    self.callbackQueue = callbackQueue ?? DispatchQueue(label: Self.rootLabel + ".callbackQueue")
  }

  private init() {
    request = nil
    serialization = nil
    callbackQueue = DispatchQueue(label: Self.rootLabel + ".callbackQueue")
  }

  /// Everything on the loop, as the proxy needs it.
  static var loopOnly: SessionContexts { SessionContexts() }
}
