package import TapelineHAR
internal import TapelineBase

/// The operation that a request asks for, where the method and the URL alone do not say it.
package struct RequestOperation: Hashable, Sendable {
  /// `query Products`, `tools/call search`, `DynamoDB_20120810.GetItem`, `shop.Cart/Add`. The operations of a batch are separated
  /// by commas, and those of one name counted: `query A ×2, query B`.
  package let name: String
  /// The operations that the body or the query of the URL asks for: there may be a batch.
  package let asked: [RequestedOperation]
  /// Whether the URL names it, as in gRPC.
  private let isInURL: Bool

  private static let nameLimit = 120
  /// Bodies beyond this are not searched.
  private static let bodyLimit = 1 << 20

  /// `nil` if the request names none.
  package init?(_ entry: HAREntry) {
    let request = entry.request
    let parameters = Self.parameters(of: request)
    let call = Self.isCall(entry, parameters) ? RPCMethod(path: RequestURL(request.url)?.path ?? "") : nil
    // `X-Amz-Target` names it in the JSON protocols of AWS.
    let said = call?.text ?? Self.field("x-amz-target", of: request) ?? Self.action(of: request)
    asked = said == nil ? Self.asked(by: request, parameters) : []
    name = String((said ?? Self.text(of: asked.map(\.name))).prefix(Self.nameLimit))
    isInURL = call != nil
    if name.isEmpty { return nil }
  }

  /// The name, unless the URL has it.
  package var nameBesideURL: String? { isInURL ? nil : name }

  private static func text(of names: [String]) -> String {
    var counts: [String: Int] = [:]
    for name in names { counts[name, default: 0] += 1 }
    return names.compactMap { name in counts.removeValue(forKey: name).map { $0 == 1 ? name : "\(name) ×\($0)" } }
      .joined(separator: ", ")
  }

  // MARK: Evidence

  private static func isCall(_ entry: HAREntry, _ parameters: [String: String]) -> Bool {
    if entry.custom[.grpc] != nil { return true }
    let request = entry.request
    let type = MediaType(request.postData?.mimeType ?? field("content-type", of: request) ?? "").essence
    if type.hasPrefix("application/grpc") || type.hasPrefix("application/connect+") { return true }
    // Connect's calls with one message have the types of other requests (Connect protocol, Unary-Request).
    return field("connect-protocol-version", of: request) != nil || parameters["connect"] == "v1"
  }

  /// `SOAPAction`, or the action of SOAP 1.2.
  private static func action(of request: HARRequest) -> String? {
    var text = field("soapaction", of: request)
    if let type = request.postData?.mimeType, type.contains("soap+xml"), let start = type.firstRange(of: "action=") {
      text = String(type[start.upperBound...].prefix { $0 != ";" })
    }
    guard let action = text?.filter({ $0 != "\"" && $0 != " " }), !action.isEmpty else { return nil }
    return action
  }

  private static func asked(by request: HARRequest, _ parameters: [String: String]) -> [RequestedOperation] {
    if let data = request.postData, let text = data.text, data.unreadText == 0, !data.isBase64, text.utf8.count <= bodyLimit {
      let found = RequestedOperation.all(in: text.utf8.span, type: data.mimeType)
      if !found.isEmpty { return found }
    }
    let operation = RequestedOperation(
      document: parameters["query"], operationName: parameters["operationName"], extensions: parameters["extensions"])
    return [operation].compactMap(\.self)
  }

  /// The parameters in the query of the URL; the log's list of them is not always read.
  private static func parameters(of request: HARRequest) -> [String: String] {
    guard let query = URIRanges(request.url).query else { return [:] }
    let fields = FormText.fields(of: request.url[utf8: query])
    return Dictionary(fields.map { ($0.name, $0.value) }) { $1 }
  }

  private static func field(_ name: String, of request: HARRequest) -> String? {
    request.headers.last { $0.name.isSameName(as: name) }?.value
  }
}
