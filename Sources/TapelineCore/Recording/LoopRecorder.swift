/// Takes the exchanges that end on one loop. Loop-bound.
package protocol LoopRecorder: AnyObject {
  /// Takes an exchange that has ended. Never waits for a disk. It may keep the exchange until `handOn`.
  func record(_ draft: RecordDraft)

  /// Hands on what it has kept.
  func handOn()
}
