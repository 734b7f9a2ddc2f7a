internal import TapelineHAR
internal import TapelineBase

/// The messages of Protocol Buffers in an exchange, laid out as JSON: of a call, or the bodies of other requests.
enum ProtobufText {
  /// - Parameter limit: the maximum number of lines of each message.
  static func lines(of entry: HAREntry, schema: ProtobufSchema?, palette: Palette, limit: Int) -> [String] {
    messages(of: entry, schema).flatMap { isSent, type, bytes in
      let arrow = palette.isUnicode ? (isSent ? "→" : "←") : (isSent ? ">" : "<")
      let title = "\(palette.apply(isSent ? .cyan : .green, to: arrow)) \(type.isEmpty ? "of an unknown type" : type.printable)"
      let lines = JSONLayout.lines(of: ProtobufMessage(schema).value(of: bytes, as: type), palette: palette, limit: limit + 1)
      return [title] + lines.prefix(limit) + (lines.count > limit ? [palette.apply(.dim, to: "(… and more)")] : [])
    }
  }

  private static func messages(
    of entry: HAREntry, _ schema: ProtobufSchema?
  ) -> [(isSent: Bool, type: String, bytes: ArraySlice<UInt8>)] {
    let types = RequestOperation(entry).flatMap { schema?.methods[$0.name] }
    if let stream = RecordedStream(entry), stream.format == .grpc || stream.format == .connect {
      guard !entry.response.content.mimeType.contains("json") else { return [] }
      return stream.events.compactMap { event in
        guard let data = event.data, !event.isCompressed, event.name == "message" else { return nil }
        return (event.isSent, (event.isSent ? types?.request : types?.response) ?? "", data)
      }
    }
    let bodies = [
      (true, LoggedBody(request: entry.request), entry.request.postData?.mimeType ?? "", types?.request),
      (false, LoggedBody(response: entry.response), entry.response.content.mimeType, types?.response),
    ]
    return bodies.compactMap { isSent, body, type, known in
      let type = MediaType(type)
      guard case .bytes(let bytes) = body, mediaTypes.contains(type.essence) else { return nil }
      let named = (type["messagetype"] ?? type["proto"]).map { String(decoding: $0, as: UTF8.self) }
      return (isSent, known ?? named ?? "", bytes[...])
    }
  }

  private static let mediaTypes: Set<String> = [
    "application/protobuf", "application/x-protobuf", "application/vnd.google.protobuf", "application/proto",
  ]
}
