/// 16 bytes, not all zero: the same for all spans of a trace.
package struct TraceID: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    // An identifier of zeros is invalid (W3C Trace Context, 3.2.2.3).
    self.low = high == 0 && low == 0 ? 1 : low
  }
}

/// 8 bytes, not all zero.
package struct SpanID: Hashable, Sendable {
  package let value: UInt64

  package init(_ value: UInt64) {
    self.value = value == 0 ? 1 : value
  }
}

/// Names a span from outside its trace.
package struct SpanContext: Hashable, Sendable {
  package let trace: TraceID
  package let span: SpanID

  package init(trace: TraceID, span: SpanID) {
    self.trace = trace
    self.span = span
  }
}

/// A span of OpenTelemetry's data model: an interval with a name, in a trace.
package struct TraceSpan: Hashable, Sendable {
  /// The values of OTLP's `SpanKind`.
  package enum Kind: UInt64, Sendable {
    case `internal` = 1
    case client = 3
  }

  package enum Value: Hashable, Sendable {
    case string(String)
    case integer(Int64)
    case bool(Bool)
    case texts([String])
  }

  package struct Attribute: Hashable, Sendable {
    package let name: String
    package let value: Value
  }

  /// Something that happened during a span.
  package struct Event: Hashable, Sendable {
    package let name: String
    /// Nanoseconds since 1970.
    package let time: Int64
    package let attributes: [Attribute]
  }

  package var context: SpanContext
  package var parent: SpanID?
  /// Whether the parent is a span of another program.
  package var hasRemoteParent = false
  /// The sender's `tracestate`.
  package var traceState = ""
  package var name: String
  package var kind = Kind.internal
  /// Nanoseconds since 1970.
  package var start: Int64
  package var end: Int64
  package var attributes: [Attribute] = []
  package var events: [Event] = []
  /// How many events it lacks.
  package var droppedEvents = 0
  package var links: [SpanContext] = []
  /// Why the operation failed; `nil` if it did not.
  package var failure: String?

  package init(_ name: String, _ context: SpanContext, in parent: SpanID? = nil, from start: Int64, to end: Int64) {
    self.name = name
    self.context = context
    self.parent = parent
    self.start = start
    self.end = end
  }

  mutating func append(_ name: String, _ text: String?) {
    if let text { attributes.append(Attribute(name: name, value: .string(text))) }
  }

  mutating func append(_ name: String, _ number: Int?) {
    if let number { attributes.append(Attribute(name: name, value: .integer(Int64(number)))) }
  }

  /// A time that is no span, in nanoseconds.
  mutating func append(_ name: String, milliseconds: Double?) {
    append(name, milliseconds.flatMap { Int(exactly: ($0 * 1e6).rounded()) })
  }

  mutating func append(_ name: String, _ flag: Bool?) {
    if let flag { attributes.append(Attribute(name: name, value: .bool(flag))) }
  }
}
