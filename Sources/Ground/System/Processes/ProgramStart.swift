internal import CTapeline
internal import Glibc

/// The program to start, and its environment and streams (posix_spawn(3)).
///
/// The program gets our working directory and, besides `streams`, every descriptor that is not close-on-exec. No signal is
/// blocked in it, whatever thread starts it.
package struct ProgramStart: Sendable {
  package enum Stream: Sendable {
    /// `/dev/null`.
    case nothing
    /// One of our descriptors, at least 3; it stays open here.
    case descriptor(Int32)
  }

  /// The program's name and its arguments.
  package var command: [String]
  /// `NAME=value`, byte for byte.
  package var environment: [[UInt8]]
  /// Whether a name without a slash is looked up in `PATH`, as a shell does.
  package var isLookedUp = true
  /// Its standard input, output and error, in this order; a missing entry means ours.
  package var streams: [Stream] = []
  /// The signals that get their default action back: the program would also ignore a signal that we ignore.
  package var restoredSignals = SignalSet(ProcessSignal.brokenPipe)
  /// Whether it leads a process group of its own.
  package var leadsGroup = false
  /// Descriptors of ours, at least 3, that it gets under their own numbers although they are close-on-exec.
  package var handedOver: [Int32] = []

  package init(_ command: [String], environment: [[UInt8]]) {
    precondition(!command.isEmpty, "a program is started by its name")
    self.command = command
    self.environment = environment
  }

  /// - Throws: `ENOENT` if there is no such program.
  package func start() throws(SystemCallError) -> ChildIdentifier {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in streams.enumerated() {
      switch stream {
      case .nothing:
        unsafe posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", number == 0 ? O_RDONLY : O_WRONLY, 0)
      case .descriptor(let descriptor):
        // The duplicate is not close-on-exec.
        unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
      }
    }
    // A duplicate onto itself only loses close-on-exec (POSIX).
    for descriptor in handedOver { unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, descriptor) }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var (restored, blocked) = (restoredSignals.mask, SignalSet().mask)
    unsafe posix_spawnattr_setsigdefault(&attributes, &restored)
    unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | group))

    let arguments = CStringArray(command.map { Array($0.utf8) })
    let variables = CStringArray(environment)
    var id: pid_t = 0
    let code =
      unsafe isLookedUp
      ? posix_spawnp(&id, command[0], &actions, &attributes, arguments.start, variables.start)
      : posix_spawn(&id, command[0], &actions, &attributes, arguments.start, variables.start)
    guard code == 0 else { throw SystemCallError(code: code, call: .spawn) }
    return ChildIdentifier(id: id)
  }
}

extension ProgramStart {
  /// Makes this process the program, which is looked up as a shell does, in our environment; `streams` and signals stay ours.
  ///
  /// - Returns: why it did not.
  package static func become(_ command: [String]) -> SystemCallError {
    let arguments = CStringArray(command.map { Array($0.utf8) })
    let variables = CStringArray(ProcessEnvironment.entries())
    let result = unsafe tapeline_execute(command[0], arguments.start, variables.start)
    return SystemCallError(code: -result, call: .execute)
  }
}

/// A child process of ours, until it is collected: after that, its number may belong to another process.
package struct ChildIdentifier: Sendable, Hashable {
  package let id: Int32

  /// The one that was kept before a crash, and not collected.
  package static var kept: ChildIdentifier? {
    guard ProcessRestart.lastCrash != nil else { return nil }
    let id = Int32(clamping: ProcessRestart.word(.child))
    return id > 0 ? ChildIdentifier(id: id) : nil
  }

  /// Waits for its end and does not collect it, so that its number is not reused.
  package func waitForEnd() {
    while tapeline_await_end(id) == -EINTR {}
  }

  /// Waits for its end and collects it. Call it once.
  package func collect() -> ProcessEnd {
    var status: Int32 = 0
    while unsafe tapeline_collect(id, &status) == -EINTR {}
    return ProcessEnd(waitStatus: status)
  }
}

/// How a process ended.
package enum ProcessEnd: Sendable, Hashable {
  case exited(Int32)
  case killed(signal: Int32)

  /// Decodes the result of waitpid(2). The layout of the word is Linux's; Swift does not import the macros that decode it.
  package init(waitStatus: Int32) {
    let signal = waitStatus & 0x7F
    self = signal == 0 ? .exited(waitStatus >> 8 & 0xFF) : .killed(signal: signal)
  }

  /// The status in the form of a shell: the exit status, or 128 plus the signal.
  package var shellStatus: Int32 {
    switch self {
    case .exited(let status): status
    case .killed(let signal): 128 + signal
    }
  }
}

/// Strings in the form of `argv` and `envp`: copies that end in NUL, and a null pointer after the last. Owned by this value.
@safe
private struct CStringArray: ~Copyable {
  private let strings: UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>

  init(_ byteStrings: [[UInt8]]) {
    unsafe strings = .allocate(capacity: byteStrings.count + 1)
    for (index, bytes) in byteStrings.enumerated() {
      unsafe strings.initializeElement(at: index, to: Self.copy(bytes))
    }
    unsafe strings.initializeElement(at: byteStrings.count, to: nil)
  }

  deinit {
    for index in unsafe strings.indices {
      unsafe strings[index]?.deallocate()
    }
    unsafe strings.deallocate()
  }

  /// Valid while this value lives.
  @unsafe
  var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
    guard let start = unsafe strings.baseAddress else { preconditionFailure("the array holds at least its terminator") }
    return unsafe start
  }

  private static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar> {
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (index, byte) in bytes.enumerated() {
      unsafe copy[index] = CChar(bitPattern: byte)
    }
    unsafe copy[bytes.count] = 0
    return unsafe copy
  }
}
