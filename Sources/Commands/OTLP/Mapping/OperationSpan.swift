internal import TapelineHAR
internal import TapelineInspect

extension TraceSpan {
  /// Says which operation a request asks for, by the conventions for GraphQL, RPC and MCP. A batch has only its name.
  mutating func describeOperation(of entry: HAREntry) {
    guard let operation = RequestOperation(entry) else { return }
    append("tapeline.operation", operation.name)
    guard operation.asked.count == 1, let asked = operation.asked.first else { return }
    switch asked.language {
    case .graphQL:
      append("graphql.operation.type", asked.kind)
      append("graphql.operation.name", asked.subject)
    case .jsonRPC:
      append("rpc.system", "jsonrpc")
      append("rpc.method", asked.kind)
      if let subject = asked.subject {
        append("mcp.method.name", asked.kind)
        append(asked.kind == "tools/call" ? "gen_ai.tool.name" : "gen_ai.prompt.name", subject)
      }
    }
  }
}
