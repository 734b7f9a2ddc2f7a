/// Takes the exchanges that end on one loop. Loop-bound.
package protocol LoopRecorder: AnyObject {
  /// Takes an exchange that has ended. Never waits for a disk. Answers what waits now, this exchange included.
  func record(_ draft: RecordDraft) -> WaitingExchanges

  /// Hands on what waits.
  func handOn()
}

/// Exchanges that a loop's recorder has taken and not handed on.
package enum WaitingExchanges {
  case none
  /// They are to be handed on soon.
  case some
  /// They are to be handed on at the end of the turn. Said once until then.
  case enough
}
