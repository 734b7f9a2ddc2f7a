import TapelineLoop
import TapelineSystem
import TapelineTLS
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineTransport

/// Two secure channels on one loop, the ends of one TCP connection on loopback. The loop runs on the test's thread.
final class SecurePair {
  let loop: EventLoop
  let client: SecureChannel
  let server: SecureChannel
  let clientHandler = SecureRecordingHandler()
  let serverHandler = SecureRecordingHandler()

  init(
    authority: TestAuthority, clientContext: TLSClientContext? = nil, credentials: TLSCredentials? = nil,
    serverName: String = "localhost", holdsProtocol: Bool = false
  ) throws {
    ProcessSignal.ignoreBrokenPipes()
    let loop = try EventLoop()
    self.loop = loop
    let (near, far) = try Self.connect(on: loop)
    let buffer = PlaintextBuffer()
    let clientEngine = try TLSEngine(client: try clientContext ?? authority.clientContext(), serverName: serverName)
    let serverEngine = try TLSEngine(
      server: authority.serverContext, credentials: try credentials ?? authority.credentials(for: "localhost"),
      holdsProtocol: holdsProtocol)
    client = SecureChannel(channel: near, engine: clientEngine, buffer: buffer)
    server = SecureChannel(channel: far, engine: serverEngine, buffer: buffer)
    client.handler = clientHandler
    server.handler = serverHandler
    near.start()
    far.start()
  }

  deinit {
    client.channel.close()
    server.channel.close()
  }

  /// Begins the handshake at both ends.
  func start() {
    client.start()
    server.start(with: [], at: .now)
  }

  /// Completes the handshake.
  func secure() throws {
    start()
    serve { self.clientHandler.parameters != nil && self.serverHandler.parameters != nil }
    #expect(client.isOpen && server.isOpen)
  }

  /// Runs the loop until `condition` holds; fails the test when it does not within a minute of the loop's ticks. They stand still
  /// where the machine does.
  func serve(_ location: SourceLocation = #_sourceLocation, until condition: @escaping () -> Bool) {
    var ticks = 300_000
    var timer: Timer?
    timer = Timer(loop: loop) { [loop] in
      if condition() { return loop.stop() }
      ticks -= 1
      guard ticks > 0 else {
        Issue.record("it did not come to pass", sourceLocation: location)
        return loop.stop()
      }
      timer?.start(after: .microseconds(200))
    }
    timer?.start(after: .zero)
    loop.run()
    timer = nil
  }

  /// Lets everything that is ready happen.
  func settle() {
    var left = 10
    serve {
      left -= 1
      return left == 0
    }
  }

  private static func connect(on loop: EventLoop) throws -> (Channel, Channel) {
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
    var near: Channel?
    var far: Channel?
    let stopIfBoth = { if near != nil, far != nil { loop.stop() } }
    let listener = try Listener(loop: loop, address: address) { descriptor, peer, _ in
      far = Channel(loop: loop, descriptor: descriptor, peer: peer)
      stopIfBoth()
    }
    let resolver = try Resolver(threads: 1)
    defer { resolver.shutdown() }
    let connector = Connector(loop: loop, resolver: resolver, host: "127.0.0.1", port: listener.localAddress.port)
    connector.start { result, _ in
      switch consume result {
      case .connected(let descriptor, peer: let peer, _): near = Channel(loop: loop, descriptor: descriptor, peer: peer)
      case .failed(let error): Issue.record("\(error)")
      }
      stopIfBoth()
    }
    loop.run()
    listener.close()
    return (try #require(near), try #require(far))
  }
}
