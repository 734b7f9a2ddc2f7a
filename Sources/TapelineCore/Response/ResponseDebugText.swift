/// The five lines of a response's debug description. `byteCount` is the size of the body, kept or not.
func responseDebugText(
  request: URLRequest?, response: HTTPURLResponse?, byteCount: UInt64, result: String, timeline: Timeline
) -> String {
  [
    requestDebugLine(request),
    responseDebugLine(response),
    "[Data]: \(byteCount) bytes",
    "[Result]: " + result,
    "[Timeline]: " + timeline.debugDescription,
  ].joined(separator: "\n")
}

func requestDebugLine(_ request: URLRequest?) -> String {
  "[Request]: " + (request.map { "\($0.method.rawValue) \($0)" } ?? "nil")
}

func responseDebugLine(_ response: HTTPURLResponse?) -> String {
  "[Response]: " + (response.map { "\($0)" } ?? "nil")
}
