internal import TapelineLoop
internal import TapelineSystem

/// Whether anything listens at an address. A connection is made and closed at once, so a proxy there records nothing.
enum Reachability {
  private static let timeoutMilliseconds: Int32 = 2_000

  static func check(_ endpoint: EndpointArgument) throws(CommandFailure) {
    do throws(SystemCallError) {
      try connectOnce(to: endpoint.address)
    } catch {
      throw CommandFailure(
        status: .unavailable, what: "no proxy at \(endpoint)", why: error.text,
        remedy: "start tapeline record, or say where it listens: tapeline env HOST:PORT")
    }
  }

  private static func connectOnce(to address: SocketAddress) throws(SystemCallError) {
    let socket = try SystemCalls.makeSocket(isIPv6: address.family == .ipv6)
    // Nothing was sent, so nothing can be lost in a failing close.
    defer { SystemCalls.discard(socket) }
    guard try SystemCalls.connect(socket, to: address) == .wouldBlock else { return }
    guard try SystemCalls.wait(for: .writable, on: socket, milliseconds: timeoutMilliseconds) else {
      throw SystemCallError(code: ErrorCode.timedOut, call: .connect)
    }
    try SystemCalls.checkConnected(socket)
  }
}
