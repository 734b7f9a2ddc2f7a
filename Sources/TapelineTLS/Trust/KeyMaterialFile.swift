/// A file with certificates, keys or lists of revoked certificates.
package enum KeyMaterialFile {
  /// All of the file; the error's message does not name it.
  package static func read(_ path: String) throws(TLSError) -> [UInt8] {
    let octets: [UInt8]?
    do throws(AuthorityError) {
      octets = try FileCalls.readIfPresent(path)
    } catch {
      throw TLSError(.configuration, error.why)
    }
    guard let octets else { throw TLSError(.configuration, "there is no such file") }
    return octets
  }
}
