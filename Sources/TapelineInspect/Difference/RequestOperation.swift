internal import TapelineHAR
internal import TapelineText

/// The operation that a request names in its body or query, where one URL serves many: GraphQL's `operationName`, the `method` of
/// JSON-RPC 2.0, the `SOAPAction` of SOAP 1.1.
struct RequestOperation: Hashable, Sendable {
  let name: String

  /// Bodies beyond this are not searched.
  private static let bodyLimit = 1 << 20
  private static let nameLimit = 120

  /// `nil` if the request names none.
  init?(_ entry: HAREntry) {
    let found =
      Self.inBody(entry) ?? entry.request.queryString.first { $0.name == "operationName" }?.value
      ?? entry.request.headers.first { $0.name.lowercased() == "soapaction" }?.value
    guard let found, !found.isEmpty else { return nil }
    name = String(found.prefix(Self.nameLimit))
  }

  private static func inBody(_ entry: HAREntry) -> String? {
    guard let posted = entry.request.postData, let text = posted.text, text.utf8.count <= bodyLimit,
      text.utf8.first == UInt8(ascii: "{"), posted.mimeType.prefix(while: { $0 != ";" }).lowercased().contains("json"),
      let body = try? HARValue(json: text.utf8.span)
    else { return nil }
    if let name = body["operationName"]?.string { return name }
    return body["jsonrpc"] == nil ? nil : body["method"]?.string
  }
}
