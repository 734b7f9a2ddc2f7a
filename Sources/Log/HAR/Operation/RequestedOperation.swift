internal import TapelineBase

/// An operation that the body of a request asks for: of GraphQL over HTTP, or of JSON-RPC 2.0.
package struct RequestedOperation: Sendable, Hashable {
  package let language: OperationError.Language
  /// `query`, `mutation` or `subscription`, if the request says it; the method of JSON-RPC.
  package let kind: String?
  /// The name of an operation of GraphQL; the tool or prompt of MCP that a method is called for.
  package let subject: String?
  /// The stand-in for the name of an operation that has none: its hash, or its first fields.
  private let stand: String?

  /// `query Products`, `query { products }`, `persisted 0123456789ab`; `eth_call`, `tools/call search`.
  package var name: String { [kind, subject ?? stand].compactMap(\.self).joined(separator: " ") }

  /// The operations that a body asks for, which may be a batch; none if it asks for something else, or is not JSON.
  ///
  /// - Parameters:
  ///   - body: of the request, whole, without its codings.
  ///   - type: its media type.
  package static func all(in body: Span<UInt8>, type: String) -> [RequestedOperation] {
    if MediaType(type).essence == "application/graphql" {
      let document = String(decoding: [UInt8](copying: body), as: UTF8.self)
      return [OperationDraft(document: document).operation].compactMap(\.self)
    }
    return (try? read(body)) ?? []
  }

  /// Like `all(in:type:)`, for the members of GraphQL in the query of a URL.
  package init?(document: String?, operationName: String?, extensions: String?) {
    var draft = OperationDraft(document: document)
    draft.operationName = operationName
    if let extensions, let value = try? HARValue(json: extensions.utf8.span) { draft.takeExtensions(value) }
    guard let operation = draft.operation else { return nil }
    self = operation
  }

  fileprivate init(_ language: OperationError.Language, kind: String?, subject: String?, stand: String? = nil) {
    (self.language, self.kind, self.subject, self.stand) = (language, kind, subject, stand)
  }

  private static func read(_ body: Span<UInt8>) throws(HARReadError) -> [RequestedOperation] {
    try body.withParser(range: 0..<body.count) { (parser) throws(HARReadError) in
      try OperationReport.objects(from: &parser) { (parser) throws(HARReadError) in try OperationDraft(from: &parser).operation }
        .compactMap(\.self)
    }
  }
}

/// The members of a request that say which operation it asks for.
private struct OperationDraft {
  private var document: String?
  var operationName: String?
  /// The hash of a document that the server knows (automatic persisted queries; GraphQL over HTTP, persisted documents).
  private var hash: String?
  private var isRPC = false
  private var method: String?
  /// The `name` in the parameters of a method.
  private var subject: String?

  /// A hash is shortened to this.
  private static let hashLength = 12
  /// More fields of an operation without a name say no more in a table.
  private static let fieldLimit = 3

  init(document: String?) {
    self.document = document
  }

  init(from parser: inout JSONParser) throws(HARReadError) {
    try parser.readObject { (parser, name) throws(HARReadError) in
      switch name {
      case "query": document = try parser.readValue().string
      case "operationName": operationName = try parser.readValue().string
      case "extensions": takeExtensions(try parser.readValue())
      case "documentId": hash = try parser.readValue().string
      case "jsonrpc": isRPC = try parser.readValue().string == "2.0"
      case "method": method = try parser.readValue().string
      case "params":
        guard try parser.peek() == UInt8(ascii: "{") else { return try parser.skipValue() }
        try parser.readObject { (parser, name) throws(HARReadError) in
          switch name {
          case "name": subject = try parser.readValue().string
          default: try parser.skipValue()
          }
        }
      default: try parser.skipValue()
      }
    }
  }

  mutating func takeExtensions(_ value: HARValue) {
    hash = value["persistedQuery"]?["sha256Hash"]?.string ?? hash
  }

  var operation: RequestedOperation? {
    if isRPC {
      guard let method else { return nil }
      // MCP: one method stands for all tools, and one for all prompts.
      return RequestedOperation(.jsonRPC, kind: method, subject: Self.mcpMethods.contains(method) ? subject : nil)
    }
    let operations = document.map { GraphQLDocument($0).operations } ?? []
    let named = operationName.flatMap { $0.isEmpty ? nil : $0 }
    if let asked = named.flatMap({ named in operations.first { $0.name == named } }) ?? operations.first {
      let fields = asked.fields.isEmpty ? nil : "{ \(asked.fields.prefix(Self.fieldLimit).joined(separator: " ")) }"
      return RequestedOperation(.graphQL, kind: asked.kind, subject: named ?? asked.name, stand: fields)
    }
    if let named { return RequestedOperation(.graphQL, kind: nil, subject: named) }
    return hash.map { hash in
      let digits = hash.split(separator: ":").last ?? ""
      return RequestedOperation(.graphQL, kind: "persisted", subject: nil, stand: String(digits.prefix(Self.hashLength)))
    }
  }

  private static let mcpMethods: Set<String> = ["tools/call", "prompts/get"]
}
