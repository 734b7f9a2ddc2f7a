internal import TapelineDigest
internal import TapelineSystem
internal import TapelineBase

/// The key of this user's live pages: letters and digits that nobody else can read.
///
/// It is in the directory of the control sockets, for all recordings of this user: a page that is open finds the next recording
/// at its address.
package enum LiveKey {
  private static let size = 16
  private static let name = "live-key"

  /// The key that is there, or a new one. Where there is no place for it, it is this recording's alone.
  package static func ofUser(in directories: [ControlDirectory]) -> String {
    if let kept = ProcessRestart.text(.liveKey) { return kept }
    let new = Hexadecimal.text(of: randomBytes(size))
    for directory in directories {
      do throws(SystemCallError) {
        try directory.prepare()
      } catch {
        continue
      }
      let path = "\(directory.path)/\(name)"
      if let key = read(path) ?? place(new, at: path) { return key }
    }
    ProcessRestart.keep(new, as: .liveKey)
    return new
  }

  private static func read(_ path: String) -> String? {
    do throws(SystemCallError) {
      let key = String(decoding: try WholeFile.read(path, limit: 2 * size), as: UTF8.self)
      return key.utf8.count == 2 * size && key.utf8.allSatisfy(isDigit) ? key : nil
    } catch {
      return nil
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    Byte.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// The key under that name, which another recording may have taken in the same moment.
  private static func place(_ key: String, at path: String) -> String? {
    do throws(PrivateFileError) {
      let draft = try FileDraft(of: path)
      do throws(SystemCallError) {
        try draft.write(Array(key.utf8).span)
        try draft.place(mode: PrivateFile.mode)
        return key
      } catch {
        return read(path)
      }
    } catch {
      return nil
    }
  }
}
