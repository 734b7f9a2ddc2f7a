internal import TapelineHAR
internal import TapelineInspect
internal import TapelineBase

/// Habits of other programs that a reader of a HAR understands, but that mean something else in our logs.
enum ForeignEntry {
  /// Repairs an entry, and counts what was repaired.
  ///
  /// - Parameter place: of the entry, for the messages: its URL may hold secrets.
  static func repair(_ entry: inout HAREntry, at place: String, _ repairs: inout RepairCounts) {
    movePseudoFields(&entry.request, place, &repairs)
    movePseudoFields(&entry.response, place, &repairs)
    name(&entry.request.httpVersion, place, &repairs)
    name(&entry.response.httpVersion, place, &repairs)
    undoCoding(&entry.request, place, &repairs)
    undoCoding(&entry.response, place, &repairs)
  }

  /// Chrome and others list the pseudo-fields of HTTP/2 among the headers. `:status` repeats the status.
  private static func movePseudoFields(_ request: inout HARRequest, _ place: String, _ repairs: inout RepairCounts) {
    let pseudo = request.headers.filter(isPseudo)
    guard !pseudo.isEmpty else { return }
    request.headers.removeAll(where: isPseudo)
    request.custom[.pseudo] = .array(
      pseudo.map { ["name": .string($0.name), "value": .string($0.value)] })
    repairs.add("pseudo-field", at: place, "pseudo-fields of HTTP/2 are not headers; they are in _pseudo")
  }

  private static func movePseudoFields(_ response: inout HARResponse, _ place: String, _ repairs: inout RepairCounts) {
    guard response.headers.contains(where: isPseudo) else { return }
    response.headers.removeAll(where: isPseudo)
    repairs.add("pseudo-field", at: place, "pseudo-fields of HTTP/2 are not headers; they are in _pseudo")
  }

  private static func isPseudo(_ header: HARHeader) -> Bool { header.name.hasPrefix(":") }

  /// Browsers write the names of ALPN, in either case.
  private static func name(_ version: inout String, _ place: String, _ repairs: inout RepairCounts) {
    let known: String? =
      switch version.lowercased() {
      case "h2", "h2c", "http/2.0", "http/2", "http2": "HTTP/2"
      case "h3", "http/3.0", "http/3", "h3-29": "HTTP/3"
      case "http/1.1", "http/1": "HTTP/1.1"
      case "http/1.0": "HTTP/1.0"
      case "": "unknown"
      default: nil
      }
    guard let known, known != version else { return }
    repairs.add("http-version", at: place, "the version of HTTP is \"\(version)\"; it is \"\(known)\" here")
    version = known
  }

  /// Charles and others keep the body as it was on the wire, and say that it is the content.
  private static func undoCoding(_ request: inout HARRequest, _ place: String, _ repairs: inout RepairCounts) {
    guard var data = request.postData else { return }
    // Our word for it.
    if data.isBase64 {
      data.custom["encoding"] = nil
      data.custom[.encoding] = "base64"
      request.postData = data
    }
    guard case .bytes(let coded)? = LoggedBody.coded(request), case .bytes(let decoded) = LoggedBody(request: request) else {
      return
    }
    let plain = String(validating: decoded, as: UTF8.self)
    data.text = plain ?? Base64.encode(decoded)
    data.custom[.encoding] = plain == nil ? "base64" : nil
    request.postData = data
    if request.bodySize < 0 { request.bodySize = coded.count }
    repairs.add("compressed-content", at: place, "the content was still compressed")
  }

  private static func undoCoding(_ response: inout HARResponse, _ place: String, _ repairs: inout RepairCounts) {
    guard response.content.encoding?.lowercased() == "base64", let text = response.content.text,
      let bytes = Base64.decode(text, padding: .ignored),
      let decoded = CodedContent.decoded(bytes, of: response.headers, wireSize: response.bodySize)
    else { return }
    if let plain = String(validating: decoded, as: UTF8.self) {
      response.content.text = plain
      response.content.encoding = nil
    } else {
      response.content.text = Base64.encode(decoded)
    }
    response.content.size = decoded.count
    if response.bodySize < 0 { response.bodySize = bytes.count }
    response.content.compression = decoded.count - response.bodySize
    repairs.add("compressed-content", at: place, "the content was still compressed")
  }
}
