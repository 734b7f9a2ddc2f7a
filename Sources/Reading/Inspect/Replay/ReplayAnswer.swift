package import TapelineHAR
internal import TapelineBase

/// A recorded response in a form that can be sent again.
package struct ReplayAnswer: Sendable {
  package struct Field: Sendable, Hashable {
    package let name: String
    package let value: String
  }

  /// A part of the body, and its delay after the head.
  package struct Piece: Sendable, Hashable {
    package let range: Range<Int>
    package let delayMilliseconds: Double
  }

  package let status: Int
  package let reason: String
  /// End-to-end fields only; fields that frame the body are set anew.
  package let fields: [Field]
  package let body: [UInt8]
  /// From the request to the head.
  package let delayMilliseconds: Double
  package let pieces: [Piece]
  /// They come after the body.
  package let trailers: [Field]
  /// From the head to the end of the response.
  package let endDelayMilliseconds: Double
  /// The failure of the exchange, in the words of the log.
  package let failure: String?
  /// The log does not have the whole body.
  package let isIncomplete: Bool

  package init(_ entry: HAREntry) {
    let response = entry.response
    status = response.status
    reason = String(String.UnicodeScalarView(response.statusText.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    failure =
      Self.finalStatuses.contains(response.status)
      ? nil : RecordedFailure(entry)?.text ?? RecordedEnd(entry)?.text ?? "the capture has no status that a response can have"
    let content = response.content
    let isText = content.encoding == nil && content.text != nil
    switch LoggedBody(response: response) {
    case .bytes(let bytes): (body, isIncomplete) = (bytes, bytes.count < content.size || content.custom[.truncated] != nil)
    case .empty: (body, isIncomplete) = ([], false)
    case .notRecorded, .inFile, .damaged: (body, isIncomplete) = ([], true)
    }
    let isDecoded = content.custom[.decodeError] == nil
    fields = response.headers.flatMap { Self.fields(of: $0, isDecoded: isDecoded, isText: isText) }
    let phases = PhaseDurations(entry)
    delayMilliseconds = [Phase.dns, .connect, .send, .wait].reduce(0) { $0 + (phases[$1] ?? 0) }
    endDelayMilliseconds = phases[.receive] ?? 0
    pieces = Self.pieces(of: entry, size: body.count, receive: endDelayMilliseconds)
    trailers = (response.custom[.trailers]?.array ?? []).flatMap { line -> [Field] in
      guard let name = line["name"]?.string, let value = line["value"]?.string else { return [] }
      return Self.fields(of: HARHeader(name: name, value: value), isDecoded: false, isText: false)
    }
  }

  /// The answer to a request that the capture does not have.
  package init(missing request: String) {
    self.init(
      status: 404, reason: "Not Recorded", text: "tapeline: the capture has no answer to \(request.printable)\n", failure: nil)
  }

  /// The answer to a request whose recorded answer cannot be read.
  package init(failure: String) {
    self.init(status: 0, reason: "", text: "", failure: failure)
  }

  private init(status: Int, reason: String, text: String, failure: String?) {
    self.status = status
    self.reason = reason
    fields = [Field(name: "Content-Type", value: "text/plain; charset=utf-8")]
    body = Array(text.utf8)
    delayMilliseconds = 0
    pieces = text.isEmpty ? [] : [Piece(range: 0..<body.count, delayMilliseconds: 0)]
    (trailers, endDelayMilliseconds) = ([], 0)
    self.failure = failure
    isIncomplete = false
  }

  /// A status has three digits (RFC 9110 15), and that of an answer does not begin with 1.
  private static let finalStatuses = 200...999

  /// Fields that frame a message, or belong to one connection (RFC 9110 7.6.1): the sender of the answer sets its own.
  private static let replacedNames: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "te", "trailer", "upgrade", "content-length",
    "proxy-authenticate", "via",
  ]

  private static func fields(of header: HARHeader, isDecoded: Bool, isText: Bool) -> [Field] {
    let name = header.name.lowercased()
    guard !replacedNames.contains(name) else { return [] }
    // The log has bodies without content codings, and text in UTF-8.
    if name == "content-encoding", isDecoded { return [] }
    let fields = wireFields(of: header)
    guard name == "content-type", isText else { return fields }
    return fields.map { Field(name: $0.name, value: utf8($0.value)) }
  }

  /// The HTTP/1.1 field lines for a recorded field: none for HTTP/2 pseudo-fields, several if a program wrote the lines of
  /// one name into one value.
  static func wireFields(of header: HARHeader) -> [Field] {
    guard header.name.isToken else { return [] }
    let values = header.value.split(whereSeparator: \.isNewline).map(String.init)
    return (values.isEmpty ? [""] : values).map { value in
      Field(name: header.name, value: String(String.UnicodeScalarView(value.unicodeScalars.filter { $0.value != 0 })))
    }
  }

  /// A media type with `charset=utf-8` in place of another charset.
  static func utf8(_ mediaType: String) -> String {
    guard let start = mediaType.lowercased().firstRange(of: "charset=") else { return mediaType }
    let offset = mediaType.lowercased().distance(from: mediaType.lowercased().startIndex, to: start.upperBound)
    return mediaType.prefix(offset) + "utf-8" + mediaType.dropFirst(offset).drop { $0 != ";" }
  }

  /// The pieces as they came after the head, if the log has them and they make up the body; else the whole body at the end of the
  /// receive phase.
  private static func pieces(of entry: HAREntry, size: Int, receive: Double) -> [Piece] {
    guard size > 0 else { return [] }
    let whole = [Piece(range: 0..<size, delayMilliseconds: receive)]
    guard let parts = RecordedPieces(entry).parts(of: size), let first = parts.first?.microseconds else { return whole }
    // The mark of the first byte, which is when the head is sent; in logs without marks it is where the receive phase begins.
    let head = entry.custom[.events]?["responseFirstByte"]?.double ?? max(0, entry.time - receive) * 1_000
    let origin = min(head, first)
    var pieces: [Piece] = []
    var start = 0
    for (instant, bytes) in parts {
      pieces.append(Piece(range: start..<start + bytes, delayMilliseconds: max(0, (instant - origin) / 1_000)))
      start += bytes
    }
    return pieces
  }
}
