import Dispatch
import Synchronization
import TapelineHTTP
import TapelineLoop
import TapelineTime

@testable import TapelineCore
@testable import TapelineTransport

/// A session on a loop of its own with a scripted transport.
final class CoreHarness: Sendable {
  let group: EventLoopGroup
  let session: Session
  private let bound: LoopBound<ScriptedTransport>
  let callbacks = DispatchQueue(label: "callbacks")

  init() throws {
    let group = try EventLoopGroup(threads: 1)
    let loop = group.loops[0]
    let made = loop.executeAndWait { () -> (Session, LoopBound<ScriptedTransport>) in
      let transport = ScriptedTransport()
      return (Session(loop: loop, transport: transport), LoopBound(transport, on: loop))
    }
    self.group = group
    session = made.0
    bound = made.1
  }

  deinit {
    group.shutdown()
  }

  /// Runs `body` on the loop with the scripted transport, after what was asked before.
  func onLoop<Value: Sendable>(_ body: @escaping @Sendable (ScriptedTransport) throws -> Value) throws -> Value {
    try session.loop.executeAndWait { [bound] in Result { try body(bound.value) } }.get()
  }

  static func get(_ url: String = "http://origin.example/") throws -> OutgoingRequest {
    OutgoingRequest(
      head: try RequestHead(method: .get, target: url), framing: .none, route: Route(host: "origin.example", port: 80))
  }
}

/// Collects what happened, in order, from any thread.
final class EventLog: Sendable {
  private let entries = Mutex<[String]>([])

  func add(_ entry: String) {
    entries.withLock { $0.append(entry) }
  }

  var all: [String] { entries.withLock { $0 } }
}
