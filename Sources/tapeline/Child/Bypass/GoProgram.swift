internal import TapelineSystem

/// Recognises programs built by Go: its linker puts a note at the front of the file (ELF, `.note.go.buildid`).
enum GoProgram {
  private static let searched = 8_192
  /// A note's type, which is 4, and its name.
  private static let mark: [UInt8] = [4, 0, 0, 0, UInt8(ascii: "G"), UInt8(ascii: "o"), 0, 0]
  private static let magic: [UInt8] = [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")]

  static func isOne(_ path: String) -> Bool {
    do throws(SystemCallError) {
      return isOne(try WholeFile.readStart(path, limit: searched)[...])
    } catch {
      return false
    }
  }

  /// - Parameter start: the file's first bytes.
  static func isOne(_ start: ArraySlice<UInt8>) -> Bool {
    start.starts(with: magic) && start.contains(mark)
  }
}
