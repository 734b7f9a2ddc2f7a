internal import CTapeline
internal import Glibc
internal import TapelineLoop

/// Whether anything listens at an address. A connection is made and closed at once, so a proxy there records nothing.
enum Reachability {
  private static let timeoutMilliseconds: Int32 = 2_000

  static func check(_ endpoint: EndpointArgument) throws(CommandFailure) {
    let cause = connectOnce(to: endpoint)
    guard cause == 0 else {
      throw CommandFailure(
        status: .unavailable, what: "no proxy at \(endpoint)", why: systemErrorText(cause),
        remedy: "start tapeline record, or say where it listens: tapeline env HOST:PORT")
    }
  }

  /// 0, or the `errno` that says why not.
  private static func connectOnce(to endpoint: EndpointArgument) -> Int32 {
    var address = tapeline_address()
    guard unsafe tapeline_parse_address(endpoint.address.host, endpoint.address.port, &address) else { return EINVAL }
    let descriptor = tapeline_socket(address.is_ipv6)
    guard descriptor >= 0 else { return -descriptor }
    // Nothing was sent, so nothing can be lost in a failing close.
    defer { _ = tapeline_close(descriptor) }
    let start = unsafe -tapeline_connect(descriptor, &address)
    return start == EINPROGRESS ? outcome(on: descriptor) : start
  }

  private static func outcome(on descriptor: Int32) -> Int32 {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&request, 1, timeoutMilliseconds) > 0 else { return ETIMEDOUT }
    var code: Int32 = 0
    let status = unsafe tapeline_take_socket_error(descriptor, &code)
    return status < 0 ? -status : code
  }
}
