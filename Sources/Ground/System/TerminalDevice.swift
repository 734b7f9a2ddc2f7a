internal import Glibc

/// Questions and settings for a descriptor that may be a terminal.
package enum TerminalDevice {
  package static func isTerminal(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
  }

  /// Columns and lines of the terminal; `nil` if the descriptor is not a terminal, or the terminal does not say.
  package static func size(of descriptor: Int32) -> (columns: Int, lines: Int)? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }
}

/// A terminal that delivers keys one by one, without echo and without raising signals, as long as this value exists.
package struct TerminalKeys: ~Copyable {
  private let descriptor: Int32
  private let former: termios

  /// `nil` if the descriptor is not a terminal.
  package init?(of descriptor: Int32) {
    var settings = termios()
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { return nil }
    self.descriptor = descriptor
    former = settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
    _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &settings)
  }

  deinit {
    var former = former
    _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &former)
  }
}
