internal import Glibc

/// Brings text of one encoding to UTF-8, by iconv(3). Keeps the state that some encodings have: one thread at a time.
@safe
package struct CharacterConverter: ~Copyable {
  /// Why a conversion stopped.
  package enum Stop {
    /// All of the input was converted.
    case end
    /// The input ends inside a character.
    case incomplete
    /// What comes next is no character of the encoding.
    case invalid
    /// The text became longer than the caller allows.
    case full
  }

  private let state: iconv_t

  /// `nil` when the system does not know the encoding.
  package init?(from name: String) {
    let opened = unsafe iconv_open("UTF-8", name)
    // iconv's error is a pointer of all ones.
    guard let opened = unsafe opened, unsafe opened != iconv_t(bitPattern: -1) else { return nil }
    unsafe state = unsafe opened
  }

  deinit {
    unsafe iconv_close(state)
  }

  /// Forgets what was converted before.
  package func reset() {
    unsafe iconv(state, nil, nil, nil, nil)
  }

  /// Converts `input` from `position` on, and writes the text into `output` from `end` on, as far as that has room.
  ///
  /// - Parameters:
  ///   - position: stands behind what was converted when this returns.
  ///   - end: stands behind the text.
  package func convert(_ input: Span<UInt8>, from position: inout Int, into output: inout [UInt8], from end: inout Int) -> Stop {
    var stop = Stop.end
    unsafe input.withUnsafeBytes { input in
      unsafe output.withUnsafeMutableBytes { room in
        // iconv takes a pointer to mutable bytes and leaves them alone.
        let start = unsafe UnsafeMutableRawPointer(mutating: input.baseAddress)?.assumingMemoryBound(to: CChar.self)
        var next = unsafe start.map { unsafe $0 + position }
        var rest = input.count - position
        var target = unsafe room.baseAddress.map { unsafe ($0 + end).assumingMemoryBound(to: CChar.self) }
        var space = room.count - end
        if rest > 0, unsafe iconv(state, &next, &rest, &target, &space) == -1 { stop = Self.stop(errno) }
        position = input.count - rest
        end = room.count - space
      }
    }
    return stop
  }

  /// Writes what a stateful encoding still holds back; `false` when there is no room for it.
  package func finish(into output: inout [UInt8], from end: inout Int) -> Bool {
    unsafe output.withUnsafeMutableBytes { room in
      var target = unsafe room.baseAddress.map { unsafe ($0 + end).assumingMemoryBound(to: CChar.self) }
      var space = room.count - end
      let isWhole = unsafe iconv(state, nil, nil, &target, &space) != -1
      end = room.count - space
      return isWhole
    }
  }

  private static func stop(_ code: Int32) -> Stop {
    switch code {
    case EINVAL: .incomplete
    case E2BIG: .full
    default: .invalid
    }
  }
}
