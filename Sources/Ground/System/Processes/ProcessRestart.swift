internal import CTapeline

/// A crash of this process and the new start in its place (docs/adr/0059): the program is executed again, and goes on with what
/// it has kept.
///
/// Until `arm()`, and in programs that never call it, nothing is kept and a crash is what it is without this. Any thread.
package enum ProcessRestart {
  /// The crash after which this process goes on; `nil` in one that has not crashed.
  package static let lastCrash: ProcessCrash? = {
    guard let crash = unsafe tapeline_last_crash() else { return nil }
    return unsafe ProcessCrash(crash.pointee)
  }()

  /// From now on, a crash starts the program anew, unless the environment says `TAPELINE_NO_RESTART=1`. Call it before anything
  /// is kept.
  package static func arm() {
    if let trap = ProcessEnvironment.value(of: "TAPELINE_TRAP") { unsafe tapeline_set_trap(trap) }
    if let stall = ProcessEnvironment.value(of: "TAPELINE_STALL") { unsafe tapeline_set_stall(stall) }
    guard ProcessEnvironment.value(of: "TAPELINE_NO_RESTART") != "1" else { return }
    _ = tapeline_arm_restart()
  }

  /// A crash from now on is survived: before, it would only be repeated. Signals to end that came since the crash arrive now.
  package static func noteServing() {
    tapeline_note_serving()
  }

  /// The status with which the process ends that would have ended with `status`: a crash is told at the end, whatever came of it.
  static func status(_ status: Int32) -> Int32 {
    guard lastCrash != nil else { return status }
    let child = Int32(clamping: word(.child))
    // The new start has failed. Without us, the command reaches nothing.
    if child > 0, !tapeline_is_serving() { ProcessSignal.send(ProcessSignal.terminate, to: child) }
    return softwareStatus
  }

  /// `EX_SOFTWARE` of sysexits.h.
  private static let softwareStatus: Int32 = 70

  // MARK: Descriptors

  /// Has the descriptor stay open after a crash, under a name of less than 44 bytes.
  package static func keep(_ descriptor: Int32, as name: String) {
    _ = unsafe tapeline_keep_descriptor(name, descriptor)
  }

  /// Whether it is this descriptor that is kept under the name.
  package static func isKept(_ descriptor: Int32, as name: String) -> Bool {
    unsafe tapeline_kept_descriptor(name) == descriptor
  }

  /// The descriptor is closed now.
  package static func forget(_ name: String) {
    _ = unsafe tapeline_keep_descriptor(name, -1)
  }

  /// The descriptor that was kept under this name before the crash, the caller's from now on. It stays kept.
  package static func descriptor(_ name: String) -> Int32? {
    guard lastCrash != nil else { return nil }
    let descriptor = unsafe tapeline_kept_descriptor(name)
    return descriptor >= 0 ? descriptor : nil
  }

  // MARK: Numbers

  /// A number that is kept. To keep one is a store.
  package enum Word: Int32 {
    /// The process that is of no use without this one.
    case child = 0
    case threads
    /// `WallClockAnchor.process`.
    case anchorUnix
    case anchorInstant
    /// The key by which secrets are hidden.
    case keyFirst
    case keySecond
    /// The end of the last entry in the log, the number of entries, the number of the file.
    case logEnd
    case logEntries
    case logNumber
    case offered
    case unwritten
    /// Counts of what the current file lacks.
    case missingBodies
    case missingExchanges
    case missingUnwritten
    /// The totals.
    case exchanges
    case failures
    case droppedBodies
    case droppedRecords
    case filteredRecords
    case waitedRecords
    case bytesToServer
    case bytesToClient
    /// The current page.
    case page
    case inheritedSockets
    /// The call of connect(2) that waits for us.
    case connectCall
  }

  package static func keep(_ number: Int64, as word: Word) {
    tapeline_keep_word(word.rawValue, number)
  }

  package static func keep(_ number: UInt64, as word: Word) {
    tapeline_keep_word(word.rawValue, Int64(bitPattern: number))
  }

  /// 0 if none was kept.
  package static func word(_ word: Word) -> Int64 {
    tapeline_kept_word(word.rawValue)
  }

  // MARK: Texts

  /// A text that is kept.
  package enum Fact: UInt32 {
    case privateDirectory = 0
    case controlPath
    case logPath
    /// The files before the current one.
    case logFiles
    /// Those of all files that are listed.
    case logPaths
    /// The variables that the command was given.
    case commandVariables
    case throwAwayAuthority
    case liveKey
  }

  package static func keep(_ text: String, as fact: Fact) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe tapeline_keep_fact(fact.rawValue, $0.baseAddress, $0.count) }
  }

  /// The text that was kept before the crash.
  package static func text(_ fact: Fact) -> String? {
    var length = 0
    guard let start = unsafe tapeline_kept_fact(fact.rawValue, &length) else { return nil }
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: length), as: UTF8.self)
  }
}

/// A crash of this process, before its program was executed again.
package struct ProcessCrash: Sendable {
  /// `SIGILL`, …
  package let signal: String
  /// The name of the thread that crashed.
  package let thread: String
  /// Among the crashes of this process, from 1.
  package let number: Int
  /// When, on the monotonic clock.
  package let monotonicNanoseconds: Int64
  /// The instructions on the stack, those that were called first, counted from the first byte of the program.
  package let frames: [UInt64]

  fileprivate init(_ crash: tapeline_crash) {
    var crash = crash
    signal = ProcessSignal.name(ofFault: crash.signal)
    thread = unsafe withUnsafeBytes(of: &crash.thread) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    number = Int(crash.number)
    monotonicNanoseconds = crash.monotonic
    let count = Int(crash.frame_count)
    frames = unsafe withUnsafeBytes(of: &crash.frames) { bytes in
      unsafe Array(bytes.bindMemory(to: UInt64.self).prefix(count))
    }
  }
}

extension ProcessSignal {
  fileprivate static func name(ofFault signal: Int32) -> String {
    switch signal {
    case illegalInstruction: "SIGILL"
    case trap: "SIGTRAP"
    case segmentationFault: "SIGSEGV"
    case busError: "SIGBUS"
    case arithmeticFault: "SIGFPE"
    default: "SIGABRT"
    }
  }
}
