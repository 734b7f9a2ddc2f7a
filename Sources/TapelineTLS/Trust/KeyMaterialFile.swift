/// A file with certificates, keys or lists of revoked certificates.
package enum KeyMaterialFile {
  /// The whole content of the file; the error's message does not name the file.
  package static func read(_ path: String) throws(TLSError) -> [UInt8] {
    let bytes: [UInt8]?
    do throws(AuthorityError) {
      bytes = try AuthorityFiles.readIfPresent(path)
    } catch {
      throw TLSError(.configuration, error.why)
    }
    guard let bytes else { throw TLSError(.configuration, "there is no such file") }
    return bytes
  }
}
