internal import CTapeline
internal import Glibc

/// The terminal while a live view has it: the alternate screen, no echo, keys one by one. Given back when it ends, also by a signal,
/// which is waited for rather than handled.
struct LiveScreen: ~Copyable {
  enum Event {
    case timeUp
    /// A key that means the end, or a signal that does.
    case end
  }

  private let former: termios?
  private let endings: sigset_t

  private static let endingSignals = [SIGINT, SIGTERM, SIGHUP]
  /// A signal is noticed after so long at most.
  private static let slice: Int32 = 100
  /// `q`, ESC, ^C and ^D.
  private static let endingKeys: [UInt8] = [UInt8(ascii: "q"), 0x1B, 3, 4]

  init() {
    var endings = sigset_t()
    _ = unsafe sigemptyset(&endings)
    for signal in Self.endingSignals { _ = unsafe sigaddset(&endings, signal) }
    _ = unsafe sigprocmask(SIG_BLOCK, &endings, nil)
    self.endings = endings
    former = Self.takeKeys()
    Self.write("\u{1B}[?1049h\u{1B}[?25l")
  }

  deinit {
    Self.write("\u{1B}[?25h\u{1B}[?1049l")
    if var former { _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &former) }
  }

  /// Height in lines; 24 where nobody knows.
  var height: Int {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
    return Int(size.ws_row)
  }

  /// Shows `lines` in place of what was there.
  func show(_ lines: [String]) {
    // Each line is cleared behind its end, and the screen below the last: nothing flickers.
    Self.write("\u{1B}[H" + lines.joined(separator: "\u{1B}[K\r\n") + "\u{1B}[K\u{1B}[J")
  }

  /// Waits, and says what came.
  func wait(milliseconds: Int) -> Event {
    var left = Int32(clamping: milliseconds)
    while left > 0 {
      var input = pollfd(fd: former == nil ? -1 : STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      let count = unsafe poll(&input, 1, min(left, Self.slice))
      if count > 0, isEndTyped { return .end }
      if isEndSignalled { return .end }
      left -= Self.slice
    }
    return .timeUp
  }

  private var isEndTyped: Bool {
    var keys = [UInt8](repeating: 0, count: 64)
    let count = unsafe keys.withUnsafeMutableBytes { unsafe tapeline_read(STDIN_FILENO, $0.baseAddress, $0.count) }
    guard count > 0 else { return true }
    return keys.prefix(count).contains { Self.endingKeys.contains($0) }
  }

  private var isEndSignalled: Bool {
    var pending = sigset_t()
    _ = unsafe sigpending(&pending)
    return Self.endingSignals.contains { unsafe sigismember(&pending, $0) == 1 }
  }

  /// What the terminal was before; `nil` where stdin is none.
  private static func takeKeys() -> termios? {
    var settings = termios()
    guard unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    let former = settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
    _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    return former
  }

  private static func write(_ text: String) {
    _ = writeAll(Array(text.utf8), to: STDOUT_FILENO)
  }
}
