internal import Dispatch
internal import TapelineHTTP
public import TapelineTransport

/// A place in a distributed trace ([W3C Trace Context](https://www.w3.org/TR/trace-context/)): a span, by its identifiers.
public struct TraceContext: Sendable, Hashable {
  /// 32 digits in lower case: the same for all spans of the trace.
  public let traceID: String
  /// 16 digits in lower case: the span.
  public let spanID: String
  /// Whether the span is recorded.
  public let isSampled: Bool
  /// The value of `tracestate`, which tracing systems add for each other: handed on as it came.
  public let traceState: String?

  /// The place that a request's `traceparent` names; `nil` for a malformed value.
  public init?(traceparent: String, tracestate: String? = nil) {
    guard let parsed = TraceParent(traceparent) else { return nil }
    self.init(traceID: parsed.traceID, spanID: parsed.parentID, isSampled: parsed.isSampled, traceState: tracestate)
  }

  private init(traceID: String, spanID: String, isSampled: Bool, traceState: String?) {
    self.traceID = traceID
    self.spanID = spanID
    self.isSampled = isSampled
    self.traceState = traceState
  }

  /// The first span of a new trace.
  public static func root(isSampled: Bool = true) -> TraceContext {
    TraceContext(
      traceID: hexadecimal(.random(in: .min ... .max)) + identifier(), spanID: identifier(), isSampled: isSampled, traceState: nil
    )
  }

  /// A new span below this one.
  public func child() -> TraceContext {
    TraceContext(traceID: traceID, spanID: Self.identifier(), isSampled: isSampled, traceState: traceState)
  }

  /// The value of `traceparent`.
  public var traceparent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

  /// 16 digits, not all zero.
  private static func identifier() -> String { hexadecimal(.random(in: 1...UInt64.max)) }

  private static func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// One attempt of a request, as a span of a trace.
public struct RequestSpan: Sendable {
  /// The span.
  public let context: TraceContext
  /// The span above it; `nil` for the first of a trace.
  public let parent: TraceContext?
  /// The request as it was sent; `nil` when none could be made.
  public let request: URLRequest?
  /// The server's head; `nil` when none came.
  public let response: HTTPURLResponse?
  /// Why the attempt failed.
  public let error: TapelineError?
  /// The measurements of the attempt: when it began and ended, its phases, its connection.
  public let metrics: TaskMetrics?
}

/// Puts requests into distributed traces: sends a `traceparent` with each attempt, and tells of the attempt when it has ended.
///
/// ```swift
/// let tracer = RequestTracer(parent: { Server.currentContext }) { span in print(span.context.traceID, span.error as Any) }
/// let session = Session(interceptor: tracer, eventMonitors: [tracer])
/// ```
///
/// For one request: `request.adapt(using: tracer).eventMonitor(tracer)`.
public final class RequestTracer: RequestInterceptor, EventMonitor {
  private let parent: @Sendable () -> TraceContext?
  private let didEnd: @Sendable (RequestSpan) -> Void
  private let spans = DispatchQueue(label: "tapeline.requestTracer")
  /// By the identifiers of requests: those that are under way.
  private let open = Protected<[UInt64: (context: TraceContext, parent: TraceContext?)]>([:])

  /// - Parameters:
  ///   - parent: the span that a request belongs to, asked on the session's request queue; without one a trace begins. A request
  ///     with a `traceparent` of its own belongs to that.
  ///   - didEnd: called with each attempt that has ended, on a queue of the tracer's own.
  public init(
    parent: @escaping @Sendable () -> TraceContext? = { nil }, didEnd: @escaping @Sendable (RequestSpan) -> Void = { _ in }
  ) {
    self.parent = parent
    self.didEnd = didEnd
  }

  /// The loop: an attempt must have ended for the tracer before the next one is adapted.
  public var context: EventMonitorContext { .loop }

  /// Adds `traceparent` and `tracestate`.
  public func adaptInline(_ urlRequest: inout URLRequest, using state: RequestAdapterState) -> Bool {
    let named = urlRequest.headers.value(for: "traceparent").flatMap {
      TraceContext(traceparent: $0, tracestate: urlRequest.headers.value(for: "tracestate"))
    }
    let parent = named ?? parent()
    let context = parent?.child() ?? .root()
    urlRequest.headers.update(name: "traceparent", value: context.traceparent)
    if let traceState = context.traceState { urlRequest.headers.update(name: "tracestate", value: traceState) }
    open.write { $0[state.requestID] = (context, parent) }
    return true
  }

  public func request(_ request: Request, didCompleteTask task: SessionTask, with error: TapelineError?) {
    end(request, error)
  }

  public func requestDidFinish(_ request: Request) {
    // Still there if no task was made of it.
    end(request, request.error)
  }

  private func end(_ request: Request, _ error: TapelineError?) {
    guard let (context, parent) = open.write({ $0.removeValue(forKey: request.id) }) else { return }
    let span = RequestSpan(
      context: context, parent: parent, request: request.request, response: request.response, error: error,
      metrics: request.metrics)
    spans.async { [didEnd] in didEnd(span) }
  }
}
