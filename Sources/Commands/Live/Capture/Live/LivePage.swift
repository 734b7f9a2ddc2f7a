internal import Synchronization
internal import TapelineInspect
internal import TapelineProxy
internal import TapelineRecorder
internal import TapelineSystem

/// The page that shows exchanges while they happen. It costs nothing until somebody visits it: then its thread starts, and reads
/// the log's file back.
///
/// The loops hand over visits; the thread's `LiveDesk` answers them.
final class LivePage: Sendable {
  /// Opens the page.
  let key: String
  private let report: LiveReport
  private let recorder: Recorder
  private let state = Mutex(State())

  private struct State {
    /// For exchanges in flight; absent until the proxy listens.
    var server: ProxyServer?
    var inbox: [LocalVisit] = []
    /// Wakes the thread. Owned; absent until the thread starts.
    var bell: Int32?
    var thread: SystemThread?
    var hasPanels = false
    var panelWatch: PanelWatch?
    var isClosed = false
  }

  private struct PanelWatch {
    let wanted: Bool
    let act: @Sendable () -> Void
  }

  init(report: LiveReport, key: String, recorder: Recorder) {
    self.report = report
    self.key = key
    self.recorder = recorder
  }

  deinit {
    if let bell = state.withLock({ $0.bell }) { SystemCalls.discard(bell) }
  }

  /// The proxy listens.
  func attend(to server: ProxyServer) {
    state.withLock { $0.server = server }
  }

  /// Calls `act` once, when Chrome's panel is attached, or when none is; at once if that is so. One at a time.
  func whenPanels(are wanted: Bool, _ act: @escaping @Sendable () -> Void) {
    let isSo = state.withLock { state in
      state.panelWatch = state.hasPanels == wanted ? nil : PanelWatch(wanted: wanted, act: act)
      return state.panelWatch == nil
    }
    if isSo { act() }
  }

  /// Whether Chrome's panel is attached.
  var hasPanels: Bool { state.withLock { $0.hasPanels } }

  private func panelsChanged(_ areAny: Bool) {
    let watch = state.withLock { state -> PanelWatch? in
      state.hasPanels = areAny
      return state.panelWatch?.wanted == areAny ? state.panelWatch.take() : nil
    }
    watch?.act()
  }

  /// Takes a visit. Called on a loop: it does not wait. A visit that nobody can answer is dropped, with its connection.
  func receive(_ visit: LocalVisit) {
    state.withLock { state in
      guard !state.isClosed else { return }
      do throws(SystemCallError) {
        let bell = try start(&state)
        state.inbox.append(visit)
        try SystemCalls.ring(bell)
      } catch {
        // There are no descriptors or threads left: the visitor's connection ends.
      }
    }
  }

  /// Tells the readers that the recording ends, and ends the thread. Call it before the proxy is shut down.
  func close() {
    let thread = state.withLock { state in
      state.isClosed = true
      if let bell = state.bell { Self.ring(bell) }
      return state.thread.take()
    }
    thread?.join()
    state.withLock { $0.server = nil }
  }

  private func start(_ state: inout State) throws(SystemCallError) -> Int32 {
    if let bell = state.bell { return bell }
    let bell = try SystemCalls.makeBell()
    state.bell = bell
    state.thread = try SystemThread(name: "tapeline-live", takesSignals: false) { [self] in
      LiveDesk(report: report, key: key, recorder: recorder, bell: bell, mail: takeMail, panelsChanged: panelsChanged).run()
    }
    return bell
  }

  private func takeMail() -> LiveDesk.Mail {
    state.withLock { state in
      defer { state.inbox = [] }
      return LiveDesk.Mail(visits: state.inbox, server: state.server, isLast: state.isClosed)
    }
  }

  private static func ring(_ bell: Int32) {
    do throws(SystemCallError) {
      try SystemCalls.ring(bell)
    } catch {
      preconditionFailure("an event counter takes its first count: \(error)")
    }
  }
}
