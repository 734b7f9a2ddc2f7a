/// Takes the exchanges that end on one loop. Loop-bound.
package protocol LoopRecorder: AnyObject {
  /// Takes an exchange that has ended. Never waits for a disk. It may keep the exchange until `handOn`.
  func record(_ draft: RecordDraft)

  /// Hands on what it has kept.
  func handOn()

  /// Whether it has so much to write that no exchange should begin: it is to lose none.
  var lagsBehind: Bool { get }

  /// Has `proceed` called once, on any thread, when it does not lag behind any more.
  func awaitRoom(_ proceed: @escaping @Sendable () -> Void)
}

/// For one that would rather lose exchanges than hold them back.
extension LoopRecorder {
  package var lagsBehind: Bool { false }
  package func awaitRoom(_ proceed: @escaping @Sendable () -> Void) { proceed() }
}
