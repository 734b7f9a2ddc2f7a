/// The spans of one exchange, as fields of a `ScopeSpans` message (opentelemetry/proto/trace/v1/trace.proto).
package struct EncodedSpans: Sendable {
  package let count: Int
  let bytes: [UInt8]

  package init(_ spans: [TraceSpan]) {
    var writer = ProtobufWriter()
    for span in spans {
      writer.append(2) { span.append(to: &$0) }
    }
    count = spans.count
    bytes = writer.bytes
  }
}

extension TraceSpan {
  /// `SpanFlags`: the trace flags of W3C, then whether it is known that the parent is remote, then whether it is.
  private static let flags: (sampled: UInt32, knowsParent: UInt32, isRemote: UInt32) = (0x1, 0x100, 0x200)

  fileprivate func append(to writer: inout ProtobufWriter) {
    writer.append(1, words: context.trace.high, context.trace.low)
    writer.append(2, words: context.span.value)
    writer.append(3, string: traceState)
    if let parent { writer.append(4, words: parent.value) }
    writer.append(5, string: name)
    writer.append(6, varint: kind.rawValue)
    writer.append(7, fixed64: UInt64(clamping: start))
    writer.append(8, fixed64: UInt64(clamping: end))
    for attribute in attributes { writer.append(9, attribute) }
    for event in events {
      writer.append(11) { writer in
        writer.append(1, fixed64: UInt64(clamping: event.time))
        writer.append(2, string: event.name)
        for attribute in event.attributes { writer.append(3, attribute) }
      }
    }
    if droppedEvents > 0 { writer.append(12, varint: UInt64(droppedEvents)) }
    for link in links {
      writer.append(13) { writer in
        writer.append(1, words: link.trace.high, link.trace.low)
        writer.append(2, words: link.span.value)
        writer.append(6, fixed32: Self.flags.sampled | Self.flags.knowsParent)
      }
    }
    if let failure {
      writer.append(15) { writer in
        writer.append(2, string: failure)
        writer.append(3, varint: 2)
      }
    }
    writer.append(16, fixed32: Self.flags.sampled | Self.flags.knowsParent | (hasRemoteParent ? Self.flags.isRemote : 0))
  }
}

extension ProtobufWriter {
  /// A `KeyValue`.
  mutating func append(_ field: Int, _ attribute: TraceSpan.Attribute) {
    append(field) { writer in
      writer.append(1, string: attribute.name)
      writer.append(2) { writer in
        switch attribute.value {
        case .string(let text): writer.append(1, member: text)
        case .bool(let flag): writer.append(2, member: flag ? 1 : 0)
        case .integer(let number): writer.append(3, member: number)
        case .texts(let texts):
          writer.append(5) { writer in
            for text in texts {
              writer.append(1) { $0.append(1, member: text) }
            }
          }
        }
      }
    }
  }
}
