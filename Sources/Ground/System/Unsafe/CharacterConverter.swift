internal import Glibc

/// Converts text from one encoding to UTF-8 with iconv(3). Keeps the state that some encodings have: one thread at a time.
@safe
package struct CharacterConverter: ~Copyable {
  /// Why a conversion stopped.
  package enum Stop {
    /// All of the input was converted.
    case end
    /// The input ends inside a character.
    case incomplete
    /// The next bytes are not a character of the encoding.
    case invalid
    /// The text became longer than the caller allows.
    case full
  }

  private let state: iconv_t

  /// `nil` if the system does not know the encoding.
  package init?(from name: String) {
    let opened = unsafe iconv_open("UTF-8", name)
    // iconv's error is a pointer with all bits set.
    guard let opened = unsafe opened, unsafe opened != iconv_t(bitPattern: -1) else { return nil }
    unsafe state = unsafe opened
  }

  deinit {
    unsafe iconv_close(state)
  }

  /// Forgets the state of earlier conversions.
  package func reset() {
    unsafe iconv(state, nil, nil, nil, nil)
  }

  /// Converts `input` from `position` on, and writes the text into `output` from `end` on, as far as there is room.
  ///
  /// - Parameters:
  ///   - position: is after the converted input when this returns.
  ///   - end: is after the written text when this returns.
  package func convert(_ input: Span<UInt8>, from position: inout Int, into output: inout [UInt8], from end: inout Int) -> Stop {
    var stop = Stop.end
    unsafe input.withUnsafeBytes { input in
      unsafe output.withUnsafeMutableBytes { room in
        // iconv takes a pointer to mutable bytes and does not change them.
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

  /// Writes the rest that a stateful encoding still holds back; `false` if there is no room for it.
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
