internal import Synchronization

/// The state that the threads of a `ScriptedOrigin` share. They do not hold the origin, so that its release ends them.
final class OriginFloor: Sendable {
  struct State {
    var connections: [OriginConnection] = []
    var finished = 0
    var requests = 0
    fileprivate var threads: [TestThread] = []
    fileprivate var isStopped = false
  }

  private let listener: ListeningSocket
  private let acceptDelay: Int
  private let patience: Int64
  private let scripts: ScriptedOrigin.Script
  private let state = Monitor(State())

  init(listener: ListeningSocket, acceptDelay: Int, patience: Int64, scripts: @escaping ScriptedOrigin.Script) {
    self.listener = listener
    self.acceptDelay = acceptDelay
    self.patience = patience
    self.scripts = scripts
  }

  var connections: [OriginConnection] { state.read { $0.connections } }

  /// The body of the accepting thread.
  func acceptAll() {
    while listener.waitForConnection() {
      pause(milliseconds: acceptDelay)
      TestDelays.holdUp()
      do throws(TestSupportError) {
        if let socket = try listener.accept() { serve(socket) }
      } catch {
        return
      }
    }
  }

  func wait(
    for what: String, before deadline: Deadline, until condition: (State) -> Bool
  ) throws(TestSupportError) -> [OriginConnection] {
    guard let connections = state.wait(before: deadline, until: condition, then: { $0.connections }) else {
      throw .timedOut(waitingFor: what)
    }
    return connections
  }

  func stop() {
    listener.stop()
    for connection in state.change({ state in
      state.isStopped = true
      return state.connections
    }) {
      connection.abandon()
    }
  }

  func joinConnections() {
    for thread in state.change({ state in
      defer { state.threads = [] }
      return state.threads
    }) {
      thread.join()
    }
  }

  private func serve(_ socket: StreamSocket) {
    let connection = OriginConnection(number: connections.count, socket: socket, patience: patience) { [state] in
      state.change { $0.requests += 1 }
    }
    let script = scripts(connection.number)
    let isStopped = state.change { state in
      state.connections.append(connection)
      return state.isStopped
    }
    guard !isStopped else { return socket.close() }
    do {
      let thread = try TestThread { [state] in
        connection.play(script)
        state.change { $0.finished += 1 }
      }
      state.change { $0.threads.append(thread) }
    } catch {
      socket.reset()
    }
  }
}
