internal import TapelineInspect

/// `ExportTraceServiceRequest`: what is sent to `/v1/traces`.
package struct TraceExportRequest {
  /// The conventions by which attributes are named.
  private static let schema = "https://opentelemetry.io/schemas/1.27.0"

  /// The fields of a `ResourceSpans` message before its spans.
  private let resource: [UInt8]
  /// The fields of a `ScopeSpans` message before its spans.
  private let scope: [UInt8]

  /// - Parameters:
  ///   - resource: what the spans are about, by attributes.
  ///   - version: the program's, which is the scope's version.
  package init(resource: [(name: String, value: String)], version: String) {
    var writer = ProtobufWriter()
    writer.append(1) { writer in
      for (name, value) in resource { writer.append(1, TraceSpan.Attribute(name: name, value: .string(value))) }
    }
    self.resource = writer.bytes
    writer = ProtobufWriter()
    writer.append(1) { writer in
      writer.append(1, string: "tapeline")
      writer.append(2, string: version)
    }
    scope = writer.bytes
  }

  package func bytes(of batch: ArraySlice<EncodedSpans>) -> [UInt8] {
    bytes { writer in
      for spans in batch { writer.append(fields: spans.bytes) }
    }
  }

  /// - Parameter content: writes the fields of the scope's message that are not the same in all messages.
  func bytes(_ content: (inout ProtobufWriter) -> Void) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.append(1) { writer in
      writer.append(fields: resource)
      writer.append(2) { writer in
        writer.append(fields: scope)
        content(&writer)
        writer.append(3, string: Self.schema)
      }
      writer.append(3, string: Self.schema)
    }
    return writer.bytes
  }
}

/// `ExportTraceServiceResponse`: what a collector says of spans that it took. Bytes that are no such message say nothing.
package struct TraceExportResponse: Hashable, Sendable {
  /// How many spans it did not take.
  package private(set) var rejectedSpans = 0
  package private(set) var message = ""

  package init(_ bytes: [UInt8]) {
    var reader = ProtobufReader(bytes[...])
    while let (field, value) = reader.next() {
      if field == 1, case .delimited(let message) = value { read(partialSuccess: message) }
    }
  }

  private mutating func read(partialSuccess bytes: ArraySlice<UInt8>) {
    var reader = ProtobufReader(bytes)
    while let (field, value) = reader.next() {
      switch (field, value) {
      case (1, .varint(let count)): rejectedSpans = max(0, Int(truncatingIfNeeded: count))
      case (2, .delimited(let text)): message = String(decoding: text, as: UTF8.self)
      case _: break
      }
    }
  }
}
