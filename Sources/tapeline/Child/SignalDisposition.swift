internal import Glibc

/// What the process does about a signal.
enum SignalDisposition {
  /// Whether whoever started us had the signal ignored, as `nohup` and a shell's `&` do: then it is to stay so.
  static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(signal, nil, &action) == 0 else { return false }
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignored
  }

  /// Makes the signal do nothing here, while a program that we start gets its default action: a handler, unlike
  /// an ignored signal, is not inherited.
  static func absorb(_ signal: Int32) {
    _ = Glibc.signal(signal, doNothing)
  }

  /// `SIG_IGN` is a macro for a pointer of this value.
  private static let ignored = 1
}

private func doNothing(_ signal: Int32) {}
