import HTTPTypes
import TapelineCore

/// Sends a request of swift-http-types, and shows the response as one.
@main
enum HTTPTypesUse {
  static func main() async throws {
    let server = CommandLine.arguments[1]
    let words = server.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
    guard words.count == 2, let scheme = words.first?.dropLast() else { return }
    let request = HTTPRequest(
      method: .get, scheme: String(scheme), authority: words[1], path: "/tape", headerFields: [.accept: "application/json"])
    let response = await AF.request(try URLRequest(request)).serializingData().response
    guard let head = response.response.map({ HTTPResponse($0) }), head.status == .ok, head.headerFields[.contentType] != nil
    else {
      print("FAILED  swift-http-types: \(response)")
      throw CancellationError()
    }
    print("ok      swift-http-types")
  }
}
