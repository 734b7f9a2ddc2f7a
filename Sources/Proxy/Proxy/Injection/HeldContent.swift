internal import TapelineBase
internal import TapelineHTTP
internal import TapelineTransport

/// A response that is held until all of it is here, because rules edit its content.
struct HeldContent {
  let head: ResponseHead
  private(set) var bytes: [UInt8] = []

  private static let limit = 1 << 20

  init(_ head: ResponseHead) {
    self.head = head
  }

  /// Why the content of a response is left alone; `nil` if it can be edited.
  static func obstacle(_ head: ResponseHead, _ framing: BodyFraming?) -> String? {
    switch framing {
    case .some(.none), nil: return "no content"
    case .length(let length) where length > limit: return "longer than 1 MiB"
    case .length, .chunked, .untilClose: break
    }
    if head.isCompressed { return "compressed" }
    let type = head.fields.first(of: .contentType)?.prefix { $0 != ";" }.lowercased() ?? ""
    return type.contains("json") && !type.contains("seq") && !type.contains("ndjson") ? nil : "no JSON"
  }

  /// Takes bytes, in any case. Answers whether there was room for them.
  mutating func append(_ piece: Span<UInt8>) -> Bool {
    bytes.append(bytes: piece)
    return bytes.count <= Self.limit
  }
}

extension ResponseHead {
  var isCompressed: Bool { fields.first(of: .contentEncoding).map { $0.lowercased() != "identity" } ?? false }
}
