import TapelineTestSupport
import Testing

/// A recording that other machines may use too, and this machine's way to it as if it were another.
struct RemoteProxy {
  let proxy: TapelineProcess
  let address: InterfaceAddress
  let port: UInt16

  var authority: String { "\(address.host):\(port)" }

  func connect() throws -> RawClient {
    try RawClient(to: address, port: port)
  }

  func request(_ text: String) throws -> RawClient {
    let client = try connect()
    try client.send(text)
    return client
  }

  /// Whether this machine has an address besides loopback: without one, nobody here is another machine.
  static let isPossible = InterfaceAddress.first != nil
}

/// `recording`, on all of this machine's addresses besides the usual one.
func remoteRecording(
  _ options: [String] = [], sourceLocation: SourceLocation = #_sourceLocation, _ body: (RemoteProxy) throws -> Void
) throws -> Recording {
  try recording(["--listen", "0.0.0.0:0", "--allow-remote"] + options, sourceLocation: sourceLocation) { proxy in
    let lines = try readText(proxy.portFile).split(separator: "\n")
    let port = try #require(lines.last?.split(separator: ":").last.flatMap { UInt16($0) }, sourceLocation: sourceLocation)
    let address = try #require(InterfaceAddress.first, sourceLocation: sourceLocation)
    try body(RemoteProxy(proxy: proxy, address: address, port: port))
  }
}
